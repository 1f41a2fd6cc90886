// SPDX-License-Identifier: Apache-2.0
//
// What each thread did with its time: on a CPU, waiting for one, blocked by cause. Totals of
// threads are exact; causes are those of listed waits, and what these do not explain is a rest.
import { idleNs, isOnCpu, objectOf, rowNs, type Profile } from "./data";

export interface Thread {
  task: number;
  wall: number;
  on: number;
  runq: number;
  blocked: number; // with waits for work
  idle: number; // of blocked, as listed
  waited: number; // of waits that pass the filters, with the run queue after them
}

// Waits by task: those of task t are list[first[t]] to list[first[t + 1] - 1].
export interface ByTask {
  first: Int32Array;
  list: Int32Array;
}

export function waitsByTask(p: Profile): ByTask {
  const first = new Int32Array(p.tasks + 2),
    list = new Int32Array(p.waits);
  for (let w = 1; w <= p.waits; w++) first[p.wait.task[w] + 1]++;
  for (let t = 0; t <= p.tasks; t++) first[t + 1] += first[t];
  const at = first.slice();
  for (let w = 1; w <= p.waits; w++) list[at[p.wait.task[w]]++] = w;
  return { first, list };
}

export function waitsOf({ first, list }: ByTask, task: number): Int32Array {
  return list.subarray(first[task], first[task + 1]);
}

// Threads that pass, and of these, if waits are filtered, those that have such a wait.
export function threadsOf(
  p: Profile,
  tasks: Uint8Array,
  pass: Uint8Array,
  narrowed: boolean,
): Thread[] {
  const waited = new Float64Array(p.tasks + 1),
    idle = new Float64Array(p.tasks + 1),
    out: Thread[] = [];
  for (let w = 1; w <= p.waits; w++) {
    const t = p.wait.task[w];
    if (isOnCpu(p, w)) continue;
    if (pass[w]) waited[t] += rowNs(p, w);
    if (idleNs(p, w)) idle[t] += p.wait.blocked_ns[w];
  }
  for (let t = 1; t <= p.tasks; t++) {
    if (!tasks[t] || (narrowed && !waited[t])) continue;
    out.push({
      task: t,
      wall: p.task.wall_ns[t],
      on: p.task.on_ns[t],
      runq: p.task.preempted_ns[t] + p.task.runq_ns[t],
      blocked: p.task.blocked_ns[t],
      idle: idle[t],
      waited: waited[t],
    });
  }
  return out;
}

export interface Part {
  name: string; // of a cause; "on-cpu", "runq", "": what is not known
  ns: number;
}

// Most blocked time first, waits for work behind it, what is not known last.
export function partsOf(p: Profile, { wall, on, runq }: Thread, waits: Int32Array): Part[] {
  const by = new Map<number, number>();
  let known = on + runq;
  for (const w of waits) {
    if (isOnCpu(p, w)) continue;
    by.set(p.wait.cause[w], (by.get(p.wait.cause[w]) ?? 0) + p.wait.blocked_ns[w]);
    known += p.wait.blocked_ns[w];
  }
  const causes = [...by]
    .map(([cause, ns]) => ({ name: p.head.causes[cause][0], ns }))
    .sort((a, b) => +(a.name === "idle") - +(b.name === "idle") || b.ns - a.ns);
  return [
    { name: "on-cpu", ns: on },
    { name: "runq", ns: runq },
    ...causes,
    { name: "", ns: Math.max(0, wall - known) },
  ].filter(part => part.ns > 0);
}

export interface MainWait {
  cause: string;
  ns: number;
  things: string; // what it waited for, and who held that: of the longest of these waits
}

// Of those that pass, the cause with most time. null: there is none.
export function mainWait(p: Profile, waits: Int32Array, pass: Uint8Array): MainWait | null {
  const by = new Map<number, number>();
  for (const w of waits)
    if (pass[w] && !isOnCpu(p, w))
      by.set(p.wait.cause[w], (by.get(p.wait.cause[w]) ?? 0) + rowNs(p, w));
  const [cause, ns] = [...by].reduce((a, b) => (b[1] > a[1] ? b : a), [-1, 0]);
  if (cause < 0) return null;
  let longest = 0;
  for (const w of waits)
    if (pass[w] && p.wait.cause[w] === cause && (!longest || rowNs(p, w) > rowNs(p, longest)))
      longest = w;
  const object = p.object.says[p.wait.object[longest]] ? objectOf(p, longest) : "",
    owner = p.strings[p.wait.owner[longest]];
  return {
    cause: p.head.causes[cause][0],
    ns,
    things:
      [object && `for ${object}`, owner && `held by ${owner}`].filter(Boolean).join(", ") ||
      p.strings[p.wait.place[longest]],
  };
}

// What a thread waited for in most of each interval; -1: it did not wait for half of it.
export function statesOf(p: Profile, parts: ByTask, task: number): Int16Array {
  const n = p.interval.length_ns.length,
    sums = new Float64Array(n),
    best = new Float64Array(n),
    out = new Int16Array(n).fill(-1),
    by = new Map<number, number>();
  for (const i of waitsOf(parts, task)) {
    const at = p.part.interval[i],
      key = p.wait.cause[p.part.wait[i]] * n + at,
      ns = (by.get(key) ?? 0) + p.part.ns[i];
    by.set(key, ns);
    sums[at] += p.part.ns[i];
    if (ns > best[at]) {
      best[at] = ns;
      out[at] = p.wait.cause[p.part.wait[i]];
    }
  }
  for (let i = 0; i < n; i++) if (sums[i] < p.interval.length_ns[i] / 2) out[i] = -1;
  return out;
}

// Rows of Profile.part by the task of their waits.
export function partsByTask(p: Profile): ByTask {
  const n = p.part.wait.length,
    first = new Int32Array(p.tasks + 2),
    list = new Int32Array(n);
  for (let i = 0; i < n; i++) first[p.wait.task[p.part.wait[i]] + 1]++;
  for (let t = 0; t <= p.tasks; t++) first[t + 1] += first[t];
  const at = first.slice();
  for (let i = 0; i < n; i++) list[at[p.wait.task[p.part.wait[i]]]++] = i;
  return { first, list };
}
