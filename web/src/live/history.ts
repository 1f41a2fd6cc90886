// SPDX-License-Identifier: Apache-2.0
//
// The windows that the server keeps, as far as they have arrived: sums, by which a strip of time is
// drawn without a profile.
import type { Windows } from "./api";

export interface Row {
  seq: number;
  begin_ms: number;
  length_ns: number;
  threads: number;
  on_ns: number;
  idle_ns: number;
  lost_ns: number;
  cause: number[]; // of History.causes
  ns: number[];
}

const MOST = 200_000; // windows, about 80 MB: two days of seconds; a file may have more

export class History {
  readonly rows: Row[] = []; // by seq
  readonly causes: { name: string; class: string }[] = [];
  private readonly ids = new Map<string, number>();
  version = 0; // another one after each change
  trimmed = 0; // the oldest windows, which were too many
  readonly unread = new Set<number>(); // windows of a file that cannot be read: they have no row

  clear(): void {
    this.rows.length = 0;
    this.trimmed = 0;
    this.unread.clear();
    this.version++;
  }

  get last(): Row | undefined {
    return this.rows[this.rows.length - 1];
  }

  private idOf([name, ofClass]: [string, string]): number {
    const key = name + "\n" + ofClass;
    let id = this.ids.get(key);
    if (id === undefined) this.ids.set(key, (id = this.causes.push({ name, class: ofClass }) - 1));
    return id;
  }

  // In any order, as answers and events come; those that are known are left out. Returns how many
  // are new.
  add(w: Windows): number {
    const ids = w.causes.map(c => this.idOf(c)),
      before = this.rows.length;
    w.seq.forEach((seq, i) => {
      if (!w.length_ns[i]) {
        this.unread.add(seq);
        return;
      }
      const at = this.indexOf(seq);
      if (this.rows[at]?.seq === seq) return;
      this.rows.splice(at, 0, {
        seq,
        begin_ms: w.begin_wall_ms[i],
        length_ns: w.length_ns[i],
        threads: w.threads[i],
        on_ns: w.on_ns[i],
        idle_ns: w.idle_ns[i],
        lost_ns: w.lost_ns[i],
        cause: w.cause[i].map(c => ids[c]),
        ns: w.ns[i],
      });
    });
    const added = this.rows.length - before;
    if (this.rows.length > MOST)
      this.trimmed += this.rows.splice(0, this.rows.length - MOST).length;
    this.version += added ? 1 : 0;
    return added;
  }

  // The server has forgotten what was before.
  drop(first: number): void {
    const at = this.indexOf(first);
    if (!at) return;
    this.rows.splice(0, at);
    this.version++;
  }

  // Of the first window with this number or a larger one.
  indexOf(seq: number): number {
    let from = 0,
      to = this.rows.length;
    while (from < to) {
      const mid = (from + to) >> 1;
      if (this.rows[mid].seq < seq) from = mid + 1;
      else to = mid;
    }
    return from;
  }

  between(from: number, to: number): Row[] {
    return this.rows.slice(this.indexOf(from), this.indexOf(to + 1));
  }
}

// Its end, ms since the epoch.
export function endMs(row: Row): number {
  return row.begin_ms + row.length_ns / 1e6;
}
