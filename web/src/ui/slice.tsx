// SPDX-License-Identifier: Apache-2.0
//
// One slice of a timeline in words: under the pointer, as a sentence, and as a list in the details.
import { causeColor } from "../color";
import { objectOf } from "../data";
import { count, plural, share, time } from "../format";
import { exactly, instant, sliceKey, type Slice } from "../lanes";
import type { Report } from "../report";
import type { State } from "../state";

const WOKEN = 8; // threads that are listed

// "3.07 ms (3,071,234 ns)"
function length(ns: number): string {
  return ns < 1000 ? `${ns} ns` : `${time(ns)} (${exactly(ns)})`;
}

interface Facts {
  cause: string; // "": it is no wait
  idle: boolean; // it waited for work
  place: string;
  call: string;
  object: string;
  owner: string;
  waker: string; // who ended the wait
  wakerTask: number;
  woken: number[]; // tasks that it woke, of a slice on a CPU
  blocked: number; // of the wait that the slice is of
  runq: number;
}

export function factsOf(report: Report, slice: Slice): Facts {
  const lanes = report.lanes(),
    { p } = lanes,
    nobody = { owner: "", waker: "", wakerTask: 0 },
    none = { cause: "", idle: false, place: "", call: "", object: "", ...nobody };
  if (slice.moment < 0) {
    const wakes = slice.what === "on" ? lanes.wakesOf(slice, 1000) : [];
    return { ...none, blocked: 0, runq: 0, woken: wakes.map(wake => wake.to) };
  }
  const w = p.moment.wait[slice.moment],
    waker = p.moment.waker[slice.moment],
    text = (id: number) => p.strings[id] ?? "";
  return {
    cause: p.head.causes[p.wait.kind[w]][0],
    idle: p.wait.class[w] === p.idle,
    place: text(p.wait.place[w]),
    call: text(p.wait.syscall[w]),
    object: p.object.says[p.wait.object[w]] ? objectOf(p, w) : "",
    owner: text(p.wait.owner[w]),
    waker: waker ? text(p.waker.label[waker]) : "",
    wakerTask: p.waker.task[waker] ?? 0,
    woken: [],
    blocked: p.moment.blocked_ns[slice.moment],
    runq: p.moment.runq_ns[slice.moment],
  };
}

export function title(slice: Slice, cause: string): string {
  switch (slice.what) {
    case "blocked":
      return cause;
    case "runq":
      return "waiting for a CPU";
    case "on":
      return "on a CPU";
    default:
      return "not known";
  }
}

// The first line is the title.
export function linesOf(report: Report, slice: Slice): string[] {
  const f = factsOf(report, slice),
    names = [...new Set(f.woken)].map(report.taskName);
  return [
    `${title(slice, f.cause)} ${time(slice.end - slice.begin)}`,
    `${exactly(slice.end - slice.begin)} from ${instant(slice.begin)}`,
    report.taskName(slice.task),
    f.idle ? "a wait for work" : "",
    f.place && `at ${f.place}`,
    f.object && `for ${f.object}`,
    f.owner && `held by ${f.owner}`,
    f.waker && `woken by ${f.waker}`,
    slice.what === "blocked" && f.runq ? `then waiting for a CPU ${time(f.runq)}` : "",
    slice.what === "runq" && f.blocked ? `after ${time(f.blocked)} in ${f.cause}` : "",
    names.length
      ? `woke ${names.slice(0, 3).join(", ")}` +
        (names.length > 3 ? ` and ${names.length - 3} more` : "")
      : "",
    slice.what === "unknown" ? "its instants are missing" : "",
  ].filter(Boolean);
}

// As `report --narrative` has it.
export function sentenceOf(report: Report, slice: Slice): string {
  const f = factsOf(report, slice),
    ns = slice.end - slice.begin,
    by = f.waker && `; woken by ${f.waker}`,
    at = f.place && `, at ${f.place}`,
    what = {
      blocked:
        `blocked ${length(ns)} in ${f.cause}${at}${f.object && ` for ${f.object}`}` +
        `${f.owner && `, held by ${f.owner}`}${by}` +
        (f.runq ? `; then waited ${length(f.runq)} for a CPU` : ""),
      runq:
        `waited ${length(ns)} for a CPU` +
        (f.blocked ? `, after ${length(f.blocked)} blocked in ${f.cause}${by}` : at),
      on: `on a CPU ${length(ns)}` + (f.woken.length ? `; woke ${threads(report, f)}` : ""),
      unknown: `not known for ${length(ns)}: its instants are missing`,
    }[slice.what];
  return `${instant(slice.begin)}, ${report.taskName(slice.task)}: ${what}`;
}

function threads(report: Report, { woken }: Facts): string {
  const names = [...new Set(woken)].map(report.taskName);
  return names.length > 3 ? plural(names.length, "thread") : names.join(", ");
}

// In the details, above all waits of the same code.
export function SliceDetails({
  report,
  slice,
  change,
  zoom,
}: {
  report: Report;
  slice: Slice;
  change(patch: Partial<State>): void;
  zoom(): void; // to the slice
}) {
  const f = factsOf(report, slice),
    lanes = report.lanes(),
    { p } = lanes,
    ns = slice.end - slice.begin,
    whole = p.task.wall_ns[slice.task],
    goTo = (task: number, at: number) => {
      const to = lanes.sliceAt(task, at) ?? lanes.sliceAt(task, at - 1);
      if (to) change({ slice: sliceKey(p, to), at: leafKey(report, to), fn: "" });
    },
    woke = (task: number, at: number, name: string) =>
      task ? (
        <button class="link" onClick={() => goTo(task, at)}>
          {name}
        </button>
      ) : (
        name
      ),
    woken = [...new Set(f.woken)],
    wakes = slice.what === "on" ? lanes.wakesOf(slice, 1000) : [],
    ended = slice.moment < 0 ? 0 : lanes.wakeOf(slice.moment).at;
  const rows: [string, any][] = [
    ["thread", report.taskName(slice.task)],
    ["from", instant(slice.begin)],
    ["to", instant(slice.end)],
    ["length", `${exactly(ns)}, ${share(ns, whole)} of the thread`],
    ["blocked", slice.what === "runq" && f.blocked ? `${exactly(f.blocked)} in ${f.cause}` : ""],
    ["then for a CPU", slice.what === "blocked" && f.runq ? exactly(f.runq) : ""],
    ["at", f.place && <span class="mono">{f.place}</span>],
    ["system call", f.call],
    ["idle", f.idle ? "a wait for work" : ""],
    ["for", f.object],
    ["held by", f.owner],
    ["woken by", f.waker && woke(f.wakerTask, ended, f.waker)],
    [
      "woke",
      woken.length ? (
        <>
          {woken.slice(0, WOKEN).map((task, i) => (
            <>
              {i ? ", " : ""}
              {woke(task, wakes.find(wake => wake.to === task)!.at, report.taskName(task))}
            </>
          ))}
          {woken.length > WOKEN ? ` and ${count(woken.length - WOKEN)} more` : ""}
        </>
      ) : (
        ""
      ),
    ],
    ["why", slice.what === "unknown" ? "its instants were lost, or left out" : ""],
  ];
  return (
    <section class="slice" aria-label="Selected slice">
      <h2>
        <i class="dot" style={{ background: dotColor(slice, f.cause) }} />{" "}
        {title(slice, f.cause)} {time(ns)}
      </h2>
      <div class="actions">
        <button title="Enter" onClick={zoom}>
          Zoom
        </button>
        {f.wakerTask ? (
          <button onClick={() => goTo(f.wakerTask, ended)}>Go to the waker</button>
        ) : null}
        {slice.moment >= 0 ? (
          <button onClick={() => change({ view: "heavy", slice: "" })}>In the flame graph</button>
        ) : null}
      </div>
      <dl class="facts">
        {rows
          .filter(row => row[1])
          .map(([name, value]) => (
            <>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </>
          ))}
      </dl>
    </section>
  );
}

function dotColor(slice: Slice, cause: string): string {
  return {
    blocked: causeColor(cause),
    runq: "var(--runq)",
    on: "var(--on)",
    unknown: "var(--line)",
  }[slice.what];
}

// What is selected in all other views; "": it is no wait.
export function leafKey(report: Report, slice: Slice): string {
  return slice.moment < 0 ? "" : report.leafOf(report.lanes().p.moment.wait[slice.moment]);
}
