// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { isTested, pairOf, signed, type Diff, type Pair } from "../../../web/src/diff";
import { FUNCTIONS, PATHS, Report, WHOLE } from "../../../web/src/report";
import { golden, goldenJson } from "./golden";

// 10 s before, 12 s after.
function open(): { report: Report; diff: Diff; json: any } {
  const report = new Report(golden("diff/expected.page"));
  report.use(report.defaults, "light", {});
  return { report, diff: report.diff!, json: goldenJson("diff/expected.json") };
}

const MS = 1e6;
const pair = (before: number, after: number): Pair => ({
  off: before + after,
  was: before,
  mark: -1, // of no set that was tested
});

function near(a: number, b: number): void {
  assert.ok(Math.abs(a - b) < 1e-3, `${a} is not ${b}`);
}

test("a change is of a unit of each side, not of their sums", () => {
  const { diff } = open();
  near(diff.before(pair(100, 120)), 10);
  near(diff.after(pair(100, 120)), 10);
  near(diff.change(pair(100, 120)), 0);
  near(diff.change(pair(100, 240)), 10);
  near(diff.mean(pair(100, 240)), 15);
  near(diff.part(pair(100, 150)), 0.25);
  assert.equal(diff.part(pair(0, 12)), Infinity);
  assert.equal(diff.part(pair(0, 0)), 0);
});

test("the total is that of the program, and so is its verdict", () => {
  const { report, diff, json } = open(),
    whole = pairOf(report.filtered().sums, 0),
    judged = diff.judge(whole, ...WHOLE);
  near(diff.before(whole), json.total.before);
  near(diff.after(whole), json.total.after);
  near(diff.change(whole), json.total.change);
  assert.equal(judged.verdict, json.total.verdict);
  near(judged.p!, json.total.p);
});

test("each cause has the verdict that the program gave it", () => {
  const { report, diff, json } = open(),
    { p } = report,
    waits = Array.from({ length: p.waits }, (_, i) => i + 1),
    pairs = report.pairsBy(waits, w => report.causeNames[p.wait.kind[w]]);
  assert.ok(json.causes.length >= 5);
  for (const want of json.causes) {
    const of = pairs.get(want.cause)!,
      { verdict, p: chance } = diff.judge(of, ...WHOLE);
    near(diff.before(of), want.before);
    near(diff.after(of), want.after);
    assert.equal(verdict, want.verdict, want.cause);
    if (want.p === null) assert.equal(chance, null);
    else near(chance!, want.p);
  }
});

test("what was not tested is unknown, or too small to be", () => {
  const { diff } = open();
  assert.deepEqual(diff.judge(pair(500 * MS, 500 * MS), ...FUNCTIONS()), {
    verdict: "unknown",
    p: null,
  });
  assert.equal(diff.judge(pair(1 * MS, 1 * MS), ...PATHS(1)).verdict, "small");
  assert.equal(diff.judge(pair(0, 0), ...WHOLE).verdict, "small");
  assert.deepEqual(
    (["more", "less", "noise", "small", "unknown"] as const).map(isTested),
    [true, true, true, false, false],
  );
});

test("changes in words", () => {
  const { diff } = open();
  assert.equal(signed(0), signed(0.2));
  assert.match(signed(1500), /^\+/);
  assert.match(signed(-1500), /^\u2212/);
  assert.equal(diff.percentText(pair(100, 150)), "+25.0%");
  assert.equal(diff.percentText(pair(100, 60)), "\u221250.0%");
  assert.equal(diff.percentText(pair(100, 1320)), "x11");
  assert.equal(diff.percentText(pair(100, 1319)), "+999.2%");
  assert.equal(diff.percentText(pair(100, 0)), "gone");
  assert.equal(diff.percentText(pair(0, 100)), "new");
  assert.equal(diff.percentText(pair(0, 0)), "-");
});

test("a single wait is named if it is half of a change that matters", () => {
  const { diff } = open(),
    text = (longest: number, verdict: "noise" | "small" = "noise") =>
      diff.largestText(pair(0, 1200 * MS), [0, longest], verdict);
  assert.equal(text(1200 * MS), "a single wait of 1.20 s is all of it");
  assert.match(text(900 * MS), /is 75% of it$/);
  assert.equal(text(500 * MS), "");
  assert.equal(text(1200 * MS, "small"), "");
  assert.equal(diff.largestText(pair(100, 120), [100, 120], "noise"), "");
});

test("the tone of a change is its part, and chance has one of its own", () => {
  const { report, diff } = open();
  assert.equal(diff.tone(pairOf(report.filtered().sums, 0), ...WHOLE), 2);
  assert.equal(diff.tone(pair(1, 1)), 0);
  near(diff.tone(pair(0, 1200 * MS)), 1 / 3);
  near(diff.tone(pair(1000 * MS, 0)), -1 / 3);
  near(diff.tone(pair(1000 * MS, 1000 * MS)), -(0.25 + 1.5 / 6) / 3);
});

test("boxes are as wide as their children together, whatever the sides", () => {
  const { report, diff } = open(),
    { tree, sums } = report.filtered();
  for (const of of [[0.5, 0.5], [1, 0], [0, 1]]) {
    const width = diff.values(tree, sums, of),
      children = new Float64Array(tree.len);
    for (let i = 1; i < tree.len; i++) children[tree.parent[i]] += width[i];
    for (let i = 0; i < tree.len; i++) assert.ok(children[i] <= width[i]);
    assert.equal(children[0], width[0]);
    const want =
      of[0] * diff.before(pairOf(sums, 0)) + of[1] * diff.after(pairOf(sums, 0));
    assert.ok(Math.abs(width[0] - 1000 * want) < tree.len);
  }
});
