// SPDX-License-Identifier: Apache-2.0
//
// Waiting within the seconds: a column for each second, a row for each part of it. What happens at
// the same time in every second is a line then, and not a bit more of everything.
import type { History, Row } from "./history";

export interface Heat {
  rows: number; // parts of a second
  step: number; // seconds in a column
  first: number; // ms since the epoch: where column 0 begins
  columns: number;
  threads: Float64Array; // waiting at once, column by column; NaN: not known
  most: number;
}

interface Piece {
  begin_ms: number;
  ns: number; // length
  waited: number; // ns, of the causes that are shown
}

const ROWS = [50, 20, 10, 5, 4, 2],
  STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600],
  SECOND_MS = 1000,
  MOST_NS = 0.55e9, // a piece: two of them are a second
  COLUMN_PX = 3,
  MOST_COLUMNS = 4000;

// What a window tells of less than a second.
export function piecesOf(row: Row, shown: boolean[]): Piece[] {
  const sum = (ns: ArrayLike<number>) =>
    row.cause.reduce((all, c, i) => all + (shown[c] ? ns[i] : 0), 0);
  if (row.parts) {
    let at = row.begin_ms;
    return row.parts.length_ns.map((ns, k) => {
      const piece = { begin_ms: at, ns, waited: sum(row.parts!.ns[k]) };
      at += ns / 1e6;
      return piece;
    });
  }
  return row.length_ns <= MOST_NS
    ? [{ begin_ms: row.begin_ms, ns: row.length_ns, waited: sum(row.ns) }]
    : [];
}

// The grid of all pieces between two instants; null: there is none.
export function heatOf(
  history: History,
  { from, to }: { from: number; to: number },
  width: number,
  shown: boolean[],
): Heat | null {
  const rows = history.rows.filter(r => r.begin_ms + r.length_ns / 1e6 > from && r.begin_ms < to),
    pieces = rows.flatMap(row => piecesOf(row, shown)),
    all = pieces.reduce((ns, p) => ns + p.ns, 0);
  if (!pieces.length) return null;
  const usual = all / pieces.length / 1e6,
    n = ROWS.find(r => SECOND_MS / r >= usual * 0.75) ?? 2,
    cell = SECOND_MS / n,
    px = (width * SECOND_MS) / (to - from),
    step = STEPS.find(s => s * px >= COLUMN_PX) ?? STEPS[STEPS.length - 1],
    // a window of a second is a column
    last = rows[rows.length - 1],
    phase = last.length_ns > 0.9e9 ? last.begin_ms % SECOND_MS : 0,
    wide = step * SECOND_MS,
    first = Math.floor((from - phase) / wide) * wide + phase,
    columns = Math.min(MOST_COLUMNS, Math.ceil((to - first) / wide)),
    waited = new Float64Array(columns * n),
    covered = new Float64Array(columns * n);
  for (const piece of pieces) {
    const begin = piece.begin_ms - first,
      length = piece.ns / 1e6,
      end = Math.min(begin + length, columns * wide);
    for (let at = Math.max(0, begin); at < end; ) {
      // not quite at the end of a cell is at its end: instants are doubles
      const k = Math.floor(at / cell + 1e-6),
        until = Math.min(end, (k + 1) * cell),
        part = until - at,
        to = Math.floor((k * cell) / wide + 1e-9) * n + (k % n);
      waited[to] += (piece.waited * part) / length / 1e6;
      covered[to] += part;
      at = until;
    }
  }
  const threads = waited.map((ms, i) => (covered[i] > 0 ? ms / covered[i] : NaN));
  return {
    rows: n,
    step,
    first,
    columns,
    threads,
    most: threads.reduce((a, b) => (b > a ? b : a), 0),
  };
}

// Of the cell at this instant and height (0: where a second begins); -1: there is none.
export function cellAt(heat: Heat, ms: number, height: number): number {
  const column = Math.floor((ms - heat.first) / (heat.step * SECOND_MS)),
    row = Math.max(0, Math.min(heat.rows - 1, Math.floor(height * heat.rows)));
  return column >= 0 && column < heat.columns ? column * heat.rows + row : -1;
}

// From and to, ms since the epoch, of the first second of its column.
export function spanOf(heat: Heat, cell: number): [number, number] {
  const column = Math.floor(cell / heat.rows),
    from =
      heat.first +
      column * heat.step * SECOND_MS +
      ((cell % heat.rows) * SECOND_MS) / heat.rows;
  return [from, from + SECOND_MS / heat.rows];
}
