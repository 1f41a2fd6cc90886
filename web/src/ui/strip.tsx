// SPDX-License-Identifier: Apache-2.0
//
// The strip of time of a report: how many threads waited in each interval of the recording. A part
// of it can be chosen. Of an interval, the recording has the time of each wait, but neither its
// number nor its lengths, so these are blank then.
import { useMemo } from "preact/hooks";
import { parseRange, rangeText } from "../live/choice";
import { History } from "../live/history";
import type { Report, Seconds } from "../report";
import type { Props } from "./shared";
import { clock, isFine, Windows } from "./windows";

// An interval is a window here.
function historyOf(report: Report, s: Seconds): History {
  const { header } = report.p.head,
    begin_ms = header.unknown.includes("begin") ? 0 : header.begin_wall_ms,
    n = s.all.length,
    each = <T,>(of: (i: number) => T) => Array.from({ length: n }, (_, i) => of(i)),
    history = new History();
  history.add({
    server: "",
    dropped: 0,
    causes: s.causes.map(c => [report.causeNames[c.cause], ""]),
    seq: each(i => i + 1),
    begin_wall_ms: each(i => begin_ms + s.from[i] / 1e6),
    length_ns: each(i => s.to[i] - s.from[i]),
    threads: each(() => 0),
    on_ns: each(() => 0),
    runq_ns: each(() => 0),
    idle_ns: each(() => 0),
    lost_ns: each(() => 0),
    cause: each(() => s.causes.map((_, c) => c)),
    ns: each(i => s.causes.map(c => c.threads[i] * (s.to[i] - s.from[i]))),
    intervals: [],
  });
  return history;
}

// The intervals that have a part of the time, as in the state; "": all of them.
export function whenOf(s: Seconds, from: number, to: number): string {
  const first = s.to.findIndex(end => end > from),
    behind = s.from.findIndex(begin => begin >= to),
    last = behind < 0 ? s.from.length : behind;
  return first < 0 || (first === 0 && last === s.from.length)
    ? ""
    : rangeText({ from: first + 1, to: Math.max(first + 1, last) });
}

// `section`: of its own, and not below what a live page has.
export function Strip(props: Props & { section?: boolean }) {
  const { report, state, theme, change } = props;
  const s = report.seconds(),
    history = useMemo(() => s && historyOf(report, s), [s]);
  if (!history || !s) return null;
  const { rows } = history,
    chosen = report.when ? parseRange(report.when) : null,
    first = chosen && rows[chosen.from - 1],
    last = chosen && rows[chosen.to - 1];
  const strip = (
    <>
      <Windows
        history={history}
        range={chosen ?? { from: 1, to: rows.length }}
        marks={{ a: null, b: null }}
        state={{ causes: [], classes: [], strip: state.strip }}
        theme={theme}
        change={change}
        live={false}
        remedy="record with --interval 100ms"
        choose={range => {
          const all = range.from === 1 && range.to === rows.length;
          change({ when: all ? "" : rangeText(range), span: "" });
        }}
      />
      {first && last ? (
        <p class="notice part" role="status">
          <span>
            Shown: {clock(first.begin_ms, isFine(first))} to {clock(last.end_ms, isFine(last))}.
            Only the time of waits is known of a part; threads, losses and the line of sums are
            of the whole recording.
          </span>
          <button class="do" onClick={() => change({ when: "", span: "" })}>
            Show all
          </button>
        </p>
      ) : null}
    </>
  );
  return props.section ? (
    <section class="live still" aria-label="Time">
      {strip}
    </section>
  ) : (
    strip
  );
}
