// SPDX-License-Identifier: Apache-2.0
//
// Who waits for whom: a picture, and all edges as a table below it, which is also what a screen
// reader has. A node is selected in either; its waits are in the details.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { causeColor } from "../color";
import { plural, share, time } from "../format";
import type { Report } from "../report";
import type { State } from "../state";
import {
  curve,
  edgeKey,
  kindOf,
  nodeKey,
  nodeName,
  nodeOfKey,
  place,
  placeKey,
  shownEdges,
  threadsOfNode,
  waitsOfNode,
  type Box,
} from "../waitgraph";
import { gridKeys, Rows, type Moves, type Props } from "./shared";

const HEIGHT = 26,
  LEAST = 118, // pixels of a node: a time, and a knot
  LETTERS = 34, // of a name in the picture
  LETTER = 6.7, // pixels, at least as wide as most
  KEYS_MOST = 40, // threads in a filter: an address has to be short
  LOOP = 18, // from the middle of a node
  FAR = 26, // and from its edge
  WIDEST = 7, // of a line that has all of the time
  WAITS = 8,
  SCALES = [0.25, 4] as const;

const KIND_WORDS = {
  threads: "threads",
  "not-recorded": "threads that are not recorded",
  interrupt: "interrupts",
  peer: "the other end of a socket",
  unknown: "what is not known",
  open: "waits that were not over at the end",
};

function cut(name: string): string {
  return name.length > LETTERS ? name.slice(0, LETTERS - 1) + "\u2026" : name;
}

// The second line of a node.
function endedText({ p }: Report, node: number): string {
  const knot = p.node.knot[node];
  return time(p.node.ended_ns[node]) + (knot ? ` \u00b7 knot ${knot}` : "");
}

// -1: none is selected.
export function selectedNode(report: Report, state: State): number {
  return report.p.head.graph ? nodeOfKey(report.p, state.node) : -1;
}

export function GraphView(props: Props & { movesRef: { current: Moves | null } }) {
  const { report, state, change, movesRef } = props,
    p = report.graphOf,
    graph = p.head.graph!,
    box = useRef<HTMLDivElement>(null);
  const [narrow, setNarrow] = useState(false),
    [scale, setScale] = useState(0), // 0: as large as there is room
    [room, setRoom] = useState({ width: 0, height: 0 }),
    [focus, setFocus] = useState(-1);
  useEffect(() => {
    const el = box.current!,
      observer = new ResizeObserver(() => {
        setNarrow(el.clientWidth < 560);
        setRoom({ width: el.clientWidth, height: el.clientHeight });
      });
    observer.observe(el);
    return () => observer.disconnect();
  }, []);
  const shown = useMemo(() => shownEdges(p), [p]),
    placed = useMemo(
      () =>
        place(p, shown, {
          node: node => [Math.max(cut(nodeName(p, node)).length * LETTER + 20, LEAST), 42],
          edge: [50, 15],
          down: narrow,
        }),
      [placeKey(p, shown), narrow],
    ),
    at = selectedNode(report, state);
  const fit = Math.min(
      1,
      room.width / (placed.width || 1),
      // a picture that is high is scrolled, and not made too small to be read
      Math.max(0.6, room.height / (placed.height || 1)),
    ),
    size = scale || Math.max(narrow ? 0.75 : 0.45, fit);
  const rows = useMemo(
    () =>
      [...p.edge.from.keys()].filter(
        e => at < 0 || p.edge.from[e] === at || p.edge.to[e] === at,
      ),
    [p, at],
  );

  const select = (node: number) => change({ node: node < 0 ? "" : nodeKey(p, node) });
  // Into view, where it is not.
  useEffect(() => {
    const to = at < 0 ? undefined : placed.box.get(nodeKey(p, at)),
      el = box.current!;
    if (!to) return;
    const [x, y] = [to.x * size, to.y * size];
    if (x < el.scrollLeft || x > el.scrollLeft + el.clientWidth)
      el.scrollLeft = x - el.clientWidth / 2;
    if (y < el.scrollTop || y > el.scrollTop + el.clientHeight)
      el.scrollTop = y - el.clientHeight / 2;
  }, [at, placed, size]);

  // Along the edge with most time; without a selection, to where most time ended.
  function along(out: boolean): void {
    const { from, to } = p.edge,
      [here, there] = out ? [from, to] : [to, from],
      e = shown.edges.find(e => here[e] === at && there[e] !== at);
    if (at < 0) select(shown.nodes[0] ?? -1);
    else if (e !== undefined) select(there[e]);
  }
  function act(key: string): boolean {
    const order = shown.nodes,
      here = order.indexOf(at);
    switch (key) {
      case "ArrowRight":
      case "ArrowLeft":
        along(key === "ArrowRight");
        return true;
      case "ArrowDown":
      case "ArrowUp":
        if (!order.length) return true;
        select(
          order[
            Math.max(0, Math.min(order.length - 1, here + (key === "ArrowDown" ? 1 : -1)))
          ],
        );
        return true;
      case "Enter":
        if (at >= 0) onlyNode(props, at);
        return at >= 0;
      case "Escape":
        if (at < 0) return false;
        select(-1);
        return true;
      case "0":
        setScale(0);
        return true;
      default:
        return false;
    }
  }
  movesRef.current = {
    panBy: (across, down) =>
      box.current!.scrollBy(across * box.current!.clientWidth, down),
    zoomBy: factor =>
      setScale(Math.max(SCALES[0], Math.min(SCALES[1], size / factor))),
    act,
  };
  useEffect(() => () => void (movesRef.current = null), []);

  const filtered = report.filtersIn(state) > 0 || !!report.when;
  return (
    <div class="waitgraph table">
      <div class="bar2 said">
        <span class="muted">
          {plural(graph.threads, "thread")}, blocked {time(graph.blocked_ns)}
          {filtered ? "; filters and parts of the time do not change the graph" : ""}
        </span>
        {shown.left ? (
          <span class="muted">
            {plural(shown.left, "edge")} below {time(shown.least_ns)}: in the table only
          </span>
        ) : null}
      </div>
      <ul class="knots">
        {graph.redistributed ? null : (
          <li>
            Without events, all of a wait belongs to who ended it, whatever that one waited for
            meanwhile: record with --events to follow waits from thread to thread.
          </li>
        )}
        {graph.knots.map((knot, i) => (
          <li>
            <b>Knot {i + 1}:</b> {knot.sentence} (without edges below {time(knot.threshold_ns)}).
          </li>
        ))}
        {graph.knots.length ? null : <li>No knot: no threads wait only for each other.</li>}
      </ul>
      <div class="graphbox" ref={box} tabIndex={0} role="group" aria-label="Picture of the graph">
        <svg
          width={placed.width * size}
          height={placed.height * size}
          viewBox={`0 0 ${placed.width || 1} ${placed.height || 1}`}
          role="group"
          aria-label={
            `Who waits for whom: ${plural(shown.nodes.length, "node")}, ` +
            `${plural(shown.edges.length, "edge")}; all of it is in the table below`
          }
        >
          <Lines {...{ report, placed, at }} edges={shown.edges} down={narrow} />
          {shown.nodes.map(node => (
            <Node
              report={report}
              node={node}
              box={placed.box.get(nodeKey(p, node))!}
              at={at}
              select={() => select(node === at ? -1 : node)}
              open={() => onlyNode(props, node)}
            />
          ))}
        </svg>
        {shown.edges.length ? null : (
          <p class="muted">No thread waited long enough to be drawn.</p>
        )}
      </div>
      <EdgeTable
        {...{ report, rows, at, focus, setFocus, select }}
        whole={graph.blocked_ns}
        full={graph.redistributed}
      />
    </div>
  );
}

// The waits of its threads, in all views.
function onlyNode({ report, change }: Pick<Props, "report" | "change">, node: number): void {
  const threads = filterOf(report, node);
  if (threads) change({ ...report.noFilters, threads });
}

// null: it has no threads, or too many.
function filterOf(report: Report, node: number): string[] | null {
  const keys =
    kindOf(report.p, node) === "threads"
      ? threadsOfNode(report.p, node, report.taskKeys)
      : [];
  return keys.length && keys.length <= KEYS_MOST ? keys : null;
}

// Of a node whose threads wait for each other: at the side that the layout leaves free.
function loop({ x, y, width, height }: Box, down: boolean) {
  const to = (...at: number[]) => at.map(v => v.toFixed(1)).join(" ");
  if (down) {
    const edge = x + width / 2,
      [above, below] = [y - height / 3, y + height / 3];
    return {
      way: `M${to(edge, above)}C${to(edge + FAR, above, edge + FAR, below, edge, below)}`,
      head: `translate(${to(edge, below)}) rotate(180)`,
      label: [edge + FAR, y],
    };
  }
  const edge = y + height / 2,
    [left, right] = [x - LOOP, x + LOOP];
  return {
    way: `M${to(right, edge)}C${to(right, edge + FAR, left, edge + FAR, left, edge)}`,
    head: `translate(${to(left, edge)}) rotate(-90)`,
    label: [x, edge + 20],
  };
}

type Placing = ReturnType<typeof place>;

function Lines({
  report,
  edges,
  placed,
  at,
  down,
}: {
  report: Report;
  edges: number[];
  placed: Placing;
  at: number;
  down: boolean;
}) {
  const { p } = report,
    { from, to, ns, cause } = p.edge,
    most = p.head.graph!.blocked_ns,
    far = (e: number) => at >= 0 && from[e] !== at && to[e] !== at;
  return (
    <g aria-hidden="true">
      {edges.map(e => {
        const { points, x, y } = placed.line.get(edgeKey(p, e))!,
          wide = 1 + (WIDEST * ns[e]) / most,
          color = causeColor(p.head.causes[cause[e]][0]),
          self = from[e] === to[e] ? placed.box.get(nodeKey(p, to[e]))! : null,
          text = time(ns[e]),
          end = points[points.length - 1],
          before = points[points.length - 2] ?? points[0],
          turn = (Math.atan2(end.y - before.y, end.x - before.x) * 180) / Math.PI,
          head = 5 + wide,
          back = self && loop(self, down),
          [left, middle] = back?.label ?? [x, y];
        return (
          <g class={far(e) ? "far" : ""}>
            <title>
              {`${nodeName(p, from[e])} waits for ${nodeName(p, to[e])}: ${text}, most of it in ` +
                p.head.causes[cause[e]][0]}
            </title>
            <path
              d={back?.way ?? curve(points)}
              fill="none"
              stroke={color}
              stroke-width={wide}
            />
            <path
              d={`M0 0L${-head} ${-head / 2}L${-head} ${head / 2}Z`}
              fill={color}
              transform={
                back?.head ??
                `translate(${end.x.toFixed(1)} ${end.y.toFixed(1)}) rotate(${turn.toFixed(0)})`
              }
            />
            <rect
              class="plate"
              x={left - text.length * 3 - 3}
              y={middle - 7.5}
              width={text.length * 6 + 6}
              height={15}
              rx={3}
            />
            <text x={left} y={middle + 4} class="label">
              {text}
            </text>
          </g>
        );
      })}
    </g>
  );
}

function Node({
  report,
  node,
  box,
  at,
  select,
  open,
}: {
  report: Report;
  node: number;
  box: Box;
  at: number;
  select(): void;
  open(): void;
}) {
  const { p } = report,
    name = nodeName(p, node),
    knot = p.node.knot[node],
    kind = kindOf(p, node),
    near = (e: number) => p.edge.ns[e] > 0 && (p.edge.from[e] === at || p.edge.to[e] === at),
    far =
      at >= 0 &&
      node !== at &&
      ![...p.edge.from.keys()].some(
        e => near(e) && (p.edge.from[e] === node || p.edge.to[e] === node),
      ),
    ended = endedText(report, node),
    // begins with what is seen
    says =
      `${cut(name)} ${ended}, ended here: ${KIND_WORDS[kind]}` +
      (kind === "threads" ? `, waited ${time(p.node.waited_ns[node])}` : "") +
      (cut(name) === name ? "" : `, ${name}`);
  return (
    <g
      class={`node ${kind}${node === at ? " at" : ""}${far ? " far" : ""}${knot ? " knot" : ""}`}
      transform={`translate(${box.x - box.width / 2} ${box.y - box.height / 2})`}
      role="button"
      tabindex={0}
      aria-pressed={node === at}
      aria-label={says}
      onClick={select}
      onDblClick={open}
      onKeyDown={e => {
        if (e.key !== " " && !(e.key === "Enter" && node !== at)) return;
        e.preventDefault();
        e.stopPropagation();
        select();
      }}
    >
      <title>{says}</title>
      <rect
        width={box.width}
        height={box.height}
        rx={kind === "interrupt" ? box.height / 2 : kind === "peer" ? 0 : 6}
      />
      <text x={box.width / 2} y={18} class="name">
        {cut(name)}
      </text>{" "}
      <text x={box.width / 2} y={33} class="small">
        {ended}
      </text>
    </g>
  );
}

function EdgeTable({
  report,
  rows,
  at,
  focus,
  setFocus,
  select,
  whole,
  full,
}: {
  report: Report;
  rows: number[];
  at: number;
  focus: number;
  setFocus(row: number): void;
  select(node: number): void;
  whole: number;
  full: boolean; // what `from` waited for `to` differs from what is redistributed to it
}) {
  const { p } = report,
    { from, to, ns, full_ns, runq_ns, cause } = p.edge,
    link = (node: number) => (
      <button class="link t" tabIndex={-1} onClick={() => select(node)}>
        {nodeName(p, node)}
      </button>
    );
  return (
    <Rows
      count={rows.length}
      height={HEIGHT}
      at={focus}
      role="grid"
      tabIndex={0}
      class="edges"
      aria-rowcount={rows.length + 1}
      aria-label={
        at < 0 ? "Who waits for whom" : `Who waits for ${nodeName(p, at)}, and for whom it waits`
      }
      aria-activedescendant={focus >= 0 && focus < rows.length ? `edge-${focus}` : undefined}
      onKeyDown={gridKeys({ at: focus, count: rows.length, page: 8 }, setFocus, i =>
        select(from[rows[i]] === at ? to[rows[i]] : from[rows[i]]),
      )}
      head={
        <div class="tr th" role="row">
          <span role="columnheader" class="c-name">
            who waits
          </span>
          <span role="columnheader" class="c-name">
            for whom
          </span>
          <span role="columnheader">waited</span>
          <span role="columnheader" class="c-share">
            share
          </span>
          {full ? (
            <span
              role="columnheader"
              class="c-max"
              title="What it waited, whatever the other one waited for meanwhile"
            >
              in full
            </span>
          ) : null}
          {full ? (
            <span role="columnheader" class="c-runq" title="The other one waited for a CPU">
              for a CPU
            </span>
          ) : null}
          <span role="columnheader" class="c-cause">
            most of it in
          </span>
        </div>
      }
      render={i => {
        const e = rows[i],
          name = p.head.causes[cause[e]][0];
        return (
          <div
            role="row"
            id={`edge-${i}`}
            key={e}
            aria-rowindex={i + 2}
            aria-selected={i === focus}
            class={"tr" + (i === focus ? " at" : "")}
            onClick={() => setFocus(i)}
          >
            <span role="gridcell" class="c-name">
              {link(from[e])}
            </span>
            <span role="gridcell" class="c-name">
              {link(to[e])}
            </span>
            <span role="gridcell">{time(ns[e])}</span>
            <span
              role="gridcell"
              class="c-share"
              style={{ backgroundSize: `${(100 * ns[e]) / (whole || 1)}% 100%` }}
            >
              {share(ns[e], whole)}
            </span>
            {full ? (
              <span role="gridcell" class="c-max">
                {time(full_ns[e])}
              </span>
            ) : null}
            {full ? (
              <span role="gridcell" class="c-runq">
                {runq_ns[e] ? time(runq_ns[e]) : ""}
              </span>
            ) : null}
            <span role="gridcell" class="c-cause">
              <i class="dot" style={{ background: causeColor(name) }} /> {name}
            </span>
          </div>
        );
      }}
    />
  );
}

// In the details: what the threads of a node waited for, and who waited for them.
export function NodeDetails({
  report,
  change,
  node,
}: Pick<Props, "report" | "change"> & { node: number }) {
  const { p } = report,
    kind = kindOf(p, node),
    own = kind === "threads",
    knot = p.node.knot[node],
    filter = filterOf(report, node),
    waits = own ? waitsOfNode(p, node) : [],
    whole = p.node.waited_ns[node];
  const edges = (out: boolean) =>
    [...p.edge.from.keys()].filter(
      e => p.edge.full_ns[e] > 0 && (out ? p.edge.from[e] : p.edge.to[e]) === node,
    );
  const list = (words: string, out: boolean) => {
    const found = edges(out).sort((a, b) => p.edge.full_ns[b] - p.edge.full_ns[a]);
    return found.length ? (
      <>
        <h3>{words}</h3>
        <ul class="plain">
          {found.slice(0, WAITS).map(e => {
            const other = out ? p.edge.to[e] : p.edge.from[e];
            return (
              <li>
                {time(p.edge.full_ns[e])}{" "}
                <button class="link" onClick={() => change({ node: nodeKey(p, other) })}>
                  {nodeName(p, other)}
                </button>
              </li>
            );
          })}
          {found.length > WAITS ? <li>and {found.length - WAITS} more</li> : null}
        </ul>
      </>
    ) : null;
  };
  return (
    <section class="slice" aria-label="Selected node">
      <h2>{nodeName(p, node)}</h2>
      <div class="actions">
        {filter ? (
          <button title="Enter" onClick={() => onlyNode({ report, change }, node)}>
            Only its threads
          </button>
        ) : null}
        {filter ? (
          <button
            onClick={() => change({ ...report.noFilters, threads: filter, view: "heavy" })}
          >
            In the flame graph
          </button>
        ) : null}
      </div>
      <dl class="facts">
        <dt>what</dt>
        <dd>{KIND_WORDS[kind]}</dd>
        {own ? <dt>waited</dt> : null}
        {own ? <dd>{time(whole)}</dd> : null}
        <dt>ended here</dt>
        <dd>{time(p.node.ended_ns[node])} of waits of anybody</dd>
        {knot ? <dt>knot</dt> : null}
        {knot ? <dd>{p.head.graph!.knots[knot - 1].sentence}</dd> : null}
        {own && !filter ? <dt>filter</dt> : null}
        {own && !filter ? <dd>too many threads for one</dd> : null}
      </dl>
      {waits.length ? (
        <>
          <h3>Its threads waited</h3>
          <ul class="plain">
            {waits.slice(0, WAITS).map(({ wait, ns }) => {
              const [cause] = p.head.causes[p.wait.kind[wait]];
              return (
                <li>
                  <i class="dot" style={{ background: causeColor(cause) }} />{" "}
                  {time(ns)} {cause}, <span class="mono">{p.strings[p.wait.place[wait]]}</span>
                </li>
              );
            })}
            {waits.length > WAITS ? <li>and at {waits.length - WAITS} more places</li> : null}
          </ul>
        </>
      ) : null}
      {list("It waited for, in full", true)}
      {list("For it waited, in full", false)}
    </section>
  );
}
