// SPDX-License-Identifier: Apache-2.0
//
// One function between all that call it and all that it calls.
import { useEffect, useRef } from "preact/hooks";
import { pairOf, type Pair } from "../diff";
import type { Flame } from "../flame";
import { plural, time, waits } from "../format";
import { FUNCTIONS } from "../report";
import { FlameCanvas } from "./flameview";
import { type Props } from "./shared";
import { Table } from "./table";

export function Sandwich(props: Props) {
  const { report, change } = props,
    fn = report.fn();
  const above = report.half("callers"),
    below = report.half("callees");
  const upper = useRef<Flame | null>(null),
    lower = useRef<Flame | null>(null);
  const rows = above ? above.layout.rows : 0;
  // The function is where the two meet: the callers stand on it.
  useEffect(() => {
    upper.current?.look(0, 1, 0, false);
    lower.current?.look(0, 1, 0, false);
  }, [report.fnText()]);
  const pick = (which: "callers" | "callees") => (node: number) => {
    const graph = which === "callers" ? above : below;
    if (node > 0 && graph && report.isCode(graph.shape.kind[node]))
      change({
        fn: report.fnKey(graph.shape.label[node], graph.shape.kind[node]),
        at: "",
      });
  };
  const whole = report.filtered().sums.off[0];
  const words = (pair: Pair, idle: number, n: number) =>
    report.diff
      ? `${report.diff.ratesText(pair)}: ${report.diff.percentText(pair)}`
      : `${time(pair.off)}, ${report.shareOf(pair.off, idle)}, ${waits(n)}`;
  return (
    <div class="sandwich">
      <Table {...props} by="function" small />
      {fn && above && below ? (
        <div class="halves">
          <h2>
            <span>Callers of</span> <b>{report.labels.text[fn.label]}</b>
            <em>{words(pairOf(above.sums, 0), above.sums.idle[0], above.sums.count[0])}</em>
          </h2>
          <FlameCanvas
            {...props}
            graph={above}
            up={true}
            selected={-1}
            whole={whole}
            families={FUNCTIONS}
            flameRef={upper}
            label={`Callers of ${report.labels.text[fn.label]}`}
            select={() => {}}
            open={pick("callers")}
          />
          <h2>
            <span>What it calls</span>
          </h2>
          <FlameCanvas
            {...props}
            graph={below}
            up={false}
            selected={-1}
            whole={whole}
            families={FUNCTIONS}
            flameRef={lower}
            label={`Callees of ${report.labels.text[fn.label]}`}
            select={() => {}}
            open={pick("callees")}
          />
          <p class="hint">
            {plural(rows - 1, "level")} of callers; double-click a frame to see its own.
          </p>
        </div>
      ) : (
        <div class="halves">
          <p class="hint big">
            Choose a function at the left: above it will be its callers, below it what it calls,
            over all its places in the tree.
          </p>
        </div>
      )}
    </div>
  );
}
