// SPDX-License-Identifier: Apache-2.0
//
// What a set of waits adds up to: for the details of a frame and for the rows of a table.
import { BINS, HIST_LEN, idleNs, isOnCpu, Kind, objectOf, rowNs, type Profile } from "./data";
import { Pairs } from "./pairs";
import { cgroupName, type Shape, type Sums, type Tree } from "./tree";

export interface Stats {
  off: number;
  runq: number;
  on: number;
  idle: number; // of off, waits for work
  count: number;
  samples: number;
  variance: number;
  max: number;
  self: number;
  uncounted: number; // of off, that of no wait which is in count
  hist: Float64Array;
}

export function makeStats(): Stats {
  return {
    off: 0,
    runq: 0,
    on: 0,
    idle: 0,
    count: 0,
    samples: 0,
    variance: 0,
    max: 0,
    self: 0,
    uncounted: 0,
    hist: new Float64Array(HIST_LEN),
  };
}

export function addWait(s: Stats, p: Profile, w: number): void {
  s.off += rowNs(p, w);
  s.runq += p.wait.runq_ns[w];
  s.on += p.wait.on_ns[w];
  s.idle += idleNs(p, w);
  s.count += p.wait.count[w];
  if (!isOnCpu(p, w)) s.samples += p.wait.samples[w];
  s.variance += p.wait.var_us2[w];
  if (s.max < p.wait.max_ns[w]) s.max = p.wait.max_ns[w];
  for (let i = p.hist.first[w]; i < p.hist.first[w + 1]; i++)
    s.hist[p.hist.bucket[i]] += p.hist.count[i];
}

export function floorNs(bucket: number): number {
  return bucket ? 2 ** (9 + bucket) : 0;
}

export function ceilNs(bucket: number): number {
  return bucket >= HIST_LEN - 1 ? Infinity : 2 ** (10 + bucket);
}

// Of the histograms of threads: below the unit, then each power of two of it in four equal steps.
export function binFloorNs(unit: number, bucket: number): number {
  if (!bucket) return 0;
  return unit * 2 ** Math.floor((bucket - 1) / 4) * (1 + ((bucket - 1) % 4) / 4);
}

// What so many of a thousand did not exceed: the end of the bucket.
export function binQuantile(bins: Float64Array, permille: number, unit: number): number {
  const want = Math.ceil((bins.reduce((a, b) => a + b, 0) * permille) / 1000);
  let seen = 0;
  for (let i = 0; i < BINS - 1; i++) {
    seen += bins[i];
    if (bins[i] && seen >= want) return binFloorNs(unit, i + 1);
  }
  return Infinity;
}

// hist_quantile_bound_ns() of analysis/model/hist.h: what so many of a thousand waits did not pass.
export function quantileBound(hist: Float64Array, permille: number, max: number): number {
  let total = 0,
    seen = 0,
    i = 0;
  for (const n of hist) total += n;
  if (!total) return 0;
  const want = Math.ceil((total * permille) / 1000);
  for (; i < HIST_LEN; i++) {
    seen += hist[i];
    if (seen >= want && hist[i]) break;
  }
  return Math.min(ceilNs(Math.min(i, HIST_LEN - 1)), max);
}

export function errorNs(variance: number): number {
  // a variance that does not fit into 64 bits is not known
  return variance < 2 ** 64 ? Math.sqrt(variance) * 1000 : Infinity;
}

// The waits below nodes that are not below each other.
export function* waitsBelow(tree: Tree, pass: Uint8Array, nodes: Iterable<number>) {
  for (const node of nodes) {
    for (let i = tree.first[node]; i < tree.first[tree.end[node]]; i++) {
      if (pass[tree.order[i]]) yield tree.order[i];
    }
  }
}

// Nodes of one function that are not below another node of it.
export function outermost(shape: Shape, sums: Sums, label: number, kind: number): number[] {
  const nodes: number[] = [];
  for (let i = 0; i < shape.len;) {
    if (shape.label[i] === label && shape.kind[i] === kind && sums.off[i] > 0) {
      nodes.push(i);
      i = shape.end[i];
    } else {
      i++;
    }
  }
  return nodes;
}

// What the rows of a table are made of; the histogram is added up when somebody looks at it.
export interface Row {
  key: string; // stable, for lists
  name: string;
  note: string; // what kind of thing it is
  id: number; // of a task, cause, object or label, by what the row is for
  kind: number;
  off: number;
  runq: number;
  on: number;
  idle: number; // of off, waits for work
  count: number;
  samples: number;
  variance: number;
  max: number;
  self: number;
  was: number; // of off, that of the side before of a diff
  mark: number;
  own: number; // of a function: time of waits whose place begins with it
  hist(): Float64Array;
  waits(): Iterable<number>;
  things(): string; // of a place: what it waited for
}

export type RowsBy =
  | "function"
  | "place"
  | "cause"
  | "syscall"
  | "object"
  | "owner"
  | "process"
  | "thread"
  | "cgroup";

// There are as many rows as functions, so a row has no closures of its own but the one for its
// waits.
class RowOfWaits implements Row {
  name = "";
  note = "";
  off = 0;
  runq = 0;
  on = 0;
  idle = 0;
  count = 0;
  samples = 0;
  variance = 0;
  max = 0;
  self = 0;
  was = 0;
  mark = 0;
  own = 0;
  private bins: Float64Array | null = null;

  constructor(
    protected readonly p: Profile,
    readonly key: string,
    readonly id: number,
    readonly kind: number,
    private readonly all: () => Iterable<number>,
  ) {}

  waits(): Iterable<number> {
    return this.all();
  }

  things(): string {
    return "";
  }

  hist(): Float64Array {
    if (this.bins) return this.bins;
    const { hist } = this.p,
      bins = (this.bins = new Float64Array(HIST_LEN));
    for (const w of this.waits()) {
      for (let i = hist.first[w]; i < hist.first[w + 1]; i++) bins[hist.bucket[i]] += hist.count[i];
    }
    return bins;
  }
}

// The time of the functions that places begin with, idle time aside, by 16 * label + kind.
export function ownTimes(
  p: Profile,
  pass: Uint8Array,
  weigh: (pair: { off: number; was: number }) => number = pair => pair.off,
): Map<number, number> {
  const out = new Map<number, number>();
  for (let w = 1; w <= p.waits; w++) {
    const frame = p.wait.own[w],
      key = p.frame.label[frame] * 16 + p.frame.kind[frame];
    if (!pass[w] || !frame) continue;
    const off = rowNs(p, w) - idleNs(p, w);
    out.set(key, (out.get(key) ?? 0) + weigh({ off, was: w <= p.split ? off : 0 }));
  }
  return out;
}

// All functions, in the order of their first frames: what their rows are made of, as data alone,
// so that another thread can compute it.
export interface FunctionSums {
  label: Int32Array;
  kind: Uint8Array;
  off: Float64Array;
  runq: Float64Array;
  on: Float64Array;
  idle: Float64Array;
  count: Float64Array;
  samples: Float64Array;
  variance: Float64Array;
  max: Float64Array;
  self: Float64Array;
  was: Float64Array;
  mark: Float64Array;
  own: Float64Array;
  // Nodes that are not below another one of the function: of function i those from first[i] to
  // first[i + 1] - 1.
  first: Int32Array;
  nodes: Int32Array;
}

// The number of the function of each node; -1: it has no row.
function functionsOf(tree: Tree, sums: Sums): { of: Int32Array; label: number[]; kind: number[] } {
  const of = new Int32Array(tree.len).fill(-1),
    known = new Pairs(),
    label: number[] = [],
    kind: number[] = [];
  for (let i = 1; i < tree.len; i++) {
    if (!(sums.off[i] > 0) || tree.kind[i] === Kind.Group) continue;
    let at = known.get(tree.label[i], tree.kind[i]);
    if (at < 0) {
      known.set(tree.label[i], tree.kind[i], (at = label.length));
      label.push(tree.label[i]);
      kind.push(tree.kind[i]);
    }
    of[i] = at;
  }
  return { of, label, kind };
}

export function functionSums(
  p: Profile,
  tree: Tree,
  sums: Sums,
  pass: Uint8Array,
): FunctionSums {
  const { of, label, kind } = functionsOf(tree, sums),
    n = label.length,
    zeros = () => new Float64Array(n),
    own = ownTimes(p, pass),
    until = new Int32Array(n),
    first = new Int32Array(n + 1),
    tops: number[] = [],
    out: FunctionSums = {
      label: Int32Array.from(label),
      kind: Uint8Array.from(kind),
      off: zeros(),
      runq: zeros(),
      on: zeros(),
      idle: zeros(),
      count: zeros(),
      samples: zeros(),
      variance: zeros(),
      max: zeros(),
      self: zeros(),
      was: zeros(),
      mark: zeros(),
      own: Float64Array.from(label, (l, i) => own.get(l * 16 + kind[i]) ?? 0),
      first,
      nodes: new Int32Array(0),
    };
  for (let i = 1; i < tree.len; i++) {
    const at = of[i];
    if (at < 0) continue;
    out.self[at] += sums.self[i];
    if (i < until[at]) continue;
    until[at] = tree.end[i];
    tops.push(i);
    first[at + 1]++;
    out.off[at] += sums.off[i];
    out.runq[at] += sums.runq[i];
    out.on[at] += sums.on[i];
    out.idle[at] += sums.idle[i];
    out.count[at] += sums.count[i];
    out.samples[at] += sums.samples[i];
    out.variance[at] += sums.variance[i];
    out.was[at] += sums.was[i];
    out.mark[at] += sums.mark[i];
    out.max[at] = Math.max(out.max[at], sums.max[i]);
  }
  for (let i = 0; i < n; i++) first[i + 1] += first[i];
  const next = first.slice();
  out.nodes = new Int32Array(tops.length);
  for (const i of tops) out.nodes[next[of[i]]++] = i;
  return out;
}

function functionRows(
  p: Profile,
  tree: Tree,
  pass: Uint8Array,
  text: string[],
  f: FunctionSums,
): Row[] {
  const n = f.label.length,
    rows = new Array<Row>(n);
  for (let i = 0; i < n; i++) {
    const label = f.label[i],
      kind = f.kind[i],
      row = new RowOfWaits(p, `${kind}:${label}`, label, kind, () =>
        waitsBelow(tree, pass, f.nodes.subarray(f.first[i], f.first[i + 1])),
      );
    row.name = text[label];
    row.off = f.off[i];
    row.runq = f.runq[i];
    row.on = f.on[i];
    row.idle = f.idle[i];
    row.count = f.count[i];
    row.samples = f.samples[i];
    row.variance = f.variance[i];
    row.max = f.max[i];
    row.self = f.self[i];
    row.was = f.was[i];
    row.mark = f.mark[i];
    row.own = f.own[i];
    rows[i] = row;
  }
  return rows;
}

interface Names {
  task(t: number): string;
  process(t: number): string;
}

// Process and thread, as numbers. Those of two recordings are the same ones by their names.
function taskIds(p: Profile, t: number): [number, number] {
  return p.head.diff ? [p.task.group_comm[t], p.task.comm[t]] : [p.task.tgid[t], p.task.tid[t]];
}

// Process and thread in a filter.
export function taskKeys(p: Profile, t: number): [string, string] {
  const [process, thread] = taskIds(p, t).map(id => (p.head.diff ? p.strings[id] : `${id}`));
  // "-" before a key leaves it out, and a shell may be called "-bash"
  if (/^[-+]/.test(process)) return [`+${process}/`, `+${process}/${thread}`];
  return [process + (p.head.diff ? "/" : ""), `${process}/${thread}`];
}

const ofPlaces = new WeakMap<Profile, Int32Array>();

// A number for each wait: those at one place for one thing have the same. Of all waits, so that a
// filter does not change the numbers.
function placesOf(p: Profile): Int32Array {
  let ids = ofPlaces.get(p);
  if (ids) return ids;
  ids = new Int32Array(p.waits + 1);
  const known = new Pairs();
  for (let w = 1, n = 0; w <= p.waits; w++) {
    const object = p.wait.object[w],
      label = p.object.says[object] ? p.object.label[object] : 0,
      id = known.get(p.wait.place[w], label);
    if (id < 0) known.set(p.wait.place[w], label, n);
    ids[w] = id < 0 ? n++ : id;
  }
  ofPlaces.set(p, ids);
  return ids;
}

// Two numbers that say which row a wait belongs to.
function groupOf(p: Profile, by: RowsBy): (w: number) => [number, number] {
  const { task, cause, syscall } = p.wait,
    places = placesOf(p);
  switch (by) {
    case "cause":
      return w => [cause[w], 0];
    case "syscall":
      return w => [syscall[w], 0];
    case "object":
      return w => [p.object.label[p.wait.object[w]], 0];
    case "owner":
      return w => [p.wait.owner[w], 0];
    case "thread":
      return w => taskIds(p, task[w]);
    case "process":
      return w => [taskIds(p, task[w])[0], 0];
    case "cgroup":
      return w => [p.task.cgroup[task[w]], 0];
    default:
      return w => [
        places[w],
        (cause[w] * 16 + p.wait.class[w]) * 0x100000 + (p.task.group_comm[task[w]] & 0xfffff),
      ];
  }
}

function nameRow(row: Row, p: Profile, by: RowsBy, w: number, names: Names): void {
  const task = p.wait.task[w],
    [cause, sentence] = p.head.causes[p.wait.cause[w]];
  switch (by) {
    case "cause":
      [row.name, row.note] = [cause, sentence];
      break;
    case "syscall":
      row.name = p.strings[p.wait.syscall[w]] || "in no system call";
      break;
    case "object":
      row.name = objectOf(p, w) || "not known";
      break;
    case "owner":
      row.name = p.strings[p.wait.owner[w]] || "not known";
      break;
    case "thread":
      row.name = names.task(task);
      break;
    case "process":
      row.name = names.process(task);
      break;
    case "cgroup":
      row.name = cgroupName(p, task);
      break;
    default:
      [row.name, row.note] = [placeText(p, w), cause];
      row.things = () => thingsOf(p, row.waits(), row.off);
  }
}

function idOf(p: Profile, by: RowsBy, w: number): number {
  switch (by) {
    case "thread":
    case "process":
    case "cgroup":
      return p.wait.task[w];
    case "object":
      return p.wait.object[w];
    case "owner":
      return p.wait.owner_task[w];
    default:
      return p.wait.cause[w];
  }
}

export function tableRows(
  p: Profile,
  tree: Tree,
  sums: Sums,
  pass: Uint8Array,
  text: string[],
  by: RowsBy,
  names: Names,
  functions = () => functionSums(p, tree, sums, pass),
): Row[] {
  if (by === "function") return functionRows(p, tree, pass, text, functions());
  const rows: Row[] = [],
    known = new Pairs(),
    group = groupOf(p, by);
  const next = new Int32Array(p.waits + 1),
    last: number[] = [];
  for (let w = 1; w <= p.waits; w++) {
    if (!pass[w]) continue;
    const [a, b] = group(w),
      off = rowNs(p, w);
    let at = known.get(a, b);
    if (at < 0) {
      at = rows.length;
      known.set(a, b, at);
      const id = idOf(p, by, w);
      rows.push(
        new RowOfWaits(p, `${a}:${b}`, id, 0, function* () {
          for (let i = w; i; i = next[i]) yield i;
        }),
      );
      nameRow(rows[at], p, by, w, names);
    } else {
      next[last[at]] = w;
    }
    last[at] = w;
    const row = rows[at];
    row.off += off;
    row.self += off;
    row.runq += p.wait.runq_ns[w];
    row.on += p.wait.on_ns[w];
    row.idle += idleNs(p, w);
    row.count += p.wait.count[w];
    if (!isOnCpu(p, w)) row.samples += p.wait.samples[w];
    row.variance += p.wait.var_us2[w];
    if (w <= p.split) row.was += off;
    if (p.head.diff) row.mark += p.mark[w];
    row.max = Math.max(row.max, p.wait.max_ns[w]);
  }
  return rows;
}

// As a row of the summary: the process, and where in it.
function placeText(p: Profile, w: number): string {
  const comm = p.strings[p.task.group_comm[p.wait.task[w]]] || "[no name]",
    bad = p.head.classes[p.wait.class[w]][0] === "bad" ? "BLOCKS ITS EVENT LOOP: " : "";
  return `${comm}: ${bad}${p.strings[p.wait.place[w]]}`;
}

// What most of their time was for, and who held that; nothing, if that was less than the half.
function thingsOf(p: Profile, waits: Iterable<number>, off: number): string {
  const objects = new Map<string, number>(),
    owners = new Map<string, number>(),
    add = (to: Map<string, number>, name: string, w: number) =>
      name && to.set(name, (to.get(name) ?? 0) + p.wait.blocked_ns[w] + p.wait.runq_ns[w]);
  for (const w of waits) {
    if (p.object.says[p.wait.object[w]]) add(objects, objectOf(p, w), w);
    add(owners, p.strings[p.wait.owner[w]], w);
  }
  const most = (of: Map<string, number>, word: string) => {
    const [name, ns] = [...of].reduce((a, b) => (b[1] > a[1] ? b : a), ["", 0]);
    if (!ns || ns < off / 2) return "";
    return `${word} ${name}${ns < off ? ` (${Math.floor((ns * 100) / off)}%)` : ""}`;
  };
  return [most(objects, "for"), most(owners, "held by")].filter(Boolean).join(", ");
}
