// SPDX-License-Identifier: Apache-2.0
//
// How much of each state a lane has in any part of the time, to the ns, without going through its
// waits: what a column of pixels shows where slices are narrower than it.
//
// The index keeps sums from the begin of the lane for every 8th wait. A column costs two binary
// searches and a walk over at most 8 waits, at any zoom. A burst of a million waits in a
// millisecond costs no more. Buckets of time would be exact only at their edges, and would have to
// be as small as the shortest burst.
import type { Lanes } from "./lanes";

const BLOCK = 8; // waits; a power of two

// What a part of a lane is drawn as: a cause, or one of these behind the causes.
export interface Codes {
  causes: number;
  runq: number;
  dim: number; // waits that are not looked for
  on: number;
  unknown: number;
  count: number;
}

export function codesOf(causes: number): Codes {
  const [runq, dim, on, unknown, count] = [0, 1, 2, 3, 4].map(i => causes + i);
  return { causes, runq, dim, on, unknown, count };
}

function rank(code: number, { on, runq, causes }: Codes): number {
  return code === on ? -2 : code === runq ? -1 : code < causes ? 0 : code;
}

export class LaneIndex {
  // Codes that the lane may have, as a column shows them from below: first "on", last "unknown".
  // Times below are in this order.
  readonly present: number[];
  private readonly blockedSlot: Uint8Array; // by wait of the lane, in `present`
  private readonly runqSlot: Uint8Array;
  private readonly sums: Float64Array; // of each slot, before each block
  private readonly first: number;
  private readonly last: number;

  // `bright`: waits that are looked for.
  constructor(
    private readonly lanes: Lanes,
    readonly task: number,
    private readonly codes: Codes,
    private readonly cause: ArrayLike<number>,
    private readonly bright: Uint8Array,
  ) {
    const { moment: m } = lanes.p;
    this.first = m.first[task];
    this.last = m.first[task + 1];
    const n = this.last - this.first,
      there = new Uint8Array(codes.count);
    there[codes.on] = there[codes.unknown] = 1;
    for (let i = this.first; i < this.last; i++)
      there[this.blockedCode(i)] = there[this.runqCode(i)] = 1;
    this.present = [...there.keys()]
      .filter(code => there[code])
      .sort((a, b) => rank(a, codes) - rank(b, codes));
    const k = this.present.length,
      slot = new Uint8Array(codes.count),
      now = new Float64Array(k);
    this.present.forEach((code, s) => (slot[code] = s));
    this.blockedSlot = new Uint8Array(n);
    this.runqSlot = new Uint8Array(n);
    this.sums = new Float64Array(Math.ceil(n / BLOCK) * k);
    for (let i = 0; i < n; i++) {
      if (i % BLOCK === 0) this.sums.set(now, (i / BLOCK) * k);
      now[(this.blockedSlot[i] = slot[this.blockedCode(this.first + i)])] +=
        m.blocked_ns[this.first + i];
      now[(this.runqSlot[i] = slot[this.runqCode(this.first + i)])] += m.runq_ns[this.first + i];
    }
  }

  private blockedCode(moment: number): number {
    const w = this.lanes.p.moment.wait[moment];
    return this.bright[w] ? this.cause[w] : this.codes.dim;
  }

  private runqCode(moment: number): number {
    return this.bright[this.lanes.p.moment.wait[moment]] ? this.codes.runq : this.codes.dim;
  }

  codeOf(what: string, moment: number): number {
    if (what === "blocked") return this.blockedCode(moment);
    if (what === "runq") return this.runqCode(moment);
    return what === "on" ? this.codes.on : this.codes.unknown;
  }

  // What the lane had until then. `next`: the first wait that ends after it.
  private until(ns: number, next: number, out: Float64Array): void {
    const { p, cut } = this.lanes,
      { blocked_ns, runq_ns, begin_ns } = p.moment,
      { lane } = p,
      { first, sums, blockedSlot, runqSlot, task } = this,
      k = this.present.length,
      [begin, end] = this.lanes.bounds(task),
      at = Math.min(end, Math.max(begin, ns)),
      block = next > first ? Math.floor((next - 1 - first) / BLOCK) : 0;
    for (let s = 0; s < k; s++) out[s] = next > first ? sums[block * k + s] : 0;
    for (let i = block * BLOCK; i < next - first; i++) {
      out[blockedSlot[i]] += blocked_ns[first + i];
      out[runqSlot[i]] += runq_ns[first + i];
    }
    if (next < this.last && at > begin_ns[next]) {
      const woken = begin_ns[next] + blocked_ns[next];
      out[blockedSlot[next - first]] += Math.min(at, woken) - begin_ns[next];
      if (at > woken) out[runqSlot[next - first]] += at - woken;
    }
    let waited = 0;
    for (let s = 1; s < k - 1; s++) waited += out[s];
    // no wait is outside of what is known
    const known = Math.min(at, lane.end_ns[task], cut) - lane.begin_ns[task],
      on = lane.whole[task] ? Math.max(0, known) - waited : 0;
    out[0] = on;
    out[k - 1] = at - begin - waited - on;
  }

  // By code; what is left of the time is before or after the thread.
  between(from: number, to: number, out: Float64Array): Float64Array {
    const [a, b] = [from, to].map(ns => {
      const sum = new Float64Array(this.present.length);
      this.until(ns, this.lanes.momentAfter(this.task, ns), sum);
      return sum;
    });
    out.fill(0);
    this.present.forEach((code, s) => (out[code] = b[s] - a[s]));
    return out;
  }

  // What each column of a picture shows, from left to right: one state over several columns, or the
  // times of what is present in one. Columns before and after the thread are left out.
  columns(
    from: number,
    perColumn: number,
    count: number,
    solid: (x0: number, x1: number, code: number) => void,
    mixed: (x: number, times: Float64Array) => void,
  ): void {
    const { lanes, task } = this,
      [begin, end] = lanes.bounds(task),
      last = Math.min(count, Math.ceil((end - from) / perColumn)),
      k = this.present.length,
      // sums until the right edge of the last mixed column, and until that of this one
      [reached, until, times] = [0, 1, 2].map(() => new Float64Array(k));
    let x = Math.max(0, Math.floor((begin - from) / perColumn)),
      next = this.first,
      reached_x = -1;
    const mix = (left: number, right: number, after: number) => {
      if (reached_x !== x) this.until(left, next, reached);
      this.until(right, after, until);
      for (let s = 0; s < k; s++) times[s] = until[s] - reached[s];
      reached.set(until);
      reached_x = x + 1;
      next = after;
      mixed(x, times);
    };
    while (x < last) {
      const left = Math.max(begin, from + x * perColumn),
        right = from + (x + 1) * perColumn;
      next = lanes.momentAfter(task, Math.floor(left), next);
      const after = lanes.momentAfter(task, right, next);
      if (after > next + 1) {
        mix(left, right, after);
        x++;
        continue;
      }
      const slice = lanes.sliceWith(task, next, Math.floor(left)),
        code = this.codeOf(slice.what, slice.moment);
      if (slice.end >= right) {
        const to = Math.max(x + 1, Math.min(last, Math.floor((slice.end - from) / perColumn)));
        solid(x, to, code);
        x = to;
        continue;
      }
      const behind =
        slice.end < end
          ? lanes.sliceWith(task, lanes.momentAfter(task, slice.end, next), slice.end)
          : null;
      if (behind && behind.end < right) mix(left, right, after);
      // one edge: the column is of the side that has more of it
      else if (behind && right - slice.end > slice.end - left)
        solid(x, x + 1, this.codeOf(behind.what, behind.moment));
      else solid(x, x + 1, code);
      x++;
    }
  }
}

// How many threads waited at once, by code, in each of `count` parts of the time: of waits that are
// looked for.
export function crowd(
  lanes: Lanes,
  tasks: readonly number[],
  codes: Codes,
  cause: ArrayLike<number>,
  bright: Uint8Array,
  count: number,
): Map<number, Float64Array> {
  const { moment: m } = lanes.p,
    each = lanes.end / count,
    out = new Map<number, Float64Array>(),
    steps = new Map<number, Float64Array>(); // of whole parts: where they begin and end
  function add(code: number, begin: number, end: number): void {
    let part = out.get(code),
      step = steps.get(code);
    if (!part || !step) {
      out.set(code, (part = new Float64Array(count)));
      steps.set(code, (step = new Float64Array(count + 1)));
    }
    const a = Math.min(count - 1, Math.floor(begin / each)),
      b = Math.min(count - 1, Math.floor(end / each));
    if (a === b) {
      part[a] += (end - begin) / each;
      return;
    }
    part[a] += a + 1 - begin / each;
    part[b] += end / each - b;
    step[a + 1]++;
    step[b]--;
  }
  for (const task of tasks) {
    for (let i = m.first[task]; i < m.first[task + 1]; i++) {
      const w = m.wait[i],
        woken = m.begin_ns[i] + m.blocked_ns[i];
      if (!bright[w]) continue;
      if (m.blocked_ns[i]) add(cause[w], m.begin_ns[i], woken);
      if (m.runq_ns[i]) add(codes.runq, woken, woken + m.runq_ns[i]);
    }
  }
  for (const [code, part] of out) {
    let whole = 0;
    steps.get(code)!.forEach((step, i) => {
      whole += step;
      if (i < count) part[i] += whole;
    });
  }
  // what waits for a CPU first, then the most
  const rank = ([code, part]: [number, Float64Array]) =>
    code === codes.runq ? Infinity : part.reduce((a, b) => a + b, 0);
  return new Map([...out].sort((a, b) => rank(b) - rank(a)));
}
