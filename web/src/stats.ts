// SPDX-License-Identifier: Apache-2.0
//
// What a set of waits adds up to: for the details of a frame and for the rows of a table.
import { HIST_LEN, Kind, type Profile } from "./data";
import type { Shape, Sums, Tree } from "./tree";

export interface Stats {
  off: number;
  runq: number;
  count: number;
  samples: number;
  variance: number;
  max: number;
  self: number;
  hist: Float64Array;
}

export function makeStats(): Stats {
  return {
    off: 0,
    runq: 0,
    count: 0,
    samples: 0,
    variance: 0,
    max: 0,
    self: 0,
    hist: new Float64Array(HIST_LEN),
  };
}

export function addWait(s: Stats, p: Profile, w: number): void {
  s.off += p.wait.blocked_ns[w] + p.wait.runq_ns[w];
  s.runq += p.wait.runq_ns[w];
  s.count += p.wait.count[w];
  s.samples += p.wait.samples[w];
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

// hist_quantile_bound_ns() of src/analysis/hist.h: what so many of a thousand waits did not exceed.
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
  return Math.sqrt(variance) * 1000;
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

export interface Row extends Stats {
  key: string; // stable, for the URL and for lists
  name: string;
  note: string; // what kind of thing it is
  id: number; // of a task, cause or label, by what the row is for
  kind: number;
}

export type RowsBy = "function" | "place" | "cause" | "syscall" | "process" | "thread";

function functionRows(p: Profile, tree: Tree, sums: Sums, pass: Uint8Array, text: string[]): Row[] {
  const rows: Row[] = [],
    known = new Map<number, number>(),
    until: number[] = [];
  for (let i = 1; i < tree.len; i++) {
    if (!(sums.off[i] > 0) || tree.kind[i] === Kind.Group) continue;
    const key = tree.label[i] * 16 + tree.kind[i];
    let at = known.get(key);
    if (at === undefined) {
      known.set(key, (at = rows.length));
      until.push(0);
      rows.push({
        ...makeStats(),
        key: "" + key,
        name: text[tree.label[i]],
        note: "",
        id: tree.label[i],
        kind: tree.kind[i],
      });
    }
    const row = rows[at];
    row.self += sums.self[i];
    if (i < until[at]) continue;
    until[at] = tree.end[i];
    for (const w of waitsBelow(tree, pass, [i])) addWait(row, p, w);
  }
  return rows;
}

export function tableRows(
  p: Profile,
  tree: Tree,
  sums: Sums,
  pass: Uint8Array,
  text: string[],
  by: RowsBy,
  names: { task(t: number): string; process(t: number): string },
): Row[] {
  if (by === "function") return functionRows(p, tree, sums, pass, text);
  const rows = new Map<string, Row>();
  for (let w = 1; w <= p.waits; w++) {
    if (!pass[w]) continue;
    const task = p.wait.task[w],
      cause = p.wait.cause[w];
    let key: string,
      id = cause;
    switch (by) {
      case "cause":
        key = "" + cause;
        break;
      case "syscall":
        key = "" + p.wait.syscall[w];
        break;
      case "thread":
        key = names.task(task);
        id = task;
        break;
      case "process":
        key = names.process(task);
        id = task;
        break;
      default:
        key = [cause, p.wait.user_place[w], p.wait.kernel_place[w], p.task.group_comm[task]].join();
    }
    let row = rows.get(key);
    if (!row) {
      let name = key,
        note = "";
      if (by === "cause") {
        [name, note] = p.head.causes[cause];
      } else if (by === "syscall") {
        name = text[p.wait.syscall[w]] || "in no system call";
      } else if (by === "place") {
        name = placeText(p, w);
        note = p.head.causes[cause][0];
      }
      rows.set(key, (row = { ...makeStats(), key, name, note, id, kind: 0 }));
    }
    addWait(row, p, w);
    row.self = row.off;
  }
  return [...rows.values()];
}

export function placeText(p: Profile, w: number): string {
  const user = p.strings[p.wait.user_place[w]],
    kernel = p.strings[p.wait.kernel_place[w]];
  return [user, kernel && `[${kernel}]`].filter(Boolean).join(" ") || "no stack";
}
