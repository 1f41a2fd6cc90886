// SPDX-License-Identifier: Apache-2.0
//
// Requests: a table of their classes, of the selected class what its time went to and what makes
// its slowest slow, and in the details one of these with its waits and its critical path.
import { useMemo, useState } from "preact/hooks";
import { causeColor } from "../color";
import { count, plural, share, time } from "../format";
import { exactly, instant, sliceKey } from "../lanes";
import type { Report } from "../report";
import {
  differences,
  pathKeyOf,
  pathOf,
  sumsOf,
  type Doing,
  type Piece,
  type Request,
  type RequestClass,
  type Sum,
} from "../requests";
import type { State } from "../state";
import { spanAround } from "./lanes";
import { PathDetails } from "./path";
import { gridKeys, Rows, type Moves, type Props } from "./shared";
import { ordered, SortHead, sortingOf } from "./sorting";
import { stateColor, stateWords } from "./threads";

const HEIGHT = 26,
  DIFFERENCES = 10,
  PIECES = 20; // of a request, the longest

const COLUMNS: [string, string, string, (c: RequestClass) => number, typeof time][] = [
  ["whole", "time", "Of all requests", c => c.ns, time],
  ["requests", "requests", "", c => c.count, count],
  ["rate", "rate", "Requests a second", c => c.count, count],
  ["p50", "p50", "Half of the requests took no longer", c => c.p50, time],
  ["p90", "p90", "", c => c.p90, time],
  ["p99r", "p99", "", c => c.p99, time],
  ["most", "longest", "", c => c.max, time],
];

type What = Pick<Sum, "part" | "cause">;

function colorOf(report: Report, { part, cause }: What): string {
  if (part === "not-split") return "var(--strong)";
  if (part === "blocked") return causeColor(report.causeNames[cause]);
  return stateColor({ "run-queue": "runq", "not-known": "" }[part as string] ?? part);
}

function wordsOf(report: Report, { part, cause }: What): string {
  if (part === "not-split") return "not split";
  if (part === "blocked") return report.causeNames[cause];
  return stateWords({ "run-queue": "runq", "not-known": "" }[part as string] ?? part);
}

// Of the cause too if it is a wait for work.
function doingWords(report: Report, what: What): string {
  return what.part === "idle" && what.cause >= 0
    ? `idle (${report.causeNames[what.cause]})`
    : wordsOf(report, what);
}

export function selectedRequest(report: Report, state: State): Request | null {
  return report.p.head.requests && state.request
    ? report.requests().requestNamed(state.request)
    : null;
}

const selecting = (c: RequestClass, request: Request | null): Partial<State> => ({
  requests: c.name,
  request: request?.key ?? "",
  ...(request ? { at: "", fn: "" } : {}),
});

// The time of a request in the timeline, with its critical path; null: there is no timeline.
function inTimeline(report: Report, request: Request): Partial<State> | null {
  if (!report.p.head.timelines) return null;
  const { begin, ns, task, turns } = request,
    slice = { task, what: "on" as const, begin, end: begin + ns, moment: -1 };
  return {
    view: "timeline",
    span: spanAround(report, slice),
    path: report.hasPaths && turns.length ? pathKeyOf(request, report.paths()) : "",
    at: "",
    fn: "",
  };
}

export function RequestsView(props: Props & { movesRef: { current: Moves | null } }) {
  const { report, state, change, movesRef } = props,
    { classes, classOf } = bound(report),
    { requests: head, header } = report.p.head,
    request = selectedRequest(report, state),
    // a live page may have none now
    c: RequestClass | undefined = request?.of ?? classOf(state.requests) ?? classes[0],
    query = state.search.toLowerCase();
  const columns = COLUMNS.map(col => col[0]),
    by = sortingOf(state.sort, columns, "-whole");
  const rows = useMemo(
    () =>
      ordered(
        classes.filter(one => one.name.toLowerCase().includes(query)),
        by,
        COLUMNS.find(col => col[0] === by.key)?.[3],
        one => one.name,
      ),
    [classes, by.sort, query],
  );
  const at = rows.indexOf(c),
    all = classes.reduce((n, one) => n + one.count, 0),
    ns = classes.reduce((n, one) => n + one.ns, 0),
    most = classes.reduce((n, one) => Math.max(n, one.ns), 0),
    filtered = report.filtersIn(state) > 0 || !!report.when;
  const pick = (i: number) => rows[i] && change(selecting(rows[i], null)),
    take = (i: number) => c?.slowest[i] && change(selecting(c, c.slowest[i])),
    open = (r: Request | null) => {
      const to = r && inTimeline(report, r);
      if (to) change(to);
      return !!to;
    };

  function act(pressed: string): boolean {
    const here = request ? request.of.slowest.indexOf(request) : -1;
    switch (pressed) {
      case "ArrowDown":
      case "ArrowUp":
        pick(Math.max(0, Math.min(rows.length - 1, at + (pressed === "ArrowDown" ? 1 : -1))));
        return true;
      case "ArrowRight":
        take(Math.min((c?.slowest.length ?? 0) - 1, here + 1));
        return true;
      case "ArrowLeft":
        take(Math.max(0, here - 1));
        return true;
      case "Enter":
        return open(request);
      case "Escape":
        if (!request) return false;
        change({ request: "" });
        return true;
      default:
        return false;
    }
  }
  movesRef.current = { panBy: () => {}, zoomBy: () => {}, act };

  const th = (name: string, text: string, title?: string) => (
    <SortHead {...{ name, text, title, by, change }} />
  );
  return (
    <div class="table requests">
      <div class="bar2 said">
        <span class="muted">
          {classes.length
            ? `${plural(classes.length, "class", "classes")}, ${plural(all, "request")}, ` +
              `${time(ns)} in total`
            : "No request began or ended in this time"}
          {query ? `; ${count(rows.length)} with \u201c${state.search}\u201d` : ""}
          {filtered ? "; filters and parts of the time do not change them" : ""}
        </span>
        {head!.of > head!.classes ? (
          <span class="muted">
            This page has the {count(head!.classes)} classes with most time of {count(head!.of)}.
          </span>
        ) : null}
      </div>
      <Rows
        count={rows.length}
        height={HEIGHT}
        at={at}
        role="grid"
        class={"classes" + (rows.length > 3 ? " many" : "")}
        tabIndex={0}
        aria-rowcount={rows.length + 1}
        aria-label="Classes of requests"
        aria-activedescendant={at >= 0 ? `class-${at}` : undefined}
        onKeyDown={gridKeys({ at, count: rows.length, page: 8 }, pick, () => take(0))}
        head={
          <div class="tr th" role="row">
            {th("name", "class")}
            <span role="columnheader" class="c-states">
              its time
            </span>
            {COLUMNS.map(([name, text, title]) => th(name, text, title))}
          </div>
        }
        render={i => {
          const one = rows[i];
          return (
            <div
              role="row"
              key={one.name}
              id={`class-${i}`}
              aria-rowindex={i + 2}
              aria-selected={one === c}
              class={"tr" + (one === c ? " at" : "")}
              onClick={() => pick(i)}
            >
              <span role="gridcell" class="c-name" title={one.name}>
                <span class="t">{one.name}</span>
              </span>
              <Cell report={report} parts={one.doing} whole={one.ns} most={most} />
              {COLUMNS.map(([name, , , value, text]) => (
                <span role="gridcell" class={"c-" + name}>
                  {name === "rate"
                    ? rateOf(one, header.window_ns)
                    : one.count || name === "requests"
                      ? text(value(one))
                      : ""}
                </span>
              ))}
            </div>
          );
        }}
      />
      {c ? (
        <Class {...{ report, c, request }} take={take} open={open} window={header.window_ns} />
      ) : null}
    </div>
  );
}

function bound(report: Report) {
  const requests = report.requests();
  return { classes: requests.classes, classOf: (name: string) => requests.classOf(name) };
}

function rateOf({ count: n }: RequestClass, window_ns: number): string {
  return n && window_ns ? `${((n * 1e9) / window_ns).toFixed(1)}/s` : "";
}

function Bar({
  report,
  sums,
  whole,
  part,
}: {
  report: Report;
  sums: Sum[];
  whole: number;
  part: number; // of the width
}) {
  return (
    <span class="bar" style={{ width: `${100 * part}%` }}>
      {sums.map(sum => (
        <i style={{ flexGrow: sum.ns / whole, background: colorOf(report, sum) }} />
      ))}
    </span>
  );
}

// A bar in a row, and its words.
function Cell({
  report,
  parts,
  whole,
  most,
}: {
  report: Report;
  parts: (Doing | Piece)[];
  whole: number;
  most: number; // of all rows
}) {
  const sums = useMemo(() => sumsOf(parts), [parts]),
    words = sums.map(sum => `${wordsOf(report, sum)} ${share(sum.ns, whole)}`);
  return (
    <span role="gridcell" class="c-states" title={words.join("\n")}>
      <Bar report={report} sums={sums} whole={whole} part={whole / (most || 1)} />
      <span class="hidden">{words.join(", ")}</span>
    </span>
  );
}

function Class({
  report,
  c,
  request,
  take,
  open,
  window,
}: {
  report: Report;
  c: RequestClass;
  request: Request | null;
  take(i: number): void;
  open(r: Request): void;
  window: number;
}) {
  const sums = useMemo(() => sumsOf(c.doing), [c]),
    numbers: [string, string][] = [
      ["requests", count(c.count)],
      ["rate", rateOf(c, window)],
      ["total", time(c.ns)],
      ["p50", time(c.p50)],
      ["p90", time(c.p90)],
      ["p99", time(c.p99)],
      ["longest", time(c.max)],
    ],
    rest = [
      c.before ? `${count(c.before)} more began before the recording.` : "",
      c.open
        ? `${count(c.open)} more ${c.open === 1 ? "has" : "have"} no end: failed, or went on ` +
          "when the recording ended."
        : "",
      c.nested ? `${plural(c.nested, "call")} inside of a request are parts of it.` : "",
      c.handed
        ? `${count(c.handed)} were answered by another thread than the one that read: their ` +
          "parts are of the thread that had them."
        : "",
      c.overlapping
        ? `${count(c.overlapping)} overlap others of their thread: what it did meanwhile counts ` +
          "in each."
        : "",
    ].filter(Boolean);
  return (
    <section class="class" aria-label="Selected class">
      <h2 class="mono">{c.name}</h2>
      {c.count ? (
        <dl class="numbers">
          {numbers.map(([name, value]) => (
            <div>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      ) : null}
      {rest.length ? <p class="hint">{rest.join(" ")}</p> : null}
      {c.ns ? (
        <>
          <span class="whole" aria-hidden="true">
            <Bar report={report} sums={sums} whole={c.ns} part={1} />
          </span>
          <div class="columns">
            <Parts report={report} sums={sums} whole={c.ns} each={c.count} />
            <Differences report={report} c={c} />
          </div>
        </>
      ) : null}
      {c.slowest.length ? <Slowest {...{ report, c, request, take, open }} /> : null}
    </section>
  );
}

function Parts({
  report,
  sums,
  whole,
  each,
}: {
  report: Report;
  sums: Sum[];
  whole: number;
  each: number; // requests
}) {
  return (
    <table class="compared">
      <caption>What their threads did meanwhile</caption>
      <thead>
        <tr>
          <th scope="col">time</th>
          <th scope="col">share</th>
          <th scope="col">each</th>
          <th scope="col">what</th>
        </tr>
      </thead>
      <tbody>
        {sums.map(sum => (
          <tr title={exactly(sum.ns)}>
            <td>{time(sum.ns)}</td>
            <td>{share(sum.ns, whole)}</td>
            <td>{time(sum.ns / each)}</td>
            <th scope="row">
              <i class="dot" style={{ background: colorOf(report, sum) }} />{" "}
              {wordsOf(report, sum)}
              {sum.part === "idle" ? ": waits for work" : ""}
              {sum.part === "not-split" ? ": no wakeups lead from the reading thread" : ""}
            </th>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

// Between two groups of requests, by their means: these add up to the difference in length.
function Differences({ report, c }: { report: Report; c: RequestClass }) {
  const { all, rows } = differences(c),
    shown = rows.slice(0, DIFFERENCES);
  if (!c.middle) return <p class="hint">Fewer than 5 requests are not compared.</p>;
  return (
    <table class="compared">
      <caption>
        What the slowest 1 % ({plural(c.slow, "request")}) did longer than{" "}
        {c.middle === 1 ? "the one at the median" : `the ${count(c.middle)} around the median`}, on
        average
      </caption>
      <thead>
        <tr>
          <th scope="col">longer by</th>
          <th scope="col" title="Standard error of the difference">
            ±
          </th>
          <th scope="col">what</th>
        </tr>
      </thead>
      <tbody>
        {shown.map(row => {
          const more = row.slow - row.middle,
            weak = row.error >= 0 && more < 2 * row.error;
          return (
            <tr title={weak ? "Less than two standard errors" : undefined}>
              <td>{time(more)}</td>
              <td>{row.error >= 0 ? time(row.error) : ""}</td>
              <th scope="row">
                <i class="dot" style={{ background: colorOf(report, row) }} />{" "}
                {doingWords(report, row)}
                {row.place ? <span class="mono"> at {row.place}</span> : null}
                {weak ? " (may be chance)" : ""}
              </th>
            </tr>
          );
        })}
        <tr>
          <td>{(all < 0 ? "\u2212" : "") + time(Math.abs(all))}</td>
          <td />
          <th scope="row">
            all{rows.length < c.doing.length ? ", also what is not shown" : ""}
            {c.slow === 1 ? "; one request has no standard error" : ""}
          </th>
        </tr>
      </tbody>
    </table>
  );
}

function Slowest({
  report,
  c,
  request,
  take,
  open,
}: {
  report: Report;
  c: RequestClass;
  request: Request | null;
  take(i: number): void;
  open(r: Request): void;
}) {
  const [focus, setFocus] = useState(-1),
    chosen = request ? c.slowest.indexOf(request) : -1,
    at = chosen >= 0 ? chosen : Math.min(focus, c.slowest.length - 1),
    pieces = useMemo(
      () => c.slowest.map(one => report.requests().pieces(one, report.paths())),
      [c],
    ),
    most = c.slowest[0].ns,
    traces = c.slowest.some(one => one.trace);
  const go = (i: number) => {
    setFocus(i);
    take(i);
  };
  return (
    <>
      <h3>
        {c.slowest.length < c.count
          ? `The ${c.slowest.length} slowest`
          : "All, the slowest first"}
      </h3>
      <Rows
        count={c.slowest.length}
        height={HEIGHT}
        role="grid"
        class="slowest"
        tabIndex={0}
        aria-rowcount={c.slowest.length + 1}
        aria-label="Slowest requests"
        aria-activedescendant={at >= 0 ? `slow-${at}` : undefined}
        onKeyDown={gridKeys({ at, count: c.slowest.length, page: 8 }, go, i => open(c.slowest[i]))}
        head={
          <div class="tr th" role="row">
            <span role="columnheader" class="c-whole">
              length
            </span>
            <span role="columnheader" class="c-states">
              its time
            </span>
            <span role="columnheader" class="c-begin">
              began at
            </span>
            <span role="columnheader" class="c-thread">
              thread
            </span>
            {traces ? (
              <span role="columnheader" class="c-trace">
                trace
              </span>
            ) : null}
          </div>
        }
        render={i => {
          const one = c.slowest[i],
            other = report.p.task.tid[one.writer] !== report.p.task.tid[one.task];
          return (
            <div
              role="row"
              id={`slow-${i}`}
              key={one.key}
              aria-rowindex={i + 2}
              aria-selected={i === chosen}
              class={"tr" + (i === at ? " at" : "")}
              onClick={() => go(i)}
              onDblClick={() => open(one)}
            >
              <span role="gridcell" class="c-whole" title={exactly(one.ns)}>
                {time(one.ns)}
              </span>
              <Cell report={report} parts={pieces[i]} whole={one.ns} most={most} />
              <span role="gridcell" class="c-begin">
                {instant(one.begin, 1000)}
              </span>
              <span role="gridcell" class="c-thread">
                {report.taskName(one.task)}
                {other ? ` \u2192 ${report.taskName(one.writer)}` : ""}
              </span>
              {traces ? (
                <span role="gridcell" class="c-trace mono" title={one.trace}>
                  {one.trace.slice(0, 8)}
                </span>
              ) : null}
            </div>
          );
        }}
      />
    </>
  );
}

// In the details: one request.
export function RequestDetails({
  report,
  change,
  request,
}: Pick<Props, "report" | "change"> & { request: Request }) {
  const { of, begin, ns, task, writer, trace, turns } = request,
    { p } = report,
    to = inTimeline(report, request),
    paths = report.paths(),
    pieces = useMemo(() => report.requests().pieces(request, paths), [request]),
    path = useMemo(
      () => (report.hasPaths && turns.length ? pathOf(request, paths) : null),
      [request],
    ),
    facts: [string, string][] = [
      ["class", of.name],
      ["thread", report.taskName(task)],
      ["answered by", p.task.tid[writer] === p.task.tid[task] ? "" : report.taskName(writer)],
      ["from", instant(begin)],
      ["to", instant(begin + ns)],
      ["length", exactly(ns)],
      ["trace", trace],
    ];
  return (
    <section class="slice request" aria-label="Selected request">
      <h2>Request, {time(ns)}</h2>
      <div class="actions">
        {to ? (
          <button title="Enter" onClick={() => change(to)}>
            In the timeline
          </button>
        ) : null}
      </div>
      <dl class="facts">
        {facts
          .filter(fact => fact[1])
          .map(([name, value]) => (
            <>
              <dt>{name}</dt>
              <dd class={name === "class" || name === "trace" ? "mono" : ""}>{value}</dd>
            </>
          ))}
      </dl>
      <Waits report={report} change={change} request={request} pieces={pieces} />
      {path ? (
        <PathDetails
          report={report}
          path={path}
          change={change}
          name={pathKeyOf(request, paths)}
        />
      ) : null}
    </section>
  );
}

function Waits({
  report,
  change,
  request,
  pieces,
}: Pick<Props, "report" | "change"> & { request: Request; pieces: Piece[] }) {
  const { p } = report,
    waits = pieces.filter(piece => piece.part !== "on-cpu"),
    least = waits.map(piece => piece.ns).sort((a, b) => b - a)[PIECES] ?? -1,
    shown = waits.filter(piece => piece.ns > least),
    rest = waits.filter(piece => piece.ns <= least),
    several = new Set(request.turns.map(turn => turn.task)).size > 1,
    to = inTimeline(report, request);
  function show({ task, begin, ns }: Piece): void {
    const slice = report.lanes().sliceAt(task, begin);
    if (slice && to)
      change({
        ...to,
        slice: sliceKey(p, slice),
        span: spanAround(report, { ...slice, begin, end: begin + ns }),
      });
  }
  if (!waits.length) return <p class="hint">It did not wait.</p>;
  return (
    <>
      <h3>Its waits, in the order of time</h3>
      <table class="compared waits">
        <thead>
          <tr>
            <th scope="col" title="After its begin">
              after
            </th>
            <th scope="col">time</th>
            <th scope="col">what</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(piece => {
            const blocked = piece.cause >= 0,
              wait = blocked ? p.moment.wait[piece.moment] : 0,
              waker = blocked ? p.moment.waker[piece.moment] : 0,
              words = doingWords(report, piece);
            return (
              <tr>
                <td>{time(piece.begin - request.begin)}</td>
                <td>{time(piece.ns)}</td>
                <th scope="row">
                  <i class="dot" style={{ background: colorOf(report, piece) }} />{" "}
                  {to && piece.moment >= 0 ? (
                    <button class="link" title="In the timeline" onClick={() => show(piece)}>
                      {words}
                    </button>
                  ) : (
                    words
                  )}
                  {blocked ? <span class="mono"> at {p.strings[p.wait.place[wait]]}</span> : null}
                  {several && piece.part !== "not-split" ? `, ${report.taskName(piece.task)}` : ""}
                  {waker ? `; woken by ${p.strings[p.waker.label[waker]]}` : ""}
                </th>
              </tr>
            );
          })}
        </tbody>
      </table>
      {rest.length ? (
        <p class="hint">
          and {plural(rest.length, "shorter wait")},{" "}
          {time(rest.reduce((ns, piece) => ns + piece.ns, 0))} in total
        </p>
      ) : null}
    </>
  );
}
