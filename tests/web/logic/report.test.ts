// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { pick, Report } from "../../../web/src/report";
import { DEFAULTS, type State } from "../../../web/src/state";
import { golden, goldenJson, type JsonWait } from "./golden";

const off = (w: JsonWait): number => w.blocked_ns + w.runq_ns;

function total(waits: JsonWait[], passes: (w: JsonWait) => boolean = () => true): number {
  return waits.filter(passes).reduce((sum, w) => sum + off(w), 0);
}

function open(name: string): { report: Report; waits: JsonWait[]; tasks: any[] } {
  const { waits, tasks } = goldenJson(`${name}/expected.json`);
  return { report: new Report(golden(`${name}/expected.page`)), waits, tasks };
}

function use(report: Report, state: Partial<State>): void {
  report.use({ ...DEFAULTS, ...state }, "light", {});
}

function sumWith(report: Report, state: Partial<State>): number {
  use(report, state);
  return report.filtered().sums.off[0];
}

test("a filter is what is chosen and what is left out", () => {
  assert.deepEqual(pick(["a", "-b", "--c"]), { only: ["a"], without: ["b", "-c"] });
});

test("all waits are in the root", () => {
  const { report, waits } = open("shop");
  assert.equal(sumWith(report, {}), total(waits));
  assert.equal(report.filtered().passed, waits.length);
});

test("filters by cause, class and frame", () => {
  const { report, waits } = open("shop"),
    idle = (w: JsonWait) => w.class === "idle",
    lock = (w: JsonWait) => w.cause === "lock",
    main = (w: JsonWait) => w.user.includes("event_loop");
  assert.equal(sumWith(report, { causes: ["lock"] }), total(waits, lock));
  assert.equal(
    sumWith(report, { causes: ["-lock"] }),
    total(waits, w => !lock(w)),
  );
  assert.equal(sumWith(report, { classes: ["idle"] }), total(waits, idle));
  assert.equal(
    sumWith(report, { classes: ["-idle"] }),
    total(waits, w => !idle(w)),
  );
  assert.equal(sumWith(report, { under: ["event_loop"] }), total(waits, main));
  assert.equal(
    sumWith(report, { not: ["event_loop"] }),
    total(waits, w => !main(w)),
  );
  assert.equal(sumWith(report, { causes: ["no such cause"] }), 0);
});

test("waits for work have one name, or each its own", () => {
  const { report, waits } = open("shop"),
    poll = total(waits, w => w.cause === "poll");
  assert.ok(poll > 0 && poll === total(waits, w => w.class === "idle"));
  assert.equal(sumWith(report, { causes: ["poll"] }), 0);
  assert.equal(sumWith(report, { causes: ["idle"] }), poll);
  assert.equal(sumWith(report, { causes: ["poll"], apart: true }), poll);
  assert.equal(sumWith(report, { causes: ["idle"], apart: true }), 0);
});

test("filters by thread, process and object", () => {
  const { report, waits, tasks } = open("objects"),
    of = (tid: number) => (w: JsonWait) => w.task !== null && tasks[w.task].tid === tid,
    lock = "lock cache_lock (app)";
  assert.equal(sumWith(report, { threads: ["300/301"] }), total(waits, of(301)));
  assert.equal(
    sumWith(report, { threads: ["300", "-300/301"] }),
    total(waits, w => w.task !== null && tasks[w.task].tgid === 300 && !of(301)(w)),
  );
  assert.equal(
    sumWith(report, { objects: [lock] }),
    total(waits, w => w.object_label === lock),
  );
});

test("what a cause has is counted whatever causes are chosen", () => {
  const { report, waits } = open("shop"),
    at = report.causeNames.indexOf("lock");
  use(report, { causes: ["-lock"] });
  assert.equal(
    report.filtered().byCause[at],
    total(waits, w => w.cause === "lock"),
  );
});

test("the rows of a table add up to the waits, and say who owned what", () => {
  const { report, waits } = open("objects"),
    sums = new Map<string, number>();
  for (const w of waits) {
    const { owner } = w,
      name = owner ? (owner.comm === null ? "" : owner.comm + "/") + owner.tid : "not known";
    sums.set(name, (sums.get(name) ?? 0) + off(w));
  }
  use(report, {});
  const rows = report.rows("owner").map(r => [r.name, r.off]);
  assert.deepEqual(new Map(rows as [string, number][]), sums);
});

test("a node is found by its key, whatever filter there is", () => {
  const { report } = open("shop");
  use(report, {});
  const { tree } = report.filtered(),
    keys = Array.from({ length: tree.len - 1 }, (_, i) => report.keyOf(i + 1));
  assert.equal(new Set(keys).size, tree.len - 1);
  use(report, { causes: ["lock"] });
  keys.forEach((key, i) => assert.equal(report.nodeOf(key), i + 1));
  assert.equal(report.nodeOf("nothing"), -1);
  assert.equal(report.nodeOf(""), -1);
});

test("a search that is no expression is bad and matches nothing", () => {
  const { report } = open("shop");
  use(report, { search: "/(/" });
  assert.ok(report.searchIsBad());
  use(report, { search: "lock" });
  assert.ok(!report.searchIsBad());
  const { nodes, covered, whole } = report.found(0);
  assert.ok(nodes.length > 0 && covered > 0 && covered < whole);
});
