// SPDX-License-Identifier: Apache-2.0
//
// Requests as `report --requests` has them. Sums, quantiles and the comparison of the slowest are
// the program's, which has all requests. What the threads of a slow one did is cut out of their
// timelines, as in src/analysis/path/request_pieces.c.
import type { Profile } from "./data";
import { turnsKey, type Own, type Path, type Paths, type Turn } from "./path";

// As enum request_part has them. "idle" is what is blocked and waits for work.
const PARTS = ["on-cpu", "run-queue", "blocked", "not-known", "not-split"] as const;
export type RequestPart = (typeof PARTS)[number] | "idle";

// What requests of a class did, of one part, cause and place.
export interface Doing {
  part: RequestPart;
  cause: number; // of `causes`; -1: it is no wait
  place: string;
  ns: number; // of all requests
  slow: number; // mean of the slowest
  middle: number; // mean of those around the median
  error: number; // standard error of the difference; -1: one request has none
}

export interface Sum {
  part: RequestPart;
  cause: number; // of waits that are not for work
  ns: number;
}

export interface Request {
  of: RequestClass;
  key: string; // in links: its thread and begin
  begin: number; // ns since the begin
  ns: number;
  task: number; // that read first
  writer: number; // that wrote last
  trace: string;
  turns: Turn[]; // who had it when
}

export interface RequestClass {
  name: string;
  count: number;
  before: number; // began before the recording
  open: number; // have no end
  nested: number;
  handed: number;
  overlapping: number;
  p50: number;
  p90: number;
  p99: number;
  max: number;
  slow: number; // how many are compared, and with how many
  middle: number;
  ns: number; // of all
  doing: Doing[]; // largest difference first
  slowest: Request[];
}

export interface Piece extends Omit<Own, "part"> {
  part: RequestPart;
  cause: number; // as in Sum
}

export class Requests {
  readonly classes: RequestClass[] = []; // most time first
  private readonly byKey = new Map<string, Request>();

  constructor(private readonly p: Profile) {
    const { requestClass: c, strings } = p;
    let doing = 0,
      slow = 0,
      span = 0;
    for (let i = 0; i < c.name.length; i++) {
      const rows = Array.from({ length: c.rows[i] }, () => this.doingOf(doing++)),
        made: RequestClass = {
          name: strings[c.name[i]],
          count: c.count[i],
          before: c.before[i],
          open: c.open[i],
          nested: c.nested[i],
          handed: c.handed[i],
          overlapping: c.overlapping[i],
          p50: c.p50_ns[i],
          p90: c.p90_ns[i],
          p99: c.p99_ns[i],
          max: c.max_ns[i],
          slow: c.slow[i],
          middle: c.middle[i],
          ns: rows.reduce((ns, row) => ns + row.ns, 0),
          doing: rows,
          slowest: [],
        };
      for (let k = 0; k < c.slowest[i]; k++, slow++) {
        made.slowest.push(this.requestOf(made, slow, span));
        span += p.request.spans[slow];
      }
      this.classes.push(made);
    }
  }

  private doingOf(i: number): Doing {
    const { doing, strings } = this.p,
      part = PARTS[doing.part[i]];
    return {
      part: doing.idle[i] ? "idle" : part,
      cause: part === "blocked" ? doing.cause[i] : -1,
      place: strings[doing.place[i]],
      ns: doing.ns[i],
      slow: doing.slow_ns[i],
      middle: doing.middle_ns[i],
      error: doing.error_ns[i] - 1,
    };
  }

  private requestOf(of: RequestClass, i: number, first: number): Request {
    const { request, span, task, strings } = this.p,
      t = request.task[i],
      begin = request.begin_ns[i],
      turns: Turn[] = [];
    for (let k = first, at = begin; k < first + request.spans[i]; k++) {
      const end = at + span.ns[k];
      turns.push({ task: span.task[k], begin: at, end, split: span.split[k] > 0 });
      at = end;
    }
    const made: Request = {
      of,
      key: `${task.tgid[t]}/${task.tid[t]}@${begin}`,
      begin,
      ns: request.ns[i],
      task: t,
      writer: request.writer[i],
      trace: strings[request.trace[i]],
      turns,
    };
    // one that began at the same instant in this thread is of another class
    if (this.byKey.has(made.key)) made.key += `@${of.name}`;
    this.byKey.set(made.key, made);
    return made;
  }

  // By its name; "": the one with most time. null: there is none.
  classOf(name: string): RequestClass | null {
    return this.classes.find(c => c.name === name) ?? (name ? null : (this.classes[0] ?? null));
  }

  requestNamed = (key: string): Request | null => this.byKey.get(key) ?? null;

  // What its threads did, one behind the other: all of its length.
  pieces(request: Request, paths: Paths): Piece[] {
    const { p } = this;
    return request.turns.flatMap((turn): Piece[] => {
      const { task, begin, end, split } = turn;
      if (!split)
        return [{ task, begin, ns: end - begin, moment: -1, part: "not-split", cause: -1 }];
      return paths.own(p.task.thread[task], begin, end).map(own => {
        const blocked = own.part === "blocked",
          wait = blocked ? p.moment.wait[own.moment] : 0;
        return {
          ...own,
          part: blocked && p.wait.class[wait] === p.idle ? "idle" : own.part,
          cause: blocked ? p.wait.kind[wait] : -1,
        };
      });
    });
  }
}

// By what the time went to: on a CPU, waiting for one, blocked with most time first, then the rest.
export function sumsOf(parts: { part: RequestPart; cause: number; ns: number }[]): Sum[] {
  const order: RequestPart[] = ["on-cpu", "run-queue", "blocked", "idle", "not-known", "not-split"],
    sums = new Map<string, Sum>();
  for (const { part, cause, ns } of parts) {
    const own = part === "blocked" ? cause : -1,
      key = `${part} ${own}`,
      sum = sums.get(key);
    if (sum) sum.ns += ns;
    else if (ns) sums.set(key, { part, cause: own, ns });
  }
  return [...sums.values()].sort(
    (a, b) => order.indexOf(a.part) - order.indexOf(b.part) || b.ns - a.ns,
  );
}

// What makes the slowest slower than those around the median; as in the text, what is less than a
// 200th of the difference says nothing.
export function differences({ doing, middle }: RequestClass): { all: number; rows: Doing[] } {
  const all = doing.reduce((ns, row) => ns + row.slow - row.middle, 0);
  return {
    all,
    rows: middle ? doing.filter(row => row.slow - row.middle > all / 200) : [],
  };
}

export const pathOf = (request: Request, paths: Paths): Path => paths.inTurn(request.turns);
export const pathKeyOf = (request: Request, paths: Paths): string =>
  turnsKey(request.turns, paths);
