// SPDX-License-Identifier: Apache-2.0
//
// A canvas with a flame graph, what is shown of the frame under the pointer, and the bond between
// the view and the URL.
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Flame, ROW } from "../flame";
import { count, time, timeError, waits } from "../format";
import { pairOf, VERDICT_SAYS, type Diff, type Family } from "../diff";
import type { Layout } from "../layout";
import { PATHS, type Graph } from "../report";
import { errorNs } from "../stats";
import { chance } from "./change";
import { fileName, type Props } from "./shared";

function cssColor(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export function modelColors() {
  return {
    page: cssColor("--page"),
    rest: cssColor("--rest"),
    accent: cssColor("--accent"),
    match: cssColor("--match"),
    matchInk: cssColor("--match-ink"),
  };
}

export function FlameCanvas({
  report,
  state,
  theme,
  graph,
  up,
  selected,
  label,
  whole,
  flameRef,
  select,
  open,
  moved,
  families = PATHS,
}: Props & {
  graph: Graph;
  families?(node: number): Family[]; // of a diff: which tests may have been of a node
  up: boolean;
  selected: number;
  label: string;
  whole: number; // what shares are of
  flameRef: { current: Flame | null };
  select(node: number): void;
  open(node: number): void;
  moved?(): void;
}) {
  const canvas = useRef<HTMLCanvasElement>(null),
    tip = useRef<HTMLDivElement>(null);
  const now = useRef({ graph, select, open, moved, whole });
  now.current = { graph, select, open, moved, whole };
  useLayoutEffect(() => {
    const flame = new Flame(canvas.current!, {
      select: node => {
        tip.current!.hidden = true;
        now.current.select(node);
      },
      open: node => now.current.open(node),
      hover: (node, x, y) => tell(node, x, y),
      moved: () => now.current.moved?.(),
    });
    flameRef.current = flame;
    return () => {
      flame.done();
      flameRef.current = null;
    };
  }, []);
  const matches = report.matches();
  useLayoutEffect(() => {
    flameRef.current!.set({
      shape: graph.shape,
      layout: graph.layout,
      paint: graph.paint,
      text: report.labels.text,
      causes: state.group === "cause" ? [] : report.causeNames,
      selected,
      matches,
      up,
      colors: modelColors(),
    });
  }, [graph.layout, graph.paint, selected, matches, up, theme, state.group]);
  function tell(node: number, x: number, y: number): void {
    const el = tip.current!,
      box = canvas.current!.getBoundingClientRect();
    canvas.current!.style.cursor = node >= 0 ? "pointer" : "default";
    el.hidden = node < 0;
    if (node < 0) return;
    el.textContent = "";
    for (const [i, text] of tipLines(node).entries())
      el.appendChild(
        Object.assign(document.createElement(i ? "span" : "b"), {
          textContent: text,
        }),
      );
    const left = x + 16 + el.offsetWidth > box.width ? x - 12 - el.offsetWidth : x + 16;
    const top = y + 20 + el.offsetHeight > box.height ? y - 10 - el.offsetHeight : y + 20;
    el.style.transform = `translate(${Math.max(2, left)}px, ${Math.max(2, top)}px)`;
  }
  function tipLines(node: number): string[] {
    const { shape, sums, paint } = now.current.graph,
      off = sums.off[node];
    const n = sums.count[node],
      error = errorNs(sums.variance[node]);
    const module = report.p.module.path[report.moduleOf(shape.label[node], shape.kind[node])];
    const cause = paint.cause[node] >= 0 ? "mostly " + report.causeNames[paint.cause[node]] : "";
    const name = report.labels.text[shape.label[node]] || "[no name]",
      last = [
        report.kindWord(shape.kind[node]),
        module ? fileName(report.p.strings[module]) : "",
        cause,
      ]
        .filter(Boolean)
        .join(" \u00b7 ");
    if (report.diff) return [name, ...changeLines(report.diff, node), last].filter(Boolean);
    return [
      name,
      `${time(off)}${error ? " \u00b1" + timeError(off, error) : ""} \u00b7 ` +
        `${report.shareOf(off, sums.idle[node])} \u00b7 ${waits(n)}`,
      `mean ${n ? time((off - sums.on[node]) / n) : "-"} \u00b7 ` +
        `longest ${time(sums.max[node])}`,
      ...(sums.on[node] ? [`on a CPU ${time(sums.on[node])}`] : []),
      last,
    ].filter(Boolean);
  }
  function changeLines(diff: Diff, node: number): string[] {
    const pair = pairOf(now.current.graph.sums, node),
      judged = diff.judge(pair, ...families(node));
    return [
      `${diff.changeText(pair)} \u00b7 ${diff.percentText(pair)} \u00b7 ` +
        (judged.p === null
          ? VERDICT_SAYS[judged.verdict]
          : `${judged.verdict}, p ${chance(judged)}`),
      diff.ratesText(pair),
    ];
  }
  return (
    <div class="flame">
      <canvas ref={canvas} tabIndex={0} role="img" aria-label={label} aria-describedby="twin" />
      <div class="tip" ref={tip} hidden aria-hidden="true" />
    </div>
  );
}

export type FlameRef = { current: Flame | null };

// Where a node is in parts of the whole, and as wide as the widest of the graphs has it.
function extent(layouts: Layout[], which: number, node: number): [number, number] {
  const l = layouts[which],
    box = l.box[node] ?? -1,
    w = Math.max(...layouts.map(o => (o.box[node] >= 0 ? o.w[o.box[node]] / o.total : 0)));
  return box < 0 || !l.total ? [0, 1] : [l.x[box] / l.total, l.x[box] / l.total + w];
}

// The bond between what a canvas shows and the URL. `layouts` are of graphs on one scale; the
// canvas has the one at `which`. Returns what to call when the hand moved it.
export function useLook(
  { report, state, change }: Props,
  flameRef: FlameRef,
  layouts: Layout[],
  which: number,
): () => void {
  const node = report.nodeOf(state.zoom),
    timer = useRef(0),
    first = useRef(true);
  useEffect(() => {
    const flame = flameRef.current!,
      range = /^([\d.e-]+)~([\d.e-]+)$/.exec(state.range);
    const [x0, x1] =
      node > 0
        ? extent(layouts, which, node)
        : range && +range[1] < +range[2]
          ? [+range[1], +range[2]]
          : [0, 1];
    const t = flame.target(),
      same = Math.abs(t[0] - x0) + Math.abs(t[1] - x1) < 1e-6;
    const rows = Math.abs(t[2] / ROW - state.top);
    if (!same || rows >= 1) flame.look(x0, x1, rows < 1 ? t[2] : state.top * ROW, !first.current);
    first.current = false;
  }, [state.zoom, state.range, state.top, layouts[which]]);
  // The URL follows when the hand rests.
  return () => {
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => {
      const flame = flameRef.current;
      if (!flame) return;
      const [x0, x1, scroll] = flame.target(),
        n = (v: number) => +v.toPrecision(8);
      const whole = x0 <= 0 && x1 >= 1;
      const [z0, z1] = node > 0 ? extent(layouts, which, node) : [-1, -1];
      const kept = node > 0 && Math.abs(z0 - x0) + Math.abs(z1 - x1) < 1e-6;
      change({
        zoom: kept ? state.zoom : "",
        top: Math.round(scroll / ROW),
        range: whole || kept ? "" : `${n(x0)}~${n(x1)}`,
      });
    }, 150);
  };
}

export function FlameView(props: Props & { flameRef: FlameRef }) {
  const { report, state, change, flameRef } = props,
    graph = report.graph(),
    f = report.filtered(),
    whole = f.sums.off[0],
    h = report.p.head.header;
  const moved = useLook(props, flameRef, [graph.layout], 0);
  const label =
    (report.diff
      ? `Flame graph of time off the CPU: ${report.diff.ratesText(report.pairOf([0]))}`
      : `Flame graph of ${time(whole)} ${report.timeWords()}` +
        (report.time() === "on" ? "" : ` in ${waits(f.sums.count[0])}`) +
        ` of ${h.target}`) +
    ". Arrow keys go from frame to frame, Enter zooms; the view Tree is the same as a table.";
  return (
    <div class="below">
      <FlameCanvas
        {...props}
        graph={graph}
        up={state.up}
        selected={report.nodeOf(state.at)}
        label={label}
        whole={whole}
        moved={moved}
        select={n => change({ at: n > 0 ? report.keyOf(n) : "", fn: "" })}
        open={n => zoomTo(props, n)}
      />
      {f.passed ? null : <Nothing {...props} />}
    </div>
  );
}

export function zoomTo(
  { report, change, flameRef }: Props & { flameRef: { current: Flame | null } },
  node: number,
): void {
  const flame = flameRef.current,
    depth = report.tree().depth[node] ?? 0;
  const row = Math.max(0, depth - 1),
    top = flame ? flame.scrollTo(row, flame.target()[2]) : 0;
  change({
    zoom: report.keyOf(node),
    at: node > 0 ? report.keyOf(node) : "",
    range: "",
    fn: "",
    top: node > 0 ? Math.round(top / ROW) : 0,
  });
}

export function Nothing({ report, change }: Props) {
  const none = !report.p.waits,
    idle = report.idleTime(),
    { header, sides } = report.p.head,
    switches = sides.reduce((n, s) => n + s.budget.switches, 0);
  if (!none && idle.off && idle.off === idle.whole && !idle.shown)
    return (
      <div class="nothing">
        <h2>Only waits for work</h2>
        <button onClick={() => change(report.toggleIdle())}>Show idle time</button>
      </div>
    );
  return (
    <div class="nothing">
      <h2>
        {none
          ? header.filtered
            ? "No wait was listed"
            : "No thread waited in this window"
          : "No wait passes these filters"}
      </h2>
      {none ? (
        <p>{count(switches)} context switches were seen.</p>
      ) : (
        <button onClick={() => change(report.noFilters)}>Clear the filters</button>
      )}
    </div>
  );
}
