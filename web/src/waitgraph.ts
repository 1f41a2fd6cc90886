// SPDX-License-Identifier: Apache-2.0
//
// Who waits for whom, as a picture: which nodes and edges are drawn, and where. The graph itself is
// the program's, and all of it is in the table beside the picture.
import { Graph, layout } from "@dagrejs/dagre";
import { NODE_KINDS, type NodeKind, type Profile } from "./data";

const LEAST_PER_MILLE = 5, // of all time, that an edge has at least; as in dot
  MANY = 40; // edges that can be followed by eye

export interface Shown {
  edges: number[];
  nodes: number[]; // with an edge
  least_ns: number; // of an edge that is drawn
  left: number; // edges that are in the table only
}

export function kindOf(p: Profile, node: number): NodeKind {
  return NODE_KINDS[p.node.kind[node]];
}

// In links: names of nodes of one kind differ.
export function nodeKey(p: Profile, node: number): string {
  return `${kindOf(p, node)}:${p.strings[p.node.name[node]]}`;
}

// -1: there is none.
export function nodeOfKey(p: Profile, key: string): number {
  return key ? p.node.name.findIndex((_, node) => nodeKey(p, node) === key) : -1;
}

// "cc1 (12 threads)"
export function nodeName(p: Profile, node: number): string {
  const name = p.strings[p.node.name[node]],
    threads = p.node.threads[node];
  if (kindOf(p, node) === "not-recorded") return `${name} (not recorded)`;
  return threads > 1 ? `${name} (${threads} threads)` : name;
}

// Waits that were not over lead nowhere. Where there are too many, the limit is doubled.
export function shownEdges(p: Profile): Shown {
  const { from, to, ns } = p.edge,
    all = [...from.keys()].filter(e => ns[e] > 0 && kindOf(p, to[e]) !== "open");
  let least_ns = Math.floor((p.head.graph!.blocked_ns / 1000) * LEAST_PER_MILLE),
    edges = all.filter(e => ns[e] >= least_ns);
  while (edges.length > MANY) {
    least_ns = 2 * least_ns + 1;
    edges = edges.filter(e => ns[e] >= least_ns);
  }
  return {
    edges,
    nodes: [...new Set(edges.flatMap(e => [from[e], to[e]]))].sort((a, b) => a - b),
    least_ns,
    left: all.length - edges.length,
  };
}

export interface Box {
  x: number; // of its middle
  y: number;
  width: number;
  height: number;
}

export interface Placed {
  width: number;
  height: number;
  box: Map<string, Box>; // by nodeKey()
  line: Map<string, { points: { x: number; y: number }[]; x: number; y: number }>; // and its label
}

export interface Sizes {
  node(node: number): [number, number];
  edge: [number, number]; // of its label
  down: boolean; // who waits is above whom it waits for, and not to the left
}

export function edgeKey(p: Profile, edge: number): string {
  return `${nodeKey(p, p.edge.from[edge])}\n${nodeKey(p, p.edge.to[edge])}`;
}

// What the places depend on: a picture that follows a recording stays as it is while only times
// change.
export function placeKey(p: Profile, { nodes, edges }: Shown): string {
  const keys = nodes.map(node => nodeKey(p, node) + p.node.threads[node]);
  return [...keys, ...edges.map(e => edgeKey(p, e))].sort().join("\n\n");
}

export function place(p: Profile, { nodes, edges }: Shown, sizes: Sizes): Placed {
  const g = new Graph(),
    out: Placed = { width: 0, height: 0, box: new Map(), line: new Map() },
    byKey = (key: (id: number) => string) => (a: number, b: number) => (key(a) < key(b) ? -1 : 1);
  if (!nodes.length) return out;
  g.setGraph({
    rankdir: sizes.down ? "TB" : "LR",
    nodesep: 18,
    ranksep: 34,
    edgesep: 12,
    marginx: 12,
    marginy: 12,
  });
  for (const node of nodes.slice().sort(byKey(node => nodeKey(p, node)))) {
    const [width, height] = sizes.node(node);
    g.setNode(String(node), { width, height });
  }
  for (const e of edges.slice().sort(byKey(e => edgeKey(p, e)))) {
    const [width, height] = sizes.edge;
    g.setEdge(String(p.edge.from[e]), String(p.edge.to[e]), { width, height, labelpos: "c" });
  }
  layout(g);
  const graph: any = g.graph();
  out.width = graph.width;
  out.height = graph.height;
  for (const node of nodes) {
    const { x, y, width, height }: any = g.node(String(node));
    out.box.set(nodeKey(p, node), { x, y, width, height });
  }
  for (const e of edges) {
    const { points, x, y }: any = g.edge(String(p.edge.from[e]), String(p.edge.to[e]));
    out.line.set(edgeKey(p, e), { points, x, y });
  }
  return out;
}

// A smooth way through points; from the second on, they are halfway to the next.
export function curve(points: { x: number; y: number }[]): string {
  const n = (v: number) => v.toFixed(1),
    [first, ...rest] = points;
  let d = `M${n(first.x)} ${n(first.y)}`;
  rest.forEach((to, i) => {
    const next = rest[i + 1];
    if (!next) d += `L${n(to.x)} ${n(to.y)}`;
    else
      d += `Q${n(to.x)} ${n(to.y)} ${n((to.x + next.x) / 2)} ${n((to.y + next.y) / 2)}`;
  });
  return d;
}

// The filter that leaves the threads of a node: whole processes where all of their threads are of
// it, as most are.
export function threadsOfNode(
  p: Profile,
  node: number,
  keys: (task: number) => [string, string],
): string[] {
  const others = new Set<string>(),
    mine: [string, string][] = [];
  for (let t = 1; t <= p.tasks; t++) {
    if (p.task.node[t] === node) mine.push(keys(t));
    else others.add(keys(t)[0]);
  }
  return [...new Set(mine.map(([process, thread]) => (others.has(process) ? thread : process)))];
}

// Time of the waits of a node's threads, by cause and place, most first.
export function waitsOfNode(p: Profile, node: number): { wait: number; ns: number }[] {
  const sums = new Map<string, { wait: number; ns: number }>();
  for (let w = 1; w <= p.waits; w++) {
    const ns = p.wait.blocked_ns[w];
    if (!ns || p.task.node[p.wait.task[w]] !== node) continue;
    const key = `${p.wait.kind[w]} ${p.wait.place[w]}`,
      row = sums.get(key);
    if (row) row.ns += ns;
    else sums.set(key, { wait: w, ns });
  }
  return [...sums.values()].sort((a, b) => b.ns - a.ns);
}
