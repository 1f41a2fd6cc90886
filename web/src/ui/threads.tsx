// SPDX-License-Identifier: Apache-2.0
//
// One row for each thread: its states, as a bar of sums and, where the recording has intervals, as
// a strip of them, and what it waits for most.
import { useMemo, useState } from "preact/hooks";
import { causeColor } from "../color";
import { plural, share, time } from "../format";
import {
  mainWait,
  partsByTask,
  partsOf,
  statesOf,
  threadsOf,
  waitsByTask,
  waitsOf,
  type Thread,
} from "../threads";
import { Nothing } from "./flameview";
import { gridKeys, Rows, toggle, type Props } from "./shared";
import { ordered, SortHead, sortingOf } from "./sorting";

const HEIGHT = 44;

const COLUMNS: [string, string, string, (t: Thread) => number][] = [
  ["waited", "waited", "Waits that pass the filters, with the run queue after them", t => t.waited],
  ["blocked", "blocked", "With waits for work", t => t.blocked],
  ["idle", "idle", "Waits for work", t => t.idle],
  ["runq", "run queue", "Waiting for a CPU", t => t.runq],
  ["on", "on a CPU", "", t => t.on],
];

export function stateColor(name: string): string {
  if (name === "on-cpu") return "var(--on)";
  if (name === "runq") return "var(--runq)";
  return name ? causeColor(name) : "var(--line)";
}

export function stateWords(name: string): string {
  return { "on-cpu": "on a CPU", runq: "waiting for a CPU", "": "not known" }[name] ?? name;
}

export function Threads(props: Props) {
  const { report, state, change } = props,
    p = report.wholeTime, // of a part, what a thread did on a CPU is not known
    f = report.filtered(),
    [focus, setFocus] = useState(-1),
    query = state.search.toLowerCase();
  const waits = useMemo(() => waitsByTask(p), [p]),
    parts = useMemo(() => partsByTask(p), [p]),
    strips = report.hasIntervals();
  const columns = COLUMNS.map(c => c[0]),
    by = sortingOf(state.sort, columns, "-waited");
  const rows = useMemo(() => {
    const all = threadsOf(p, report.taskPasses(), f.pass, report.narrowed()).filter(
      t => !query || report.taskName(t.task).toLowerCase().includes(query),
    );
    const names = new Map(all.map(t => [t.task, report.taskName(t.task)]));
    return ordered(all, by, COLUMNS.find(c => c[0] === by.key)?.[3], t => names.get(t.task)!);
  }, [f, by.sort, query]);
  const most = rows.reduce((m, t) => Math.max(m, t.wall), 0),
    chosen = (t: Thread) => state.threads.includes(report.taskKeys(t.task)[1]);
  const act = (t: Thread) =>
    change({ threads: toggle(state.threads, report.taskKeys(t.task)[1]) });
  const th = (name: string, text: string, title?: string) => (
    <SortHead {...{ name, text, title, by, change }} />
  );
  const head = (
    <div class="tr th" role="row">
      {th("name", "thread")}
      <span role="columnheader" class="c-states">
        {strips ? "states, and over time" : "states"}
      </span>
      {COLUMNS.map(([name, text, title]) => th(name, text, title))}
      <span role="columnheader" class="c-main">
        waited most for
      </span>
    </div>
  );
  return (
    <div class="table threadtable">
      <div class="bar2">
        <span class="muted">
          {plural(rows.length, "thread")}
          {query ? ` with \u201c${state.search}\u201d` : ""}
        </span>
        <span class="legend">
          {["on-cpu", "runq", "idle", ""].map(name => (
            <span>
              <i class="dot" style={{ background: stateColor(name) }} />
              {stateWords(name)}
            </span>
          ))}
          <span>other colours: blocked, by cause</span>
        </span>
      </div>
      {rows.length ? null : <Nothing {...props} />}
      <Rows
        count={rows.length}
        height={HEIGHT}
        headHeight={26}
        at={focus}
        role="grid"
        head={head}
        tabIndex={0}
        aria-rowcount={rows.length + 1}
        aria-label="Threads and their states"
        aria-activedescendant={focus >= 0 && focus < rows.length ? `thread-${focus}` : undefined}
        onKeyDown={gridKeys({ at: focus, count: rows.length, page: 12 }, setFocus, i =>
          act(rows[i]),
        )}
        render={i => {
          const t = rows[i],
            own = waitsOf(waits, t.task),
            states = partsOf(p, t, own),
            main = mainWait(p, own, f.pass);
          return (
            <div
              role="row"
              key={report.taskKeys(t.task)[1]}
              id={`thread-${i}`}
              aria-rowindex={i + 2}
              aria-selected={i === focus}
              class={"tr" + (i === focus || chosen(t) ? " at" : "")}
              onClick={() => setFocus(i)}
              onDblClick={() => act(t)}
            >
              <span role="gridcell" class="c-name" title={report.processName(t.task)}>
                <button class="link t" onClick={() => act(t)}>
                  {report.taskName(t.task)}
                </button>
              </span>
              <span
                role="gridcell"
                class="c-states"
                title={states
                  .map(s => `${stateWords(s.name)} ${time(s.ns)}, ${share(s.ns, t.wall)}`)
                  .join("\n")}
              >
                <span class="bar" style={{ width: `${(100 * t.wall) / (most || 1)}%` }}>
                  {states.map(s => (
                    <i style={{ flexGrow: s.ns / t.wall, background: stateColor(s.name) }} />
                  ))}
                </span>
                {strips ? (
                  <span
                    class="states"
                    style={{ background: stripes(report.causeNames, statesOf(p, parts, t.task)) }}
                  />
                ) : null}
                <span class="hidden">
                  {states.map(s => `${stateWords(s.name)} ${share(s.ns, t.wall)}`).join(", ")}
                </span>
              </span>
              {COLUMNS.map(([name, , , value]) => (
                <span role="gridcell" class={"c-" + name}>
                  {value(t) ? time(value(t)) : ""}
                </span>
              ))}
              <span
                role="gridcell"
                class="c-main"
                title={main ? `${main.cause} ${time(main.ns)} ${main.things}` : ""}
              >
                {main ? (
                  <>
                    <i class="dot" style={{ background: causeColor(main.cause) }} />{" "}
                    {main.cause}{" "}
                    <em>{main.things}</em>
                  </>
                ) : null}
              </span>
            </div>
          );
        }}
      />
    </div>
  );
}

// One stripe for each interval.
function stripes(names: string[], states: Int16Array): string {
  const n = states.length,
    stops: string[] = [];
  for (let i = 0; i < n; ) {
    let j = i + 1;
    while (j < n && states[j] === states[i]) j++;
    const color = states[i] < 0 ? "var(--line)" : causeColor(names[states[i]]);
    stops.push(`${color} ${((100 * i) / n).toFixed(2)}% ${((100 * j) / n).toFixed(2)}%`);
    i = j;
  }
  return `linear-gradient(90deg, ${stops.join(", ")})`;
}
