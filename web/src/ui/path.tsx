// SPDX-License-Identifier: Apache-2.0
//
// The critical path of a thread in a part of the time: which one was chosen, and in the details the
// table of its parts. The lanes have it as a line.
import { causeColor } from "../color";
import { plural, share, time } from "../format";
import { instant, sliceKey } from "../lanes";
import { PATH_KINDS, type Path, type PathRow } from "../path";
import type { Report } from "../report";
import type { State } from "../state";
import { spanAround } from "./lanes";
import type { Props } from "./shared";

const ROWS = 40;

// That of the thread of a task, or of the one that a recorded command began with, in that time.
export function pathKey(report: Report, task: number, span: string): string {
  const paths = report.paths(),
    thread = task ? report.lanes().p.task.thread[task] : paths.first();
  return thread < 0 ? "" : paths.keyOf(thread) + (span && `@${span}`);
}

function wordsOf(report: Report, row: PathRow): string {
  const wait = row.cause >= 0,
    name =
      row.threads > 1
        ? `${row.threads} threads, ${report.taskName(row.task)} and others`
        : report.taskName(row.task);
  return `${name}: ${wait ? "" : PATH_KINDS[row.kind][1]}`;
}

export function PathDetails({
  report,
  path,
  change,
  name = "",
}: {
  report: Report;
  path: Path;
  change(patch: Partial<State>): void;
  name?: string; // in links, where the timeline does not show it yet
}) {
  const rows = report.paths().rows(path),
    wall = path.end - path.begin,
    { p } = report.lanes();
  function show({ longest }: PathRow): void {
    const lanes = report.lanes(),
      slice = lanes.sliceAt(longest.task, longest.begin);
    if (slice)
      change({
        ...(name ? { view: "timeline" as const, path: name } : {}),
        slice: sliceKey(p, slice),
        at: "",
        fn: "",
        span: spanAround(report, {
          ...slice,
          begin: longest.begin,
          end: longest.begin + longest.ns,
        }),
      });
  }
  return (
    <section class="slice path" aria-label="Critical path">
      <h2>Critical path, {time(wall)}</h2>
      <p class="hint">
        What the time of{" "}
        {[path.thread, ...path.then]
          .map(thread => report.taskName(report.paths().taskOf(thread)))
          .join(", then of ")}{" "}
        went to, also in threads that {path.then.length ? "they" : "it"} waited for, from{" "}
        {instant(path.begin)} to {instant(path.end)}
        {path.known < wall ? `; ${share(wall - path.known, wall)} of it is not known` : ""}.
      </p>
      <table class="compared">
        <thead>
          <tr>
            <th scope="col">time</th>
            <th scope="col">share</th>
            <th scope="col">what</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, ROWS).map(row => {
            const cause = row.cause < 0 ? "" : p.head.causes[row.cause][0];
            return (
              <tr>
                <td>{time(row.ns)}</td>
                <td>{share(row.ns, wall)}</td>
                <th scope="row">
                  <button
                    class="link"
                    title={`Show the longest of ${plural(row.parts, "part")}`}
                    onClick={() => show(row)}
                  >
                    {wordsOf(report, row)}
                    {cause ? (
                      <>
                        <i class="dot" style={{ background: causeColor(cause) }} /> {cause}
                      </>
                    ) : null}
                  </button>
                  {row.kind === "interrupt" || cause === ""
                    ? ""
                    : ` (${PATH_KINDS[row.kind][1]})`}
                  {row.place ? <span class="mono"> at {row.place}</span> : null}
                  {row.object ? ` for ${row.object}` : ""}
                  {row.waker ? `; woken by ${row.waker}` : ""}
                </th>
              </tr>
            );
          })}
        </tbody>
      </table>
      {rows.length > ROWS ? (
        <p class="hint">
          and {plural(rows.length - ROWS, "row")},{" "}
          {time(rows.slice(ROWS).reduce((ns, row) => ns + row.ns, 0))} in total
        </p>
      ) : null}
      {name ? null : (
        <div class="actions">
          <button onClick={() => change({ path: "" })}>Close the path</button>
        </div>
      )}
    </section>
  );
}

// Above the lanes: chooses a path, of the time in view, and says which one is there.
export function PathChooser({
  report,
  state,
  path,
  task,
  change,
}: Omit<Props, "theme"> & { path: Path | null; task: number }) {
  const here = pathKey(report, task || (path ? report.paths().taskOf(path.thread) : 0), state.span);
  if (!here && !path)
    return <span class="muted">For a critical path, select a slice of its thread.</span>;
  return (
    <>
      <button
        class={"do" + (path ? " on" : "")}
        aria-pressed={!!path}
        title="Critical path of the selected thread, in the time in view (Shift P)"
        onClick={() => change({ path: path ? "" : here })}
      >
        Critical path
      </button>
      {path && here && here !== state.path ? (
        <button class="do" onClick={() => change({ path: here })}>
          {task && path.thread !== report.lanes().p.task.thread[task]
            ? `of ${report.taskName(task)}`
            : "of the time in view"}
        </button>
      ) : null}
    </>
  );
}
