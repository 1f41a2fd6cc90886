// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Profile } from "../../../web/src/data";
import { Lanes } from "../../../web/src/lanes";
import { chainOf, Paths } from "../../../web/src/path";

const floats = (x: number[]) => Float64Array.from(x),
  ints = (x: number[]) => Int32Array.from(x);

interface Task {
  begin?: number;
  end: number;
  thread?: number; // by itself one of its own
  whole?: boolean;
  waits: [begin: number, blocked: number, runq: number, waker?: number, flags?: number][];
}

// Waker N is task N; one behind them is an interrupt, the next one is not recorded.
function made(tasks: Task[], target = ""): Profile {
  const waits = tasks.flatMap((t, i) => t.waits.map(w => ({ task: i + 1, w }))),
    first = [0, 0],
    n = tasks.length,
    all = (of: (t: Task, i: number) => number) => [0, ...tasks.map(of)];
  for (const t of tasks) first.push(first[first.length - 1] + t.waits.length);
  return {
    head: {
      header: { window_ns: Math.max(...tasks.map(t => t.end)), target },
      timelines: { waits: waits.length, of: waits.length },
      causes: [["a", ""]],
    },
    strings: ["", "here", "softirq"],
    tasks: n,
    waits: waits.length,
    task: {
      tgid: ints(all((_, i) => 70 + i)),
      tid: ints(all((_, i) => 70 + i)),
      comm: ints(all(() => 0)),
      thread: ints(all((t, i) => t.thread ?? i)),
    },
    lane: {
      begin_ns: floats(all(t => t.begin ?? 0)),
      end_ns: floats(all(t => t.end)),
      all: Uint8Array.from(all(() => 1)),
      whole: Uint8Array.from(all(t => +(t.whole ?? true))),
    },
    object: { says: ints([0]), label: ints([0]) },
    wait: {
      task: ints([0, ...waits.map(w => w.task)]),
      cause: new Uint8Array(waits.length + 1),
      kind: new Uint8Array(waits.length + 1),
      state: new Uint8Array(waits.length + 1),
      place: new Int32Array(waits.length + 1).fill(1),
      object: new Int32Array(waits.length + 1),
      flags: ints([0, ...waits.map(({ w }) => w[4] ?? 0)]),
    },
    waker: {
      task: ints([0, ...tasks.map((_, i) => i + 1), 0, 0]),
      context: ints([0, ...tasks.map(() => 0), 1, 0]),
      flags: new Int32Array(n + 3),
      shared: new Int32Array(n + 3).fill(2),
      label: new Int32Array(n + 3),
    },
    moment: {
      first: ints(first),
      wait: ints(waits.map((_, i) => i + 1)),
      begin_ns: floats(waits.map(({ w }) => w[0])),
      blocked_ns: floats(waits.map(({ w }) => w[1])),
      runq_ns: floats(waits.map(({ w }) => w[2])),
      waker: ints(waits.map(({ w }) => w[3] ?? 0)),
    },
  } as unknown as Profile;
}

const pathsOf = (p: Profile) => new Paths(new Lanes(p));
const short = (paths: Paths, thread: number, begin: number, end: number) => {
  const path = paths.of(thread, begin, end);
  let at = begin;
  for (const part of path.parts) {
    assert.equal(part.begin, at, "one behind the other");
    at += part.ns;
  }
  assert.equal(at, end, "and all of the time");
  return path.parts.map(part => [part.kind, part.task, part.ns, chainOf(path, part)]);
};

// 1 waits for 2, which waits for 3, which waits for an interrupt.
const RELAY: Task[] = [
  { end: 1000, waits: [[100, 800, 20, 2]] },
  { end: 1000, waits: [[200, 500, 10, 3]] },
  { end: 1000, waits: [[300, 200, 0, 4]] },
];

test("a path goes to whom a thread waited for, in turn, and back", () => {
  assert.deepEqual(short(pathsOf(made(RELAY)), 0, 0, 1000), [
    ["on-cpu", 1, 100, []],
    ["on-cpu", 2, 100, [1]],
    ["on-cpu", 3, 100, [1, 2]],
    ["interrupt", 3, 200, [1, 2]],
    ["on-cpu", 3, 200, [1, 2]],
    ["run-queue", 2, 10, [1]],
    ["on-cpu", 2, 190, [1]],
    ["run-queue", 1, 20, []],
    ["on-cpu", 1, 80, []],
  ]);
  assert.deepEqual(short(pathsOf(made(RELAY)), 0, 350, 710), [
    ["interrupt", 3, 150, [1, 2]],
    ["on-cpu", 3, 200, [1, 2]],
    ["run-queue", 2, 10, [1]],
  ]);
});

test("what is not known is a part with its reason", () => {
  const kinds = (tasks: Task[], thread = 0, end = 1000) =>
    short(pathsOf(made(tasks)), thread, 0, end).map(part => part[0]);
  assert.deepEqual(kinds([{ end: 1000, waits: [[0, 900, 0, 0]] }]), ["waker-unknown", "on-cpu"]);
  assert.deepEqual(kinds([{ end: 1000, waits: [[0, 1000, 0, 0, 32]] }]), ["open"]);
  assert.deepEqual(kinds([{ end: 1000, waits: [[0, 900, 0, 0, 1]] }]), ["io", "on-cpu"]);
  assert.deepEqual(kinds([{ end: 1000, waits: [[0, 900, 0, 3]] }]), [
    "waker-not-recorded",
    "on-cpu",
  ]);
  assert.deepEqual(kinds([{ end: 1000, whole: false, waits: [[0, 900, 0, 2]] }]), [
    "interrupt",
    "not-known",
  ]);
  const unborn = [
    { end: 1000, waits: [[0, 900, 0, 2]] },
    { begin: 400, end: 1000, waits: [] },
  ] as Task[];
  assert.deepEqual(short(pathsOf(made(unborn)), 0, 0, 1000), [
    ["waker-unborn", 1, 400, []],
    ["on-cpu", 2, 500, [1]],
    ["on-cpu", 1, 100, []],
  ]);
  const loop = [
    { end: 1000, waits: [[0, 900, 0, 2]] },
    { end: 1000, waits: [[0, 950, 0, 1]] },
  ] as Task[];
  assert.deepEqual(short(pathsOf(made(loop)), 0, 0, 1000), [
    ["loop", 2, 900, [1]],
    ["on-cpu", 1, 100, []],
  ]);
});

test("a thread that became another program is one thread", () => {
  const p = made([
      { end: 400, thread: 0, waits: [[100, 100, 0, 3]] },
      { begin: 400, end: 1000, thread: 0, waits: [[500, 300, 0, 3]] },
      { end: 1000, thread: 1, waits: [] },
    ]),
    paths = pathsOf(p);
  assert.deepEqual(paths.bounds(0), [0, 1000]);
  assert.equal(paths.keyOf(0), "71/71");
  assert.equal(paths.threadOf("70/70"), 0);
  assert.equal(paths.threadOf("99/99"), -1);
  const sums = new Map<number, number>();
  for (const [, task, ns] of short(paths, 0, 0, 1000) as [string, number, number][])
    sums.set(task, (sums.get(task) ?? 0) + ns);
  assert.deepEqual([...sums].sort(), [
    [1, 300],
    [2, 300],
    [3, 400],
  ]);
});

test("a wait that the end of a window cuts is ended by who ended its last piece", () => {
  const p = made([
    { end: 1000, waits: [[0, 400, 0, 0, 32], [400, 300, 0, 2, 16]] },
    { end: 1000, waits: [] },
  ]);
  assert.deepEqual(short(pathsOf(p), 0, 0, 1000), [
    ["on-cpu", 2, 400, [1]],
    ["on-cpu", 2, 300, [1]],
    ["on-cpu", 1, 300, []],
  ]);
});

test("the rows of a path add up to it, longest first", () => {
  const paths = pathsOf(made(RELAY)),
    path = paths.of(0, 0, 1000),
    rows = paths.rows(path);
  assert.equal(rows.reduce((ns, row) => ns + row.ns, 0), 1000);
  assert.equal(path.known, 1000);
  assert.deepEqual(
    rows.map(row => [row.kind, row.task, row.ns, row.parts, row.place, row.waker]),
    [
      ["on-cpu", 3, 300, 2, "", ""],
      ["on-cpu", 2, 290, 2, "", ""],
      ["interrupt", 3, 200, 1, "here", "softirq"],
      ["on-cpu", 1, 180, 2, "", ""],
      ["run-queue", 1, 20, 1, "", ""],
      ["run-queue", 2, 10, 1, "", ""],
    ],
  );
});

test("the thread that a command began with is where its path begins", () => {
  assert.equal(pathsOf(made(RELAY)).first(), -1);
  const two = [{ begin: 10, end: 90, waits: [] }, RELAY[1]];
  assert.equal(pathsOf(made(two, "command x")).first(), 1);
  assert.equal(pathsOf(made([RELAY[0]])).first(), 0, "the only one");
});
