// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Profile } from "../../../web/src/data";
import { codesOf, crowd, LaneIndex } from "../../../web/src/laneindex";
import { heights } from "../../../web/src/lanepicture";
import {
  exactly,
  inOrder,
  instant,
  Lanes,
  marks,
  sliceKey,
  sliceOf,
  type Slice,
} from "../../../web/src/lanes";
import { Report } from "../../../web/src/report";
import { DEFAULTS } from "../../../web/src/state";
import { leftOut } from "../../../web/src/ui/lanes";
import { golden } from "./golden";

const floats = (x: number[]) => Float64Array.from(x),
  ints = (x: number[]) => Int32Array.from(x);

interface Thread {
  begin?: number;
  end: number;
  all?: boolean;
  whole?: boolean;
  waits: [begin: number, blocked: number, runq: number, cause?: number, waker?: number][];
}

// Waits are one for each moment, with its cause; waker N is task N.
function made(threads: Thread[], timelines: object = {}): Profile {
  const waits = threads.flatMap((t, i) => t.waits.map(w => ({ task: i + 1, w }))),
    first = [0, 0];
  for (const t of threads) first.push(first[first.length - 1] + t.waits.length);
  return {
    head: {
      header: { window_ns: Math.max(...threads.map(t => t.end)) },
      timelines: { waits: waits.length, of: waits.length, ...timelines },
      causes: ["a", "b", "c"].map(name => [name, ""]),
    },
    tasks: threads.length,
    waits: waits.length,
    task: {
      tgid: ints([0, ...threads.map(() => 7)]),
      tid: ints([0, ...threads.map((_, i) => 70 + i)]),
    },
    lane: {
      begin_ns: floats([0, ...threads.map(t => t.begin ?? 0)]),
      end_ns: floats([0, ...threads.map(t => t.end)]),
      all: Uint8Array.from([0, ...threads.map(t => +(t.all ?? true))]),
      whole: Uint8Array.from([0, ...threads.map(t => +(t.whole ?? true))]),
    },
    wait: {
      task: ints([0, ...waits.map(w => w.task)]),
      cause: Uint8Array.from([0, ...waits.map(({ w }) => w[3] ?? 0)]),
    },
    waker: { task: ints([0, ...threads.map((_, i) => i + 1)]), label: ints([]) },
    moment: {
      first: ints(first),
      wait: ints(waits.map((_, i) => i + 1)),
      begin_ns: floats(waits.map(({ w }) => w[0])),
      blocked_ns: floats(waits.map(({ w }) => w[1])),
      runq_ns: floats(waits.map(({ w }) => w[2])),
      waker: ints(waits.map(({ w }) => w[4] ?? 0)),
    },
  } as unknown as Profile;
}

function slicesOf(lanes: Lanes, task: number): Slice[] {
  const out: Slice[] = [],
    { begin_ns, end_ns } = lanes.p.lane;
  for (let s = lanes.sliceAt(task, begin_ns[task]); s; s = lanes.neighbour(s, 1)) out.push(s);
  assert.equal(out[0].begin, begin_ns[task]);
  assert.equal(out[out.length - 1].end, end_ns[task]);
  return out;
}

const sum = (slices: Slice[], what: string) =>
  slices.filter(s => s.what === what).reduce((ns, s) => ns + s.end - s.begin, 0);

test("the slices of a thread follow each other and add up to its totals, to the ns", () => {
  const p = golden("events/expected.page"),
    lanes = new Lanes(p);
  assert.equal(p.tasks, 3);
  for (let t = 1; t <= p.tasks; t++) {
    const slices = slicesOf(lanes, t);
    slices.forEach((s, i) => {
      assert.ok(s.end > s.begin);
      if (i) assert.equal(s.begin, slices[i - 1].end);
      assert.deepEqual(lanes.sliceAt(t, s.end - 1), s, "from its last ns");
      if (i) assert.deepEqual(lanes.neighbour(s, -1), slices[i - 1]);
    });
    if (!p.lane.whole[t]) continue;
    assert.equal(sum(slices, "on"), p.task.on_ns[t]);
    assert.equal(sum(slices, "runq"), p.task.runq_ns[t] + p.task.preempted_ns[t]);
    assert.equal(sum(slices, "blocked"), p.task.blocked_ns[t]);
    assert.equal(sum(slices, "unknown"), 0);
  }
  assert.deepEqual([...p.lane.whole], [0, 1, 0, 1], "one has lost instants");
  const lossy = slicesOf(lanes, 2);
  assert.equal(sum(lossy, "on"), 0, "between its waits it is not known");
  assert.ok(sum(lossy, "unknown") > 0);
  assert.equal(lanes.sliceAt(3, 0), null, "before the thread");
});

test("what was left out of the page is not known", () => {
  const lanes = new Lanes(
    made([{ end: 1000, waits: [[100, 50, 10]] }], { until_ns: 400, of: 9 }),
  );
  const slices = slicesOf(lanes, 1);
  assert.deepEqual(
    slices.map(s => [s.what, s.begin, s.end]),
    [
      ["on", 0, 100],
      ["blocked", 100, 150],
      ["runq", 150, 160],
      ["on", 160, 400],
      ["unknown", 400, 1000],
    ],
  );
  const index = new LaneIndex(lanes, 1, codesOf(3), lanes.p.wait.cause, Uint8Array.of(0, 1)),
    codes = codesOf(3),
    times = index.between(0, 1000, new Float64Array(codes.count));
  assert.deepEqual([times[codes.on], times[codes.unknown]], [340, 600]);
});

test("a page that lacks waits says so, and how to have them", () => {
  const p = golden("events/expected.page"),
    words = (timelines: object) =>
      leftOut(new Report({ ...p, head: { ...p.head, timelines } } as unknown as Profile));
  assert.equal(words({ waits: 6, of: 6 }), "");
  assert.match(
    words({ waits: 2000000, of: 5000000, until_ns: 4012345678 }),
    /^This page has the first 2,000,000 of 5,000,000 waits, until 4\.012 s: .*--since and --until/,
  );
});

test("where a lane is not all of its thread, time before and after it is not known", () => {
  const p = made([{ begin: 100, end: 160, all: false, waits: [[100, 50, 10]] }]);
  p.head.header.window_ns = 1000;
  const lanes = new Lanes(p),
    at = (ns: number) => lanes.sliceAt(1, ns)!;
  assert.deepEqual([at(0).what, at(0).begin, at(0).end], ["unknown", 0, 100]);
  assert.deepEqual([at(999).what, at(999).begin, at(999).end], ["unknown", 160, 1000]);
  assert.equal(at(120).what, "blocked");
});

// Waits of all lengths, with bursts, some without a part of them.
function random(seed: number, waits: number): Thread {
  let state = seed;
  const next = (n: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
  const out: Thread = { begin: next(1000), end: 0, waits: [], whole: next(4) > 0 };
  let at = out.begin!;
  for (let i = 0; i < waits; i++) {
    at += next(3) ? next(20) : next(100000);
    const blocked = next(5) ? next(10 ** next(7)) : 0,
      runq = next(3) || !blocked ? 1 + next(500) : 0;
    out.waits.push([at, blocked, runq, next(3)]);
    at += blocked + runq;
  }
  return { ...out, end: at + next(1000) };
}

test("sums of any part of a lane are those of its slices, to the ns", () => {
  for (let seed = 1; seed <= 12; seed++) {
    const lanes = new Lanes(made([random(seed, 300)])),
      { p } = lanes,
      codes = codesOf(3),
      bright = Uint8Array.from(p.wait.cause, (_, w) => +(w % 3 > 0)),
      index = new LaneIndex(lanes, 1, codes, p.wait.cause, bright),
      slices = slicesOf(lanes, 1),
      end = p.lane.end_ns[1];
    for (let k = 0; k < 60; k++) {
      const from = Math.floor((end * ((k * 37) % 61)) / 61),
        to = Math.min(end, from + Math.floor(end / 2 ** (k % 14))),
        want = new Float64Array(codes.count);
      for (const s of slices)
        want[index.codeOf(s.what, s.moment)] += Math.max(
          0,
          Math.min(to, s.end) - Math.max(from, s.begin),
        );
      assert.deepEqual(index.between(from, to, new Float64Array(codes.count)), want);
    }
  }
});

test("columns show each part of the time once, as one state or as the share of each", () => {
  for (const perColumn of [0.7, 1, 64, 1000, 33333])
    for (let seed = 1; seed <= 6; seed++) {
      const lanes = new Lanes(made([random(seed, 200)])),
        { p } = lanes,
        codes = codesOf(3),
        index = new LaneIndex(lanes, 1, codes, p.wait.cause, new Uint8Array(300).fill(1)),
        from = perColumn < 10 ? p.moment.begin_ns[20] - 3 : 0,
        [begin, end] = lanes.bounds(1),
        count = 900,
        want = new Float64Array(codes.count);
      let x = Math.max(0, Math.floor((begin - from) / perColumn));
      index.columns(
        from,
        perColumn,
        count,
        (x0, x1, code) => {
          assert.equal(x0, x);
          assert.ok(x1 > x0 && x1 <= count);
          const left = Math.max(begin, from + x0 * perColumn),
            right = Math.min(end, from + x1 * perColumn),
            times = index.between(left, right, want),
            whole = times.reduce((a, b) => a + b, 0);
          // one slice has all, or of the two in a column the larger part
          assert.ok(times[code] >= whole / (x1 - x0 > 1 ? 1.0001 : 2.0001), `${x0} ${code}`);
          x = x1;
        },
        (at, times) => {
          assert.equal(at, x);
          const left = from + at * perColumn,
            exact = index.between(
              Math.max(begin, left),
              Math.min(end, left + perColumn),
              want,
            );
          index.present.forEach((code, i) =>
            assert.ok(Math.abs(times[i] - exact[code]) < 0.01, `${at}: ${code}`),
          );
          x = at + 1;
        },
      );
      assert.equal(x, Math.min(count, Math.ceil((end - from) / perColumn)));
    }
});

test("a column has a pixel of each state that is in it, and all of its pixels", () => {
  const codes = codesOf(3),
    present = [codes.on, codes.runq, 0, 1, 2, codes.dim, codes.unknown],
    none = Array(present.length).fill(0),
    of = (...times: number[]) => floats([...times, ...none].slice(0, present.length));
  const high = (times: Float64Array) => {
    const out = heights(times, 16, present);
    return Object.fromEntries(
      Array.from({ length: out.length / 2 }, (_, i) => [out[2 * i], out[2 * i + 1]]),
    );
  };
  assert.deepEqual(high(of(0, 1, 1e9)), { 0: 15, [codes.runq]: 1 });
  assert.deepEqual(high(of(0, 0, 5, 5)), { 0: 8, 1: 8 });
  const all = high(floats([100, 1, 1, 1, 1, 1, 1]));
  assert.equal(Object.values(all).reduce((a, b) => a + b, 0), 16);
  assert.equal(Object.keys(all).length, 7);
});

test("the largest slice near the pointer is hit where all are narrow", () => {
  const lanes = new Lanes(
      made([{ end: 1000, waits: [[100, 5, 1], [110, 2, 0], [113, 60, 0], [300, 1, 1]] }]),
    ),
    hit = lanes.largestIn(1, 95, 150, 99)!;
  assert.deepEqual([hit.what, hit.begin, hit.end], ["blocked", 113, 173]);
  assert.equal(lanes.largestIn(1, 2000, 3000, 99), null);
});

const RELAY: Thread[] = [
  { end: 1000, waits: [[0, 400, 10, 0, 2], [600, 100, 0, 1, 2]] },
  { end: 1000, waits: [[100, 200, 0, 0, 0], [450, 400, 50, 2, 1]] },
  { end: 1000, waits: [[0, 390, 20, 0, 2]] },
];

test("wakes lead from who ended a wait to who waited, at that instant", () => {
  const lanes = new Lanes(made(RELAY)),
    wait = lanes.sliceAt(1, 200)!,
    [wake] = lanes.wakesOf(wait, 9);
  assert.deepEqual({ ...wake }, { moment: 0, at: 400, from: 2, to: 1 });
  assert.deepEqual(lanes.wakesOf(lanes.sliceAt(1, 405)!, 9), [wake], "in the run queue");
  const ran = lanes.sliceAt(2, 395)!;
  assert.equal(ran.what, "on");
  assert.deepEqual(
    lanes.wakesOf(ran, 9).map(w => [w.to, w.at]),
    [
      [3, 390],
      [1, 400],
    ],
  );
  assert.equal(lanes.wakesOf(ran, 1).length, 1);
  assert.deepEqual(
    lanes.wakesIn([1, 3], 0, 1000, 9)!.map(w => [w.from, w.to]),
    [
      [2, 1],
      [2, 1],
      [2, 3],
    ],
  );
  assert.equal(lanes.wakesIn([1, 2, 3], 395, 405, 9)!.length, 1);
  assert.equal(lanes.wakesIn([1, 2, 3], 0, 1000, 4), null, "too many to be followed");
});

test("a slice is found again by its link, and none by another one", () => {
  const lanes = new Lanes(made(RELAY));
  for (let t = 1; t <= 3; t++)
    for (const s of slicesOf(lanes, t)) {
      assert.deepEqual(sliceOf(lanes, sliceKey(lanes.p, s)), s);
    }
  for (const key of ["", "7/70", "7/70@5000", "7/99@5", "7/70@-1", "x"])
    assert.equal(sliceOf(lanes, key), null, key);
});

test("threads stand in the order that was chosen", () => {
  const p = made(RELAY),
    threads = [1, 2, 3].map((task, i) => ({ task, waited: [5, 9, 7][i] })),
    name = (t: number) => ["", "b", "a", "b"][t];
  assert.deepEqual(inOrder(p, threads, "waited", name), [2, 3, 1]);
  assert.deepEqual(inOrder(p, threads, "process", name), [2, 1, 3]);
  assert.deepEqual(inOrder(p, threads, "first", name), [1, 3, 2]);
});

test("how many waited at once adds up to the time of the waits", () => {
  const lanes = new Lanes(made([random(3, 400), random(4, 50)])),
    { p } = lanes,
    codes = codesOf(3),
    bright = Uint8Array.from(p.wait.cause, (_, w) => +(w % 2)),
    parts = crowd(lanes, [1, 2], codes, p.wait.cause, bright, 64);
  const want = new Map<number, number>();
  p.moment.wait.forEach((w, i) => {
    if (!bright[w]) return;
    const of = [
      [p.wait.cause[w], p.moment.blocked_ns[i]],
      [codes.runq, p.moment.runq_ns[i]],
    ];
    for (const [code, ns] of of) want.set(code, (want.get(code) ?? 0) + ns);
  });
  assert.deepEqual([...parts.keys()].sort(), [...want.keys()].sort());
  for (const [code, threads] of parts) {
    const ns = threads.reduce((a, b) => a + b, 0) * (lanes.end / 64);
    assert.ok(Math.abs(ns - want.get(code)!) < 1, `${code}: ${ns}, not ${want.get(code)}`);
    assert.ok(threads.every(n => n >= -1e-9 && n <= 2 + 1e-9));
  }
});

test("filters, a search and a selected frame choose what is bright, and the lanes", () => {
  const p = golden("events/expected.page"),
    report = new Report(p),
    causes = report.causeNames,
    of = (patch: object) => {
      report.use({ ...DEFAULTS, ...patch }, "light", {});
      const { bright, threads } = report.looked();
      return {
        causes: [
          ...new Set([...bright.keys()].filter(w => bright[w]).map(w => causes[p.wait.cause[w]])),
        ],
        lanes: threads.map(t => t.task).sort(),
      };
    };
  const all = of({});
  assert.ok(all.causes.length > 3);
  assert.deepEqual(all.lanes, [1, 2, 3]);
  assert.deepEqual(of({ causes: ["disk-sync"] }), { causes: ["disk-sync"], lanes: [2] });
  assert.deepEqual(of({ threads: ["70/71"] }).lanes, [2]);
  assert.deepEqual(of({ search: "compute" }), { causes: ["preempted"], lanes: [1] });
  assert.deepEqual(of({ search: "/(/" }), all, "no expression finds all");
  report.use({ ...DEFAULTS, search: "take_turn" }, "light", {});
  const at = report.leafOf(1);
  assert.deepEqual(of({ at }), { causes: [causes[p.wait.cause[1]]], lanes: [1, 2, 3] });
  assert.deepEqual(of({ at, slice: "70/70@1" }), all, "a slice is marked, and dims nothing");
  assert.deepEqual(of({ time: "on", when: "1-1" }), all);
});

test("instants have the digits that a scale needs, and lengths have all", () => {
  assert.equal(instant(1446953123), "1.446953123 s");
  assert.equal(instant(1446953123, 1e6), "1.447 s");
  assert.equal(instant(2e9, 1e9), "2 s");
  assert.equal(exactly(3071234), "3,071,234 ns");
  const { step, at } = marks(1000, 9900, 10);
  assert.equal(step, 1000);
  assert.deepEqual(at, [1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000]);
  assert.equal(marks(0, 10e9, 7).step, 2e9);
  assert.equal(marks(5, 6, 7).step, 1);
});
