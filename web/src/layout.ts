// SPDX-License-Identifier: Apache-2.0
//
// Where nodes lie across: boxes in preorder, children side by side under their parent, from 0 to
// the total. Nodes without value are left out.
import type { Shape } from "./tree";

export interface Layout {
  readonly len: number;
  readonly node: Int32Array;
  readonly x: Float64Array;
  readonly w: Float64Array;
  readonly depth: Int32Array;
  readonly skip: Int32Array; // the first box that is not below this one
  readonly rows: number;
  readonly total: number;
  readonly box: Int32Array; // by node, -1: not drawn
}

// `weight`: by what the heavy ones are.
export function layOut(
  shape: Shape,
  value: Float64Array,
  heavyFirst: boolean,
  weight = value,
): Layout {
  const n = shape.len,
    box = new Int32Array(n).fill(-1);
  let len = 0;
  for (let i = 0; i < n; i++) len += value[i] > 0 || i === 0 ? 1 : 0;
  const out = {
    len,
    node: new Int32Array(len),
    x: new Float64Array(len),
    w: new Float64Array(len),
    depth: new Int32Array(len),
    skip: new Int32Array(len),
    rows: 1,
    total: value[0],
    box,
  };
  const todo: number[] = [0],
    start: number[] = [0],
    children: number[] = [];
  let at = 0;
  while (todo.length) {
    const node = todo.pop()!;
    let x = start.pop()!;
    out.node[at] = node;
    out.x[at] = x;
    out.w[at] = value[node];
    out.depth[at] = shape.depth[node];
    if (shape.depth[node] >= out.rows) out.rows = shape.depth[node] + 1;
    box[node] = at++;
    children.length = 0;
    for (let c = node + 1; c < shape.end[node]; c = shape.end[c]) {
      if (value[c] > 0) children.push(c);
    }
    if (heavyFirst && children.length > 1) children.sort((a, b) => weight[b] - weight[a] || a - b);
    for (const c of children) x += value[c];
    // the last one first, so that the first comes off the stack next
    for (let i = children.length - 1; i >= 0; i--) {
      x -= value[children[i]];
      todo.push(children[i]);
      start.push(x);
    }
  }
  out.skip.fill(len);
  const open: number[] = [];
  for (let i = 0; i < len; i++) {
    while (open.length && out.depth[open[open.length - 1]] >= out.depth[i])
      out.skip[open.pop()!] = i;
    open.push(i);
  }
  return out;
}
