// SPDX-License-Identifier: Apache-2.0
//
// A flame graph for each side of a diff, on one scale and with frames in one order. What is zoomed
// to, chosen or searched for is so in both.
import { useRef } from "preact/hooks";
import type { Flame } from "../flame";
import { time } from "../format";
import type { Graph } from "../report";
import { SIDE_NAMES } from "./change";
import { FlameCanvas, Nothing, useLook, zoomTo, type FlameRef } from "./flameview";
import { type Props } from "./shared";

export function Sides(props: Props & { flameRef: FlameRef }) {
  const graphs = props.report.sides();
  return (
    <div class="sides">
      {graphs.map((_, i) => (
        <Pane {...props} graphs={graphs} side={i} main={props.flameRef} />
      ))}
    </div>
  );
}

function Pane(props: Props & { graphs: Graph[]; side: number; main: FlameRef }) {
  const { report, state, change, graphs, side, main } = props,
    diff = report.diff!,
    own = useRef<Flame | null>(null),
    flameRef = side ? own : main,
    graph = graphs[side],
    node = report.nodeOf(state.zoom);
  const moved = useLook(
    props,
    flameRef,
    graphs.map(g => g.layout),
    side,
  );
  const pair = report.pairOf([0]),
    rate = time(side ? diff.after(pair) : diff.before(pair)),
    missing = node > 0 && graph.layout.box[node] < 0;
  return (
    <section aria-label={SIDE_NAMES[side]}>
      <h2>
        {SIDE_NAMES[side]}{" "}
        <b>
          {rate} per {diff.head.per}
        </b>{" "}
        <em title={report.p.head.sides[side].name}>{report.p.head.sides[side].name}</em>
      </h2>
      <FlameCanvas
        {...props}
        graph={graph}
        up={state.up}
        selected={report.nodeOf(state.at)}
        label={
          `Flame graph of ${rate} off the CPU per ${diff.head.per} ${SIDE_NAMES[side]}; the view ` +
          "Tree has the same of both as a table."
        }
        whole={report.filtered().sums.off[0]}
        flameRef={flameRef}
        moved={moved}
        select={n => change({ at: n > 0 ? report.keyOf(n) : "", fn: "" })}
        open={n => zoomTo({ ...props, flameRef }, n)}
      />
      {report.filtered().passed ? (
        missing ? (
          <div class="nothing">
            <p>The zoomed frame is not there {SIDE_NAMES[side]}.</p>
          </div>
        ) : null
      ) : (
        <Nothing {...props} />
      )}
    </section>
  );
}
