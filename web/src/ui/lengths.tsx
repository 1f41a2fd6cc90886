// SPDX-License-Identifier: Apache-2.0
//
// The histograms of threads (`record --hist`): of every wait and slice, where those of frames are
// of listed waits, and some of those may stand for others that were not chosen. All are
// drawn on one scale, of a diff those of both sides.
import { useMemo } from "preact/hooks";
import { BIN_KINDS, BINS, type BinKind } from "../data";
import { plural, time } from "../format";
import { binQuantile, quantileBound, type Stats } from "../stats";
import { SIDE_NAMES } from "./change";
import { Histogram, octaves, POWERS, quarters } from "./histogram";
import { Select, type Props } from "./shared";

const KINDS: [BinKind, string][] = [
  ["off", "off the CPU"],
  ["on", "on a CPU"],
  ["runq", "waiting for a CPU"],
  ["blocked", "blocked"],
];

// The last bucket has no end.
function atMost(name: string, ns: number): string {
  return isFinite(ns) ? `${name} \u2264 ${time(ns)}` : `${name} in the last bucket`;
}

// `listed`: of each side, the waits that were.
export function Lengths({
  report,
  state,
  change,
  tasks,
  listed,
  width,
}: Props & { tasks: number[]; listed: Stats[]; width: number }) {
  const all = useMemo(() => report.binsOf(tasks), [report.p, tasks.join()]),
    which = BIN_KINDS.indexOf(state.bins),
    noun = state.bins === "on" ? "slice" : "wait",
    { diff } = report;
  const sides = all.map(({ unit_ns, threads, counts }, i) => ({
      name: diff ? SIDE_NAMES[i] + ": " : "",
      unit_ns,
      threads,
      hist: counts[which],
      total: counts[which].reduce((a, b) => a + b, 0),
      scale: quarters(unit_ns, BINS),
      listed: state.bins === "off" && listed[i].count > 0 ? listed[i] : null,
      sampled: report.p.head.sides[i].header.sampled,
    })),
    ranges = sides.flatMap(s => [
      ...(s.total ? [octaves(s.hist, s.scale)] : []),
      ...(s.listed ? [octaves(s.listed.hist, POWERS)] : []),
    ]);
  const range: [number, number] = [
    Math.min(...ranges.map(r => r[0])),
    Math.max(...ranges.map(r => r[1])),
  ];
  const whose = diff
    ? `${plural(sides[0].threads, "thread")} before, ${sides[1].threads} after`
    : tasks.length === 1
      ? "the thread"
      : plural(tasks.length, "thread");
  return (
    <section class="lengths" aria-label="Histograms of threads">
      <h3>
        Every {noun} of {whose}
      </h3>
      <Select label="Time" value={state.bins} choices={KINDS} on={v => change({ bins: v })} />
      {sides.map(s => (
        <>
          <p class="exact">
            {s.name}
            {!s.unit_ns
              ? "recorded without --hist"
              : !s.total
                ? "None began and ended in the window."
                : `${plural(s.total, noun)}, exact; ` +
                  `${atMost("p50", binQuantile(s.hist, 500, s.unit_ns))}, ` +
                  atMost("p99", binQuantile(s.hist, 990, s.unit_ns))}
          </p>
          {s.total ? (
            <Histogram
              hist={s.hist}
              scale={s.scale}
              range={range}
              width={width}
              p50={binQuantile(s.hist, 500, s.unit_ns)}
              p99={binQuantile(s.hist, 990, s.unit_ns)}
              noun={noun}
              says={
                `${s.name}length of all ${noun}s that began and ended in the window` +
                (diff?.head.idle_apart && noun === "wait" ? ", idle ones too" : "")
              }
            />
          ) : null}
          {s.listed ? (
            <Histogram
              hist={s.listed.hist}
              range={range}
              width={width}
              p50={quantileBound(s.listed.hist, 500, s.listed.max)}
              p99={quantileBound(s.listed.hist, 990, s.listed.max)}
              says={
                `${s.name}length of ${s.sampled ? "about " : ""}` +
                plural(s.listed.count, "listed wait")
              }
            />
          ) : null}
        </>
      ))}
    </section>
  );
}
