// SPDX-License-Identifier: Apache-2.0
//
// What each thread did, one thing after the other: a lane of slices for each. A wait is two slices,
// blocked and then waiting for a CPU; what lies between two waits was on a CPU, or is not known.
// All times are whole numbers of ns, so the slices of a lane add up to the totals of its thread.
import type { Profile } from "./data";

export type What = "blocked" | "runq" | "on" | "unknown";

export interface Slice {
  task: number;
  what: What;
  begin: number; // ns since the begin, as all instants here
  end: number;
  moment: number; // row of Profile.moment; -1: it is no wait
}

// What began where another thread, or an interrupt, ended a wait.
export interface Wake {
  moment: number;
  at: number;
  from: number; // task; 0: an interrupt, or it was not recorded
  to: number; // task
}

export const ORDERS = ["waited", "process", "first"] as const;
export type Order = (typeof ORDERS)[number];

export class Lanes {
  readonly end: number; // of the last lane, or of the window
  readonly cut: number; // from here on the waits were left out of the page; Infinity: nowhere
  private byWaker: { first: Int32Array; list: Int32Array } | null = null;

  constructor(readonly p: Profile) {
    const { timelines, header } = p.head;
    this.cut = timelines?.until_ns ?? Infinity;
    this.end = p.lane.end_ns.reduce((most, ns) => Math.max(most, ns), header.window_ns);
  }

  // From when to when there are slices.
  bounds(task: number): [number, number] {
    const { begin_ns, end_ns, all } = this.p.lane;
    return all[task] ? [begin_ns[task], end_ns[task]] : [0, this.end];
  }

  endOf(moment: number): number {
    const m = this.p.moment;
    return m.begin_ns[moment] + m.blocked_ns[moment] + m.runq_ns[moment];
  }

  // The first wait of a thread that ends after that; the first one of the next thread: none does.
  // `from`: one that is not behind it, which takes few steps if it is near.
  momentAfter(task: number, ns: number, from = this.p.moment.first[task]): number {
    const last = this.p.moment.first[task + 1];
    let low = from,
      high = from;
    for (let step = 1; high < last && this.endOf(high) <= ns; step *= 2) {
      low = high + 1;
      high += step;
    }
    high = Math.min(high, last);
    while (low < high) {
      const mid = (low + high) >> 1;
      if (this.endOf(mid) > ns) high = mid;
      else low = mid + 1;
    }
    return low;
  }

  // null: the thread did not exist.
  sliceAt(task: number, ns: number): Slice | null {
    const [begin, end] = this.bounds(task);
    if (!(ns >= begin && ns < end)) return null;
    return this.sliceWith(task, this.momentAfter(task, ns), ns);
  }

  // The same where `next` is known: the first wait that ends after the instant.
  sliceWith(task: number, next: number, ns: number): Slice {
    const m = this.p.moment,
      wait = next < m.first[task + 1] && ns >= m.begin_ns[next];
    if (!wait) return this.between(task, next, ns);
    const woken = m.begin_ns[next] + m.blocked_ns[next];
    return ns < woken
      ? { task, what: "blocked", begin: m.begin_ns[next], end: woken, moment: next }
      : { task, what: "runq", begin: woken, end: this.endOf(next), moment: next };
  }

  private between(task: number, next: number, ns: number): Slice {
    const { lane, moment } = this.p,
      [first, last] = this.bounds(task),
      known = [lane.begin_ns[task], Math.min(this.cut, lane.end_ns[task])];
    let begin = next > moment.first[task] ? this.endOf(next - 1) : first,
      end = next < moment.first[task + 1] ? moment.begin_ns[next] : last,
      what: What = lane.whole[task] ? "on" : "unknown";
    if (ns < known[0]) [end, what] = [Math.min(end, known[0]), "unknown"];
    else if (ns >= known[1]) [begin, what] = [Math.max(begin, known[1]), "unknown"];
    else [begin, end] = [Math.max(begin, known[0]), Math.min(end, known[1])];
    return { task, what, begin, end, moment: -1 };
  }

  // The slice behind this one, or before it; null: it is the last, or the first.
  neighbour(slice: Slice, step: 1 | -1): Slice | null {
    return this.sliceAt(slice.task, step > 0 ? slice.end : slice.begin - 1);
  }

  wakeOf(moment: number): Wake {
    const { moment: m, wait, waker } = this.p;
    return {
      moment,
      at: m.begin_ns[moment] + m.blocked_ns[moment],
      from: waker.task[m.waker[moment]] ?? 0,
      to: wait.task[m.wait[moment]],
    };
  }

  // The waits that a thread ended, in the order of time.
  private wakesBy(): { first: Int32Array; list: Int32Array } {
    if (this.byWaker) return this.byWaker;
    const { moment, waker, tasks } = this.p,
      n = moment.wait.length,
      first = new Int32Array(tasks + 2),
      by = (i: number) => waker.task[moment.waker[i]] ?? 0;
    for (let i = 0; i < n; i++) first[by(i) + 1]++;
    for (let t = 1; t < first.length; t++) first[t] += first[t - 1];
    const next = first.slice(),
      list = new Int32Array(n);
    for (let i = 0; i < n; i++) list[next[by(i)]++] = i;
    const at = (i: number) => moment.begin_ns[i] + moment.blocked_ns[i];
    for (let t = 1; t <= tasks; t++)
      list.subarray(first[t], first[t + 1]).sort((a, b) => at(a) - at(b));
    return (this.byWaker = { first, list });
  }

  // What happened to a slice and what it did to others: who ended it, and whom it woke. At most
  // `most`.
  wakesOf(slice: Slice, most: number): Wake[] {
    if (slice.moment >= 0) return [this.wakeOf(slice.moment)];
    const { first, list } = this.wakesBy(),
      out: Wake[] = [];
    let low = first[slice.task],
      high = first[slice.task + 1];
    while (low < high) {
      const mid = (low + high) >> 1;
      if (this.wakeOf(list[mid]).at >= slice.begin) high = mid;
      else low = mid + 1;
    }
    for (let i = low; i < first[slice.task + 1] && out.length < most; i++) {
      const wake = this.wakeOf(list[i]);
      if (wake.at > slice.end) break;
      out.push(wake);
    }
    return out;
  }

  // Those that lead to these threads in a part of the time; null: they are more than `most`.
  wakesIn(tasks: readonly number[], from: number, to: number, most: number): Wake[] | null {
    const out: Wake[] = [];
    let looked = 0;
    for (const task of tasks) {
      const end = this.p.moment.first[task + 1];
      for (let i = this.momentAfter(task, from); i < end; i++) {
        const wake = this.wakeOf(i);
        if (wake.at > to) break;
        if (++looked > most) return null;
        if (wake.from && wake.at >= from) out.push(wake);
      }
    }
    return out;
  }

  // The slice with most of the time from `from` to `to`, where several are too narrow to be hit.
  largestIn(task: number, from: number, to: number, most: number): Slice | null {
    let best: Slice | null = null,
      best_ns = -1,
      at = this.sliceAt(task, Math.max(from, this.bounds(task)[0]));
    for (let i = 0; at && at.begin < to && i < most; i++) {
      const ns = Math.min(to, at.end) - Math.max(from, at.begin);
      if (ns > best_ns) [best, best_ns] = [at, ns];
      at = this.neighbour(at, 1);
    }
    return best;
  }
}

// "12/34@5678": the thread and the begin of a slice, for a link.
export function sliceKey(p: Profile, { task, begin }: Slice): string {
  return `${p.task.tgid[task]}/${p.task.tid[task]}@${begin}`;
}

export function sliceOf(lanes: Lanes, key: string): Slice | null {
  const m = /^(\d+)\/(\d+)@(\d{1,16})$/.exec(key),
    { task } = lanes.p;
  if (!m) return null;
  // a thread that became another program has a lane for each
  for (let t = 1; t <= lanes.p.tasks; t++) {
    const found = task.tgid[t] === +m[1] && task.tid[t] === +m[2] && lanes.sliceAt(t, +m[3]);
    if (found) return found;
  }
  return null;
}

// Threads in an order; those with equal ranks by their place in `tasks`.
export function inOrder(
  p: Profile,
  tasks: { task: number; waited: number }[],
  order: Order,
  name: (task: number) => string,
): number[] {
  const { first, begin_ns } = p.moment,
    begin = (t: number) => (first[t] < first[t + 1] ? begin_ns[first[t]] : Infinity),
    names = new Map(tasks.map(({ task }) => [task, name(task)])),
    byName = (a: number, b: number) =>
      names.get(a)! < names.get(b)! ? -1 : names.get(a)! > names.get(b)! ? 1 : a - b;
  const by = {
    waited: (a: typeof tasks[0], b: typeof a) => b.waited - a.waited,
    process: (a: typeof tasks[0], b: typeof a) =>
      byName(a.task, b.task) || p.task.tid[a.task] - p.task.tid[b.task],
    first: (a: typeof tasks[0], b: typeof a) => {
      const [x, y] = [begin(a.task), begin(b.task)];
      return x === y ? 0 : x - y;
    },
  }[order];
  return tasks.slice().sort(by).map(t => t.task);
}

// "1.204 ms" is as much as fits; a lane has more.
export function exactly(ns: number): string {
  return ns.toString().replace(/\B(?=(\d{3})+$)/g, ",") + " ns";
}

// Seconds since the begin, with as many digits as a step of that size needs.
export function instant(ns: number, step = 1): string {
  const digits = Math.max(0, Math.min(9, 9 - Math.floor(Math.log10(Math.max(1, step)) + 1e-9)));
  return (ns / 1e9).toFixed(digits) + " s";
}

// Where a scale has its marks: steps of 1, 2 or 5, so many at most.
export function marks(from: number, to: number, most: number): { step: number; at: number[] } {
  const least = (to - from) / Math.max(1, most);
  let step = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  for (const times of [1, 2, 5, 10]) {
    if (step * times >= least) {
      step *= times;
      break;
    }
  }
  const at: number[] = [];
  for (let ns = Math.ceil(from / step) * step; ns <= to; ns += step) at.push(ns);
  return { step, at };
}
