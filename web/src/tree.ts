// SPDX-License-Identifier: Apache-2.0
//
// Waits merged into one tree by the labels of their frames, as analysis/model/tree.h of the program
// does. It is built once for a grouping; filters only change the sums. Nodes are numbered in
// preorder, so the nodes below node i are (i, end[i]), a parent has a smaller number than its
// children, and the waits of a subtree are one range of `order`.
import { Flag, idleNs, isOnCpu, Kind, Note, rowNs, type Profile } from "./data";
import { Pairs } from "./pairs";

export type Group = "comm" | "process" | "thread" | "cgroup" | "cause" | "none";

// What every graph has that is drawn: nodes in preorder.
export interface Shape {
  readonly len: number;
  readonly parent: Int32Array;
  readonly end: Int32Array;
  readonly label: Int32Array; // id of a string
  readonly kind: Uint8Array;
  readonly depth: Int32Array;
}

export class Labels {
  readonly text: string[];
  private known: Map<string, number> | null = null;
  private ranks: Int32Array | null = null;

  constructor(strings: string[], more: string[] = []) {
    this.text = [...strings, ...more];
  }

  private ids(): Map<string, number> {
    return (this.known ??= new Map(this.text.map((s, i) => [s, i])));
  }

  id(text: string): number {
    let id = this.ids().get(text);
    if (id === undefined) {
      id = this.text.push(text) - 1;
      this.ids().set(text, id);
      this.ranks = null;
    }
    return id;
  }

  find(text: string): number {
    return this.ids().get(text) ?? -1;
  }

  // The place of each label among all, by name.
  rank(): Int32Array {
    if (this.ranks && this.ranks.length === this.text.length) return this.ranks;
    const text = this.text,
      order = text.map((_, i) => i);
    order.sort((a, b) => (text[a] < text[b] ? -1 : text[a] > text[b] ? 1 : a - b));
    this.ranks = new Int32Array(order.length);
    order.forEach((label, i) => (this.ranks![label] = i));
    return this.ranks;
  }
}

// Nodes in the order they are met, parents first; frozen into preorder.
export class Growing {
  parent: number[] = [0];
  label: number[];
  kind: number[];
  private readonly known = new Pairs();

  constructor(label: number, kind: number) {
    this.label = [label];
    this.kind = [kind];
  }

  child(parent: number, label: number, kind: number): number {
    let node = this.known.get(parent, label * 16 + kind);
    if (node < 0) {
      node = this.parent.length;
      this.parent.push(parent);
      this.label.push(label);
      this.kind.push(kind);
      this.known.set(parent, label * 16 + kind, node);
    }
    return node;
  }

  // Nodes by parent, those of one parent by name and kind; nodes of parent i begin at first[i].
  private sorted(rank: Int32Array): { list: Int32Array; first: Int32Array } {
    const n = this.parent.length,
      { parent, label, kind } = this;
    const first = new Int32Array(n + 1),
      list = new Int32Array(n);
    for (let i = 1; i < n; i++) first[parent[i] + 1]++;
    for (let i = 0; i < n; i++) first[i + 1] += first[i];
    const at = first.slice();
    for (let i = 1; i < n; i++) list[at[parent[i]]++] = i;
    for (let i = 0; i < n; i++) {
      if (first[i + 1] - first[i] > 1)
        list
          .subarray(first[i], first[i + 1])
          .sort((a, b) => rank[label[a]] - rank[label[b]] || kind[a] - kind[b]);
    }
    return { list, first };
  }

  // place[n] is where node n is in preorder.
  freeze(rank: Int32Array): { shape: Shape; place: Int32Array } {
    const n = this.parent.length,
      { parent, label, kind } = this,
      { list, first } = this.sorted(rank);
    const size = new Int32Array(n).fill(1),
      place = new Int32Array(n);
    for (let i = n - 1; i > 0; i--) size[parent[i]] += size[i];
    const shape = {
      len: n,
      parent: new Int32Array(n),
      end: new Int32Array(n),
      label: new Int32Array(n),
      kind: new Uint8Array(n),
      depth: new Int32Array(n),
    };
    // A parent was met before its children, so it has its place before them.
    for (let id = 0; id < n; id++) {
      const here = place[id];
      let next = here + 1;
      shape.end[here] = here + size[id];
      shape.label[here] = label[id];
      shape.kind[here] = kind[id];
      for (let c = first[id]; c < first[id + 1]; c++) {
        place[list[c]] = next;
        shape.parent[next] = here;
        shape.depth[next] = shape.depth[here] + 1;
        next += size[list[c]];
      }
    }
    return { shape, place };
  }
}

export interface Tree extends Shape {
  readonly group: Group;
  readonly leaf: Int32Array; // node by wait
  readonly order: Int32Array; // waits by leaf
  readonly first: Int32Array; // waits of nodes [i, end[i]): order[first[i]] .. order[first[end[i]]]
}

export function taskName(p: Profile, task: number): string {
  const process = p.strings[p.task.group_comm[task]],
    thread = p.strings[p.task.comm[task]] || "[no name]";
  if (p.head.diff) return process && process !== thread ? `${process}/${thread}` : thread;
  return `${thread}-${p.task.tgid[task]}/${p.task.tid[task]}`;
}

export function processName(p: Profile, task: number): string {
  if (p.head.diff) return p.strings[p.task.group_comm[task]] || "[no name]";
  return `${p.strings[p.task.group_comm[task]] || "[no name]"}-${p.task.tgid[task]}`;
}

export function cgroupName(p: Profile, task: number): string {
  return p.strings[p.task.cgroup[task]] || "[no cgroup v2]";
}

// Of groups of threads: that of one of them.
export function groupOfTask(p: Profile, group: Group, task: number): string {
  switch (group) {
    case "process":
      return processName(p, task);
    case "thread":
      return taskName(p, task);
    case "cgroup":
      return cgroupName(p, task);
    default:
      return p.strings[p.task.comm[task]] || "[no name]";
  }
}

function groupName(p: Profile, group: Group, wait: number): string {
  return group === "cause"
    ? p.head.causes[p.wait.cause[wait]][0]
    : groupOfTask(p, group, p.wait.task[wait]);
}

class Stacks {
  private readonly known = new Pairs();
  private readonly path: number[] = [];

  constructor(
    private readonly p: Profile,
    private readonly grow: Growing,
    private readonly fold: boolean,
  ) {}

  add(base: number, stack: number): number {
    const { p, grow, path, known } = this;
    let node = base;
    path.length = 0;
    for (let at = stack; at; at = p.stack.parent[at]) {
      const found = known.get(base, at);
      if (found >= 0) {
        node = found;
        break;
      }
      path.push(at);
    }
    while (path.length) {
      const at = path.pop()!,
        frame = p.stack.frame[at];
      const label = p.frame.label[frame],
        code = p.frame.kind[frame],
        named = code === Kind.Note || code === Kind.Mark,
        kind = p.stack.waker[at] && !named ? Kind.Waker : code;
      if (!this.fold || grow.label[node] !== label || grow.kind[node] !== kind)
        node = grow.child(node, label, kind);
      known.set(base, at, node);
    }
    return node;
  }
}

// The words of src/analysis/view/wait_stacks.h.
const MISSED_USER = "[Missed User Stack]",
  MISSED_KERNEL = "[Missed Kernel Stack]";
const LOST = "[lost]",
  NOT_SAMPLED = "[not sampled]",
  ON_CPU = "[on-CPU]",
  CUT = "[cut off]";

export function buildTree(p: Profile, labels: Labels, group: Group, fold: boolean): Tree {
  const grow = new Growing(labels.id("all"), Kind.All),
    stacks = new Stacks(p, grow, fold);
  const raw = new Int32Array(p.waits + 1),
    groups = new Map<number, number>();
  const note = (node: number, text: string) => grow.child(node, labels.id(text), Kind.Note);
  for (let w = 1; w <= p.waits; w++) {
    const by = group === "cause" ? p.wait.cause[w] : p.wait.task[w],
      notes = p.wait.notes[w];
    let node = 0;
    if (group !== "none") {
      let label = groups.get(by);
      if (label === undefined) groups.set(by, (label = labels.id(groupName(p, group, w))));
      node = grow.child(0, label, Kind.Group);
    }
    if (notes & Note.Lost)
      node = note(node, p.wait.flags[w] & Flag.NotSampled ? NOT_SAMPLED : LOST);
    if (notes & Note.UserMissed) node = note(node, MISSED_USER);
    else if (p.wait.user_stack[w]) node = stacks.add(node, p.wait.user_stack[w]);
    if (notes & Note.KernelMissed) {
      node = note(node, MISSED_KERNEL);
    } else if (p.wait.kernel_stack[w]) {
      if (notes & Note.Cut) node = note(node, CUT);
      node = stacks.add(node, p.wait.kernel_stack[w]);
    }
    // one function both ran and waited: its leaf says which
    if (p.both && isOnCpu(p, w)) node = grow.child(node, labels.id(ON_CPU), Kind.OnCpu);
    raw[w] = node;
  }
  const { shape, place } = grow.freeze(labels.rank());
  const leaf = raw.map((node, w) => (w ? place[node] : 0));
  const first = new Int32Array(shape.len + 1);
  for (let w = 1; w <= p.waits; w++) first[leaf[w] + 1]++;
  for (let i = 0; i < shape.len; i++) first[i + 1] += first[i];
  const at = first.slice(),
    order = new Int32Array(p.waits);
  for (let w = 1; w <= p.waits; w++) order[at[leaf[w]]++] = w;
  return { ...shape, group, leaf, order, first };
}

// Sums of nodes, each with what is below it.
export interface Sums {
  readonly off: Float64Array; // blocked, run queue and on a CPU, ns
  readonly runq: Float64Array;
  readonly on: Float64Array;
  readonly idle: Float64Array; // of off, waits for work
  readonly count: Float64Array;
  readonly samples: Float64Array;
  readonly variance: Float64Array; // us^2
  readonly max: Float64Array; // ns
  readonly self: Float64Array; // of off, without what is below
  readonly was: Float64Array; // of off, that of the side before of a diff
  readonly mark: Float64Array; // of Profile.mark
}

export function makeSums(len: number): Sums {
  const one = () => new Float64Array(len);
  return {
    off: one(),
    runq: one(),
    on: one(),
    idle: one(),
    count: one(),
    samples: one(),
    variance: one(),
    max: one(),
    self: one(),
    was: one(),
    mark: one(),
  };
}

export function addUp(shape: Shape, s: Sums): void {
  for (let i = shape.len - 1; i > 0; i--) {
    const up = shape.parent[i];
    s.off[up] += s.off[i];
    s.runq[up] += s.runq[i];
    s.on[up] += s.on[i];
    s.idle[up] += s.idle[i];
    s.count[up] += s.count[i];
    s.samples[up] += s.samples[i];
    s.variance[up] += s.variance[i];
    s.was[up] += s.was[i];
    s.mark[up] += s.mark[i];
    if (s.max[up] < s.max[i]) s.max[up] = s.max[i];
  }
}

export function sumTree(p: Profile, tree: Tree, pass: Uint8Array): Sums {
  const s = makeSums(tree.len),
    w = p.wait;
  for (let i = 1; i <= p.waits; i++) {
    if (!pass[i]) continue;
    const node = tree.leaf[i];
    s.self[node] += rowNs(p, i);
    s.runq[node] += w.runq_ns[i];
    s.on[node] += w.on_ns[i];
    s.idle[node] += idleNs(p, i);
    s.count[node] += w.count[i];
    if (!isOnCpu(p, i)) s.samples[node] += w.samples[i];
    s.variance[node] += w.var_us2[i];
    if (i <= p.split) s.was[node] += rowNs(p, i);
    if (p.head.diff) s.mark[node] += p.mark[i];
    if (s.max[node] < w.max_ns[i]) s.max[node] = w.max_ns[i];
  }
  s.off.set(s.self);
  addUp(tree, s);
  return s;
}

// Two numbers for each node, which another recording of the same program has for the same place.
export interface Hashes {
  a: Uint32Array;
  b: Uint32Array;
}

export function pathHashes(shape: Shape, labels: Labels): Hashes {
  const a = new Uint32Array(shape.len),
    b = new Uint32Array(shape.len);
  const known = new Map<number, [number, number]>();
  const hash = (label: number): [number, number] => {
    let pair = known.get(label);
    if (!pair) {
      let x = 0x811c9dc5,
        y = 0x9dc5811c;
      for (let i = 0; i < labels.text[label].length; i++) {
        const c = labels.text[label].charCodeAt(i);
        x = Math.imul(x ^ c, 0x01000193);
        y = Math.imul(y ^ c, 0x85ebca6b) ^ (y >>> 13);
      }
      known.set(label, (pair = [x, y]));
    }
    return pair;
  };
  for (let i = 1; i < shape.len; i++) {
    const [x, y] = hash(shape.label[i]),
      up = shape.parent[i];
    a[i] = Math.imul(a[up] ^ x ^ shape.kind[i], 0x01000193);
    b[i] = Math.imul(b[up] ^ y, 0xc2b2ae35) ^ (b[up] >>> 15);
  }
  return { a, b };
}

// Both as a text.
export function pathKey({ a, b }: Hashes, node: number): string {
  const hex = (n: number) => n.toString(16).padStart(8, "0");
  return hex(a[node]) + hex(b[node]);
}

// The node of such a text, -1: there is none.
export function findKey({ a, b }: Hashes, key: string): number {
  if (!/^[0-9a-f]{16}$/.test(key)) return -1;
  const x = parseInt(key.slice(0, 8), 16),
    y = parseInt(key.slice(8), 16);
  for (let i = 1; i < a.length; i++) if (a[i] === x && b[i] === y) return i;
  return -1;
}
