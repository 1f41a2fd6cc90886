// SPDX-License-Identifier: Apache-2.0
//
// The data of a report, as render/page/page_data.h of the program describes it, or of a diff, as
// diff_page.h does. All numbers are doubles: times are exact up to 2^53 ns, 104 days of waiting.

export interface Header {
  title: string;
  host: string;
  kernel: string;
  arch: string;
  coldspot: string;
  command: string;
  target: string;
  hooks: string;
  ncpu: number;
  begin_wall_ms: number;
  window_ns: number;
  period_ns: number;
  idle_shown: boolean; // as was asked for, even if it is most
  hist_unit_ns: number; // 0: there are no histograms of threads
  sampled: boolean;
  visit_hz?: number; // threads were visited: who lost a CPU and who was woken is unknown
  tasks?: boolean; // tasks were visited: a thread is all tasks that began with one function
  filtered: boolean;
  unknown: string[]; // of an import, what its source does not tell: such numbers are blank
}

export interface Budget {
  threads: number;
  processes: number;
  wall_ns: number;
  on_ns: number;
  preempted_ns: number;
  runq_ns: number;
  blocked_ns: number;
  unaccounted_ns: number;
  listed_blocked_ns: number;
  listed_runq_ns: number;
  switches: number;
  blocked_by_state_ns: number[];
}

export interface Loss {
  name: string;
  events: number;
  ns: number;
  text: string;
}

// As the JSON has it; the page makes its own tables.
export interface Summary {
  blocked_ns: number; // without waits for work
  idle_ns: number | null; // null: not known, blocked_ns is both
  kinds: { cause: string; class: string; blocked_ns: number; runq_ns: number; hint: string }[];
  hints: { cause: string; name: string; blocked_ns: number; runq_ns: number; hint: string }[];
  patterns?: { kind: string; matters: boolean; sentence: string }[]; // of wakeups, if recorded
}

// The data of one recording.
export interface Side {
  name: string; // of the recording, as typed
  text: string; // its time and threads, a part of a sentence
  header: Header;
  budget: Budget;
  summary: Summary;
  losses: Loss[];
  names: string; // which addresses have none, and why; "": all have one
  user_stacks: { total_ns: number; whole_ns: number; rest: { ns: number; words: string }[] };
  effort: string[];
  scope: string[]; // of what it is, where it is not one window whole
}

export interface Timelines {
  waits: number; // whose instants are here
  of: number; // so many there were
  until_ns?: number; // what is later was left out
}

// Who waits for whom, if it was recorded who ended waits: what is not in Profile.node and edge.
export interface GraphHead {
  blocked_ns: number; // of all edges
  threads: number;
  redistributed: boolean; // time is on the edge on which a wait ended; else all of it on its own
  knots: { ns: number; in_ns: number; threshold_ns: number; sentence: string }[];
}

// Of those that took most time, so many classes are here.
export interface RequestsHead {
  classes: number;
  of: number;
}

// A verdict, as a number, and p in billionths.
export type Item = [number, number];

export interface DiffHead {
  per: string; // "second", "thread-second", "request"
  units: [number, number];
  split: [number, number]; // waits and tasks of the side before
  tested: boolean;
  idle_apart: boolean; // waits for work are in no total
  weight_min: number; // part of a side below which nothing was tested
  total: Item;
  idle: Item;
  causes: [number, number, number][]; // cause, then as Item
  verdicts: Verdict[];
  tested_text: string;
  key_text: string;
}

export type Verdict = "small" | "unknown" | "noise" | "more" | "less";

interface Head extends Side {
  format: string;
  version: number;
  diff?: DiffHead;
  sides: Side[]; // one, or those of a diff
  divided?: number; // the last waits, this many, are all waits by who ended them
  wakers_shown?: boolean; // as was asked for
  timelines?: Timelines; // if the instants of waits were recorded
  graph?: GraphHead;
  requests?: RequestsHead; // if some were recorded
  causes: [string, string][];
  classes: [string, string][];
  strings: string[];
  columns: [string, number, number, number][];
}

// Row 0 of every table is "none".
export interface Profile {
  head: Omit<Head, "strings" | "columns">;
  strings: string[];
  module: { kind: Int32Array; path: Int32Array; build_id: Int32Array };
  frame: {
    label: Int32Array;
    kind: Uint8Array;
    module: Int32Array;
    file: Int32Array;
    line: Int32Array;
    reason: Int32Array;
  };
  stack: { parent: Int32Array; frame: Int32Array; waker: Uint8Array };
  task: {
    tid: Int32Array;
    tgid: Int32Array;
    comm: Int32Array;
    group_comm: Int32Array;
    flags: Int32Array;
    wall_ns: Float64Array;
    on_ns: Float64Array;
    preempted_ns: Float64Array;
    runq_ns: Float64Array;
    blocked_ns: Float64Array;
    unaccounted_ns: Float64Array;
    switches: Float64Array;
    cgroup: Int32Array; // path, or "cgroup 77"
    node: Int32Array; // of `node`; empty without a graph, as the next one
    thread: Int32Array; // the same for two tasks: one thread, which called exec
  };
  object: {
    label: Int32Array;
    says: Int32Array; // 0: only a number in the process, left out of places
  };
  wait: {
    task: Int32Array;
    user_stack: Int32Array;
    kernel_stack: Int32Array;
    notes: Uint8Array;
    cause: Uint8Array; // idle for all waits for work
    kind: Uint8Array; // its own cause, also of those
    class: Uint8Array;
    syscall: Int32Array;
    state: Uint8Array;
    flags: Int32Array;
    blocked_ns: Float64Array;
    runq_ns: Float64Array;
    count: Float64Array;
    max_ns: Float64Array;
    samples: Float64Array;
    var_us2: Float64Array;
    on_ns: Float64Array; // of rows that are no wait, but time on a CPU
    place: Int32Array; // as the summary has it, without the process
    own: Int32Array; // the frame that it begins with
    object: Int32Array;
    owner: Int32Array; // who held it, a string; it need not have been recorded
    owner_task: Int32Array;
    path: Int32Array; // of a diff: row of `path`; 0: idle
  };
  // Of a diff: what was tested, each with its verdict and p in billionths.
  path: { parent: Int32Array; verdict: Uint8Array; p: Float64Array };
  func: { label: Int32Array; kind: Uint8Array; verdict: Uint8Array; p: Float64Array };
  // Buckets of wait w: [first[w], first[w + 1]) of bucket and count.
  hist: { first: Int32Array; bucket: Uint8Array; count: Float64Array };
  // Of threads: every wait and slice, listed or not, in the order of task, kind and bucket.
  bin: { task: Int32Array; kind: Uint8Array; bucket: Uint8Array; count: Float64Array };
  // Of waits, not divided: what each had in which interval, as the program counts it: a wait is in
  // the interval in which it ended, or before. All begin at row 0.
  interval: { begin_ns: Float64Array; length_ns: Float64Array };
  part: { wait: Float64Array; interval: Float64Array; ns: Float64Array };
  // When each wait happened, of waits that are not divided: those of task t are rows first[t] to
  // first[t + 1] - 1, in the order of time. Times are since the begin. All begin at row 0.
  moment: {
    first: Int32Array;
    wait: Int32Array;
    begin_ns: Float64Array;
    blocked_ns: Float64Array; // from the begin
    runq_ns: Float64Array; // after that
    waker: Int32Array; // who ended it
  };
  // By task: from when to when it is known. "all": outside of that there was no such thread.
  // "whole": between two waits it was on a CPU. Otherwise these times are not known.
  lane: { begin_ns: Float64Array; end_ns: Float64Array; all: Uint8Array; whole: Uint8Array };
  waker: {
    task: Int32Array;
    label: Int32Array;
    context: Int32Array;
    flags: Int32Array;
    shared: Int32Array; // the name of all threads that are called so
  };
  // The graph of who waits for whom, as the program computes it; these two begin at row 0.
  node: {
    name: Int32Array;
    kind: Uint8Array; // of NODE_KINDS
    threads: Float64Array;
    waited_ns: Float64Array;
    ended_ns: Float64Array;
    knot: Int32Array; // 1 + index; 0: in none
  };
  edge: {
    from: Int32Array;
    to: Int32Array;
    cause: Uint8Array;
    ns: Float64Array;
    full_ns: Float64Array;
    runq_ns: Float64Array;
  };
  // Requests by class, each with its rows of `doing` and its slowest, whose threads are rows of
  // `span`. In order, and all begin at row 0. requests.ts reads them.
  requestClass: {
    [name in
      | "name"
      | "count"
      | "before"
      | "open"
      | "nested"
      | "handed"
      | "overlapping"
      | "p50_ns"
      | "p90_ns"
      | "p99_ns"
      | "max_ns"
      | "slow"
      | "middle"
      | "rows"
      | "slowest"]: Float64Array;
  };
  doing: {
    [name in
      | "part"
      | "cause"
      | "idle"
      | "place"
      | "ns"
      | "slow_ns"
      | "middle_ns"
      | "error_ns"]: Float64Array; // error_ns: 1 more; 0: there is none
  };
  request: {
    [name in "begin_ns" | "ns" | "task" | "writer" | "trace" | "spans"]: Float64Array;
  };
  span: { [name in "task" | "ns" | "split"]: Float64Array };
  idle: number; // the class of waits for work
  waits: number;
  tasks: number;
  split: number; // waits up to this one are of the side before; 0: it is no diff
  mark: Float64Array; // of a diff: by wait, so that a sum of them tells a set of waits from others
  both: boolean; // waits, and time on a CPU
  cgroups: boolean; // some are known
  onOnly: boolean; // time on a CPU, and no wait: a page of --view on
  partial: boolean; // a part of the time: only the time of waits is known, and is in blocked_ns
  // The waits divided by who ended them, with the stacks of wakers behind theirs. null: not known.
  woken: Profile | null;
}

// All of the time of a row.
export function rowNs(p: Profile, w: number): number {
  return p.wait.blocked_ns[w] + p.wait.runq_ns[w] + p.wait.on_ns[w];
}

// Of it, what was waiting for work, and for a CPU after that.
export function idleNs(p: Profile, w: number): number {
  return p.wait.class[w] === p.idle ? rowNs(p, w) : 0;
}

// What it waited for; "": not known, or there is none.
export function objectOf(p: Profile, w: number): string {
  return p.strings[p.object.label[p.wait.object[w]]];
}

export function isOnCpu(p: Profile, w: number): boolean {
  return (p.wait.flags[w] & Flag.OnCpu) !== 0;
}

export const Kind = {
  All: 0,
  Group: 1,
  User: 2,
  Mark: 3,
  Kernel: 4,
  Note: 5,
  Code: 6,
  Truncated: 7,
  Inlined: 8,
  OnCpu: 9,
  Waker: 10, // code of who ended the wait
} as const;

// As enum graph_node_kind has them.
export const NODE_KINDS = [
  "threads",
  "not-recorded",
  "interrupt",
  "peer",
  "unknown",
  "open",
] as const;
export type NodeKind = (typeof NODE_KINDS)[number];

export const Note = { UserMissed: 1, KernelMissed: 2, Lost: 4, Cut: 8 } as const;
// Of wait.flags, as in src/profile/profile.h.
export const Flag = {
  IoWait: 1,
  Pre: 16,
  Open: 32,
  Lost: 128,
  OnCpu: 256,
  NotSampled: 512,
  Summed: 2048,
} as const;
export const HIST_LEN = 32;
// Of Profile.bin, as src/profile/bins.h has them.
export const BINS = 121;
export const BIN_KINDS = ["on", "off", "runq", "blocked"] as const;
export type BinKind = (typeof BIN_KINDS)[number];
export const STATES = "RSDTtXZPI";
const VERSION = 1;

function decodeColumn(bytes: Uint8Array, rows: number, delta: boolean): Float64Array {
  const out = new Float64Array(rows);
  let at = 0,
    before = 0;
  for (let row = 0; row < rows; row++) {
    let value = 0,
      scale = 1,
      byte;
    do {
      if (at >= bytes.length) throw new Error("a column of the report is cut off");
      byte = bytes[at++];
      value += (byte & 0x7f) * scale;
      scale *= 128;
    } while (byte & 0x80);
    if (delta) {
      before += value % 2 ? -(value + 1) / 2 : value / 2;
      value = before;
    }
    out[row] = value;
  }
  return out;
}

// 32 bits that look random.
function scatter(n: number): number {
  n = Math.imul(n ^ (n >>> 16), 0x85ebca6b);
  n = Math.imul(n ^ (n >>> 13), 0xc2b2ae35);
  return (n ^ (n >>> 16)) >>> 0;
}

// Of what there is but one of: that of the side after, or what holds for either.
function joinSides(head: Profile["head"]): void {
  const [before, after] = head.sides,
    either = (of: (h: Header) => boolean) => of(before.header) || of(after.header);
  Object.assign(head, after, {
    header: {
      ...after.header,
      title: `${before.name} \u2192 ${after.name}`,
      sampled: either(h => h.sampled),
      filtered: either(h => h.filtered),
    },
  });
}

// Row 0 of the rest is "none" as well.
function wokenOf(p: Profile, waits: number): Profile {
  const wait = Object.fromEntries(
      Object.entries(p.wait).map(([name, column]) => {
        const rest = column.slice(p.waits);
        rest[0] = 0;
        return [name, rest];
      }),
    ) as Profile["wait"],
    first = p.hist.first.slice(p.waits);
  return { ...p, wait, waits, hist: { ...p.hist, first } };
}

// The same waits with the time that they have in some intervals (numbers from 1). What is not known
// of an interval is 0.
export function partOf(p: Profile, { from, to }: { from: number; to: number }): Profile {
  const zeros = () => new Float64Array(p.waits + 1),
    ns = zeros(),
    { part } = p;
  for (let i = 0; i < part.wait.length; i++) {
    const at = part.interval[i] + 1;
    if (at >= from && at <= to) ns[part.wait[i]] += part.ns[i];
  }
  return {
    ...p,
    partial: true,
    wait: {
      ...p.wait,
      blocked_ns: ns,
      runq_ns: zeros(),
      count: zeros(),
      max_ns: zeros(),
      samples: zeros(),
      var_us2: zeros(),
      on_ns: zeros(),
    },
    hist: { ...p.hist, first: new Int32Array(p.hist.first.length) },
    bin: { ...p.bin, task: new Int32Array(0) },
    both: false,
    onOnly: false,
    woken: null,
  };
}

export function decodeProfile(bytes: Uint8Array): Profile {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headLength = view.getUint32(0, true);
  const { strings, columns: kinds, ...head }: Head = JSON.parse(
    new TextDecoder().decode(bytes.subarray(4, 4 + headLength)),
  );
  if (head.format !== "coldspot page" || head.version !== VERSION)
    throw new Error("the data is of another version than this page");
  if (head.diff) joinSides(head);
  else head.sides = [head];
  const columns = new Map<string, Float64Array>();
  let at = 4 + headLength;
  for (const [name, rows, size, delta] of kinds) {
    columns.set(name, decodeColumn(bytes.subarray(at, at + size), rows, delta === 1));
    at += size;
  }
  const table = (name: string, wide: string[], small: string[] = []) => {
    const out: Record<string, Float64Array | Int32Array | Uint8Array> = {};
    for (const [key, values] of columns) {
      if (!key.startsWith(name + ".")) continue;
      const field = key.slice(name.length + 1);
      const to = wide.includes(field)
        ? new Float64Array(values.length + 1)
        : small.includes(field)
          ? new Uint8Array(values.length + 1)
          : new Int32Array(values.length + 1);
      to.set(values, 1);
      out[field] = to;
    }
    return out as any;
  };
  // As they are, from row 0 on.
  const all = (name: string) =>
    Object.fromEntries(
      [...columns]
        .filter(([key]) => key.startsWith(name + "."))
        .map(([key, values]) => [key.slice(name.length + 1), values]),
    ) as any;
  const ints = (name: string) => Int32Array.from(columns.get(name)!);
  const buckets = columns.get("wait.buckets")!;
  const first = new Int32Array(buckets.length + 2);
  for (let w = 1; w <= buckets.length; w++) first[w + 1] = first[w] + buckets[w - 1];
  const momentWait = Int32Array.from(columns.get("moment.wait")!),
    waitTask = columns.get("wait.task")!,
    firstMoment = new Int32Array(columns.get("task.tid")!.length + 2);
  for (const w of momentWait) firstMoment[waitTask[w - 1] + 1]++;
  for (let t = 1; t < firstMoment.length; t++) firstMoment[t] += firstMoment[t - 1];
  const p: Profile = {
    head,
    strings,
    module: table("module", []),
    frame: table("frame", [], ["kind"]),
    stack: table("stack", [], ["waker"]),
    task: table("task", [
      "wall_ns",
      "on_ns",
      "preempted_ns",
      "runq_ns",
      "blocked_ns",
      "unaccounted_ns",
      "switches",
    ]),
    object: table("object", []),
    wait: table(
      "wait",
      ["blocked_ns", "runq_ns", "count", "max_ns", "samples", "var_us2", "on_ns"],
      ["notes", "cause", "kind", "class", "state"],
    ),
    path: table("path", ["p"], ["verdict"]),
    func: table("func", ["p"], ["kind", "verdict"]),
    hist: {
      first,
      bucket: Uint8Array.from(columns.get("hist.bucket")!),
      count: columns.get("hist.count")!,
    },
    bin: table("bin", ["count"], ["kind", "bucket"]),
    interval: {
      begin_ns: columns.get("interval.begin_ns")!,
      length_ns: columns.get("interval.length_ns")!,
    },
    part: {
      wait: columns.get("part.wait")!,
      interval: columns.get("part.interval")!,
      ns: columns.get("part.ns")!,
    },
    moment: {
      first: firstMoment,
      wait: momentWait,
      begin_ns: columns.get("moment.begin_ns")!,
      blocked_ns: columns.get("moment.blocked_ns")!,
      runq_ns: columns.get("moment.runq_ns")!,
      waker: Int32Array.from(columns.get("moment.waker")!),
    },
    lane: table("lane", ["begin_ns", "end_ns"], ["all", "whole"]),
    waker: table("waker", []),
    node: {
      name: ints("node.name"),
      kind: Uint8Array.from(columns.get("node.kind")!),
      threads: columns.get("node.threads")!,
      waited_ns: columns.get("node.waited_ns")!,
      ended_ns: columns.get("node.ended_ns")!,
      knot: ints("node.knot"),
    },
    edge: {
      from: ints("edge.from"),
      to: ints("edge.to"),
      cause: Uint8Array.from(columns.get("edge.cause")!),
      ns: columns.get("edge.ns")!,
      full_ns: columns.get("edge.full_ns")!,
      runq_ns: columns.get("edge.runq_ns")!,
    },
    requestClass: all("class"),
    doing: all("doing"),
    request: all("request"),
    span: all("span"),
    idle: head.classes.findIndex(c => c[0] === "idle"),
    waits: buckets.length - (head.divided ?? 0),
    tasks: columns.get("task.tid")!.length,
    split: head.diff ? head.diff.split[0] : 0,
    mark: new Float64Array(head.diff ? buckets.length + 1 : 0),
    both: false,
    cgroups: false,
    onOnly: false,
    partial: false,
    woken: null,
  };
  for (let w = 1; w < p.mark.length; w++) p.mark[w] = rowNs(p, w) > 0 ? scatter(w) : 0;
  // Not a number, and so is each sum with it: a sum of an import whose number of waits is unknown.
  const { flags, count } = p.wait;
  for (let w = 1; w <= p.waits; w++)
    if (!count[w] && (flags[w] & (Flag.Lost | Flag.Summed)) === Flag.Summed) count[w] = NaN;
  let hot = 0;
  for (let w = 1; w <= p.waits; w++) hot += isOnCpu(p, w) ? 1 : 0;
  p.cgroups = p.task.cgroup.some(name => name > 0);
  p.both = hot > 0 && hot < p.waits;
  p.onOnly = hot > 0 && hot === p.waits;
  if (head.divided) p.woken = wokenOf(p, head.divided);
  return p;
}

export async function readProfile(element: HTMLElement): Promise<Profile> {
  const packed = atob(element.textContent!.trim());
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return decodeProfile(new Uint8Array(await new Response(stream).arrayBuffer()));
}
