// SPDX-License-Identifier: Apache-2.0
//
// Which waits are shown. The chips of causes are the legend of the picture, too.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { causeColor, swatches } from "../color";
import { plural, share, time } from "../format";
import { pick } from "../report";
import { Icon, ICONS, Rows, toggle, type Props } from "./shared";

export function Chips(props: Props) {
  const { report, state, change } = props,
    f = report.filtered();
  const whole = f.byCause.reduce((a, b) => a + b, 0),
    { only, without } = pick(state.causes);
  const causes = report.causeNames
    .map((name, i) => ({ name, i, ns: f.byCause[i] }))
    .filter(c => c.ns > 0 || state.causes.includes(c.name) || state.causes.includes("-" + c.name))
    .sort((a, b) => b.ns - a.ns);
  const frames = [...state.under.map(t => ["under", t]), ...state.not.map(t => ["not", t])] as [
    "under" | "not",
    string,
  ][];
  const active = state.causes.length + state.threads.length + frames.length;
  return (
    <div class="chips" role="group" aria-label="Filters">
      <Threads {...props} />
      {state.threads.map(t => (
        <Active
          text={(t[0] === "-" ? "without thread " : "thread ") + t.replace(/^-/, "")}
          off={() =>
            change({
              threads: state.threads.filter(x => x !== t),
            })
          }
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
      {active ? (
        <button
          class="clear"
          onClick={() =>
            change({
              causes: [],
              threads: [],
              under: [],
              not: [],
            })
          }
        >
          clear filters
        </button>
      ) : null}
      <span class="divider" />
      {state.color === "cause" || state.color === "module" ? null : (
        <span class="legend">
          {swatches(state.color, report.p.both).map(([name, color]) => (
            <span>
              <i class="dot" style={{ background: color }} />
              {name}
            </span>
          ))}
        </span>
      )}
      {causes.map(c => {
        const on = only.includes(c.name),
          off = without.includes(c.name);
        const dim = off || (only.length > 0 && !on);
        return (
          <span class={"chip" + (on ? " on" : "") + (dim ? " dim" : "")}>
            <button
              class="name"
              aria-pressed={on}
              title={
                `${report.p.head.causes[c.i][1]}: ` + `${time(c.ns)}. Click: only this; again: all.`
              }
              data-cause={c.name}
              onClick={e =>
                change({
                  causes: toggle(state.causes, (e.altKey ? "-" : "") + c.name),
                })
              }
            >
              <i
                class="dot"
                style={{
                  background: causeColor(c.name),
                }}
              />
              <span class={off ? "struck" : ""}>{c.name}</span> <em>{share(c.ns, whole)}</em>
            </button>
            <button
              class="less"
              aria-pressed={off}
              aria-label={`Without ${c.name}`}
              title={`Without ${c.name}`}
              onClick={() =>
                change({
                  causes: toggle(state.causes, "-" + c.name),
                })
              }
            >
              <Icon d={ICONS.minus} />
            </button>
          </span>
        );
      })}
    </div>
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

interface Line {
  key: string;
  name: string;
  ns: number;
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
      const key = `${p.task.tgid[t]}/${p.task.tid[t]}`,
        group = `${p.task.tgid[t]}`;
      const line = threads.get(key),
        up = processes.get(group);
      if (line) line.ns += f.byTask[t];
      else
        threads.set(key, {
          key,
          name: report.taskName(t),
          ns: f.byTask[t],
          process: false,
        });
      if (up) up.ns += f.byTask[t];
      else
        processes.set(group, {
          key: group,
          name: report.processName(t),
          ns: f.byTask[t],
          process: true,
        });
    }
    const byTime = (a: Line, b: Line) => b.ns - a.ns || (a.name < b.name ? -1 : 1);
    const small = query.toLowerCase(),
      all = [...processes.values()].sort(byTime);
    return [...(all.length > 1 ? all : []), ...[...threads.values()].sort(byTime)].filter(l =>
      l.name.toLowerCase().includes(small),
    );
  }
  const whole = f.byTask.reduce((a, b) => a + b, 0);
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
            : `All ${plural(report.p.head.budget.threads, "thread")}`}
        </span>
        <Icon d={ICONS.down} />
      </button>
      {open ? (
        <div
          class="popover"
          role="dialog"
          aria-label="Threads"
          onKeyDown={e => e.key === "Escape" && setOpen(false)}
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
                  <b>{time(l.ns)}</b>
                  <em>{share(l.ns, whole)}</em>
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
