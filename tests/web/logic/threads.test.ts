// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { idleNs, isOnCpu, rowNs, type Profile } from "../../../web/src/data";
import {
  mainWait,
  partsByTask,
  partsOf,
  statesOf,
  threadsOf,
  waitsByTask,
  waitsOf,
} from "../../../web/src/threads";
import { golden } from "./golden";

const all = (p: Profile, of: "waits" | "tasks") => new Uint8Array(p[of] + 1).fill(1);

for (const name of ["shop", "wall", "idle"])
  test(`${name}: the parts of a thread are its wall time, and its waits are its own`, () => {
    const p = golden(`${name}/expected.page`),
      waits = waitsByTask(p),
      threads = threadsOf(p, all(p, "tasks"), all(p, "waits"), false);
    assert.equal(threads.length, p.tasks);
    for (const t of threads) {
      const parts = partsOf(p, t, waitsOf(waits, t.task)),
        sum = parts.reduce((ns, part) => ns + part.ns, 0);
      assert.ok(sum >= t.wall && parts.every(part => part.ns > 0));
      if (parts.some(part => !part.name)) assert.equal(sum, t.wall);
      let waited = 0,
        idle = 0;
      for (let w = 1; w <= p.waits; w++) {
        if (p.wait.task[w] !== t.task || isOnCpu(p, w)) continue;
        waited += rowNs(p, w);
        idle += idleNs(p, w) ? p.wait.blocked_ns[w] : 0;
      }
      assert.equal(t.waited, waited);
      assert.equal(t.idle, idle);
    }
  });

test("states stand in one order: running, runnable, blocked, idle, and what is not known", () => {
  const p = golden("shop/expected.page"),
    waits = waitsByTask(p);
  for (const t of threadsOf(p, all(p, "tasks"), all(p, "waits"), false)) {
    const names = partsOf(p, t, waitsOf(waits, t.task)).map(part => part.name),
      rank = (n: string) => ["on-cpu", "runq"].indexOf(n) + (n === "idle" ? 4 : n ? 3 : 6);
    const order = names.map(n => (n === "on-cpu" ? 0 : n === "runq" ? 1 : rank(n)));
    assert.deepEqual(order, order.slice().sort((a, b) => a - b), names.join());
  }
});

test("filters of waits leave the threads that have such waits", () => {
  const p = golden("shop/expected.page"),
    pass = all(p, "waits"),
    one = p.wait.task[1];
  for (let w = 2; w <= p.waits; w++) pass[w] = 0;
  const left = threadsOf(p, all(p, "tasks"), pass, true);
  assert.deepEqual(
    left.map(t => [t.task, t.waited]),
    [[one, rowNs(p, 1)]],
  );
  assert.equal(threadsOf(p, all(p, "tasks"), pass, false).length, p.tasks);
  const main = mainWait(p, waitsOf(waitsByTask(p), one), pass)!;
  assert.equal(main.cause, p.head.causes[p.wait.cause[1]][0]);
  assert.equal(main.ns, rowNs(p, 1));
  assert.equal(mainWait(p, waitsOf(waitsByTask(p), one), new Uint8Array(p.waits + 1)), null);
});

test("over time: what a thread waited for in most of an interval", () => {
  const of = (x: number[]) => Float64Array.from(x),
    ints = (x: number[]) => Int32Array.from(x);
  const p = {
    waits: 3,
    tasks: 2,
    wait: { task: ints([0, 1, 1, 2]), cause: Uint8Array.from([0, 5, 6, 5]) },
    interval: { begin_ns: of([0, 10, 20]), length_ns: of([10, 10, 10]) },
    part: { wait: of([1, 2, 1, 3, 2]), interval: of([0, 0, 1, 1, 2]), ns: of([4, 5, 4, 9, 6]) },
  } as unknown as Profile;
  const parts = partsByTask(p);
  assert.deepEqual([...statesOf(p, parts, 1)], [6, -1, 6]);
  assert.deepEqual([...statesOf(p, parts, 2)], [-1, 5, -1]);
});
