// SPDX-License-Identifier: Apache-2.0
//
// A flame graph on a canvas that is as large as what one sees of it, never as the graph: only boxes
// in view are visited, and one that is too narrow is skipped with all that is below it. Runs of
// such boxes are one pale bar, so that no time vanishes from the picture.
//
// A row of the graph is the same from its upper to its lower edge. So boxes are written as pixels
// of one line for each row, the lines are copied to their height, and the canvas gets them in one
// call: ten thousand boxes cost little more than ten.
import { CanvasPicture, type Place } from "./canvaspicture";
import { css, inkOn, mix, pixel, rgb, softInk, type Paint } from "./color";
import { Kind } from "./data";
import type { Layout } from "./layout";
import type { Shape } from "./tree";

export const ROW = 20;
const NARROW = 0.5,
  LABEL_FROM = 22,
  PAD = 5,
  DRAG = 4;
const FONT = '12px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';

export interface Model {
  shape: Shape;
  layout: Layout;
  paint: Paint;
  text: string[]; // of labels
  causes: string[]; // names; empty: none are written on frames
  selected: number; // node, -1: none
  matches: Uint8Array | null; // by label
  up: boolean;
  colors: { page: string; rest: string; accent: string; match: string; matchInk: string };
}

export interface Actions {
  select(node: number): void;
  open(node: number): void; // double click
  hover(node: number, x: number, y: number): void; // -1: none
  moved(): void; // by hand
}

// Colours as the words of an ImageData, and those of texts.
interface Inks {
  page: number;
  rest: number;
  match: number;
  fill: Uint32Array;
  dim: Uint32Array; // where something else is searched for
  bar: Uint32Array;
  ink: string[];
  soft: string[]; // of what is written beside a name
  dimInk: string[];
}

const DIM = 0.5; // how far what a search does not find goes into the page

function makeInks(paint: Paint, colors: Model["colors"]): Inks {
  const page = rgb(colors.page);
  return {
    page: pixel(page),
    rest: pixel(rgb(colors.rest)),
    match: pixel(rgb(colors.match)),
    fill: Uint32Array.from(paint.fill, pixel),
    dim: Uint32Array.from(paint.fill, f => pixel(mix(f, page, DIM))),
    bar: Uint32Array.from(paint.fill, (f, i) => pixel(mix(f, paint.ink[i], 0.6))),
    ink: paint.ink.map(css),
    soft: paint.fill.map((f, i) => css(softInk(paint.ink[i], f))),
    dimInk: paint.fill.map(f => css(inkOn(mix(f, page, DIM), paint.theme))),
  };
}

// Most boxes are a few pixels wide: a call of fill() takes longer than they do.
function fill(out: Uint32Array, color: number, from: number, to: number): void {
  if (to - from > 32) out.fill(color, from, to);
  else for (let i = from; i < to; i++) out[i] = color;
}

export class Flame extends CanvasPicture {
  // What is seen: parts of the whole across, and pixels scrolled from the root.
  x0 = 0;
  x1 = 1;
  scroll = 0;
  // Of the last frame: boxes that were looked at, those that were drawn, and labels.
  visited = 0;
  drawn = 0;
  written = 0;
  private model: Model | null = null;
  private hovered = -1;
  private pixels: ImageData | null = null;
  private lines = new Uint32Array(0); // of pixels, one for each row
  private inks: Inks | null = null;

  constructor(
    canvas: HTMLCanvasElement,
    private readonly actions: Actions,
  ) {
    super(canvas, FONT);
    this.listen();
    (canvas as any).flame = this; // for tests, which measure frames
  }

  set(model: Model): void {
    const { paint, colors } = model;
    if (this.model?.paint !== paint || this.model.colors.page !== colors.page)
      this.inks = makeInks(paint, colors);
    this.model = model;
    this.refresh();
  }

  get visibleRows(): number {
    return Math.max(1, Math.floor(this.height / ROW));
  }

  protected get place(): Place {
    return [this.x0, this.x1, this.scroll];
  }

  protected set place(place: Place) {
    [this.x0, this.x1, this.scroll] = place;
  }

  protected clamp(): void {
    if (!this.model) return;
    const least = 1e-9,
      w = Math.min(1, Math.max(least, this.x1 - this.x0));
    this.x0 = Math.min(1 - w, Math.max(0, this.x0));
    this.x1 = this.x0 + w;
    const most = Math.max(0, this.model.layout.rows * ROW - this.height);
    this.scroll = Math.min(most, Math.max(0, this.scroll));
  }

  // Where a node is in parts of the whole; the root's place if it is not drawn.
  extent(node: number): [number, number] {
    const l = this.model!.layout,
      box = l.box[node] ?? -1;
    if (box < 0 || !l.total) return [0, 1];
    return [l.x[box] / l.total, (l.x[box] + l.w[box]) / l.total];
  }

  // The scroll that has a row in the upper third, if it is not in view already.
  scrollTo(depth: number, scroll = this.scroll): number {
    const y = depth * ROW;
    if (y >= scroll && y + ROW <= scroll + this.height) return scroll;
    return Math.max(0, y - this.height / 3);
  }

  zoomBy(factor: number, at = 0.5): void {
    const [x0, x1, scroll] = this.target(),
      mid = x0 + (x1 - x0) * at;
    const w = Math.min(1, (x1 - x0) * factor);
    this.look(mid - w * at, mid - w * at + w, scroll, true);
    this.actions.moved();
  }

  panBy(across: number, down: number, smooth = true): void {
    const [x0, x1, scroll] = this.target(),
      by = (x1 - x0) * across;
    const shift = Math.min(1 - x1, Math.max(-x0, by));
    this.look(x0 + shift, x1 + shift, scroll + (this.model?.up ? -down : down), smooth);
    this.actions.moved();
  }

  private rowY(depth: number): number {
    return this.model!.up
      ? this.height - (depth + 1) * ROW + this.scroll
      : depth * ROW - this.scroll;
  }

  draw(): void {
    const m = this.model,
      c = this.context;
    if (!m || !this.width) return;
    const dpr = this.canvas.width / this.width;
    c.setTransform(dpr, 0, 0, dpr, 0, 0);
    c.globalAlpha = 1;
    this.visited = this.drawn = this.written = 0;
    if (!(m.layout.total > 0)) {
      c.fillStyle = m.colors.page;
      c.fillRect(0, 0, this.width, this.height);
      return;
    }
    const labels = this.drawBoxes(m, dpr);
    this.drawLabels(m, labels);
    this.outline(m, this.hovered, 1);
    this.outline(m, m.selected, 2);
  }

  // Depth of the first row of the picture, and how many it has.
  private picture(): [number, number] {
    return [Math.floor(this.scroll / ROW), Math.ceil(this.height / ROW) + 1];
  }

  // Returns the boxes that have room for a label.
  private drawBoxes(m: Model, dpr: number): number[] {
    const { layout: l, paint, shape, matches } = m,
      labels: number[] = [];
    const [first, rows] = this.picture(),
      width = this.canvas.width,
      inks = this.inks!;
    if (this.lines.length !== width * rows) this.lines = new Uint32Array(width * rows);
    const out = this.lines.fill(inks.page),
      reached = new Int32Array(rows);
    const scale = width / ((this.x1 - this.x0) * l.total),
      left = this.x0 * l.total;
    const narrow = NARROW * dpr,
      wide = LABEL_FROM * dpr,
      bar = Math.round(3 * dpr);
    for (let i = 0; i < l.len;) {
      this.visited++;
      const w = l.w[i] * scale,
        x = (l.x[i] - left) * scale,
        depth = l.depth[i] - first;
      if (x >= width || x + w <= 0 || depth >= rows) {
        i = l.skip[i];
        continue;
      }
      const line = m.up ? rows - 1 - depth : depth,
        row = line * width;
      if (w < narrow) {
        if (depth >= 0) {
          const end = Math.min(width, Math.ceil(x + w));
          if (end > reached[line]) {
            fill(out, inks.rest, row + Math.max(reached[line], Math.floor(x)), row + end);
            reached[line] = end;
          }
        }
        i = l.skip[i];
        continue;
      }
      if (depth >= 0) {
        const from = Math.max(0, Math.round(x)),
          node = l.node[i];
        const to = Math.min(width, Math.max(from + 1, Math.round(x + w)));
        const hit = matches !== null && matches[shape.label[node]];
        const color = hit ? inks.match : (matches ? inks.dim : inks.fill)[paint.index[node]];
        fill(out, color, row + from, row + to);
        if (to - from > 3 * dpr) {
          if (to < width) out[row + to - 1] = inks.page;
          if (shape.kind[node] === Kind.Code && x >= 0)
            out.fill(inks.bar[paint.index[node]], row + from, row + from + bar);
        }
        reached[line] = to;
        this.drawn++;
        if (to - from >= wide) labels.push(i);
      }
      i++;
    }
    this.putLines(out, rows, dpr);
    return labels;
  }

  private putLines(lines: Uint32Array, rows: number, dpr: number): void {
    const { width, height } = this.canvas,
      [first] = this.picture();
    if (!this.pixels || this.pixels.width !== width || this.pixels.height !== height)
      this.pixels = new ImageData(width, height);
    const out = new Uint32Array(this.pixels.data.buffer),
      gap = Math.max(1, Math.round(dpr));
    const top = this.model!.up
      ? this.height - (first + rows) * ROW + this.scroll
      : first * ROW - this.scroll;
    let y = 0;
    for (let r = 0; r < rows; r++) {
      const line = lines.subarray(r * width, (r + 1) * width);
      const end = Math.min(height, Math.round((top + (r + 1) * ROW) * dpr));
      for (; y < end - gap; y++) out.set(line, y * width);
      if (y < end) out.fill(this.inks!.page, y * width, end * width);
      y = Math.max(y, end);
    }
    this.context.putImageData(this.pixels, 0, 0);
  }

  private drawLabels(m: Model, boxes: number[]): void {
    const c = this.context,
      { layout: l, paint, shape, matches } = m,
      inks = this.inks!;
    const scale = this.width / ((this.x1 - this.x0) * l.total),
      left = this.x0 * l.total;
    const late: number[] = [];
    let ink = "";
    c.font = FONT;
    c.textBaseline = "middle";
    const put = (i: number) => {
      const node = l.node[i],
        label = shape.label[node];
      const x = Math.max(0, (l.x[i] - left) * scale),
        y = this.rowY(l.depth[i]);
      const end = Math.min(this.width, (l.x[i] + l.w[i] - left) * scale);
      const from = x + PAD + (shape.kind[node] === Kind.Code ? 3 : 0);
      const text = m.text[label] || "[no name]",
        shown = this.ruler.fit(label, text, end - from - PAD);
      if (!shown) return;
      this.written++;
      const hit = matches !== null && !!matches[label];
      const color = hit ? m.colors.matchInk : (matches ? inks.dimInk : inks.ink)[paint.index[node]];
      if (color !== ink) c.fillStyle = ink = color;
      c.fillText(shown, from, y + ROW / 2);
      this.nameCause(m, node, from + this.ruler.width(label, text), end, y, hit);
    };
    // slanted ones at the end: changing the font is dear
    for (const i of boxes) {
      if (shape.kind[l.node[i]] === Kind.Inlined) late.push(i);
      else put(i);
    }
    if (late.length) c.font = "italic " + FONT;
    late.forEach(put);
  }

  // The cause is written on the first frame that is all its own.
  private nameCause(
    m: Model,
    node: number,
    from: number,
    end: number,
    y: number,
    hit: boolean,
  ): void {
    const cause = m.paint.cause[node],
      c = this.context;
    if (!m.causes.length || cause < 0 || m.shape.depth[node] < 1) return;
    const up = m.shape.parent[node];
    if (up > 0 && m.paint.cause[up] === cause) return;
    const name = m.causes[cause],
      w = this.ruler.width(-1 - cause, name);
    if (end - PAD - w < from + 16) return;
    const before = c.fillStyle;
    if (!hit && !m.matches) c.fillStyle = this.inks!.soft[m.paint.index[node]];
    c.fillText(name, end - PAD - w - 1, y + ROW / 2);
    c.fillStyle = before;
  }

  private outline(m: Model, node: number, thick: number): void {
    const box = node >= 0 ? (m.layout.box[node] ?? -1) : -1,
      l = m.layout,
      c = this.context;
    if (box < 0) return;
    const scale = this.width / ((this.x1 - this.x0) * l.total);
    const x = (l.x[box] - this.x0 * l.total) * scale,
      w = l.w[box] * scale;
    const from = Math.max(-3, x),
      to = Math.min(this.width + 3, x + w);
    if (to < 0 || from > this.width) return;
    c.strokeStyle = m.colors.accent;
    c.lineWidth = thick;
    c.strokeRect(
      from + thick / 2,
      this.rowY(l.depth[box]) + thick / 2,
      Math.max(2, to - from - 1) - thick,
      ROW - 1 - thick,
    );
  }

  hit(px: number, py: number): number {
    const m = this.model;
    if (!m || !(m.layout.total > 0)) return -1;
    const l = m.layout,
      row = Math.floor(m.up ? (this.height + this.scroll - py) / ROW : (py + this.scroll) / ROW);
    const at = (this.x0 + (px / this.width) * (this.x1 - this.x0)) * l.total;
    for (let i = 0; i < l.len;) {
      if (at < l.x[i] || at >= l.x[i] + l.w[i]) {
        i = l.skip[i];
      } else if (l.depth[i] === row) {
        return l.node[i];
      } else {
        i++;
      }
    }
    return -1;
  }

  private listen(): void {
    const el = this.canvas,
      place = (e: MouseEvent): [number, number] => {
        const box = el.getBoundingClientRect();
        return [e.clientX - box.left, e.clientY - box.top];
      };
    let down: { x: number; y: number } | null = null,
      dragged = false; // until the click that follows
    el.addEventListener("pointerdown", e => {
      if (e.button === 0) {
        down = { x: e.clientX, y: e.clientY };
        dragged = false;
      }
    });
    el.addEventListener("pointermove", e => {
      const [x, y] = place(e);
      if (down && (dragged || Math.hypot(e.clientX - down.x, e.clientY - down.y) > DRAG)) {
        if (!dragged) el.setPointerCapture(e.pointerId);
        dragged = true;
        this.panBy(-(e.clientX - down.x) / this.width, -(e.clientY - down.y), false);
        down.x = e.clientX;
        down.y = e.clientY;
        this.actions.hover(-1, x, y);
        return;
      }
      this.hover(this.hit(x, y), x, y);
    });
    el.addEventListener("pointerup", () => (down = null));
    // Not when a finger is lifted: its click would be of what that has put there.
    el.addEventListener("click", e => {
      if (!dragged) this.actions.select(this.hit(...place(e)));
    });
    el.addEventListener("pointercancel", () => (down = null));
    el.addEventListener("pointerleave", () => this.hover(-1, 0, 0));
    el.addEventListener("dblclick", e => {
      const node = this.hit(...place(e));
      if (node >= 0) this.actions.open(node);
    });
    el.addEventListener(
      "wheel",
      e => {
        const unit = e.deltaMode === 1 ? ROW : 1,
          [x] = place(e);
        if (!e.ctrlKey && !e.metaKey && !this.canPan(e)) return; // the page scrolls
        e.preventDefault();
        if (e.ctrlKey || e.metaKey) {
          this.zoomBy(Math.exp(e.deltaY * unit * 0.004), x / this.width);
        } else {
          const across = e.shiftKey ? e.deltaX || e.deltaY : e.deltaX;
          this.panBy((across * unit) / this.width, e.shiftKey ? 0 : e.deltaY * unit, false);
        }
        this.hover(-1, 0, 0);
      },
      { passive: false },
    );
  }

  // Is there anything of the graph where the wheel goes to?
  private canPan(e: WheelEvent): boolean {
    if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) return this.x1 - this.x0 < 1;
    const scroll = this.target()[2],
      most = this.model ? this.model.layout.rows * ROW - this.height : 0,
      down = this.model?.up ? -e.deltaY : e.deltaY;
    return down > 0 ? scroll < most - 1 : scroll > 0;
  }

  private hover(node: number, x: number, y: number): void {
    if (node !== this.hovered) {
      this.hovered = node;
      this.queue();
    }
    this.actions.hover(node, x, y);
  }
}
