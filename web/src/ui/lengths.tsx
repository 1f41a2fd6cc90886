// SPDX-License-Identifier: Apache-2.0
//
// The histograms of threads (`record --hist`): of every wait and slice, where those of frames are
// of the waits that were listed, of which some may have been chosen to stand for others. Both are
// drawn on one scale.
import { useMemo } from "preact/hooks";
import { BIN_KINDS, BINS, type BinKind } from "../data";
import { plural, time } from "../format";
import { binQuantile, quantileBound, type Stats } from "../stats";
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

export function hasBins(report: Props["report"]): boolean {
  return report.p.head.header.hist_unit_ns > 0;
}

export function Lengths({
  report,
  state,
  change,
  tasks,
  listed,
  width,
}: Props & { tasks: number[]; listed: Stats; width: number }) {
  const unit = report.p.head.header.hist_unit_ns,
    bins = useMemo(() => report.binsOf(tasks), [report.p, tasks.join()]);
  const hist = bins[BIN_KINDS.indexOf(state.bins)],
    scale = quarters(unit, BINS),
    noun = state.bins === "on" ? "slice" : "wait";
  const total = hist.reduce((a, b) => a + b, 0),
    both = state.bins === "off" && total > 0 && listed.count > 0,
    p50 = binQuantile(hist, 500, unit),
    p99 = binQuantile(hist, 990, unit);
  const a = octaves(hist, scale),
    b = octaves(listed.hist, POWERS),
    range: [number, number] = both ? [Math.min(a[0], b[0]), Math.max(a[1], b[1])] : a;
  return (
    <section class="lengths" aria-label="Histograms of threads">
      <h3>Every {noun} of {tasks.length === 1 ? "the thread" : plural(tasks.length, "thread")}</h3>
      <Select
        label="Time"
        value={state.bins}
        choices={KINDS}
        on={v => change({ bins: v })}
      />
      {total ? (
        <>
          <p class="exact">
            {plural(total, noun)}, exact; {atMost("p50", p50)}, {atMost("p99", p99)}
          </p>
          <Histogram
            hist={hist}
            scale={scale}
            range={range}
            width={width}
            p50={p50}
            p99={p99}
            noun={noun}
            says={`length of all ${noun}s that began and ended in the window`}
          />
        </>
      ) : (
        <p class="exact">None began and ended in the window.</p>
      )}
      {both ? (
        <Histogram
          hist={listed.hist}
          range={range}
          width={width}
          p50={quantileBound(listed.hist, 500, listed.max)}
          p99={quantileBound(listed.hist, 990, listed.max)}
          says={
            (report.p.head.header.sampled ? "length of about " : "length of ") +
            `${plural(listed.count, "listed wait")}`
          }
        />
      ) : null}
    </section>
  );
}
