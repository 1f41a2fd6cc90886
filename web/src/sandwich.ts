// SPDX-License-Identifier: Apache-2.0
//
// The callers and the callees of one function, over all places it is called from. Where it calls
// itself the outermost call counts, so that no time is in twice.
import { Growing, makeSums, type Labels, type Shape, type Sums, type Tree } from "./tree";
import { outermost } from "./stats";

// `adds` are pairs: a node of the half, and a node of the tree whose values it holds.
export interface Half {
  shape: Shape;
  sums: Sums;
  adds: Int32Array;
}

function addNode(to: Sums, at: number, from: Sums, node: number): void {
  to.off[at] += from.off[node];
  to.runq[at] += from.runq[node];
  to.on[at] += from.on[node];
  to.idle[at] += from.idle[node];
  to.count[at] += from.count[node];
  to.samples[at] += from.samples[node];
  to.variance[at] += from.variance[node];
  to.was[at] += from.was[node];
  to.mark[at] += from.mark[node];
  if (to.max[at] < from.max[node]) to.max[at] = from.max[node];
}

function merge(
  sums: Sums,
  labels: Labels,
  fn: [number, number],
  walk: (grow: Growing, add: (at: number, node: number) => void) => void,
): Half {
  const grow = new Growing(fn[0], fn[1]),
    adds: number[] = [];
  walk(grow, (at, node) => adds.push(at, node));
  const { shape, place } = grow.freeze(labels.rank()),
    out = makeSums(shape.len);
  for (let i = 0; i < adds.length; i += 2) {
    adds[i] = place[adds[i]];
    addNode(out, adds[i], sums, adds[i + 1]);
    out.self[adds[i]] += sums.self[adds[i + 1]];
  }
  return { shape, sums: out, adds: Int32Array.from(adds) };
}

export function callees(tree: Tree, sums: Sums, labels: Labels, label: number, kind: number): Half {
  return merge(sums, labels, [label, kind], (grow, add) => {
    const to = new Int32Array(tree.len);
    for (const top of outermost(tree, sums, label, kind)) {
      to[top] = 0;
      add(0, top);
      for (let i = top + 1; i < tree.end[top]; i++) {
        if (!(sums.off[i] > 0)) continue;
        to[i] = grow.child(to[tree.parent[i]], tree.label[i], tree.kind[i]);
        add(to[i], i);
      }
    }
  });
}

export function callers(tree: Tree, sums: Sums, labels: Labels, label: number, kind: number): Half {
  return merge(sums, labels, [label, kind], (grow, add) => {
    for (const top of outermost(tree, sums, label, kind)) {
      let at = 0;
      add(0, top);
      for (let up = tree.parent[top]; up; up = tree.parent[up]) {
        at = grow.child(at, tree.label[up], tree.kind[up]);
        add(at, top);
      }
    }
  });
}
