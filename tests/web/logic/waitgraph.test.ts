// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Profile } from "../../../web/src/data";
import {
  nodeKey,
  nodeOfKey,
  place,
  placeKey,
  shownEdges,
  threadsOfNode,
  waitsOfNode,
} from "../../../web/src/waitgraph";
import { golden } from "./golden";

test("the graph of a recording without events has each wait at who ended it", () => {
  const p = golden("wakers/expected.page"),
    at = (name: string) => p.strings.indexOf(name),
    edge = [...p.edge.from.keys()].map(e => [
      p.strings[p.node.name[p.edge.from[e]]],
      p.strings[p.node.name[p.edge.to[e]]],
      p.edge.ns[e],
    ]);
  assert.equal(p.head.graph!.redistributed, false);
  assert.equal(p.head.graph!.blocked_ns, 20e9);
  assert.deepEqual(edge[0], ["client of shop", "worker of shop", 8e9]);
  assert.equal(edge.reduce((ns, row) => ns + (row[2] as number), 0), 20e9);
  assert.ok(at("client of shop") > 0);
  const node = nodeOfKey(p, "threads:worker of shop");
  assert.equal(nodeKey(p, node), "threads:worker of shop");
  assert.equal(nodeOfKey(p, "threads:nobody"), -1);
  assert.equal(nodeOfKey(p, ""), -1);
  assert.deepEqual(
    waitsOfNode(p, node).map(row => row.ns),
    [6e9, 1e9],
  );
  assert.equal(golden("shop/expected.page").head.graph, undefined);
});

function graph(edges: [number, number, number][], kinds: number[] = []): Profile {
  const nodes = Math.max(...edges.flatMap(e => [e[0], e[1]])) + 1,
    each = Array.from({ length: nodes }, (_, i) => i);
  return {
    head: { graph: { blocked_ns: edges.reduce((ns, e) => ns + e[2], 0) } },
    strings: each.map(i => `n${i}`),
    node: {
      name: Int32Array.from(each),
      kind: Uint8Array.from(each, i => kinds[i] ?? 0),
      threads: new Float64Array(nodes).fill(1),
    },
    edge: {
      from: Int32Array.from(edges, e => e[0]),
      to: Int32Array.from(edges, e => e[1]),
      ns: Float64Array.from(edges, e => e[2]),
    },
  } as unknown as Profile;
}

test("short edges, and waits that were not over, are not drawn", () => {
  const shown = shownEdges(graph([[0, 1, 1000], [1, 2, 4], [2, 0, 6], [0, 3, 90]], [0, 0, 0, 5]));
  assert.deepEqual(shown.edges, [0, 2]);
  assert.deepEqual(shown.nodes, [0, 1, 2]);
  assert.equal(shown.left, 1);
  const many = graph(Array.from({ length: 180 }, (_, i) => [i, i + 1, 1000 + i]));
  assert.ok(shownEdges(many).edges.length <= 40, "as many as can be followed");
});

test("each node and each edge has a place, and none is on another one", () => {
  for (const down of [false, true]) {
    const p = graph([[0, 1, 9], [1, 2, 9], [2, 0, 9], [1, 1, 9], [3, 1, 9]]),
      shown = shownEdges(p),
      placed = place(p, shown, { node: () => [80, 40], edge: [40, 15], down }),
      boxes = [...placed.box.values()];
    assert.equal(boxes.length, 4);
    assert.equal(placed.line.size, 5);
    boxes.forEach((a, i) =>
      boxes.slice(i + 1).forEach(b =>
        assert.ok(Math.abs(a.x - b.x) >= 80 || Math.abs(a.y - b.y) >= 40),
      ),
    );
    for (const { x, y, width, height } of boxes) {
      assert.ok(x - width / 2 >= 0 && x + width / 2 <= placed.width);
      assert.ok(y - height / 2 >= 0 && y + height / 2 <= placed.height);
    }
    const [from, to] = [placed.box.get("threads:n3")!, placed.box.get("threads:n1")!];
    assert.ok(down ? from.y < to.y : from.x < to.x, "who waits comes first");
  }
  assert.equal(place(graph([[0, 0, 0]]), { edges: [], nodes: [], least_ns: 0, left: 0 }, {
    node: () => [1, 1],
    edge: [1, 1],
    down: false,
  }).box.size, 0);
});

test("a picture stays as it is while only times change", () => {
  const key = (p: Profile) => placeKey(p, shownEdges(p)),
    before = graph([[0, 1, 900], [1, 2, 800]]),
    later = graph([[1, 2, 950], [0, 1, 700]]);
  assert.equal(key(before), key(later));
  assert.notEqual(key(before), key(graph([[0, 1, 900], [2, 1, 800]])));
});

test("the filter of a node has processes where all of their threads are of it", () => {
  const p = {
      tasks: 4,
      task: { node: Int32Array.from([0, 0, 0, 1, 0]) },
    } as unknown as Profile,
    keys = (t: number): [string, string] => [["", "7", "7", "8", "8"][t], `${t}`];
  assert.deepEqual(threadsOfNode(p, 0, keys), ["7", "4"]);
  assert.deepEqual(threadsOfNode(p, 1, keys), ["3"]);
});
