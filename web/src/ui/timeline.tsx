// SPDX-License-Identifier: Apache-2.0
//
// The time that is kept, above everything: how many threads waited in each window, by cause, and
// the windows that all views show. These are chosen with the pointer, or by two sliders.
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { causeColor, type Theme } from "../color";
import { plural, time } from "../format";
import type { Range } from "../live/choice";
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

export function extentOf(history: History, range: Range | null, live: boolean): Extent {
  const { rows } = history,
    last = rows[rows.length - 1],
    to = endMs(last);
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

export function Timeline({
  history,
  range,
  marks,
  state,
  theme,
  live,
  choose,
}: {
  history: History;
  range: Range | null;
  marks: Marks;
  state: Pick<State, "causes" | "classes">;
  theme: Theme;
  live: boolean;
  choose: ((range: Range) => void) | null; // null: they cannot be chosen
}) {
  const box = useRef<HTMLDivElement>(null),
    canvas = useRef<HTMLCanvasElement>(null),
    held = useRef<((e: PointerEvent) => Range) | null>(null);
  const [width, setWidth] = useState(0),
    [hover, setHover] = useState(-1), // seq
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
    extent = extentOf(history, range, live),
    causes = shownCauses(history, state),
    columns = useMemo(
      () => columnsOf(history, extent, Math.max(1, width), causes),
      [history, history.version, width, extent.from, extent.to, String(causes)],
    );
  useLayoutEffect(() => {
    if (width) draw(canvas.current!, history, columns, width);
  }, [columns, theme]);

  const part = (ms: number) => (ms - extent.from) / (extent.to - extent.from),
    percent = (p: number) => `${(Math.max(0, Math.min(1, p)) * 100).toFixed(3)}%`;
  const edges = (r: Range): [number, number] => [
    part(rows[history.indexOf(r.from)]?.begin_ms ?? extent.from),
    part(endMs(rows[Math.max(0, history.indexOf(r.to + 1) - 1)])),
  ];
  function rowAt(e: PointerEvent): Row {
    const at = box.current!.getBoundingClientRect(),
      ms = extent.from + ((e.clientX - at.left) / at.width) * (extent.to - extent.from);
    return rows.find(row => endMs(row) > ms) ?? rows[rows.length - 1];
  }
  function grab(e: PointerEvent): void {
    if (e.button || !choose) return;
    const first = rowAt(e).seq,
      edge = (e.target as HTMLElement).dataset.edge,
      // of a slider, the other end stays
      still = edge === "from" ? shown!.to : edge === "to" ? shown!.from : first;
    held.current = at => {
      const here = rowAt(at).seq;
      return { from: Math.min(still, here), to: Math.max(still, here) };
    };
    box.current!.setPointerCapture(e.pointerId);
    setDraft(edge ? shown : { from: first, to: first });
  }
  function drag(e: PointerEvent): void {
    setHover(rowAt(e).seq);
    if (held.current) setDraft(held.current(e));
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
  const at = hover < 0 ? undefined : rows[history.indexOf(hover)],
    peak = Math.max(...columns.map(c => c.all), 0);
  return (
    <figure class="timeline">
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
        onPointerLeave={e => e.pointerType === "mouse" && setHover(-1)}
      >
        <canvas
          ref={canvas}
          role="img"
          aria-label={
            `Threads waiting in each of ${plural(rows.length, "window")}, by cause; ` +
            `at most ${inThreads(peak)}`
          }
        />
        {(["a", "b"] as const).map(name => {
          const mark = marks[name];
          if (!mark || history.indexOf(mark.to + 1) === history.indexOf(mark.from)) return null;
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
        <span>{clock(extent.from)}</span>
        <span class="says">{at ? says(at) : `at most ${inThreads(peak)} waiting at once`}</span>
        <span>{clock(extent.to)} UTC</span>
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
    const here = history.indexOf(range[edge]),
      at = Math.max(0, Math.min(rows.length - 1, here + by)),
      seq = rows[at].seq;
    const next = { ...range, [edge]: seq };
    choose(next.from <= next.to ? next : { from: seq, to: seq });
  }
  const slider = (edge: "from" | "to", label: string, left: string) => {
    const at = Math.min(rows.length - 1, history.indexOf(range[edge])),
      row = rows[at];
    return (
      <div
        class="edge"
        style={{ left }}
        data-edge={edge}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={rows[0].seq}
        aria-valuemax={rows[rows.length - 1].seq}
        aria-valuenow={row.seq}
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

