// SPDX-License-Identifier: Apache-2.0
//
// The time that is kept, above everything: how many threads waited in each window, by cause, and
// the windows that all views show. These are chosen with the pointer, or by two sliders.
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { causeColor, type Theme } from "../color";
import { plural, stamp, time } from "../format";
import type { Range } from "../live/choice";
import { cellAt, heatOf, spanOf, type Heat } from "../live/heat";
import { endMs, type History, type Row } from "../live/history";
import { pick } from "../report";
import type { State } from "../state";

const SHOWN_MS = 300_000; // of a live recording, if the range does not go farther back
const LEAST_WINDOWS = 60; // a live recording begins at the right, not with one wide bar

export interface Marks {
  a: Range | null;
  b: Range | null;
}

interface Extent {
  from: number; // ms since the epoch
  to: number;
}

export function clock(ms: number, fine = false): string {
  const text = new Date(ms).toISOString();
  return text.slice(11, fine ? 23 : 19);
}

// Are seconds too coarse for it? None is as long as it should be to the ns.
export function isFine(row: Row): boolean {
  return row.length_ns < 0.9e9;
}

const inThreads = (n: number) => `${n < 10 ? n.toFixed(1) : Math.round(n)} threads`;

// `span`: of a store, the time that was chosen, with or without windows.
export function extentOf(
  history: History,
  range: Range | null,
  live: boolean,
  span?: Extent | null,
): Extent {
  const { rows } = history,
    last = rows[rows.length - 1],
    to = endMs(last);
  if (span) return { from: Math.min(span.from, rows[0].begin_ms), to: Math.max(span.to, to) };
  if (!live) return { from: rows[0].begin_ms, to };
  const chosen = range ? rows[history.indexOf(range.from)]?.begin_ms : to,
    window = last.length_ns / 1e6,
    back = Math.max(rows[0].begin_ms, Math.min(to - SHOWN_MS, chosen ?? to));
  return { from: Math.min(back, to - LEAST_WINDOWS * window), to };
}

// Which causes of the history are drawn: those that the filters leave.
export function shownCauses(history: History, state: Pick<State, "causes" | "classes">): boolean[] {
  const a = pick(state.causes),
    b = pick(state.classes),
    passes = ({ only, without }: typeof a, name: string) =>
      (!only.length || only.includes(name)) && !without.includes(name);
  return history.causes.map(c => {
    const idle = c.class === "idle" ? "idle" : c.name;
    return passes(a, idle) && passes(b, c.class);
  });
}

export interface Column {
  x: number; // px
  w: number;
  threads: Float64Array; // by cause
  all: number;
}

// One column for each window, or for as many as share a pixel.
export function columnsOf(
  history: History,
  { from, to }: Extent,
  width: number,
  shown: boolean[],
): Column[] {
  const out: Column[] = [],
    scale = width / (to - from),
    n = shown.length;
  let open: Column | null = null,
    ns = 0;
  for (const row of history.rows) {
    const end = endMs(row);
    if (end <= from) continue;
    const x = Math.max(0, (row.begin_ms - from) * scale),
      right = Math.min(width, (end - from) * scale);
    if (!open || x - open.x >= 1) {
      open = { x, w: 0, threads: new Float64Array(n), all: 0 };
      ns = 0;
      out.push(open);
    }
    // from time to threads at once, and back for what else has its pixel
    const before = ns;
    ns += row.length_ns;
    open.w = right - open.x;
    open.all = 0;
    for (let c = 0; c < n; c++) open.threads[c] *= before / ns;
    row.cause.forEach((c, i) => {
      if (shown[c]) open!.threads[c] += row.ns[i] / ns;
    });
    for (let c = 0; c < n; c++) open.all += open.threads[c];
  }
  return out;
}

function colorOf(name: string): string {
  return name === "idle"
    ? getComputedStyle(document.documentElement).getPropertyValue("--idle").trim()
    : causeColor(name);
}

// The order of a stack does not change from second to second: most time of all is below.
function orderOf(columns: Column[], n: number): number[] {
  const sums = new Float64Array(n);
  for (const { threads } of columns) for (let c = 0; c < n; c++) sums[c] += threads[c];
  return [...sums.keys()].filter(c => sums[c] > 0).sort((a, b) => sums[b] - sums[a]);
}

function draw(canvas: HTMLCanvasElement, history: History, columns: Column[], width: number): void {
  const dots = window.devicePixelRatio || 1,
    context = canvas.getContext("2d")!,
    most = Math.max(...columns.map(c => c.all), 1e-9),
    high = canvas.clientHeight;
  canvas.width = Math.round(width * dots);
  canvas.height = Math.round(high * dots);
  const px = (v: number) => Math.round(v * dots),
    base = new Float64Array(columns.length),
    room = high - 2;
  for (const cause of orderOf(columns, history.causes.length)) {
    const { name, class: ofClass } = history.causes[cause];
    context.fillStyle = colorOf(ofClass === "idle" ? "idle" : name);
    columns.forEach((c, i) => {
      if (!c.threads[cause]) return;
      const low = base[i],
        y0 = px(high - (low / most) * room),
        y1 = px(high - ((low + c.threads[cause]) / most) * room),
        x0 = px(c.x),
        wide = Math.max(1, px(c.x + c.w) - x0);
      base[i] += c.threads[cause];
      context.fillRect(x0, y1, wide > 4 ? wide - 1 : wide, y0 - y1);
    });
  }
}

// How dark a cell is: a few threads shall differ from none.
function shade(threads: number, most: number): number {
  return threads > 0 ? 0.08 + 0.92 * (threads / most) ** 0.75 : 0;
}

function drawHeat(canvas: HTMLCanvasElement, heat: Heat | null, extent: Extent): void {
  const dots = window.devicePixelRatio || 1,
    context = canvas.getContext("2d")!,
    style = getComputedStyle(canvas),
    wide = (canvas.width = Math.round(canvas.clientWidth * dots)),
    high = (canvas.height = Math.round(canvas.clientHeight * dots));
  if (!heat) return;
  const x = (ms: number) => Math.round(((ms - extent.from) / (extent.to - extent.from)) * wide);
  const [known, hot] = ["--soft", "--heat"].map(name => style.getPropertyValue(name).trim());
  for (let c = 0; c < heat.columns; c++) {
    const from = heat.first + c * heat.step * 1000,
      left = x(from),
      right = Math.max(left + 1, x(from + heat.step * 1000)),
      gap = wide / heat.columns > 8 * dots ? 1 : 0;
    for (let k = 0; k < heat.rows; k++) {
      const v = heat.threads[c * heat.rows + k],
        top = Math.round((1 - (k + 1) / heat.rows) * high),
        below = Math.round((1 - k / heat.rows) * high);
      if (Number.isNaN(v)) continue;
      for (const [color, alpha] of [
        [known, 1],
        [hot, shade(v, heat.most)],
      ] as [string, number][]) {
        context.globalAlpha = alpha;
        context.fillStyle = color;
        context.fillRect(left, top, right - left - gap, below - top);
      }
    }
  }
  context.globalAlpha = 1;
}

const STRIPS: [State["strip"], string][] = [
  ["cause", "causes"],
  ["heat", "heat map"],
];

interface Hover {
  seq: number;
  ms: number; // since the epoch
  height: number; // 0: at the bottom, 1: at the top
}

export function Windows({
  history,
  range,
  marks,
  state,
  theme,
  change,
  live,
  span,
  remedy,
  choose,
}: {
  history: History;
  range: Range | null;
  marks: Marks;
  state: Pick<State, "causes" | "classes" | "strip">;
  theme: Theme;
  change(patch: Partial<State>): void;
  live: boolean;
  span?: Extent | null;
  remedy: string; // where no time is shorter than a second
  choose: ((range: Range) => void) | null; // null: they cannot be chosen
}) {
  const box = useRef<HTMLDivElement>(null),
    canvas = useRef<HTMLCanvasElement>(null),
    held = useRef<((e: PointerEvent) => Range) | null>(null);
  const [width, setWidth] = useState(0),
    [hover, setHover] = useState<Hover | null>(null),
    [draft, setDraft] = useState<Range | null>(null);
  useLayoutEffect(() => {
    const el = box.current!,
      measure = () => setWidth(el.clientWidth),
      observer = new ResizeObserver(measure);
    observer.observe(el);
    measure();
    return () => observer.disconnect();
  }, []);
  const { rows } = history,
    shown = draft ?? range,
    extent = extentOf(history, range, live, span),
    causes = shownCauses(history, state),
    columns = useMemo(
      () => columnsOf(history, extent, Math.max(1, width), causes),
      [history, history.version, width, extent.from, extent.to, String(causes)],
    ),
    hot = state.strip === "heat",
    heat = useMemo(
      () => (hot ? heatOf(history, extent, Math.max(1, width), causes) : null),
      [columns, hot],
    );
  useLayoutEffect(() => {
    if (!width) return;
    if (hot) drawHeat(canvas.current!, heat, extent);
    else draw(canvas.current!, history, columns, width);
  }, [columns, heat, theme]);

  const part = (ms: number) => (ms - extent.from) / (extent.to - extent.from),
    percent = (p: number) => `${(Math.max(0, Math.min(1, p)) * 100).toFixed(3)}%`;
  const edges = (r: Range): [number, number] => [
    part(rows[history.indexOf(r.from)]?.begin_ms ?? extent.from),
    part(endMs(rows[Math.max(0, history.lastIndexOf(r.to))])),
  ];
  function rowAt(e: PointerEvent): Row {
    const at = box.current!.getBoundingClientRect(),
      ms = extent.from + ((e.clientX - at.left) / at.width) * (extent.to - extent.from);
    return rows.find(row => endMs(row) > ms) ?? rows[rows.length - 1];
  }
  function grab(e: PointerEvent): void {
    look(e); // a finger only goes down and up
    if (e.button || !choose) return;
    const first = rowAt(e),
      edge = (e.target as HTMLElement).dataset.edge,
      one = (row: Row): Range => ({ from: row.seq, to: row.last }),
      // of a slider, the other end stays
      at = (seq: number) => one(rows[Math.max(0, history.lastIndexOf(seq))]),
      still = edge === "from" ? at(shown!.to) : edge === "to" ? at(shown!.from) : one(first);
    held.current = at => {
      const here = one(rowAt(at));
      return { from: Math.min(still.from, here.from), to: Math.max(still.to, here.to) };
    };
    box.current!.setPointerCapture(e.pointerId);
    setDraft(edge ? shown : one(first));
  }
  function drag(e: PointerEvent): void {
    look(e);
    if (held.current) setDraft(held.current(e));
  }
  function look(e: PointerEvent): void {
    const at = box.current!.getBoundingClientRect();
    setHover({
      seq: rowAt(e).seq,
      ms: extent.from + ((e.clientX - at.left) / at.width) * (extent.to - extent.from),
      height: 1 - (e.clientY - at.top) / at.height,
    });
  }
  function drop(e: PointerEvent): void {
    if (!held.current) return;
    choose!(held.current(e));
    held.current = null;
    setDraft(null);
  }
  const says = (row: Row) => {
    const of = row.cause
      .map((c, i): [number, number] => [c, causes[c] ? row.ns[i] : 0])
      .sort((a, b) => b[1] - a[1]);
    const ns = of.reduce((sum, [, v]) => sum + v, 0);
    return (
      `${clock(row.begin_ms, isFine(row))}: ${inThreads(ns / row.length_ns)} waiting` +
      (ns ? `, most in ${history.causes[of[0][0]].name}` : "") +
      (row.lost_ns ? `, ${time(row.lost_ns)} of threads not accounted for` : "")
    );
  };
  const at = hover ? rows[history.indexOf(hover.seq)] : undefined,
    peak = heat ? heat.most : columns.reduce((most, c) => Math.max(most, c.all), 0);
  function saysHeat(heat: Heat, { ms, height }: Hover): string {
    const cell = cellAt(heat, ms, height),
      v = cell < 0 ? NaN : heat.threads[cell],
      [from, to] = spanOf(heat, cell);
    if (Number.isNaN(v)) return "no times below a second here";
    return (
      `${clock(from, true)} to ${clock(to, true).slice(6)}` +
      (heat.step > 1 ? `, and so in ${heat.step} seconds` : "") +
      `: ${inThreads(v)} waiting`
    );
  }
  const what =
    hot && heat
      ? `Threads waiting in each ${1000 / heat.rows} ms: a column is ` +
        (heat.step > 1 ? `${heat.step} seconds` : "a second") +
        ", from below"
      : hot
        ? "Heat map without data"
        : `Threads waiting in each of ${plural(rows.length, "window")}, by cause`;
  return (
    <figure class="windows">
      <div
        ref={box}
        class={"times" + (choose ? " choice" : "")}
        onPointerDown={grab}
        onPointerMove={drag}
        onPointerUp={drop}
        onPointerCancel={() => {
          held.current = null;
          setDraft(null);
        }}
        onPointerLeave={e => e.pointerType === "mouse" && setHover(null)}
      >
        <canvas
          ref={canvas}
          role="img"
          aria-label={`${what}; at most ${inThreads(peak)}`}
        />
        {hot && !heat ? <p class="none">No times below a second: {remedy}.</p> : null}
        {(["a", "b"] as const).map(name => {
          const mark = marks[name];
          if (!mark || !history.between(mark.from, mark.to).length) return null;
          const [x0, x1] = edges(mark);
          return (
            <i class="mark" style={{ left: percent(x0), right: percent(1 - x1) }}>
              {name.toUpperCase()}
            </i>
          );
        })}
        {shown && choose ? (
          <Brush
            history={history}
            range={shown}
            edges={edges(shown).map(percent) as [string, string]}
            choose={choose}
          />
        ) : null}
      </div>
      <figcaption>
        <span>{span ? stamp(extent.from) : clock(extent.from)}</span>
        <span class="seg" role="group" aria-label="Strip">
          {STRIPS.map(([strip, words]) => (
            <button
              aria-pressed={state.strip === strip}
              class={state.strip === strip ? "on" : ""}
              title="What the strip shows (h)"
              onClick={() => change({ strip })}
            >
              {words}
            </button>
          ))}
        </span>
        <span class="says">
          {hover && heat
            ? saysHeat(heat, hover)
            : at
              ? says(at)
              : `at most ${inThreads(peak)} waiting at once`}
        </span>
        <span>{span ? stamp(extent.to) : clock(extent.to)} UTC</span>
      </figcaption>
    </figure>
  );
}

// What is chosen, and its two ends for the keyboard.
function Brush({
  history,
  range,
  edges: [from, to],
  choose,
}: {
  history: History;
  range: Range;
  edges: [string, string];
  choose(range: Range): void;
}) {
  const { rows } = history;
  function key(e: KeyboardEvent, edge: "from" | "to"): void {
    const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[e.key] ?? 0,
      far = { Home: -1, End: 1 }[e.key] ?? 0,
      page = { PageDown: -10, PageUp: 10 }[e.key] ?? 0,
      by = (step && step * (e.shiftKey ? 10 : 1)) || page || far * rows.length;
    if (!by) return;
    e.preventDefault();
    e.stopPropagation(); // the flame graph has these keys, too
    const here = edge === "from" ? history.indexOf(range.from) : history.lastIndexOf(range.to),
      at = Math.max(0, Math.min(rows.length - 1, here + by)),
      row = rows[at],
      next = { ...range, [edge]: edge === "from" ? row.seq : row.last };
    choose(next.from <= next.to ? next : { from: row.seq, to: row.last });
  }
  const slider = (edge: "from" | "to", label: string, left: string) => {
    const at = edge === "from" ? history.indexOf(range.from) : history.lastIndexOf(range.to),
      row = rows[Math.max(0, Math.min(rows.length - 1, at))];
    return (
      <div
        class="edge"
        style={{ left }}
        data-edge={edge}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={rows[0].seq}
        aria-valuemax={rows[rows.length - 1].last}
        aria-valuenow={edge === "from" ? row.seq : row.last}
        aria-valuetext={clock(edge === "from" ? row.begin_ms : endMs(row), isFine(row))}
        onKeyDown={e => key(e, edge)}
      />
    );
  };
  return (
    <>
      <i class="out" style={{ left: 0, width: from }} />
      <i class="out" style={{ left: to, right: 0 }} />
      {slider("from", "First window shown", from)}
      {slider("to", "Last window shown", to)}
    </>
  );
}

