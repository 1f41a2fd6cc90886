// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { layOut } from "../../../web/src/layout";
import { Pairs } from "../../../web/src/pairs";
import {
  addUp,
  findKey,
  Growing,
  Labels,
  makeSums,
  pathHashes,
  pathKey,
  type Shape,
} from "../../../web/src/tree";

// Nodes by name: "all", "all/b", ... in the order given; frozen into preorder.
function frozen(...paths: string[]): { shape: Shape; labels: Labels; at: (p: string) => number } {
  const labels = new Labels(["all"]),
    grow = new Growing(0, 0),
    nodes = new Map([["all", 0]]);
  for (const path of paths) {
    const cut = path.lastIndexOf("/");
    const up = nodes.get(path.slice(0, cut))!;
    nodes.set(path, grow.child(up, labels.id(path.slice(cut + 1)), 1));
  }
  const { shape, place } = grow.freeze(labels.rank());
  return { shape, labels, at: path => place[nodes.get(path)!] };
}

const PATHS = ["all/b", "all/a", "all/b/x", "all/a/x", "all/b/x/y", "all/a/w"];

test("pairs are found again, however many there are", () => {
  const pairs = new Pairs();
  for (let i = 0; i < 20000; i++) pairs.set(i, i * 7, i);
  for (let i = 0; i < 20000; i++) assert.equal(pairs.get(i, i * 7), i);
  assert.equal(pairs.get(3, 22), -1);
  pairs.set(3, 21, 0);
  assert.equal(pairs.get(3, 21), 0);
});

test("a child is met once", () => {
  const grow = new Growing(0, 0);
  assert.equal(grow.child(0, 5, 1), grow.child(0, 5, 1));
  assert.notEqual(grow.child(0, 5, 1), grow.child(0, 5, 2));
  assert.notEqual(grow.child(0, 5, 1), grow.child(1, 5, 1));
});

test("nodes are in preorder, children by name", () => {
  const { shape, labels } = frozen(...PATHS);
  const names = [...shape.label].map(l => labels.text[l]);
  assert.deepEqual(names, ["all", "a", "w", "x", "b", "x", "y"]);
  assert.deepEqual([...shape.parent], [0, 0, 1, 1, 0, 4, 5]);
  assert.deepEqual([...shape.end], [7, 4, 3, 4, 7, 7, 7]);
  assert.deepEqual([...shape.depth], [0, 1, 2, 2, 1, 2, 3]);
});

test("sums of nodes have what is below them, and the longest of it", () => {
  const { shape, at } = frozen(...PATHS),
    sums = makeSums(shape.len);
  sums.off[at("all/a/x")] = 5;
  sums.off[at("all/b/x/y")] = 7;
  sums.off[at("all/b")] = 1;
  sums.max[at("all/b/x/y")] = 4;
  addUp(shape, sums);
  assert.equal(sums.off[0], 13);
  assert.equal(sums.off[at("all/b")], 8);
  assert.equal(sums.off[at("all/a")], 5);
  assert.equal(sums.max[0], 4);
  assert.equal(sums.max[at("all/a")], 0);
});

test("the key of a node is that of its path, whatever else there is", () => {
  const a = frozen(...PATHS),
    b = frozen("all/0", "all/b", "all/b/x", "all/b/x/y");
  const of = ({ shape, labels }: typeof a) => {
    const hashes = pathHashes(shape, labels);
    return { hashes, key: (node: number) => pathKey(hashes, node) };
  };
  const { key: keys, hashes } = of(a),
    others = of(b).key;
  assert.equal(keys(a.at("all/b/x/y")), others(b.at("all/b/x/y")));
  assert.equal(new Set(PATHS.map(p => keys(a.at(p)))).size, PATHS.length);
  for (const path of PATHS.slice(1)) assert.equal(findKey(hashes, keys(a.at(path))), a.at(path));
  for (const none of ["", "0123456789abcdef", "zoom", others(b.at("all/0"))])
    assert.equal(findKey(hashes, none), -1, none);
});

test("boxes of children stand side by side below their parent", () => {
  const { shape, at } = frozen(...PATHS),
    value = new Float64Array(shape.len);
  value[at("all")] = 10;
  value[at("all/a")] = 3;
  value[at("all/a/x")] = 2;
  value[at("all/b")] = 6;
  const byName = layOut(shape, value, false),
    heavy = layOut(shape, value, true);
  const x = (l: typeof heavy, path: string) => l.x[l.box[at(path)]];
  assert.equal(byName.len, 4);
  assert.equal(byName.total, 10);
  assert.equal(byName.rows, 3);
  assert.equal(byName.box[at("all/a/w")], -1);
  assert.equal(x(byName, "all/a"), 0);
  assert.equal(x(byName, "all/b"), 3);
  assert.equal(x(heavy, "all/b"), 0);
  assert.equal(x(heavy, "all/a"), 6);
  assert.equal(x(heavy, "all/a/x"), 6);
  assert.deepEqual([...heavy.skip], [4, 2, 4, 4]);
});
