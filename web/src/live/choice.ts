// SPDX-License-Identifier: Apache-2.0
//
// Which time a live page shows: the last of it, which moves on, or windows that stay. In the
// fragment of the URL beside what else was chosen, so that a reload shows the same.
import type { History } from "./history";

export interface Range {
  from: number; // numbers of windows
  to: number;
}

export const FOLLOWS = ["last", "10s", "60s", "all"] as const;
export type Follow = (typeof FOLLOWS)[number];

export interface Choice {
  follow: Follow | null; // null: the range
  range: Range | null;
  server: string; // whose numbers those of ranges are: another one starts again from 1
  recording: string; // of a directory, "": none is open
  hosts: string[]; // of a fleet, globs; none: the table of hosts
  past: Range | null; // of a store (its strip) or a fleet: the time, ms; null: as it is served
  compare: [string, string] | null; // before and after: FROM-TO, ID or ID:FROM-TO, HOST:FROM-TO
}

const KEYS = ["w", "on", "rec", "past", "host", "before", "after"] as const;
const FOLLOW_NS: { [F in Follow]: number } = { last: 0, "10s": 10e9, "60s": 60e9, all: Infinity };

export function rangeText({ from, to }: Range): string {
  return `${from}-${to}`;
}

export function parseRange(text: string | null): Range | null {
  const m = /^(\d{1,15})-(\d{1,15})$/.exec(text ?? "");
  return m && +m[1] >= 1 && +m[1] <= +m[2] ? { from: +m[1], to: +m[2] } : null;
}

export function readChoice(fragment: string, follow: Follow): Choice {
  const params = new URLSearchParams(fragment.replace(/^#/, "")),
    get = (key: (typeof KEYS)[number]) => params.get(key) ?? "",
    range = parseRange(get("w")),
    asked = FOLLOWS.find(f => f === get("w"));
  return {
    follow: range ? null : (asked ?? follow),
    range,
    server: get("on"),
    recording: get("rec"),
    hosts: params.getAll("host").filter(host => host),
    past: parseRange(get("past")),
    compare: get("before") && get("after") ? [get("before"), get("after")] : null,
  };
}

// Of a fragment, the part that readChoice() reads; `follow` is what needs no words.
export function writeChoice(c: Choice, follow: Follow): string {
  const out = new URLSearchParams(),
    numbered = c.range || (c.compare && !c.recording);
  if (c.recording) out.set("rec", c.recording);
  for (const host of c.hosts) out.append("host", host);
  if (c.past) out.set("past", rangeText(c.past));
  if (c.range) out.set("w", rangeText(c.range));
  else if (c.follow && c.follow !== follow) out.set("w", c.follow);
  if (c.compare) {
    out.set("before", c.compare[0]);
    out.set("after", c.compare[1]);
  }
  if (numbered && c.server) out.set("on", c.server);
  return out.toString();
}

// The windows that are shown; null: there are none yet.
export function rangeOf(c: Choice, history: History): Range | null {
  const { rows } = history,
    last = rows.length - 1;
  if (last < 0) return null;
  if (c.range) {
    const from = Math.max(c.range.from, rows[0].seq),
      to = Math.min(c.range.to, rows[last].last);
    return from <= to ? { from, to } : null;
  }
  let at = last,
    ns = rows[last].length_ns;
  const most = FOLLOW_NS[c.follow ?? "last"];
  // half a window of mercy: none is as long as it should be to the ns
  while (at > 0 && ns + rows[at - 1].length_ns / 2 <= most) ns += rows[--at].length_ns;
  return { from: rows[at].seq, to: rows[last].last };
}

// As many windows before the range as it has itself, or as there are; null: there are none.
export function rangeBefore({ from, to }: Range, history: History): Range | null {
  const at = history.indexOf(from),
    n = history.lastIndexOf(to) + 1 - at,
    first = Math.max(0, at - n);
  return at > first ? { from: history.rows[first].seq, to: history.rows[at - 1].last } : null;
}

// Moved by windows that there are, as wide as it was.
export function moveRange({ from, to }: Range, by: number, history: History): Range {
  const { rows } = history,
    a = history.indexOf(from),
    b = history.lastIndexOf(to),
    step = Math.max(-a, Math.min(rows.length - 1 - b, by));
  return { from: rows[a + step].seq, to: rows[b + step].last };
}
