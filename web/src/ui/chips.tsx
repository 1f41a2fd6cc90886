// SPDX-License-Identifier: Apache-2.0
//
// Which waits are shown. The chips of causes are the legend of the picture, too;
// those of classes say what the waits mean to who asks where the time went.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { causeColor, changeSwatches, swatches } from "../color";
import type { Diff, Times } from "../diff";
import { plural, share, time } from "../format";
import { pick } from "../report";
import { setApart } from "../state";
import { Icon, ICONS, Rows, toggle, type Props } from "./shared";

interface Named extends Times {
  name: string;
  sentence: string;
  share: string;
}

// Those that have time or are chosen, most time first.
function named(
  names: [string, string][],
  by: Float64Array,
  was: Float64Array,
  list: string[],
  weigh: (times: Times) => number,
  share: (i: number) => string,
): Named[] {
  return names
    .map(([name, sentence], i) => ({
      name,
      sentence,
      off: by[i],
      was: was[i],
      share: share(i),
    }))
    .filter(c => c.off > 0 || list.includes(c.name) || list.includes("-" + c.name))
    .sort((a, b) => weigh(b) - weigh(a));
}

export function Chips(props: Props) {
  const { report, state, theme, change } = props,
    f = report.filtered();
  const add = (values: Float64Array) => values.reduce((a, b) => a + b, 0);
  const byCause = { off: add(f.byCause), idle: add(f.idle.byCause) },
    byClass = { off: add(f.byClass), idle: add(f.idle.byClass) },
    idle = report.idleTime(),
    causes = named(
      report.p.head.causes,
      f.byCause,
      f.was.byCause,
      state.causes,
      report.weigh,
      i => report.shareOf(f.byCause[i], f.idle.byCause[i], byCause),
    ),
    classes = named(
      report.classes,
      f.byClass,
      f.was.byClass,
      state.classes,
      report.weigh,
      i => report.shareOf(f.byClass[i], f.idle.byClass[i], byClass),
    ).filter(c => c.name !== "idle" || report.diff);
  const frames = [...state.under.map(t => ["under", t]), ...state.not.map(t => ["not", t])] as [
    "under" | "not",
    string,
  ][];
  return (
    <div class="chips" id="filters" role="group" aria-label="Filters">
      <Threads {...props} />
      {state.threads.map(t => (
        <Active
          text={(t[0] === "-" ? "without thread " : "thread ") + t.replace(/^-?\+?/, "")}
          off={() =>
            change({
              threads: state.threads.filter(x => x !== t),
            })
          }
        />
      ))}
      {state.cgroups.map(g => (
        <Active
          text={(g[0] === "-" ? "not in " : "in ") + g.replace(/^-/, "")}
          off={() => change({ cgroups: state.cgroups.filter(x => x !== g) })}
        />
      ))}
      {state.objects.map(o => (
        <Active
          text={(o[0] === "-" ? "not for " : "for ") + o.replace(/^-/, "")}
          off={() => change({ objects: state.objects.filter(x => x !== o) })}
        />
      ))}
      {frames.map(([which, text]) => (
        <Active
          text={(which === "under" ? "under " : "not ") + text}
          off={() =>
            change({
              [which]: state[which].filter(x => x !== text),
            })
          }
        />
      ))}
      {report.filtersIn(state) ? (
        <button class="clear" onClick={() => change(report.noFilters)}>
          clear filters
        </button>
      ) : null}
      <span class="divider" />
      {state.color === "change" ? (
        <span class="legend" role="note" aria-label="Colours of a change">
          {changeSwatches(report.diff!.head.tested, theme).map(([name, color, says]) => (
            <span title={says}>
              <i class="dot" style={{ background: color }} />
              {name}
            </span>
          ))}
        </span>
      ) : state.color === "cause" || state.color === "module" ? null : (
        <span class="legend">
          {swatches(state.color, report.p.both).map(([name, color]) => (
            <span>
              <i class="dot" style={{ background: color }} />
              {name}
            </span>
          ))}
        </span>
      )}
      {classes.length > 1 || classes.some(c => state.classes.some(s => s.endsWith(c.name))) ? (
        <>
          {classes.map(c => (
            <Choice
              {...c}
              diff={report.diff}
              what="class"
              list={state.classes}
              on={list => change({ classes: list })}
            />
          ))}
        </>
      ) : null}
      {report.diff || !idle.off ? null : (
        <button
          class={"chip idle" + (idle.shown ? " on" : "")}
          aria-pressed={idle.shown}
          data-class="idle"
          title="Waits for work, of all time that passes the other filters. Shares are of the rest."
          onClick={() => change(report.toggleIdle())}
        >
          <span class="name">
            <i class="dot" />
            idle {time(idle.off)}, {share(idle.off, idle.whole)}:{" "}
            <b>{idle.shown ? "hide" : "show"}</b>
          </span>
        </button>
      )}
      {report.hasIdle && (report.diff || idle.shown) ? (
        <button
          class={"chip apart" + (state.apart ? " on" : "")}
          aria-pressed={state.apart}
          title="Show waits for work under their own causes (k)"
          onClick={() => change(setApart(state, !state.apart))}
        >
          <span class="name">idle by cause</span>
        </button>
      ) : null}
      {classes.length > 1 || idle.off ? <span class="divider" /> : null}
      {causes.map(c => (
        <Choice
          {...c}
          diff={report.diff}
          what="cause"
          list={state.causes}
          color={causeColor(c.name)}
          on={list => change({ causes: list })}
        />
      ))}
    </div>
  );
}

// One cause or class: a click has only what is chosen, the other button leaves it out.
function Choice({
  what,
  name,
  sentence,
  off,
  was,
  diff,
  share,
  list,
  color,
  on,
}: Named & {
  diff: Diff | null;
  what: "cause" | "class";
  list: string[];
  color?: string;
  on(list: string[]): void;
}) {
  const { only, without } = pick(list),
    chosen = only.includes(name),
    left = without.includes(name);
  const dim = left || (only.length > 0 && !chosen),
    says = diff ? diff.ratesText({ off, was }) : time(off);
  return (
    <span class={"chip" + (chosen ? " on" : "") + (dim ? " dim" : "")}>
      <button
        class="name"
        aria-pressed={chosen}
        title={`${sentence}: ${says}. Click: only this; again: all.`}
        {...{ [`data-${what}`]: name }}
        onClick={e => on(toggle(list, (e.altKey ? "-" : "") + name))}
      >
        {color ? <i class="dot" style={{ background: color }} /> : null}
        <span class={left ? "struck" : ""}>{name}</span>{" "}
        <em>{diff ? diff.changeText({ off, was }) : share}</em>
      </button>
      <button
        class="less"
        aria-pressed={left}
        aria-label={`Without ${what === "class" ? "class " : ""}${name}`}
        title={`Without ${name}`}
        onClick={() => on(toggle(list, "-" + name))}
      >
        <Icon d={ICONS.minus} />
      </button>
    </span>
  );
}

function Active({ text, off }: { text: string; off(): void }) {
  return (
    <span class="chip on filter">
      <span class="name" title={text}>
        {text}
      </span>
      <button class="less" aria-label={`Remove ${text}`} onClick={off}>
        <Icon d={ICONS.close} />
      </button>
    </span>
  );
}

interface Line extends Times {
  key: string;
  name: string;
  idle: number;
  process: boolean;
}

function Threads({ report, state, change }: Props) {
  const [open, setOpen] = useState(false),
    [query, setQuery] = useState("");
  const root = useRef<HTMLDivElement>(null),
    f = report.filtered(),
    { p } = report;
  useEffect(() => {
    if (!open) return;
    const away = (e: Event) => {
      if (!root.current!.contains(e.target as Node)) setOpen(false);
    };
    document.addEventListener("pointerdown", away);
    return () => document.removeEventListener("pointerdown", away);
  }, [open]);
  const lines = useMemo(() => (open ? threadLines() : []), [open, query, f]);
  function threadLines(): Line[] {
    const threads = new Map<string, Line>(),
      processes = new Map<string, Line>();
    for (let t = 0; t <= p.tasks; t++) {
      if (!t && !f.byTask[0]) continue;
      const [group, key] = report.taskKeys(t);
      const line = threads.get(key),
        up = processes.get(group);
      for (const l of [line, up]) {
        if (!l) continue;
        l.off += f.byTask[t];
        l.was += f.was.byTask[t];
        l.idle += f.idle.byTask[t];
      }
      if (!line)
        threads.set(key, {
          key,
          name: report.taskName(t),
          off: f.byTask[t],
          was: f.was.byTask[t],
          idle: f.idle.byTask[t],
          process: false,
        });
      if (!up)
        processes.set(group, {
          key: group,
          name: report.processName(t),
          off: f.byTask[t],
          was: f.was.byTask[t],
          idle: f.idle.byTask[t],
          process: true,
        });
    }
    const byTime = (a: Line, b: Line) =>
      report.weigh(b) - report.weigh(a) || (a.name < b.name ? -1 : 1);
    const small = query.toLowerCase(),
      all = [...processes.values()].sort(byTime);
    return [...(all.length > 1 ? all : []), ...[...threads.values()].sort(byTime)].filter(l =>
      l.name.toLowerCase().includes(small),
    );
  }
  const sum = (of: Float64Array) => of.reduce((a, b) => a + b, 0),
    whole = { off: sum(f.byTask), idle: sum(f.idle.byTask) };
  return (
    <div class="threads" ref={root}>
      <button
        class="chip pop"
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <span class="name">
          {state.threads.length
            ? "Threads chosen"
            : report.diff
              ? "All threads"
              : `All ${plural(report.p.head.budget.threads, "thread")}`}
        </span>
        <Icon d={ICONS.down} />
      </button>
      {open ? (
        <div
          class="popover"
          role="dialog"
          aria-label="Threads"
          onKeyDown={e => {
            if (e.key !== "Escape") return;
            setOpen(false);
            root.current!.querySelector("button")!.focus();
            e.stopPropagation();
          }}
        >
          <input
            type="search"
            placeholder="Find a process or thread"
            value={query}
            aria-label="Find a process or thread"
            ref={el => {
              if (el && !query) el.focus();
            }}
            onInput={e => setQuery(e.currentTarget.value)}
          />
          <Rows
            count={lines.length}
            height={26}
            class="threadlist"
            role="list"
            render={i => {
              const l = lines[i],
                on = state.threads.includes(l.key);
              return (
                <div class={"line" + (l.process ? " process" : "")} role="listitem" key={l.key}>
                  <button
                    class="only"
                    aria-pressed={on}
                    title="Only this"
                    onClick={() =>
                      change({
                        threads: on ? [] : [l.key],
                      })
                    }
                  >
                    {l.process ? "all of " : ""}
                    {l.name}
                  </button>
                  {report.diff ? (
                    <>
                      <b>{report.diff.changeText(l)}</b>
                      <em>{report.diff.percentText(l)}</em>
                    </>
                  ) : (
                    <>
                      <b>{time(l.off)}</b>
                      <em>{report.shareOf(l.off, l.idle, whole)}</em>
                    </>
                  )}
                  <button
                    class="less"
                    aria-label={`Without ${l.name}`}
                    title="Without this"
                    aria-pressed={state.threads.includes("-" + l.key)}
                    onClick={() =>
                      change({
                        threads: toggle(state.threads, "-" + l.key),
                      })
                    }
                  >
                    <Icon d={ICONS.minus} />
                  </button>
                </div>
              );
            }}
          />
          <p>{plural(lines.length, "line")}; keys n and p go from thread to thread</p>
        </div>
      ) : null}
    </div>
  );
}
