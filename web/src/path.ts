// SPDX-License-Identifier: Apache-2.0
//
// The critical path of a thread: what its time went to, also in threads that it waited for. The
// rules are those of src/analysis/path/critical_path.c, part for part; docs/critical-path.md has
// them in words. Here it can be of any time that the reader looks at.
import { Flag, type Profile } from "./data";
import type { Lanes } from "./lanes";

// What a part is: whether that is the end of the matter, and in words.
export const PATH_KINDS = {
  "on-cpu": [true, "on a CPU"],
  "run-queue": [true, "waiting for a CPU"],
  interrupt: [true, "blocked until an interrupt"],
  io: [true, "blocked in I/O"],
  self: [true, "blocked until it woke itself"],
  open: [false, "blocked, and not over at the end"],
  "waker-unknown": [false, "blocked, and who ended it is not known"],
  "waker-not-recorded": [false, "blocked until a thread that is not recorded"],
  "waker-unborn": [
    false,
    "blocked, and the thread that ended it was not born or not recorded yet",
  ],
  loop: [false, "blocked by threads that woke each other"],
  "too-deep": [false, "blocked by more threads in turn than are followed"],
  "not-known": [false, "not known: instants are missing"],
  "not-split": [false, "not split: which thread had the request is not known"],
} as const;
export type PathKind = keyof typeof PATH_KINDS;

const DEPTH_MAX = 64, // threads in turn
  TURNS = 32, // threads that followed each other, in a link
  THREADS_APART = 12; // of more threads on a path, those with one name are one row
// enum profile_waker_context and profile_waker_flag
const [BY_THREAD, BY_OTHER, SELF] = [0, 4, 4];

// A wait that the path left for the thread that ended it. Link 0: the thread itself.
export interface Link {
  parent: number;
  moment: number;
  task: number; // that waited
  waker: number;
  depth: number;
}

export interface Part {
  begin: number; // ns since the begin
  ns: number;
  task: number; // who did that
  kind: PathKind;
  link: number; // how the path came there
  moment: number; // of its wait; -1: none
  waker: number; // who ended the wait, if the path did not follow; 0: nobody known
}

// Parts that are alike.
export interface PathRow {
  task: number; // the first one
  threads: number;
  kind: PathKind;
  cause: number; // of `causes`; -1: it is no wait
  place: string;
  object: string;
  waker: string;
  ns: number;
  parts: number;
  longest: Part;
}

export interface Path {
  thread: number; // the first one
  then: number[]; // those that followed it: of a request that they handed on
  begin: number;
  end: number;
  parts: Part[]; // one behind the other, and all of the time
  links: Link[];
  known: number; // ns of the kinds that are known
}

// The thread of a task, in a part of the time. Not split: it is not known which thread it was.
export interface Turn {
  task: number;
  begin: number;
  end: number;
  split: boolean;
}

// What a thread itself did.
export interface Own {
  task: number;
  begin: number;
  ns: number;
  part: "on-cpu" | "run-queue" | "blocked" | "not-known";
  moment: number; // of its wait; -1: none
}

// All steps of a thread, over its tasks: a wait, or what lies between two.
interface Steps {
  begin: Float64Array;
  end: Float64Array;
  moment: Int32Array; // or ON, LOST
  task: Int32Array;
}
const ON = -1,
  LOST = -2;

export class Paths {
  private readonly tasksOf = new Map<number, number[]>();
  private readonly made = new Map<number, Steps>();

  constructor(private readonly lanes: Lanes) {
    const { task, tasks } = lanes.p;
    for (let t = 1; t <= tasks; t++) {
      const list = this.tasksOf.get(task.thread[t]);
      if (list) list.push(t);
      else this.tasksOf.set(task.thread[t], [t]);
    }
  }

  private get p(): Profile {
    return this.lanes.p;
  }

  private steps(thread: number): Steps {
    let steps = this.made.get(thread);
    if (!steps) this.made.set(thread, (steps = this.makeSteps(thread)));
    return steps;
  }

  private makeSteps(thread: number): Steps {
    const { lane, moment } = this.p,
      { cut } = this.lanes,
      tasks = this.tasksOf.get(thread) ?? [],
      rows: [number, number, number, number][] = [];
    for (const t of tasks) {
      const add = (begin: number, end: number, what: number) =>
          end > begin && rows.push([begin, end, what, t]),
        between = (from: number, to: number) => {
          if (!lane.whole[t]) return add(from, to, LOST);
          add(from, Math.min(to, cut), ON);
          return add(Math.max(from, cut), to, LOST);
        };
      let reached = lane.begin_ns[t];
      for (let i = moment.first[t]; i < moment.first[t + 1]; i++) {
        between(reached, moment.begin_ns[i]);
        reached = this.lanes.endOf(i);
        add(moment.begin_ns[i], reached, i);
      }
      between(reached, lane.end_ns[t]);
    }
    if (tasks.length > 1) rows.sort((a, b) => a[0] - b[0] || a[3] - b[3]);
    return {
      begin: Float64Array.from(rows, r => r[0]),
      end: Float64Array.from(rows, r => r[1]),
      moment: Int32Array.from(rows, r => r[2]),
      task: Int32Array.from(rows, r => r[3]),
    };
  }

  // From when to when the thread is known; null: it has no instants.
  bounds(thread: number): [number, number] | null {
    const { begin, end } = this.steps(thread);
    return begin.length ? [begin[0], end[end.length - 1]] : null;
  }

  // "12/34": of threads with one TID the one that was there longest. -1: there is none.
  threadOf(key: string): number {
    const { task } = this.p,
      [tgid, tid] = key.split("/").map(Number);
    let best = -1,
      most = -1;
    for (const [thread, tasks] of this.tasksOf) {
      const b = tasks.some(t => task.tgid[t] === tgid && task.tid[t] === tid)
        ? this.bounds(thread)
        : null;
      if (b && b[1] - b[0] > most) [best, most] = [thread, b[1] - b[0]];
    }
    return best;
  }

  // The name of a thread in a link.
  keyOf(thread: number): string {
    const { task } = this.p,
      tasks = this.tasksOf.get(thread)!,
      last = tasks[tasks.length - 1];
    return `${task.tgid[last]}/${task.tid[last]}`;
  }

  keyOfTask = (task: number): string => this.keyOf(this.p.task.thread[task]);
  // The first one of a thread.
  taskOf = (thread: number): number => this.tasksOf.get(thread)![0];

  // That of a recorded command, which was there before the others, or the only one; -1: none.
  first(): number {
    const { task, head } = this.p;
    if (this.tasksOf.size === 1) return this.tasksOf.keys().next().value!;
    if (!head.header.target.startsWith("command ")) return -1;
    let best = -1,
      least = [Infinity, Infinity];
    for (const [thread, tasks] of this.tasksOf) {
      const t = tasks[0],
        b = task.tid[t] === task.tgid[t] ? this.bounds(thread) : null;
      if (b && (b[0] < least[0] || (b[0] === least[0] && task.tid[t] < least[1])))
        [best, least] = [thread, [b[0], task.tid[t]]];
    }
    return best;
  }

  // The first step that ends after the instant.
  private find({ end }: Steps, at: number): number {
    let low = 0,
      high = end.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (end[mid] > at) high = mid;
      else low = mid + 1;
    }
    return low;
  }

  // The end of a window cuts a wait into steps: the last one says who ended it.
  private lastOfWait(s: Steps, step: number): number {
    const { moment, wait } = this.p;
    while (!moment.waker[s.moment[step]] && step + 1 < s.begin.length) {
      const w = moment.wait[s.moment[step]],
        next = s.moment[step + 1];
      if (!(wait.flags[w] & Flag.Open) || next < 0 || s.begin[step + 1] !== s.end[step]) break;
      const then = moment.wait[next];
      if (!(wait.flags[then] & Flag.Pre) || wait.state[then] !== wait.state[w]) break;
      step++;
    }
    return step;
  }

  // Who ended a wait, and what it is then; null: a recorded thread did, to be followed.
  private endOf(s: Steps, thread: number, step: number): { kind: PathKind | null; waker: number } {
    const { moment, wait, waker, task } = this.p,
      flags = wait.flags[moment.wait[s.moment[step]]],
      by = moment.waker[s.moment[this.lastOfWait(s, step)]],
      kind = (): PathKind | null => {
        const context = waker.context[by];
        if (by && context !== BY_THREAD && context !== BY_OTHER) return "interrupt";
        if (flags & Flag.IoWait) return "io";
        if (!by) return flags & Flag.Open ? "open" : "waker-unknown";
        if (context === BY_OTHER) return "waker-unknown";
        if (waker.flags[by] & SELF) return "self";
        if (!waker.task[by]) return "waker-not-recorded";
        return task.thread[waker.task[by]] === thread ? "self" : null;
      };
    return { kind: kind(), waker: by };
  }

  // One behind the other, and all of the time.
  own(thread: number, begin: number, end: number): Own[] {
    const s = this.steps(thread),
      out: Own[] = [],
      first = this.tasksOf.get(thread)![0];
    let at = begin;
    const put = (until: number, part: Own["part"], task: number, moment = -1) => {
      const to = Math.min(until, end);
      if (to <= at) return;
      out.push({ task, begin: at, ns: to - at, part, moment });
      at = to;
    };
    for (let i = this.find(s, begin); i < s.begin.length && s.begin[i] < end; i++) {
      const what = s.moment[i],
        task = s.task[i];
      put(s.begin[i], "not-known", task);
      if (what < 0) put(s.end[i], what === ON ? "on-cpu" : "not-known", task);
      else {
        put(s.begin[i] + this.p.moment.blocked_ns[what], "blocked", task, what);
        put(s.end[i], "run-queue", task, what);
      }
    }
    put(end, "not-known", first);
    return out;
  }

  // Of threads that followed each other.
  inTurn(turns: readonly Turn[]): Path {
    const { thread } = this.p.task,
      whole: Path = {
        thread: thread[(turns.find(turn => turn.split) ?? turns[0]).task],
        then: [],
        begin: turns[0].begin,
        end: turns[turns.length - 1].end,
        parts: [],
        links: [{ parent: 0, moment: -1, task: 0, waker: 0, depth: 0 }],
        known: 0,
      };
    for (const { task, begin, end, split } of turns) {
      const last = whole.then[whole.then.length - 1] ?? whole.thread;
      if (!split) {
        const ns = end - begin;
        whole.parts.push({ task, begin, ns, kind: "not-split", link: 0, moment: -1, waker: 0 });
        continue;
      }
      const { parts, links, known } = this.of(thread[task], begin, end),
        base = whole.links.length - 1,
        moved = (link: number) => (link ? link + base : 0);
      if (thread[task] !== last) whole.then.push(thread[task]);
      for (const part of parts) whole.parts.push({ ...part, link: moved(part.link) });
      for (const link of links.slice(1))
        whole.links.push({ ...link, parent: moved(link.parent) });
      whole.known += known;
    }
    return whole;
  }

  of(thread: number, begin: number, end: number): Path {
    const parts: Part[] = [],
      links: Link[] = [{ parent: 0, moment: -1, task: 0, waker: 0, depth: 0 }],
      busy = new Set([thread]),
      { moment, waker, task } = this.p;
    const put = (from: number, to: number, part: Omit<Part, "begin" | "ns">) => {
      if (to > from) parts.push({ ...part, begin: from, ns: to - from });
    };
    const follow = (at: Part, from: number, to: number) => {
      const next = task.thread[waker.task[at.waker]],
        depth = links[at.link].depth + 1;
      if (busy.has(next) || depth > DEPTH_MAX)
        return put(from, to, { ...at, kind: busy.has(next) ? "loop" : "too-deep" });
      links.push({
        parent: at.link,
        moment: at.moment,
        task: at.task,
        waker: at.waker,
        depth,
      });
      busy.add(next);
      walk(next, from, to, links.length - 1);
      busy.delete(next);
    };
    const putStep = (
      s: Steps,
      of: number,
      step: number,
      from: number,
      to: number,
      link: number,
    ) => {
      const what = s.moment[step],
        part = { task: s.task[step], link, moment: -1, waker: 0 };
      if (what < 0) return put(from, to, { ...part, kind: what === ON ? "on-cpu" : "not-known" });
      const woken = s.begin[step] + moment.blocked_ns[what],
        until = Math.min(woken, to);
      if (from < until) {
        const { kind, waker: by } = this.endOf(s, of, step),
          at = { ...part, moment: what, waker: by, begin: 0, ns: 0 };
        if (kind) put(from, until, { ...at, kind });
        else follow({ ...at, kind: "loop" }, from, until);
      }
      put(Math.max(from, woken), to, { ...part, kind: "run-queue", moment: what });
    };
    // The wait for a thread that is not there yet is a wait.
    const putGap = (s: Steps, of: number, from: number, to: number, link: number) => {
      const { parent, moment: m, task: t, waker: w } = links[link];
      if (link && from < (s.begin[0] ?? 0))
        return put(from, to, { task: t, kind: "waker-unborn", link: parent, moment: m, waker: w });
      const own = s.task[0] ?? this.tasksOf.get(of)?.[0] ?? 0;
      return put(from, to, { task: own, kind: "not-known", link, moment: -1, waker: 0 });
    };
    const walk = (of: number, from: number, to: number, link: number) => {
      const s = this.steps(of);
      for (let i = this.find(s, from); i < s.begin.length && s.begin[i] < to; i++) {
        putGap(s, of, from, s.begin[i], link);
        const at = Math.max(from, s.begin[i]),
          until = Math.min(to, s.end[i]);
        putStep(s, of, i, at, until, link);
        from = until;
      }
      putGap(s, of, from, to, link);
    };
    walk(thread, begin, end, 0);
    const known = parts.reduce((ns, part) => ns + (PATH_KINDS[part.kind][0] ? part.ns : 0), 0);
    return { thread, then: [], begin, end, parts, links, known };
  }

  // Longest first.
  rows({ parts }: Path): PathRow[] {
    const { p } = this,
      { moment, wait, object, waker, strings, task } = p,
      apart = new Set(parts.map(part => task.thread[part.task])).size <= THREADS_APART,
      rows = new Map<string, PathRow & { all: Set<number> }>();
    for (const part of parts) {
      const w = part.kind !== "run-queue" && part.moment >= 0 ? moment.wait[part.moment] : 0,
        thread = task.thread[part.task],
        texts = {
          cause: w ? wait.kind[w] : -1,
          place: w ? strings[wait.place[w]] : "",
          object: w && object.says[wait.object[w]] ? strings[object.label[wait.object[w]]] : "",
          waker: w && part.waker ? strings[waker.shared[part.waker]] : "",
        },
        key = JSON.stringify([
          apart && thread,
          task.comm[part.task],
          part.kind,
          ...Object.values(texts),
        ]);
      let row = rows.get(key);
      if (!row) {
        row = {
          ...texts,
          task: part.task,
          threads: 0,
          kind: part.kind,
          ns: 0,
          parts: 0,
          longest: part,
          all: new Set(),
        };
        rows.set(key, row);
      }
      row.ns += part.ns;
      row.parts++;
      row.all.add(thread);
      if (part.ns > row.longest.ns) row.longest = part;
    }
    return [...rows.values()]
      .map(({ all, ...row }) => ({ ...row, threads: all.size }))
      .sort((a, b) => b.ns - a.ns);
  }
}

// "12/34@1000~2000": of that thread, in that time. Several follow each other, such as
// "12/34@1000~2000,12/35@2000~3000", and "-12/34@0~1000" is not split. null: there is none.
export function pathNamed(paths: Paths, text: string): Path | null {
  const turns = text.split(",").slice(0, TURNS).map(turn => turnNamed(paths, turn));
  return turns.every(turn => turn !== null) ? paths.inTurn(turns as Turn[]) : null;
}

function turnNamed(paths: Paths, text: string): Turn | null {
  const m = /^(-?)(\d+\/\d+)(?:@(\d{1,16}(?:\.\d+)?)~(\d{1,16}(?:\.\d+)?))?$/.exec(text),
    thread = m ? paths.threadOf(m[2]) : -1,
    bounds = thread < 0 ? null : paths.bounds(thread);
  if (!m || !bounds) return null;
  const begin = Math.max(bounds[0], Math.round(+(m[3] ?? 0))),
    end = Math.min(bounds[1], Math.round(+(m[4] ?? Infinity)));
  return begin < end ? { task: paths.taskOf(thread), begin, end, split: !m[1] } : null;
}

export function turnsKey(turns: readonly Turn[], paths: Paths): string {
  return turns
    .map(
      ({ task, begin, end, split }) =>
        `${split ? "" : "-"}${paths.keyOfTask(task)}@${begin}~${end}`,
    )
    .join(",");
}

// The threads that waited for the one of a part, the first of them first.
export function chainOf({ links }: Path, { link }: Part): number[] {
  const out: number[] = [];
  for (let at = link; at; at = links[at].parent) out.unshift(links[at].task);
  return out;
}
