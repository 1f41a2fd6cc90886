// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { readFileSync } from "node:fs";
import { Refused, type Windows } from "../../../web/src/live/api";
import {
  moveRange,
  rangeBefore,
  rangeOf,
  readChoice,
  writeChoice,
  type Choice,
} from "../../../web/src/live/choice";
import { cellAt, heatOf, spanOf } from "../../../web/src/live/heat";
import { History } from "../../../web/src/live/history";
import { TextsIn, TextsOut } from "../../../web/src/live/texts";
import { attach, buffersOf, prepare, work } from "../../../web/src/live/worker";
import { Report } from "../../../web/src/report";
import { columnsOf, extentOf, shownCauses } from "../../../web/src/ui/windows";
import { filterQuery } from "../../../web/src/ui/export";
import { DEFAULTS } from "../../../web/src/state";
import { viewsOf } from "../../../web/src/ui/views";
import { golden } from "./golden";

// Windows of a second, with so many ns of a lock in each.
function windows(from: number, locks: number[], length = 1e9): Windows {
  const of = <T>(f: (ns: number, i: number) => T) => locks.map(f);
  return {
    server: "one",
    dropped: 0,
    causes: [
      ["idle", "idle"],
      ["lock", "lock"],
    ],
    seq: of((_, i) => from + i),
    begin_wall_ms: of((_, i) => ((from + i - 1) * length) / 1e6),
    length_ns: of(() => length),
    threads: of(() => 4),
    on_ns: of(() => 0),
    runq_ns: of(() => 0),
    idle_ns: of(() => 3e9),
    cause: of(ns => (ns ? [0, 1] : [0])),
    ns: of(ns => (ns ? [3e9, ns] : [3e9])),
    lost_ns: of(() => 0),
    intervals: of(() => null),
  };
}

// Windows of a second with a lock in one tenth of it alone.
function tenths(from: number, n: number, busy: (seq: number) => number): Windows {
  const w = windows(from, Array(n).fill(4e8)),
    ten = [...Array(10).keys()];
  w.intervals = w.seq.map(seq => ({
    length_ns: ten.map(() => 1e8),
    ns: ten.map(k => [3e8, k === busy(seq) ? 4e8 : 0]),
  }));
  return w;
}

const BOTH = [true, true],
  LOCKS = [false, true];

test("heat: a row for each part of a second, and its threads", () => {
  const h = history(tenths(1, 20, () => 3)),
    heat = heatOf(h, { from: 0, to: 20_000 }, 1000, LOCKS)!;
  assert.deepEqual([heat.rows, heat.step, heat.columns, heat.first], [10, 1, 20, 0]);
  assert.equal(heat.most.toFixed(6), "4.000000");
  heat.threads.forEach((v, i) => assert.equal(Math.round(v * 1e6), i % 10 === 3 ? 4e6 : 0));
  const all = heatOf(h, { from: 0, to: 20_000 }, 1000, BOTH)!;
  assert.equal(all.threads[0].toFixed(6), "3.000000");
  assert.equal(cellAt(heat, 5500, 0.35), 53);
  assert.deepEqual(spanOf(heat, 53), [5300, 5400]);
  assert.equal(cellAt(heat, 20_000, 0), -1);
});

test("heat: where there is little room, a column is several seconds", () => {
  const h = history(tenths(1, 20, seq => (seq % 2 ? 3 : 4))),
    heat = heatOf(h, { from: 0, to: 20_000 }, 40, LOCKS)!;
  assert.deepEqual([heat.step, heat.columns], [2, 10]);
  assert.equal(heat.threads[3].toFixed(6), "2.000000", "the mean of its seconds");
  assert.equal(heat.threads[4].toFixed(6), "2.000000");
});

test("heat: short windows are their own parts; long ones tell nothing", () => {
  assert.equal(heatOf(history(windows(1, [1, 2, 3])), { from: 0, to: 3000 }, 100, BOTH), null);
  const short = windows(1, [1e8, 0, 0, 0, 0, 3e8, 0, 0, 0, 0], 1e8),
    heat = heatOf(history(short), { from: 0, to: 1000 }, 100, LOCKS)!;
  assert.deepEqual([heat.rows, heat.columns], [10, 1]);
  assert.deepEqual([...heat.threads].map(v => Math.round(v)), [1, 0, 0, 0, 0, 3, 0, 0, 0, 0]);
  const gap = history(tenths(1, 1, () => 0), windows(2, [5]), tenths(3, 1, () => 0));
  assert.ok(Number.isNaN(heatOf(gap, { from: 0, to: 3000 }, 100, BOTH)!.threads[15]));
});

test("windows that are too many are put together in pairs, the oldest first", () => {
  const h = new History(8),
    ns = (rows: { ns: number[]; cause: number[] }[]) =>
      rows.reduce((sum, r) => sum + r.ns.reduce((a, b) => a + b, 0), 0);
  for (let seq = 1; seq <= 40; seq++) h.add(windows(seq, [seq % 3 ? seq : 0]));
  assert.ok(h.rows.length <= 8);
  assert.equal(h.joined, 40 - h.rows.length);
  const locks = [...Array(41).keys()].filter(s => s % 3).reduce((a, b) => a + b, 0);
  assert.equal(ns(h.rows), 40 * 3e9 + locks, "no time is lost");
  assert.equal(h.rows[0].seq, 1);
  assert.deepEqual(h.rows.at(-1)!.last, 40);
  h.rows.forEach((r, i) => i && assert.equal(r.seq, h.rows[i - 1].last + 1));
  assert.ok(h.rows[0].last - h.rows[0].seq >= h.rows[5].last - h.rows[5].seq);
  assert.equal(h.add(windows(2, [1])), 0, "it is known");
  const { last } = h.rows[0];
  assert.deepEqual(rangeOf(choice({ follow: "all" }), h), { from: 1, to: 40 });
  assert.equal(h.between(2, 2).length, 1, "the row that it is in");
  assert.equal(h.between(1, last).length, 1);
  assert.deepEqual(moveRange({ from: 1, to: last }, 1, h), {
    from: last + 1,
    to: h.rows[1].last,
  });
  h.drop(last);
  assert.equal(h.rows[0].seq, 1, "a part of it is still kept");
  h.drop(last + 1);
  assert.equal(h.rows[0].seq, last + 1);
});

function history(...of: Windows[]): History {
  const h = new History();
  for (const w of of) h.add(w);
  return h;
}

const choice = (patch: Partial<Choice>): Choice => ({
  past: null,
  follow: null,
  range: null,
  server: "",
  recording: "",
  compare: null,
  hosts: [],
  ...patch,
});

test("windows come in any order, and twice", () => {
  const h = history(windows(4, [1, 2]), windows(1, [1, 1, 1, 1, 1]), windows(6, [3]));
  assert.deepEqual(
    h.rows.map(r => r.seq),
    [1, 2, 3, 4, 5, 6],
  );
  assert.equal(h.rows[4].ns[1], 2, "the first one that came");
  h.drop(3);
  assert.deepEqual([h.rows[0].seq, h.indexOf(5), h.indexOf(9)], [3, 2, 4]);
});

test("windows that are too many, or cannot be read, are counted", () => {
  const damaged = windows(2, [1]);
  damaged.length_ns[0] = damaged.begin_wall_ms[0] = 0;
  const h = history(windows(1, [1]), damaged, damaged, windows(3, [1]));
  assert.deepEqual(
    h.rows.map(r => r.seq),
    [1, 3],
  );
  assert.deepEqual([...h.unread], [2]);
  h.add(windows(4, Array(199_999).fill(1)));
  assert.deepEqual([h.rows.length, h.rows[0].seq, h.joined], [150_001, 1, 50_000]);
  h.clear();
  assert.deepEqual([h.joined, h.unread.size], [0, 0]);
});

test("names of causes stay, whatever numbers an answer gives them", () => {
  const turned = windows(3, [5e8]);
  turned.causes.reverse();
  turned.cause = [[1, 0]];
  const h = history(windows(1, [1e9]), turned);
  assert.deepEqual(
    h.rows.map(r => r.cause.map(c => h.causes[c].name)),
    [
      ["idle", "lock"],
      ["idle", "lock"],
    ],
  );
});

test("what is followed: the last window, seconds, and all", () => {
  const h = history(windows(1, Array(30).fill(1)));
  const of = (follow: Choice["follow"]) => rangeOf(choice({ follow }), h);
  assert.deepEqual(of("last"), { from: 30, to: 30 });
  assert.deepEqual(of("10s"), { from: 21, to: 30 });
  assert.deepEqual(of("60s"), { from: 1, to: 30 });
  assert.deepEqual(of("all"), { from: 1, to: 30 });
  const uneven = history(windows(1, Array(30).fill(1), 1.0004e9));
  assert.deepEqual(rangeOf(choice({ follow: "10s" }), uneven), { from: 21, to: 30 });
  assert.equal(rangeOf(choice({ follow: "all" }), new History()), null);
});

test("a range is cut to what is kept, and is nothing where none of it is", () => {
  const h = history(windows(11, Array(10).fill(1)));
  assert.deepEqual(rangeOf(choice({ range: { from: 3, to: 12 } }), h), { from: 11, to: 12 });
  assert.equal(rangeOf(choice({ range: { from: 3, to: 9 } }), h), null);
});

test("before a range, and beside it", () => {
  const h = history(windows(1, Array(10).fill(1)));
  assert.deepEqual(rangeBefore({ from: 5, to: 7 }, h), { from: 2, to: 4 });
  assert.deepEqual(rangeBefore({ from: 3, to: 7 }, h), { from: 1, to: 2 });
  assert.equal(rangeBefore({ from: 1, to: 7 }, h), null);
  assert.deepEqual(moveRange({ from: 5, to: 7 }, -1, h), { from: 4, to: 6 });
  assert.deepEqual(moveRange({ from: 5, to: 7 }, 9, h), { from: 8, to: 10 });
  assert.deepEqual(moveRange({ from: 1, to: 7 }, -1, h), { from: 1, to: 7 });
});

test("a link has the choice, and nothing for what is usual", () => {
  const choices: Partial<Choice>[] = [
    { follow: "last" },
    { follow: "all" },
    { range: { from: 3, to: 9 }, server: "8f3a" },
    { compare: ["1-3", "4-6"], follow: "10s", server: "8f3a" },
    { recording: "r7", range: { from: 1, to: 2 }, server: "8f3a" },
    { hosts: ["db1", "web-*"], past: { from: 5, to: 9 }, follow: "10s" },
    { compare: ["r1", "r2:3-4"], follow: "10s", server: "8f3a" },
  ];
  for (const c of choices) {
    const whole = choice(c),
      text = writeChoice(whole, "10s");
    assert.deepEqual(readChoice("#v=tree&" + text, "10s"), whole, text);
  }
  assert.equal(writeChoice(choice({ follow: "10s" }), "10s"), "");
  for (const bad of ["w=0-4", "w=9-4", "w=x", "before=1-2", "w=1-99999999999999999999"])
    assert.deepEqual(readChoice(bad, "10s"), choice({ follow: "10s" }), bad);
});

test("threads that wait at once: time over length, and what shares a pixel is a mean", () => {
  const h = history(windows(1, [2e9, 4e9, 0, 2e9])),
    extent = extentOf(h, null, false);
  assert.deepEqual(extent, { from: 0, to: 4000 });
  const shown = shownCauses(h, { causes: [], classes: ["-idle"] });
  assert.deepEqual(shown, [false, true]);
  const at = (width: number) => columnsOf(h, extent, width, shown).map(c => c.all);
  assert.deepEqual(at(400), [2, 4, 0, 2]);
  assert.deepEqual(at(2), [3, 1]);
  const idle = columnsOf(h, extent, 400, shownCauses(h, { causes: ["idle"], classes: [] }));
  assert.deepEqual(
    idle.map(c => c.all),
    [3, 3, 3, 3],
  );
});

test("a live strip ends with the last window, and begins far enough back for what is shown", () => {
  const h = history(windows(1, Array(900).fill(1)));
  assert.deepEqual(extentOf(h, null, true), { from: 600_000, to: 900_000 });
  assert.deepEqual(extentOf(h, { from: 101, to: 200 }, true), { from: 100_000, to: 900_000 });
  const young = history(windows(1, [1, 1]));
  assert.deepEqual(extentOf(young, null, true), { from: -58_000, to: 2000 });
});

test("a report of what a worker computed is the same, and computes nothing again", async () => {
  const bytes = readFileSync("tests/golden/shop/expected.page"),
    profile = golden("shop/expected.page"),
    sight = { state: null, fragment: "#s=futex&g=process", theme: "dark" as const },
    answers: any[] = [];
  const scope = { onmessage: null as any, postMessage: (...a: any[]) => answers.push(a) };
  const copy = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  work(scope, async () => copy as ArrayBuffer);
  await scope.onmessage({ data: { id: 7, address: "", ...sight } });
  const [[{ id, loaded, texts }, transfer]] = answers;
  assert.equal(id, 7);
  assert.ok(transfer.includes(loaded.profile.wait.blocked_ns.buffer));
  assert.ok(texts[0].fresh.length > 9 && !loaded.profile.strings.length);
  const copied = structuredClone({ loaded, texts }, { transfer }),
    { profile: p, ready } = attach(copied.loaded, copied.texts, new TextsIn());
  const there = new Report(p, true, ready),
    here = new Report(profile, true),
    view = viewsOf(profile).find(row => row.view === "heavy")!,
    state = { ...here.defaults, search: "futex", group: "process" as const };
  for (const report of [here, there]) report.use(state, "dark", view);
  assert.deepEqual(there.graph(), here.graph());
  assert.deepEqual(there.places(), here.places());
  assert.deepEqual(there.matches(), here.matches());
  assert.deepEqual(there.labels.text, here.labels.text);
  const [[, tree]] = ready.shelves.trees as any;
  assert.equal(there.tree(), tree, "it is the one that came");
});

test("what a view shows beside the flame graph comes with the profile", () => {
  const bytes = readFileSync("tests/golden/shop/expected.page"),
    known = new Report(golden("shop/expected.page"), true);
  for (const [view, patch] of [
    ["sandwich", { by: "place" }],
    ["table", { by: "function" }],
  ] as const) {
    const state = { ...known.defaults, view, ...patch },
      { profile, ready } = prepare(new Uint8Array(bytes), { state, fragment: "", theme: "light" }),
      report = new Report(profile, true, ready),
      row = viewsOf(profile).find(row => row.view === view)!;
    report.use(state, "light", row);
    known.use(state, "light", row);
    const numbers = (of: Report) =>
      of.rows("function").map(r => [r.key, r.name, r.off, r.self, r.own, r.max]);
    assert.deepEqual(numbers(report), numbers(known));
    assert.ok(numbers(report).length > 5);
    if (view === "sandwich") assert.deepEqual(report.half("callers"), known.half("callers"));
    assert.deepEqual([...report.kept.made], ["tables"], view);
  }
});

test("bytes that are no profile are an answer, too, and so is a refusal", async () => {
  const answers: any[] = [],
    scope = { onmessage: null as any, postMessage: (a: any) => answers.push(a) };
  const bytes = new TextEncoder().encode('\x02\0\0\0{}').buffer,
    data = { id: 1, address: "", state: null, fragment: "", theme: "light" };
  work(scope, async () => bytes as ArrayBuffer);
  await scope.onmessage({ data });
  assert.match(answers[0].error, /another version/);
  assert.equal(answers[0].status, undefined);
  work(scope, () => Promise.reject(new Refused("too much", 503)));
  await scope.onmessage({ data });
  assert.deepEqual(answers[1], { id: 1, error: "too much", status: 503 });
  work(scope, () => Promise.reject(new TypeError("no network")));
  await scope.onmessage({ data });
  assert.equal(answers[2].status, 0);
});

test("strings go over once, and are those that were packed, in any number of lists", () => {
  const out = new TextsOut(),
    into = new TextsIn(),
    go = (texts: string[]) => {
      const packed = out.pack(texts);
      assert.deepEqual(into.unpack(packed), texts);
      return packed;
    };
  assert.deepEqual(go(["", "a", "b", "a"]).fresh, ["", "a", "b"]);
  assert.deepEqual(go(["b", "", "c"]).fresh, ["c"]);
  assert.deepEqual(go([]).fresh, []);
  go(Array.from({ length: 250_000 }, (_, i) => `n${i}`));
  const after = go(["a", "n7"]);
  assert.ok(after.anew, "neither side remembers without end");
  assert.deepEqual(after.fresh, ["a", "n7"]);
});

test("memory that is handed over: each piece once, wherever it is", () => {
  const a = new Float64Array(4),
    b = new Uint8Array(2);
  const found = buffersOf({ a, list: [["k", { a, map: new Map([[1, b]]) }]], text: ["x"] });
  assert.deepEqual(new Set(found), new Set([a.buffer, b.buffer]));
  assert.equal(found.length, 2);
});

test("a diff is prepared as its page will look", () => {
  const bytes = readFileSync("tests/golden/diff/expected.page"),
    { profile, ready } = prepare(new Uint8Array(bytes), {
      state: null,
      fragment: "",
      theme: "light",
    }),
    report = new Report(profile, true, ready);
  const heavy = viewsOf(profile).find(row => row.view === report.defaults.view)!;
  report.use(report.defaults, "light", heavy);
  assert.equal((ready.shelves.layouts as any)[0][1], report.graph().layout);
});

test("filters of downloads: what the server has, and a count of the rest", () => {
  const causes = ["lock", "disk", "poll"],
    classes = ["work", "idle", "bad"];
  const of = (patch: object) => filterQuery({ ...DEFAULTS, ...patch }, causes, classes);
  const { query, rest } = of({
    causes: ["-disk"],
    classes: ["-idle", "work"],
    threads: ["12", "7/9", "7/10", "-12/13"],
    objects: ["/tmp/a*[b]"],
    under: ["main"],
    not: ["f", "g"],
  });
  assert.deepEqual(query, {
    idle: "hide",
    cause: "lock,poll",
    class: "work",
    cgroup: [],
    object: ["/tmp/a\\*\\[b]"],
    pid: "12",
    tid: "9,10",
    under: ["main"],
    "not-under": ["f", "g"],
  });
  assert.equal(rest, 1);
  assert.equal(of({ causes: ["lock"] }).query.cause, "lock");
  assert.deepEqual(
    Object.values(of({}).query).filter(v => v.length),
    [],
  );
});
