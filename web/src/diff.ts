// SPDX-License-Identifier: Apache-2.0
//
// Two recordings in one profile. What of a change is noise is decided by the program, by seconds
// that the page has not: of all, of causes, of functions and of paths. Whatever the page shows is a
// set of waits, and a set that was tested has its verdict however the reader came to it. Of any
// other it is not known.
import { rowNs, type DiffHead, type Item, type Profile, type Verdict } from "./data";
import { time } from "./format";
import { tableRows } from "./stats";
import { buildTree, sumTree, type Labels, type Sums } from "./tree";

export interface Times {
  off: number; // of both sides, ns
  was: number; // of the side before
}

// Of a set of waits, with what tells it from others.
export interface Pair extends Times {
  mark: number; // sum of Profile.mark
}

export interface Judged {
  verdict: Verdict;
  p: number | null; // null: it was not tested
}

// Which tests may have been of what is asked for, the likeliest first.
export type Family = "whole" | "functions" | "paths";

type Known = Map<number, (Pair & { item: Item })[]>;

export function pairOf(sums: Sums, node: number): Pair {
  return { off: sums.off[node], was: sums.was[node], mark: sums.mark[node] };
}

export class Diff {
  readonly head: DiffHead;
  private readonly known: Record<Family, Known> = {
    whole: new Map(),
    functions: new Map(),
    paths: new Map(),
  };
  private readonly total: Pair = { off: 0, was: 0, mark: 0 };

  constructor(p: Profile, labels: Labels) {
    this.head = p.head.diff!;
    this.learnAll(p);
    this.learnPaths(p);
    this.learnFunctions(p, labels);
  }

  private learn(family: Family, pair: Pair, item: Item): void {
    const list = this.known[family].get(pair.mark);
    if (list) list.push({ ...pair, item });
    else this.known[family].set(pair.mark, [{ ...pair, item }]);
  }

  private learnAll(p: Profile): void {
    const idle = { off: 0, was: 0, mark: 0 },
      causes = new Map<number, Pair>(
        this.head.causes.map(c => [c[0], { off: 0, was: 0, mark: 0 }]),
      );
    for (let w = 1; w <= p.waits; w++) {
      if (!p.wait.path[w]) {
        add(idle, p, w);
        continue;
      }
      add(this.total, p, w);
      const cause = causes.get(p.wait.kind[w]);
      if (cause) add(cause, p, w);
    }
    this.learn("whole", this.total, this.head.total);
    this.learn("whole", idle, this.head.idle);
    for (const [cause, ...item] of this.head.causes) this.learn("whole", causes.get(cause)!, item);
  }

  private learnPaths(p: Profile): void {
    const { parent, verdict, p: chance } = p.path,
      sums = Array.from(parent, () => ({ off: 0, was: 0, mark: 0 }));
    for (let w = 1; w <= p.waits; w++) {
      if (p.wait.path[w]) add(sums[p.wait.path[w]], p, w);
    }
    for (let i = parent.length - 1; i > 0; i--) {
      const up = sums[parent[i]];
      this.learn("paths", sums[i], [verdict[i], chance[i]]);
      up.off += sums[i].off;
      up.was += sums[i].was;
      up.mark += sums[i].mark;
    }
  }

  private learnFunctions(p: Profile, labels: Labels): void {
    const tree = buildTree(p, labels, "comm", false),
      pass = Uint8Array.from(p.wait.path, path => (path ? 1 : 0)),
      sums = sumTree(p, tree, pass),
      items = new Map<string, Item>(),
      names = { task: () => "", process: () => "" };
    for (let i = 1; i < p.func.label.length; i++)
      items.set(`${p.func.kind[i]}:${p.func.label[i]}`, [p.func.verdict[i], p.func.p[i]]);
    for (const row of tableRows(p, tree, sums, pass, labels.text, "function", names)) {
      const item = items.get(row.key);
      if (item) this.learn("functions", row, item);
    }
  }

  judge(pair: Pair, ...families: Family[]): Judged {
    const { verdicts, weight_min } = this.head;
    for (const family of families) {
      const found = this.known[family]
        .get(pair.mark)
        ?.find(k => k.off === pair.off && k.was === pair.was);
      if (!found) continue;
      const verdict = verdicts[found.item[0]];
      return { verdict, p: isTested(verdict) ? found.item[1] / 1e9 : null };
    }
    const weighs = (ns: number, whole: number) => ns > 0 && ns >= weight_min * whole;
    const { off, was } = this.total,
      some = weighs(pair.was, was) || weighs(pair.off - pair.was, off - was);
    return { verdict: some ? "unknown" : "small", p: null };
  }

  // ns per unit.
  before = (pair: Times): number => pair.was / this.head.units[0];
  after = (pair: Times): number => (pair.off - pair.was) / this.head.units[1];
  change = (pair: Times): number => this.after(pair) - this.before(pair);

  // How much there is of it on both sides, however long each was recorded: ns per unit.
  mean = (pair: Times): number => (this.before(pair) + this.after(pair)) / 2;

  // Part of what it was: 0.25 is a quarter more.
  part(pair: Times): number {
    return pair.was ? this.change(pair) / this.before(pair) : pair.off ? Infinity : 0;
  }

  changeText = (pair: Times): string => signed(this.change(pair));

  percentText(pair: Times): string {
    if (!pair.off) return "-";
    if (!pair.was || pair.off === pair.was) return pair.was ? "gone" : "new";
    const before = this.before(pair),
      after = this.after(pair);
    if (after >= 11 * before) return "x" + (after / before).toFixed(0);
    const percent = (100 * Math.abs(this.part(pair))).toFixed(1);
    return (this.part(pair) < 0 ? "\u2212" : "+") + percent + "%";
  }

  // "1.20 s, then 1.50 s per second"
  ratesText = (pair: Times): string =>
    `${time(this.before(pair))}, then ${time(this.after(pair))} per ${this.head.per}`;

  // diff_largest_text() of src/render/diff/diff_view.h: "a single wait of 5.00 s is 83% of it".
  largestText(pair: Times, longest: [number, number], verdict: Verdict): string {
    const change = this.change(pair),
      side = change > 0 ? 1 : 0,
      part = longest[side] / this.head.units[side] / Math.abs(change),
      most = Math.max(this.before(pair), this.after(pair));
    if (!change || part < 0.5 || verdict === "small" || Math.abs(change) < 0.1 * most) return "";
    const what = part >= 1 ? "all" : (100 * part).toFixed(0) + "%";
    return `a single wait of ${time(longest[side])} is ${what} of it`;
  }

  // -1 to 1: how much less or more, see diff_color() in render/diff/diff_view.h; 0: too little
  // to be tested; 2: chance.
  tone(pair: Pair, ...families: Family[]): number {
    const { verdict } = this.judge(pair, ...families),
      change = this.change(pair),
      most = Math.max(this.before(pair), this.after(pair)),
      part = most > 0 ? Math.abs(change) / most : 0;
    if (verdict === "noise") return 2;
    if (verdict === "small" || !part) return 0;
    const strong = part > 0.5 ? 1 : 0.25 + 1.5 * part;
    return Math.sign(change) * (verdict === "unknown" ? strong / 3 : strong);
  }

  // Widths of boxes, in thousandths of a ns per unit: the mean of both sides or one of them. Whole
  // numbers, added up from the leaves, so that children are never wider than their parents.
  values(shape: { len: number; parent: Int32Array }, sums: Sums, of: number[]): Float64Array {
    const { units } = this.head,
      out = new Float64Array(shape.len),
      was = sums.was.slice(),
      off = sums.off.slice();
    for (let i = shape.len - 1; i > 0; i--) {
      was[shape.parent[i]] -= sums.was[i];
      off[shape.parent[i]] -= sums.off[i];
    }
    for (let i = shape.len - 1; i >= 0; i--) {
      const now = off[i] - was[i];
      out[i] += Math.round(1000 * ((of[0] * was[i]) / units[0] + (of[1] * now) / units[1]));
      if (i) out[shape.parent[i]] += out[i];
    }
    return out;
  }
}

function add(to: Pair, p: Profile, w: number): void {
  to.off += rowNs(p, w);
  to.mark += p.mark[w];
  if (w <= p.split) to.was += rowNs(p, w);
}

export function isTested(verdict: Verdict): boolean {
  return verdict !== "small" && verdict !== "unknown";
}

export function signed(ns: number): string {
  const text = time(Math.abs(ns));
  return Math.round(ns) > 0 ? "+" + text : Math.round(ns) < 0 ? "\u2212" + text : text;
}

export const VERDICT_SAYS: Record<Verdict, string> = {
  more: "more than chance explains",
  less: "less, and more so than chance explains",
  noise: "no more than chance, or too little to matter",
  small: "too little of either side to be tested",
  unknown: "not tested",
};
