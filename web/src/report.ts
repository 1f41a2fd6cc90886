// SPDX-License-Identifier: Apache-2.0
//
// From the data and what the reader chose to what is shown. Each step is kept until something it
// depends on changes: a search must not sort a hundred thousand boxes again.
import { Diff, pairOf, type Family, type Pair, type Times } from "./diff";
import { joinParts, paint, sumParts, type Paint, type Parts, type Theme } from "./color";
import { BIN_KINDS, BINS, idleNs, isOnCpu, Kind, partOf, rowNs, type Profile } from "./data";
import { share } from "./format";
import { parseRange, rangeText } from "./live/choice";
import { Kept, type Shelves } from "./kept";
import { Lanes } from "./lanes";
import { layOut, type Layout } from "./layout";
import { pathNamed, Paths, type Path } from "./path";
import { Requests } from "./requests";
import { callees, callers, type Half } from "./sandwich";
import {
  DIFF_DEFAULTS,
  noFilters,
  reportDefaults,
  type Measure,
  type State,
  type Time,
} from "./state";
import {
  addWait,
  functionSums,
  makeStats,
  outermost,
  ownTimes,
  tableRows,
  taskKeys,
  waitsBelow,
  type FunctionSums,
  type Row,
  type Stats,
} from "./stats";
import { threadsOf, type Thread } from "./threads";
import {
  buildTree,
  cgroupName,
  findKey,
  groupOfTask,
  Labels,
  pathHashes,
  pathKey,
  processName,
  sumTree,
  taskName,
  type Shape,
  type Sums,
  type Tree,
} from "./tree";

export interface Filtered {
  tree: Tree;
  pass: Uint8Array;
  sums: Sums;
  exact: Map<number, number>; // off-CPU ns known exactly, by node
  passed: number; // waits
  byCause: Float64Array; // off-CPU ns by cause, whatever causes are chosen
  byClass: Float64Array; // by class, whatever classes are
  byTask: Float64Array; // and by task, whatever threads are
  idle: { byCause: Float64Array; byClass: Float64Array; byTask: Float64Array }; // waits for work
  was: { byCause: Float64Array; byClass: Float64Array; byTask: Float64Array }; // before, of a diff
}

// By label and kind of a frame: its module, and the first of its frames.
interface Code {
  modules: Map<number, number>;
  frames: Map<number, number[]>;
}

export interface Graph {
  shape: Shape;
  sums: Sums;
  layout: Layout;
  paint: Paint;
}

// What a view has of flame graphs.
export interface Look {
  byName?: boolean; // frames in the order of their names, and not by their time
  bothSides?: boolean; // of a diff at once, whatever measure was chosen
  ofFunction?: boolean; // of one function, whether or not one was chosen
}

// Of threads, all of their waits and slices.
export interface Bins {
  unit_ns: number; // 0: none were kept
  threads: number;
  counts: Float64Array[]; // of each kind (BIN_KINDS), by bucket
}

// Threads that waited at once, on average, in each interval.
export interface Seconds {
  from: Float64Array; // ns since the begin
  to: Float64Array;
  most: number; // of all intervals
  all: Float64Array;
  causes: { cause: number; threads: Float64Array }[]; // most time first
}

export function pick(list: string[]): { only: string[]; without: string[] } {
  return {
    only: list.filter(v => !v.startsWith("-")),
    without: list.filter(v => v.startsWith("-")).map(v => v.slice(1)),
  };
}

// Of each name: does it pass?
function chosen(list: string[], names: string[]): boolean[] {
  const { only, without } = pick(list);
  return names.map(n => (!only.length || only.includes(n)) && !without.includes(n));
}

// Of a diff, how much of each side is in the width of a box.
const SIDES: { [K in Measure]?: [number, number] } = {
  off: [0.5, 0.5],
  before: [1, 0],
  after: [0, 1],
};

function valuesOf(shape: Shape, sums: Sums, measure: Measure, diff: Diff | null): Float64Array {
  if (diff) return diff.values(shape, sums, SIDES[measure] ?? SIDES.off!);
  switch (measure) {
    case "runq":
      return sums.runq;
    case "count":
      return sums.count;
    case "blocked":
      return sums.off.map((v, i) => v - sums.runq[i] - sums.on[i]);
    default:
      return sums.off;
  }
}

// Which tests may have been of a node of the tree, and of a function over all of its places. One
// set of waits may have been in several, which are adjusted each for itself.
export const WHOLE: Family[] = ["whole", "paths", "functions"];
export const PATHS = (node: number): Family[] =>
  node ? ["paths", "functions", "whole"] : WHOLE;
export const FUNCTIONS = (): Family[] => ["functions", "paths", "whole"];

// Of the time off the CPU.
function idleIsMost(p: Profile): boolean {
  let off = 0,
    idle = 0;
  for (let w = 1; w <= p.waits; w++) {
    if (isOnCpu(p, w)) continue;
    off += rowNs(p, w);
    idle += idleNs(p, w);
  }
  return idle > off / 2 && idle < off;
}

// What a report has computed, as data: another thread makes the same report of it at no cost.
export interface Ready {
  labels: string[]; // those that the profile has not
  shelves: Shelves;
}

const GIVEN = [
  "trees",
  "keysOf",
  "nodes",
  "filters",
  "keptSeconds",
  "layouts",
  "paints",
  "finds",
  "keptPlaces",
  "functions",
  "firstFn",
  "halves",
];
const PLACES = 12;
// The rows that the instants of waits are of, whatever else shows.
const UNDIVIDED: Partial<State> = { wakers: false, when: "", time: "wall" };

// Of timelines.
export interface Looked {
  bright: Uint8Array; // by wait, not divided: it passes, is found, and is below what is selected
  cause: Uint8Array;
  threads: Thread[]; // that have such waits, or all
}

// Of the list of places, what is shown of it beside a graph.
export interface Places {
  rows: { key: string; name: string; note: string; off: number; idle: number; variance: number }[];
  count: number; // of all, or of those that are not idle, if there are such
  busy: boolean; // there are
}

export class Report {
  readonly labels: Labels;
  readonly causeNames: string[];
  readonly classes: [string, string][];
  private code: Code | null = null;
  private state!: State;
  private theme: Theme = "light";
  private look: Look = {};

  readonly hasIdle: boolean;
  readonly kept = new Kept(this.given?.shelves);
  private readonly foldsIdle: boolean;
  readonly diff: Diff | null;
  private readonly apart = new Map<Profile, Profile>();
  private part: { of: string; profile: Profile } | null = null;

  // `live`: profiles follow each other, and all begin without idle time.
  constructor(
    private readonly whole: Profile,
    live = false,
    private readonly given?: Ready,
  ) {
    const p = whole;
    this.labels = new Labels(p.strings, given?.labels);
    this.diff = p.head.diff ? new Diff(p, this.labels) : null;
    this.causeNames = p.head.causes.map(c => c[0]);
    this.hasIdle = p.wait.cause.includes(this.causeNames.indexOf("idle"));
    this.classes = p.head.classes;
    this.foldsIdle = !p.head.header.idle_shown && (live || idleIsMost(p));
  }

  ready(): Ready {
    const labels = this.labels.text.slice(this.whole.strings.length);
    return { labels, shelves: this.kept.give(GIVEN) };
  }

  // Computed on first use: only some views and colours ask.
  private ofCode(): Code {
    if (this.code) return this.code;
    const { frame } = this.whole,
      modules = new Map<number, number>(),
      frames = new Map<number, number[]>();
    for (let f = 1; f < frame.label.length; f++) {
      const key = frame.label[f] * 16 + frame.kind[f];
      if (!modules.has(key)) modules.set(key, frame.module[f]);
      const list = frames.get(key);
      if (!list) frames.set(key, [f]);
      else if (list.length < 50) list.push(f);
    }
    return (this.code = { modules, frames });
  }

  // With the causes that the reader wants to see.
  get p(): Profile {
    const from = this.source;
    if (!this.state?.apart) return from;
    let p = this.apart.get(from);
    if (!p) this.apart.set(from, (p = { ...from, wait: { ...from.wait, cause: from.wait.kind } }));
    return p;
  }

  // What it is with another state.
  private as<T>(patch: Partial<State>, body: () => T): T {
    const before = this.state;
    this.state = { ...before, ...patch };
    try {
      return body();
    } finally {
      this.state = before;
    }
  }

  // What the graph of waits is of: always all of it.
  get graphOf(): Profile {
    return this.whole;
  }

  // All of the time, whatever part was chosen.
  get wholeTime(): Profile {
    return this.as({ when: "" }, () => this.p);
  }

  // Waits, those of a part of the time, or those divided by who ended them.
  private get source(): Profile {
    const { when } = this;
    if (!when) return (this.state?.wakers && this.whole.woken) || this.whole;
    if (this.part?.of !== when)
      this.part = { of: when, profile: partOf(this.whole, parseRange(when)!) };
    return this.part.profile;
  }

  // Which intervals are shown, as in the state; "": all of them, or there are none.
  get when(): string {
    const range = parseRange(this.state?.when ?? ""),
      n = this.whole.interval.length_ns.length;
    return range && n > 1 && range.from <= n
      ? rangeText({ from: range.from, to: Math.min(n, range.to) })
      : "";
  }

  get hasWakers(): boolean {
    return this.whole.woken !== null && !this.when;
  }

  // Of `classes`.
  classOf(w: number): number {
    return this.source.wait.class[w];
  }

  use(state: State, theme: Theme, look: Look): void {
    this.state = state;
    this.look = look;
    this.theme = theme;
  }

  // The code of a waker is that of any other thread.
  private keyOfCode(label: number, kind: number): number {
    const kinds = kind === Kind.Waker ? [Kind.User, Kind.Kernel, Kind.Code, Kind.Inlined] : [kind];
    return label * 16 + (kinds.find(k => this.ofCode().modules.has(label * 16 + k)) ?? kind);
  }
  moduleOf = (label: number, kind: number): number =>
    this.ofCode().modules.get(this.keyOfCode(label, kind)) ?? 0;
  framesOf = (label: number, kind: number): number[] =>
    this.ofCode().frames.get(this.keyOfCode(label, kind)) ?? [];
  taskName = (task: number): string => taskName(this.p, task);
  processName = (task: number): string => processName(this.p, task);

  private trees = this.kept.step("trees", 4, () =>
    buildTree(this.p, this.labels, this.state.group, this.state.fold),
  );
  private keysOf = this.kept.step("keysOf", 4, () => pathHashes(this.tree(), this.labels));
  private treeKey = () => {
    const { group, fold, apart } = this.state,
      wakers = this.state.wakers && this.hasWakers;
    return group + fold + apart + wakers + (this.when ? "part" : "");
  };
  tree = (): Tree => this.trees(this.treeKey());
  keyOf = (node: number): string =>
    node > 0 ? pathKey(this.keysOf(this.treeKey()), node) : "";

  private nodes = this.kept.step("nodes", 8, full =>
    findKey(this.keysOf(this.treeKey()), full.slice(full.indexOf(":") + 1)),
  );

  // -1: there is no such node.
  nodeOf = (key: string): number => (key ? this.nodes(this.treeKey() + ":" + key) : -1);

  private filterKey = () => {
    const s = this.state;
    const { time, causes, classes, threads, cgroups, objects, under, not } = s;
    const lists = [causes, classes, threads, cgroups, objects, under, not];
    return JSON.stringify([this.treeKey(), this.when, time, ...lists]);
  };
  private filters = this.kept.step("filters", 3, () => this.filter());
  filtered = (): Filtered => this.filters(this.filterKey());

  // With nothing chosen yet.
  get defaults(): State {
    return this.diff
      ? DIFF_DEFAULTS(this.diff.head.idle_apart)
      : { ...reportDefaults(this.foldsIdle), wakers: !!this.p.head.wakers_shown };
  }

  get noFilters(): Partial<State> {
    return noFilters(this.defaults);
  }

  // How many kinds of filters are not as they were from the start.
  filtersIn(state: State): number {
    return Object.entries(this.noFilters).filter(
      ([name, none]) => String(state[name as keyof State]) !== String(none),
    ).length;
  }

  // Of a process and of a thread of it, in a filter.
  taskKeys = (task: number): [string, string] => taskKeys(this.p, task);

  taskPasses(): Uint8Array {
    const { p } = this,
      { only, without } = pick(this.state.threads);
    const pass = new Uint8Array(p.tasks + 1),
      a = new Set(only),
      b = new Set(without);
    const cgroupOk = chosen(
      this.state.cgroups,
      Array.from(p.task.cgroup, (_, t) => cgroupName(p, t)),
    );
    for (let t = 0; t <= p.tasks; t++) {
      const both = this.taskKeys(t);
      const ok = (!a.size || both.some(n => a.has(n))) && !both.some(n => b.has(n));
      pass[t] = ok && cgroupOk[t] ? 1 : 0;
    }
    return pass;
  }

  // Are there filters of waits, idle time aside?
  narrowed(): boolean {
    const { causes, classes, objects, under, not } = this.state;
    const busy = classes.filter(c => c !== "-idle");
    return [causes, busy, objects, under, not].some(list => list.length > 0);
  }

  private objectPasses(): boolean[] {
    const { p } = this;
    return chosen(
      this.state.objects,
      Array.from(p.object.label, label => p.strings[label]),
    );
  }

  private hasFrame(tree: Tree, text: string): Uint8Array {
    const has = new Uint8Array(tree.len),
      label = this.labels.find(text);
    for (let i = 1; i < tree.len; i++) has[i] = tree.label[i] === label ? 1 : has[tree.parent[i]];
    return has;
  }

  // The time that the reader looks at: there is a choice where the page has both.
  time(): Time {
    return this.p.both ? this.state.time : this.p.onOnly ? "on" : "off";
  }

  // Behind "3.2 s".
  timeWords(): string {
    if (this.p.head.header.tasks)
      return { off: "not running", on: "running", wall: "of task time" }[this.time()];
    return { off: "off CPU", on: "on a CPU", wall: "of thread time" }[this.time()];
  }

  private hasTime(w: number): boolean {
    const time = this.time();
    return time === "wall" || (time === "on") === isOnCpu(this.p, w);
  }

  private filter(): Filtered {
    const { p, state } = this,
      tree = this.tree(),
      pass = new Uint8Array(p.waits + 1);
    const tasks = this.taskPasses();
    const causeOk = chosen(state.causes, this.causeNames),
      classOk = chosen(
        state.classes,
        this.classes.map(c => c[0]),
      );
    const objectOk = this.objectPasses();
    const under = state.under.map(t => this.hasFrame(tree, t));
    const not = state.not.map(t => this.hasFrame(tree, t));
    const byCause = new Float64Array(causeOk.length),
      byClass = new Float64Array(classOk.length),
      byTask = new Float64Array(p.tasks + 1),
      zeros = () => ({
        byCause: byCause.slice(),
        byClass: byClass.slice(),
        byTask: byTask.slice(),
      }),
      was = zeros(),
      idle = zeros();
    const now = { byCause, byClass, byTask };
    let passed = 0;
    for (let w = 1; w <= p.waits; w++) {
      const leaf = tree.leaf[w],
        task = p.wait.task[w],
        cause = p.wait.cause[w],
        ofClass = this.classOf(w);
      const off = rowNs(p, w);
      if (!this.hasTime(w)) continue;
      if (!objectOk[p.wait.object[w]]) continue;
      if (!under.every(has => has[leaf]) || !not.every(has => !has[leaf])) continue;
      for (const to of [now, w <= p.split && was, idleNs(p, w) && idle]) {
        if (!to) continue;
        if (tasks[task] && classOk[ofClass]) to.byCause[cause] += off;
        if (tasks[task] && causeOk[cause]) to.byClass[ofClass] += off;
        if (classOk[ofClass] && causeOk[cause]) to.byTask[task] += off;
      }
      if (tasks[task] && classOk[ofClass] && causeOk[cause]) {
        pass[w] = 1;
        passed++;
      }
    }
    const whole = !this.narrowed() && !state.classes.length;
    return {
      tree,
      pass,
      sums: sumTree(p, tree, pass),
      passed,
      ...now,
      was,
      idle,
      exact: whole ? this.exactTimes(tree, tasks) : new Map(),
    };
  }

  // Not if they are of other rows than those that are shown.
  hasIntervals = (): boolean =>
    this.p.interval.length_ns.length > 1 && (!!this.when || this.source === this.whole);

  seconds = (): Seconds | null =>
    this.hasIntervals()
      ? this.keptSeconds(this.filterKey())
      : null;
  private keptSeconds = this.kept.step("keptSeconds", 3, (): Seconds => {
    const { interval, part, wait } = this.p,
      { pass } = this.filtered(),
      n = interval.length_ns.length,
      by = new Map<number, Float64Array>(),
      all = new Float64Array(n);
    for (let i = 0; i < part.wait.length; i++) {
      const w = part.wait[i],
        at = part.interval[i],
        threads = part.ns[i] / interval.length_ns[at];
      if (!pass[w]) continue;
      let of = by.get(wait.cause[w]);
      if (!of) by.set(wait.cause[w], (of = new Float64Array(n)));
      of[at] += threads;
      all[at] += threads;
    }
    const sum = (of: Float64Array) => of.reduce((a, b) => a + b, 0);
    return {
      from: interval.begin_ns,
      to: interval.begin_ns.map((begin, i) => begin + interval.length_ns[i]),
      most: Math.max(...all),
      all,
      causes: [...by]
        .map(([cause, threads]) => ({ cause, threads }))
        .sort((a, b) => sum(b.threads) - sum(a.threads)),
    };
  });

  // The totals of threads are exact where listed waits are estimates.
  private exactTimes(tree: Tree, tasks: Uint8Array): Map<number, number> {
    const { p } = this,
      out = new Map<number, number>(),
      byName = new Map<number, number>();
    const named = ["comm", "process", "thread", "cgroup"].includes(tree.group);
    if (this.diff || p.partial || p.head.header.filtered) return out;
    if (!(p.head.header.sampled || p.both || p.onOnly)) return out;
    for (let i = 1; named && i < tree.len; i = tree.end[i]) byName.set(tree.label[i], i);
    const add = (t: number, ns: number) => {
      out.set(0, (out.get(0) ?? 0) + ns);
      const node = byName.get(this.labels.find(groupOfTask(p, tree.group, t)));
      if (node !== undefined) out.set(node, (out.get(node) ?? 0) + ns);
    };
    const shown = this.time();
    for (let t = 1; t <= p.tasks; t++) {
      const waited = p.task.preempted_ns[t] + p.task.runq_ns[t] + p.task.blocked_ns[t];
      const ran = shown === "off" ? 0 : p.task.on_ns[t];
      if (tasks[t]) add(t, ran + (shown === "on" ? 0 : waited));
    }
    for (let w = 1; w <= p.waits; w++) {
      if (!p.wait.task[w] && tasks[0] && this.hasTime(w)) add(0, rowNs(p, w));
    }
    return out;
  }

  // All shares are of the time that is shown and not idle; of idle time where nothing else is.
  shareOf(off: number, idle: number, all = this.shown()): string {
    const busy = all.off - all.idle;
    if (!busy) return share(off, all.off);
    return off && off === idle ? "idle" : share(off - idle, busy);
  }
  private shown(): { off: number; idle: number } {
    const { off, idle } = this.filtered().sums;
    return { off: off[0], idle: idle[0] };
  }

  // What they are of, in words.
  shareWords(): string {
    const { off, idle } = this.shown(),
      some = idle || this.idleTime().off,
      tasks = this.p.head.header.tasks,
      time = tasks
        ? { off: "task time not running", on: "running time", wall: "task time" }[this.time()]
        : { off: "off-CPU time", on: "time on a CPU", wall: "thread time" }[this.time()];
    return some ? (off > idle ? time + " that is not idle" : "idle time") : time;
  }

  // Waits for work, whether or not they are shown, and of how much they are a part.
  idleTime(): { off: number; whole: number; shown: boolean } {
    const { byClass } = this.filtered(),
      { only, without } = pick(this.state.classes);
    return {
      off: byClass[this.p.idle],
      whole: byClass.reduce((a, b) => a + b, 0),
      shown: !without.includes("idle") && (!only.length || only.includes("idle")),
    };
  }
  // The filters with which they are not, or are again.
  toggleIdle(): Partial<State> {
    const { causes, classes } = this.state,
      rest = classes.filter(c => !/^-?idle$/.test(c));
    return this.idleTime().shown
      ? { classes: [...rest, "-idle"], causes: causes.filter(c => c !== "idle") }
      : { classes: rest.every(c => c[0] === "-") ? rest : [] };
  }
  onlyIdle(): Partial<State> {
    return { causes: ["idle"], classes: [] };
  }

  // Of `sides`, by their units.
  private partsOf(sides: [number, number]): Parts {
    const { tree, pass } = this.filtered(),
      units = this.diff?.head.units ?? [1, 1];
    return sumParts(
      this.p,
      tree,
      pass,
      sides.map((part, i) => part / units[i]),
    );
  }
  private allParts = this.kept.step("allParts", 3, () => this.partsOf([1, 1]));
  private parts = (): Parts => this.allParts(this.filterKey());

  // `families`: which tests may have been of a node.
  private paintOf(
    shape: Shape,
    sums: Sums,
    parts: Parts,
    families: (node: number) => Family[],
  ): Paint {
    const { diff } = this;
    return paint(
      shape,
      parts,
      this.p,
      this.labels.text,
      this.moduleOf,
      this.state.color,
      this.theme,
      diff ? node => diff.tone(pairOf(sums, node), ...families(node)) : () => 0,
    );
  }

  private measure = (): Measure => (this.look.bothSides ? "off" : this.state.measure);
  private layouts = this.kept.step("layouts", 3, () => {
    const { tree, sums } = this.filtered();
    const values = valuesOf(tree, sums, this.measure(), this.diff);
    return layOut(tree, values, !this.look.byName);
  });
  private paints = this.kept.step("paints", 3, () =>
    this.paintOf(this.tree(), this.filtered().sums, this.parts(), PATHS),
  );

  // Both sides of a diff on one scale, with boxes in one order.
  private sideLayouts = this.kept.step("sideLayouts", 2, () => {
    const { tree, sums } = this.filtered(),
      order = this.diff!.values(tree, sums, SIDES.off!),
      values = [SIDES.before!, SIDES.after!].map(s => this.diff!.values(tree, sums, s)),
      total = Math.max(values[0][0], values[1][0]);
    return values.map(v => ({ ...layOut(tree, v, true, order), total }));
  });

  // Of each side what it has of causes; the change is one on both.
  private sidePaints = this.kept.step("sidePaints", 2, () => {
    const { tree, sums } = this.filtered();
    return [SIDES.before!, SIDES.after!].map(s =>
      this.paintOf(tree, sums, this.partsOf(s), PATHS),
    );
  });

  sides(): Graph[] {
    const { tree, sums } = this.filtered(),
      paints = this.sidePaints(this.filterKey() + this.state.color + this.theme);
    return this.sideLayouts(this.filterKey()).map((layout, i) => ({
      shape: tree,
      sums,
      layout,
      paint: paints[i],
    }));
  }

  // Side by side it is of both: what one goes through by keys and finds.
  graph(): Graph {
    const { tree, sums } = this.filtered(),
      s = this.state;
    return {
      shape: tree,
      sums,
      layout: this.layouts(this.filterKey() + this.measure() + !!this.look.byName),
      paint: this.paints(this.filterKey() + s.color + this.theme),
    };
  }

  // Where nothing was chosen yet: of the program's own functions the one with most time.
  private firstFn = this.kept.step("firstFn", 3, () => {
    const { p } = this,
      { pass } = this.filtered(),
      times = ownTimes(p, pass, this.weigh);
    const [key] = [...times].reduce((a, b) => (b[1] > a[1] ? b : a), [-1, -1]);
    return key < 0 ? "" : this.fnKey(Math.floor(key / 16), key % 16);
  });
  fnText = (): string =>
    this.state.fn || (this.look.ofFunction ? this.firstFn(this.filterKey()) : "");

  // Label and kind of it.
  fn(): { label: number; kind: number } | null {
    const m = /^(\d+):([^]*)$/.exec(this.fnText()),
      label = m ? this.labels.find(m[2]) : -1;
    return m && label >= 0 ? { label, kind: +m[1] } : null;
  }

  fnKey = (label: number, kind: number): string => `${kind}:${this.labels.text[label]}`;

  private halves = this.kept.step("halves", 4, key => {
    const { tree, sums } = this.filtered(),
      fn = this.fn()!;
    const half: Half = (key.startsWith("callers") ? callers : callees)(
      tree,
      sums,
      this.labels,
      fn.label,
      fn.kind,
    );
    const parts = joinParts(this.parts(), half.adds, half.shape.len);
    return {
      shape: half.shape,
      sums: half.sums,
      paint: this.paintOf(half.shape, half.sums, parts, FUNCTIONS),
      layout: layOut(
        half.shape,
        valuesOf(half.shape, half.sums, this.state.measure, this.diff),
        true,
      ),
    };
  });

  half(which: "callers" | "callees"): Graph | null {
    const s = this.state;
    return this.fn()
      ? this.halves(which + this.filterKey() + s.measure + s.color + this.theme + this.fnText())
      : null;
  }

  private keptFunctions = this.kept.step("functions", 2, () => {
    const { tree, sums, pass } = this.filtered();
    return functionSums(this.p, tree, sums, pass);
  });
  functions = (): FunctionSums => this.keptFunctions(this.filterKey());

  private tables = this.kept.step("tables", 3, () => {
    const { tree, sums, pass } = this.filtered(),
      names = { task: this.taskName, process: this.processName };
    return tableRows(
      this.p,
      tree,
      sums,
      pass,
      this.labels.text,
      this.state.by,
      names,
      this.functions,
    );
  });

  rows(by = this.state.by): Row[] {
    return this.as({ by }, () => this.tables(this.filterKey() + by));
  }

  private keptPlaces = this.kept.step("keptPlaces", 3, (): Places => {
    const rows = this.rows("place").slice().sort((a, b) => b.off - a.off),
      busy = rows.filter(r => r.off > r.idle),
      shown = busy.length ? busy : rows;
    return {
      rows: shown
        .slice(0, PLACES)
        .map(({ key, name, note, off, idle, variance }) => ({
          key,
          name,
          note,
          off,
          idle,
          variance,
        })),
      count: shown.length,
      busy: busy.length > 0,
    };
  });

  // Waits for work are no answer to where time was lost: they are here only if there is no else.
  places = (): Places => this.keptPlaces(this.filterKey());

  // Which labels a search finds; null: there is no search. Lower case finds any case; between
  // slashes is a regular expression.
  private search = () => this.finds(this.labels.text.length + ":" + this.state.search);
  private finds = this.kept.step("finds", 2, key => {
    const search = key.slice(key.indexOf(":") + 1),
      text = this.labels.text;
    const out = new Uint8Array(text.length),
      m = /^\/(.+?)\/?(i?)$/.exec(search);
    let test: (s: string) => boolean;
    if (m) {
      try {
        const expression = new RegExp(m[1], m[2]);
        test = s => expression.test(s);
      } catch {
        return { out, bad: true };
      }
    } else {
      const small = search === search.toLowerCase();
      test = s => (small ? s.toLowerCase() : s).includes(search);
    }
    text.forEach((s, i) => (out[i] = test(s) ? 1 : 0));
    return { out, bad: false };
  });

  matches(): Uint8Array | null {
    this.tree(); // names of groups are labels too
    return this.state.search ? this.search().out : null;
  }

  searchIsBad(): boolean {
    return !!this.state.search && this.search().bad;
  }

  // Frames that a search finds, in the order of the picture, and the value they cover below
  // `root`, each moment once.
  found(root: number): { nodes: number[]; covered: number; whole: number } {
    const hits = this.matches(),
      { layout: l, shape } = this.graph(),
      nodes: number[] = [];
    const from = Math.max(0, l.box[Math.max(0, root)]),
      { idle } = this.filtered().sums,
      rest = this.diff || this.measure() !== "off" || !(l.w[from] > idle[l.node[from]]);
    const value = (i: number) => l.w[i] - (rest ? 0 : idle[l.node[i]]);
    let covered = 0,
      until = 0;
    for (let i = from; hits && i < l.skip[from]; i++) {
      const node = l.node[i];
      if (node === 0 || !hits[shape.label[node]]) continue;
      nodes.push(node);
      if (i >= until) {
        covered += value(i);
        until = l.skip[i];
      }
    }
    return { nodes, covered, whole: l.len ? value(from) : 0 };
  }

  private keptLanes = this.kept.step("lanes", 1, () => new Lanes(this.whole));
  lanes = (): Lanes => this.keptLanes("");
  private keptPaths = this.kept.step("paths", 1, () => new Paths(this.lanes()));
  paths = (): Paths => this.keptPaths("");
  // Do the instants say who ended waits?
  get hasPaths(): boolean {
    const { timelines, graph } = this.whole.head;
    return !!timelines && !!graph?.redistributed;
  }
  // By its name in a link. null: there is none.
  private keptPath = this.kept.step("path", 2, name => pathNamed(this.paths(), name));
  criticalPath = (name: string): Path | null =>
    name && this.hasPaths ? this.keptPath(name) : null;

  private keptRequests = this.kept.step("requests", 1, () => new Requests(this.whole));
  requests = (): Requests => this.keptRequests("");

  // Of timelines, which waits are looked for. Instants are of waits that are not divided, and of
  // all of the time.
  looked = (): Looked =>
    this.as(UNDIVIDED, () => {
      const { search, slice, at, fn } = this.state;
      return this.keptLooked(JSON.stringify([this.filterKey(), search, !slice && [at, fn]]));
    });
  private keptLooked = this.kept.step("looked", 3, (): Looked => {
    const { p } = this,
      { tree, pass } = this.filtered(),
      { search, slice } = this.state,
      hits = this.searchIsBad() ? null : this.matches(),
      found = new Uint8Array(tree.len),
      node = this.nodeOf(this.state.at),
      nodes = slice ? [] : node > 0 ? [node] : this.nodesOfFn(),
      bright = pass.slice();
    for (let i = 1; hits && i < tree.len; i++)
      found[i] = hits[tree.label[i]] || found[tree.parent[i]];
    for (let w = 1; hits && w <= p.waits; w++) bright[w] &= found[tree.leaf[w]];
    const threads = threadsOf(p, this.taskPasses(), bright, this.narrowed() || !!search);
    if (nodes.length) {
      const below = new Uint8Array(bright.length);
      for (const w of waitsBelow(tree, bright, nodes)) below[w] = 1;
      bright.set(below);
    }
    return { bright, cause: p.wait.cause, threads };
  });

  // Of one of these waits, the key of its innermost frame.
  leafOf = (w: number): string => this.as(UNDIVIDED, () => this.keyOf(this.tree().leaf[w]));

  statsOf(nodes: number[]): { stats: Stats; waits: number[] } {
    const { sums } = this.filtered(),
      waits = this.waitsOf(nodes),
      stats = this.addUp(waits);
    for (const n of nodes) stats.self += sums.self[n];
    return { stats, waits };
  }

  private waitsOf(nodes: number[]): number[] {
    const { tree, pass } = this.filtered();
    return [...waitsBelow(tree, pass, nodes)];
  }

  // Run queue time of a wait for work is a row of its own in a diff, behind that of the wait.
  private addUp(waits: number[]): Stats {
    const stats = makeStats();
    waits.forEach((w, i) => {
      addWait(stats, this.p, w);
      if (!this.p.wait.count[w] && waits[i - 1] !== w - 1) stats.uncounted += rowNs(this.p, w);
    });
    return stats;
  }

  // Of a diff, before and after.
  sidesOf(nodes: number[]): [Stats, Stats] {
    const { tree } = this.filtered(),
      waits = this.waitsOf(nodes),
      self = new Set(nodes);
    const of = (side: number[]) => {
      const stats = this.addUp(side);
      for (const w of side) stats.self += self.has(tree.leaf[w]) ? rowNs(this.p, w) : 0;
      return stats;
    };
    return [of(waits.filter(w => w <= this.p.split)), of(waits.filter(w => w > this.p.split))];
  }

  // Of one set of waits.
  pairOf(nodes: number[]): Pair {
    const { sums } = this.filtered(),
      pair = { off: 0, was: 0, mark: 0 };
    for (const n of nodes) {
      pair.off += sums.off[n];
      pair.was += sums.was[n];
      pair.mark += sums.mark[n];
    }
    return pair;
  }

  // By what things are sorted: time, of a diff that of both sides by their units.
  weigh = (pair: Times): number => (this.diff ? this.diff.mean(pair) : pair.off);
  weightOf = (node: number): number => this.weigh(this.pairOf([node]));

  // Of those waits that a name stands for.
  pairsBy(waits: number[], of: (w: number) => string): Map<string, Pair> {
    const { p } = this,
      out = new Map<string, Pair>();
    for (const w of waits) {
      const name = of(w),
        ns = rowNs(p, w),
        pair = out.get(name) ?? { off: 0, was: 0, mark: 0 };
      out.set(name, {
        off: pair.off + ns,
        was: pair.was + (w <= p.split ? ns : 0),
        mark: pair.mark + (p.mark[w] ?? 0),
      });
    }
    return out;
  }

  // The threads whose whole time a node has: of a group of threads. null: it is something else.
  tasksOf(node: number): number[] | null {
    const { tree } = this.filtered(),
      pass = this.taskPasses(),
      named = { comm: 1, process: 1, thread: 1 }[tree.group as string];
    const group = node > 0 ? this.labels.text[tree.label[node]] : "",
      out: number[] = [];
    if (node > 0 && !(named && tree.kind[node] === Kind.Group)) return null;
    for (let t = 1; t <= this.p.tasks; t++) {
      if (pass[t] && (!group || groupOfTask(this.p, tree.group, t) === group)) out.push(t);
    }
    return out;
  }

  hasBins(): boolean {
    return !this.p.partial && this.p.head.sides.some(s => s.header.hist_unit_ns > 0);
  }

  // The histograms of these threads, of each side one.
  binsOf(tasks: number[]): Bins[] {
    const { bin, head } = this.p,
      mine = new Set(tasks),
      last = head.diff ? head.diff.split[1] : 0, // of the side before
      sideOf = (task: number) => (head.diff && task > last ? 1 : 0),
      out = head.sides.map(({ header }, side) => ({
        unit_ns: header.hist_unit_ns,
        threads: tasks.filter(t => sideOf(t) === side).length,
        counts: BIN_KINDS.map(() => new Float64Array(BINS)),
      }));
    for (let i = 1; i < bin.task.length; i++) {
      const task = bin.task[i];
      if (mine.has(task)) out[sideOf(task)].counts[bin.kind[i]][bin.bucket[i]] += bin.count[i];
    }
    return out;
  }

  nodesOfFn(): number[] {
    const fn = this.fn(),
      { tree, sums } = this.filtered();
    return fn ? outermost(tree, sums, fn.label, fn.kind) : [];
  }

  // Root first.
  path(shape: Shape, node: number): number[] {
    const out: number[] = [];
    for (let at = node; at > 0; at = shape.parent[at]) out.unshift(at);
    return out;
  }

  // From a node on, always the child with most time.
  heaviest(node: number): number[] {
    const { tree, sums } = this.filtered(),
      out: number[] = [];
    for (;;) {
      let best = -1;
      for (let c = node + 1; c < tree.end[node]; c = tree.end[c]) {
        if (sums.off[c] > 0 && (best < 0 || this.weightOf(c) > this.weightOf(best))) best = c;
      }
      if (best < 0) return out;
      out.push((node = best));
    }
  }

  kindWord(kind: number): string {
    const words = ["", "group", "user", "", "kernel", "", "interpreted", "cut off here"];
    return [...words, "inlined", "", "waker"][kind] ?? "";
  }

  isCode(kind: number): boolean {
    return kind !== Kind.All && kind !== Kind.Group && kind !== Kind.OnCpu;
  }
}
