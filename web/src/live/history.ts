// SPDX-License-Identifier: Apache-2.0
//
// The windows that the server keeps, as far as they have arrived: sums, by which a strip of time is
// drawn without a profile. Where there are very many, the older half is put together in pairs: sums
// stay what they are, and a pair is chosen as one.
import type { Parts, Windows } from "./api";

export interface Row {
  seq: number;
  last: number; // number of the last window in it; of one window: seq
  windows: number;
  begin_ms: number;
  length_ns: number; // recorded time in it
  end_ms: number; // since the epoch
  threads: number; // at most
  on_ns: number;
  idle_ns: number;
  lost_ns: number;
  cause: number[]; // of History.causes
  ns: number[];
  parts: Parts | null; // ns: by `cause`
}

const MOST = 200_000; // rows, about 80 MB: two days of seconds; a file may have more

// Two neighbours.
function joined(a: Row, b: Row): Row {
  const cause = a.cause.slice(),
    ns = a.ns.slice();
  b.cause.forEach((c, i) => {
    const at = cause.indexOf(c);
    if (at < 0) {
      cause.push(c);
      ns.push(b.ns[i]);
    } else ns[at] += b.ns[i];
  });
  return {
    seq: a.seq,
    last: b.last,
    windows: a.windows + b.windows,
    begin_ms: a.begin_ms,
    length_ns: a.length_ns + b.length_ns,
    end_ms: b.end_ms,
    threads: Math.max(a.threads, b.threads),
    on_ns: a.on_ns + b.on_ns,
    idle_ns: a.idle_ns + b.idle_ns,
    lost_ns: a.lost_ns + b.lost_ns,
    cause,
    ns,
    parts: null,
  };
}

export class History {
  readonly rows: Row[] = []; // by seq
  readonly causes: { name: string; class: string }[] = [];
  private readonly ids = new Map<string, number>();
  version = 0; // another one after each change
  joined = 0; // windows that have no row of their own
  readonly unread = new Set<number>(); // windows of a file that cannot be read: they have no row

  constructor(private readonly most = MOST) {}

  clear(): void {
    this.rows.length = 0;
    this.joined = 0;
    this.unread.clear();
    this.version++;
  }

  get last(): Row | undefined {
    return this.rows[this.rows.length - 1];
  }

  idOf([name, ofClass]: [string, string]): number {
    const key = name + "\n" + ofClass;
    let id = this.ids.get(key);
    if (id === undefined) this.ids.set(key, (id = this.causes.push({ name, class: ofClass }) - 1));
    return id;
  }

  // In any order, as answers and events come; those that are known are left out. Returns how many
  // are new.
  add(w: Windows): number {
    const ids = w.causes.map(c => this.idOf(c));
    let added = 0;
    w.seq.forEach((seq, i) => {
      if (!w.length_ns[i]) {
        this.unread.add(seq);
        return;
      }
      const at = this.indexOf(seq);
      if (this.rows[at]?.seq <= seq) return;
      added++;
      this.rows.splice(at, 0, {
        seq,
        last: seq,
        windows: 1,
        begin_ms: w.begin_wall_ms[i],
        length_ns: w.length_ns[i],
        end_ms: w.begin_wall_ms[i] + w.length_ns[i] / 1e6,
        threads: w.threads[i],
        on_ns: w.on_ns[i],
        idle_ns: w.idle_ns[i],
        lost_ns: w.lost_ns[i],
        cause: w.cause[i].map(c => ids[c]),
        ns: w.ns[i],
        parts: w.intervals?.[i] ?? null,
      });
    });
    while (this.rows.length > this.most) this.coarsen();
    this.version += added ? 1 : 0;
    return added;
  }

  // The older half has half as many rows then.
  private coarsen(): void {
    const newer = this.rows.splice(this.rows.length >> 1),
      older = this.rows.splice(0);
    for (let i = 0; i < older.length; i += 2)
      this.rows.push(i + 1 < older.length ? joined(older[i], older[i + 1]) : older[i]);
    for (const row of newer) this.rows.push(row);
    this.joined = this.rows.reduce((n, r) => n + r.windows - 1, 0);
  }

  // The server has forgotten what was before.
  drop(first: number): void {
    let at = 0;
    while (at < this.rows.length && this.rows[at].last < first) at++;
    if (!at) return;
    this.rows.splice(0, at);
    this.version++;
  }

  // The same of what ended before this time.
  dropUntil(ms: number): void {
    const row = this.rows.find(r => r.end_ms > ms);
    this.drop(row ? row.seq : Infinity);
  }

  // Of the first row that ends with this window or a later one.
  indexOf(seq: number): number {
    let from = 0,
      to = this.rows.length;
    while (from < to) {
      const mid = (from + to) >> 1;
      if (this.rows[mid].last < seq) from = mid + 1;
      else to = mid;
    }
    return from;
  }

  // Of the last row that begins with this window or an earlier one; -1: there is none.
  lastIndexOf(seq: number): number {
    const at = this.indexOf(seq);
    return this.rows[at]?.seq <= seq ? at : at - 1;
  }

  between(from: number, to: number): Row[] {
    return this.rows.slice(this.indexOf(from), this.lastIndexOf(to) + 1);
  }
}

// Its end, ms since the epoch.
export function endMs(row: Row): number {
  return row.end_ms;
}
