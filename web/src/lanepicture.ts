// SPDX-License-Identifier: Apache-2.0
//
// Lanes on a canvas: a scale of time above, names of threads at the left, and a bar for each lane
// in view. Bars are written as pixels and put in one call, as those of the flame graph are. Where
// slices are narrower than a column of pixels, the column shows the share of each state, from
// below: on a CPU, waiting for one, then causes. So no state vanishes from a picture of a million
// waits.
import { CanvasPicture, type Place } from "./canvaspicture";
import { css, inkOn, pixel, type Rgb, type Theme } from "./color";
import { LaneIndex, type Codes } from "./laneindex";
import type { Part } from "./path";
import { instant, marks, type Lanes, type Slice, type Wake } from "./lanes";

export const LANE = 22, // pixels from one to the next
  SCALE = 22; // of the scale
const BAR = 16,
  PAD = 3,
  PATH = 3, // of the line of the critical path
  LABEL_FROM = 26,
  FEW = 5, // letters that say enough of a cause
  NEAR = 3, // pixels beside the pointer in which a narrow slice is hit
  DRAG = 4,
  LEAST_NS = 1000, // in view
  ARROWS = 250, // waits in view up to which all arrows are drawn
  SLICE_ARROWS = 64;
const FONT = '11px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';

export interface LaneModel {
  lanes: Lanes;
  tasks: number[]; // from above
  names: string[]; // of them; what tells one from the others is behind the last "/"
  codes: Codes;
  cause: ArrayLike<number>; // by wait
  bright: Uint8Array; // waits that are looked for
  fill: Rgb[]; // by code; that of what is not known is of its stripes
  words: string[]; // by code, written on slices
  selected: Slice | null;
  path: readonly Part[] | null; // the critical path that is drawn, in the order of time
  theme: Theme;
  colors: { page: Rgb; line: Rgb; text: Rgb; muted: Rgb; accent: Rgb };
}

// What is under the pointer.
export interface Spot {
  slice: Slice;
  from: number; // the time that a column of pixels there has
  to: number;
}

export interface LaneActions {
  select(slice: Slice | null): void;
  open(slice: Slice): void; // double click
  hover(spot: Spot | null, x: number, y: number): void;
  moved(): void; // by hand
  drawn(): void;
}

// Pixels of the names.
export function gutterOf(width: number): number {
  return Math.round(Math.max(72, Math.min(190, width * 0.2)));
}

interface Label {
  code: number;
  x: number;
  room: number;
  row: number;
}

export class LanePicture extends CanvasPicture {
  // What is seen: ns since the begin, and pixels scrolled.
  t0 = 0;
  t1 = 1;
  scroll = 0;
  // Of the last frame, for tests.
  mixed = 0;
  runs = 0;
  arrows = 0;
  lines = 0; // of the critical path
  private model: LaneModel | null = null;
  private indices = new Map<number, LaneIndex>();
  private rowOf = new Map<number, number>();
  private pixels: ImageData | null = null;
  private hovered: Slice | null = null;
  private brush: [number, number] | null = null; // pixels, while it is drawn

  constructor(
    canvas: HTMLCanvasElement,
    private readonly actions: LaneActions,
  ) {
    super(canvas, FONT);
    this.listen();
    (canvas as any).lanes = this; // for tests, which measure frames
  }

  set(model: LaneModel): void {
    const { model: old } = this;
    if (old?.lanes !== model.lanes || old.bright !== model.bright || old.cause !== model.cause)
      this.indices = new Map();
    if (old?.lanes !== model.lanes) this.hovered = null;
    this.model = model;
    this.rowOf = new Map(model.tasks.map((task, row) => [task, row]));
    this.refresh();
  }

  private get gutter(): number {
    return gutterOf(this.width);
  }

  protected get place(): Place {
    return [this.t0, this.t1, this.scroll];
  }

  protected set place(place: Place) {
    [this.t0, this.t1, this.scroll] = place;
  }

  protected clamp(): void {
    if (!this.model) return;
    const { end } = this.model.lanes,
      wide = Math.min(end, Math.max(LEAST_NS, this.t1 - this.t0));
    this.t0 = Math.min(end - wide, Math.max(0, this.t0));
    this.t1 = this.t0 + wide;
    this.scroll = Math.min(this.mostScroll(), Math.max(0, this.scroll));
  }

  private mostScroll(): number {
    const rows = this.model ? this.model.tasks.length : 0;
    return Math.max(0, rows * LANE - (this.height - SCALE));
  }

  // The scroll that has a lane in view.
  scrollTo(task: number): number {
    const row = this.rowOf.get(task),
      [, , scroll] = this.target(),
      room = this.height - SCALE;
    if (row === undefined) return scroll;
    if (row * LANE < scroll) return row * LANE;
    return Math.max(scroll, (row + 1) * LANE - room);
  }

  zoomBy(factor: number, at = 0.5): void {
    const [t0, t1, scroll] = this.target(),
      wide = Math.min(this.model?.lanes.end ?? 1, Math.max(LEAST_NS, (t1 - t0) * factor)),
      left = t0 + (t1 - t0 - wide) * at;
    this.look(left, left + wide, scroll, true);
    this.actions.moved();
  }

  panBy(across: number, down: number, smooth = true): void {
    const [t0, t1, scroll] = this.target(),
      end = this.model?.lanes.end ?? 1,
      by = Math.min(end - t1, Math.max(-t0, (t1 - t0) * across));
    this.look(t0 + by, t1 + by, scroll + down, smooth);
    this.actions.moved();
  }

  private index(m: LaneModel, task: number): LaneIndex {
    let index = this.indices.get(task);
    if (!index)
      this.indices.set(
        task,
        (index = new LaneIndex(m.lanes, task, m.codes, m.cause, m.bright)),
      );
    return index;
  }

  // Rows of the lanes in view, those that are cut too.
  private inView(m: LaneModel): [number, number] {
    const first = Math.floor(this.scroll / LANE),
      rows = Math.ceil((this.height - SCALE + this.scroll) / LANE);
    return [first, Math.min(m.tasks.length, rows)];
  }

  draw(): void {
    const m = this.model,
      c = this.context;
    if (!m || !this.width) return;
    const dpr = this.canvas.width / this.width;
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.fillStyle = css(m.colors.page);
    c.fillRect(0, 0, this.canvas.width, this.canvas.height);
    this.mixed = this.runs = this.arrows = this.lines = 0;
    const labels = this.drawBars(m, dpr);
    c.setTransform(dpr, 0, 0, dpr, 0, 0);
    c.font = FONT;
    c.textBaseline = "middle";
    c.save();
    c.beginPath();
    c.rect(this.gutter, SCALE, this.width, this.height);
    c.clip();
    this.drawLabels(m, labels);
    this.drawWakes(m);
    this.drawPath(m);
    this.outline(m, this.hovered, 1);
    this.outline(m, m.selected, 2);
    c.restore();
    this.drawNames(m);
    this.drawScale(m);
    this.drawBrush(m);
    this.actions.drawn();
  }

  private rowY(row: number): number {
    return SCALE + row * LANE - this.scroll;
  }

  private x(ns: number): number {
    return this.gutter + ((ns - this.t0) / (this.t1 - this.t0)) * (this.width - this.gutter);
  }

  private drawBars(m: LaneModel, dpr: number): Label[] {
    const left = Math.round(this.gutter * dpr),
      top = Math.round(SCALE * dpr),
      width = this.canvas.width - left,
      height = this.canvas.height - top,
      labels: Label[] = [];
    if (width < 1 || height < 1) return labels;
    if (!this.pixels || this.pixels.width !== width || this.pixels.height !== height)
      this.pixels = new ImageData(width, height);
    const out = new Uint32Array(this.pixels.data.buffer).fill(pixel(m.colors.page)),
      fill = Uint32Array.from(m.fill, pixel),
      [first, last] = this.inView(m);
    for (let row = first; row < last; row++) {
      const y = Math.round((this.rowY(row) + PAD - SCALE) * dpr),
        rows: [number, number] = [Math.max(0, y), Math.min(height, y + Math.round(BAR * dpr))];
      if (rows[0] < rows[1]) this.drawBar(m, row, out, width, rows, y, fill, dpr, labels);
    }
    this.context.putImageData(this.pixels, left, top);
    return labels;
  }

  // `rows`: those of the picture that the bar has; it begins at `top`, which may be above it.
  private drawBar(
    m: LaneModel,
    row: number,
    out: Uint32Array,
    width: number,
    rows: [number, number],
    top: number,
    fill: Uint32Array,
    dpr: number,
    labels: Label[],
  ): void {
    const line = out.subarray(rows[0] * width, (rows[0] + 1) * width),
      hatched: [number, number][] = [],
      stacks: [number, number[]][] = [], // of a column: codes and their pixels
      page = pixel(m.colors.page),
      high = Math.round(BAR * dpr),
      { unknown } = m.codes,
      index = this.index(m, m.tasks[row]);
    index.columns(
      this.t0,
      (this.t1 - this.t0) / width,
      width,
      (x0, x1, code) => {
        this.runs++;
        if (code === unknown) hatched.push([x0, x1]);
        else line.fill(fill[code], x0, x1);
        // an edge, between slices of one state
        if (x1 - x0 > 8 * dpr && x1 < width && code !== unknown) line[x1 - 1] = page;
        if (x1 - x0 >= LABEL_FROM * dpr)
          labels.push({ code, x: this.gutter + x0 / dpr, room: (x1 - x0) / dpr, row });
      },
      (x, times) => {
        this.mixed++;
        stacks.push([x, heights(times, high, index.present)]);
      },
    );
    for (let y = rows[0] + 1; y < rows[1]; y++) out.set(line, y * width);
    for (const [x, stack] of stacks) {
      let below = top + high;
      for (let i = 0; i < stack.length; i += 2) {
        const above = below - stack[i + 1],
          color = stack[i] === unknown ? page : fill[stack[i]];
        for (let y = Math.max(rows[0], above); y < Math.min(rows[1], below); y++)
          out[y * width + x] = color;
        below = above;
      }
    }
    const period = Math.round(6 * dpr),
      thick = Math.max(1, Math.round(1.5 * dpr));
    for (const [x0, x1] of hatched) {
      for (let y = rows[0]; y < rows[1]; y++)
        for (let x = x0; x < x1; x++)
          if ((x + y) % period < thick) out[y * width + x] = fill[unknown];
    }
  }

  private drawLabels(m: LaneModel, labels: Label[]): void {
    const c = this.context;
    for (const { code, x, room, row } of labels) {
      const text = this.ruler.fit(code, m.words[code], room - 9),
        hidden = code === m.codes.unknown,
        few = code < m.codes.causes ? FEW : Infinity;
      if (text !== m.words[code] && text.length < few) continue;
      if (!text) continue;
      const w = this.ruler.width(code, m.words[code]),
        y = this.rowY(row) + PAD + BAR / 2;
      if (hidden) {
        c.fillStyle = css(m.colors.page); // letters on stripes cannot be read
        c.fillRect(x + 2, y - BAR / 2, w + 6, BAR);
      }
      c.fillStyle = css(
        hidden ? m.colors.muted : inkOn(m.fill[code], m.theme),
      );
      c.fillText(text, x + 5, y + 0.5);
    }
  }

  private drawNames(m: LaneModel): void {
    const c = this.context,
      [first, last] = this.inView(m),
      selected = m.selected ? this.rowOf.get(m.selected.task) : undefined;
    c.fillStyle = css(m.colors.page);
    c.fillRect(0, SCALE, this.gutter, this.height);
    for (let row = first; row < last; row++) {
      const id = -2 * m.tasks[row] - 2,
        cut = m.names[row].lastIndexOf("/"),
        [head, tail] = [m.names[row].slice(0, cut), m.names[row].slice(cut)],
        room = this.gutter - 14 - this.ruler.width(id - 1, tail);
      c.fillStyle = css(row === selected ? m.colors.accent : m.colors.text);
      c.fillText(this.ruler.fit(id, head, room) + tail, 10, this.rowY(row) + LANE / 2 + 0.5);
    }
    c.fillStyle = css(m.colors.line);
    c.fillRect(this.gutter - 1, SCALE, 1, this.height);
  }

  private drawScale(m: LaneModel): void {
    const c = this.context,
      room = this.width - this.gutter,
      { step, at } = marks(this.t0, this.t1, Math.max(2, Math.floor(room / 110)));
    c.fillStyle = css(m.colors.page);
    c.fillRect(0, 0, this.width, SCALE);
    c.fillStyle = css(m.colors.line);
    c.fillRect(0, SCALE - 1, this.width, 1);
    at.forEach((ns, i) => {
      const x = this.x(ns),
        text = instant(ns, step),
        w = this.ruler.width(-1e9 - i, text);
      c.fillStyle = css(m.colors.line);
      c.fillRect(Math.round(x), SCALE - 6, 1, 6);
      c.fillStyle = css(m.colors.muted);
      if (x + 4 + w < this.width) c.fillText(text, x + 4, SCALE / 2);
    });
  }

  // Arrows to and from what is pointed at; all, if they are few enough to be followed.
  private drawWakes(m: LaneModel): void {
    const [first, last] = this.inView(m),
      tasks = m.tasks.slice(first, last),
      all = m.lanes.wakesIn(tasks, this.t0, this.t1, ARROWS);
    for (const wake of all ?? [])
      if (m.bright[m.lanes.p.moment.wait[wake.moment]]) this.arrow(m, wake, false);
    for (const slice of [this.hovered, m.selected])
      for (const wake of slice ? m.lanes.wakesOf(slice, SLICE_ARROWS) : [])
        this.arrow(m, wake, true);
  }

  // A line below what is on the critical path, and one from lane to lane where it goes over: as
  // many as there are pixels, however many parts there are.
  private drawPath(m: LaneModel): void {
    const c = this.context,
      parts = m.path ?? [],
      reached = new Map<number, number>(), // by row: where its line ends
      y = (row: number) => this.rowY(row) + PAD + BAR;
    let low = 0,
      high = parts.length,
      before = -1, // row
      crossed = -Infinity;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (parts[mid].begin + parts[mid].ns > this.t0) high = mid;
      else low = mid + 1;
    }
    c.fillStyle = css(m.colors.accent);
    for (let i = low; i < parts.length && parts[i].begin < this.t1; i++) {
      const { task, begin, ns, kind } = parts[i],
        row = kind === "not-split" ? -1 : (this.rowOf.get(task) ?? -1),
        x0 = this.x(begin),
        x1 = this.x(begin + ns);
      if (row >= 0 && x1 > (reached.get(row) ?? -Infinity) + 0.5) {
        c.fillRect(x0, y(row), Math.max(1, x1 - x0), PATH);
        reached.set(row, Math.max(x1, x0 + 1));
        this.lines++;
      }
      if (row >= 0 && before >= 0 && row !== before && x0 > crossed + 1) {
        const [top, end] = [y(before), y(row)].sort((a, b) => a - b);
        c.fillRect(x0 - 0.5, top, 1, end - top + PATH);
        crossed = x0;
        this.lines++;
      }
      before = row;
    }
  }

  private arrow(m: LaneModel, wake: Wake, strong: boolean): void {
    const from = this.rowOf.get(wake.from),
      to = this.rowOf.get(wake.to),
      c = this.context;
    if (from === undefined || to === undefined || from === to) return;
    if (wake.at < this.t0 || wake.at > this.t1) return;
    const x = this.x(wake.at),
      down = to > from,
      y0 = this.rowY(from) + PAD + (down ? BAR : 0),
      y1 = this.rowY(to) + PAD + (down ? 0 : BAR),
      back = down ? -5 : 5;
    this.arrows++;
    c.strokeStyle = c.fillStyle = css(strong ? m.colors.accent : m.colors.text);
    c.globalAlpha = strong ? 1 : 0.5;
    c.lineWidth = strong ? 2 : 1;
    c.beginPath();
    c.moveTo(x, y0);
    c.lineTo(x, y1 + back);
    c.stroke();
    c.beginPath();
    c.moveTo(x, y1);
    c.lineTo(x - 3.5, y1 + back);
    c.lineTo(x + 3.5, y1 + back);
    c.fill();
    c.beginPath();
    c.arc(x, y0, 2, 0, 7);
    c.fill();
    c.globalAlpha = 1;
  }

  private outline(m: LaneModel, slice: Slice | null, thick: number): void {
    const row = slice ? this.rowOf.get(slice.task) : undefined,
      c = this.context;
    if (!slice || row === undefined) return;
    const x0 = Math.max(this.gutter - 3, this.x(slice.begin)),
      x1 = Math.min(this.width + 3, this.x(slice.end));
    if (x1 < this.gutter || x0 > this.width) return;
    c.strokeStyle = css(m.colors.accent);
    c.lineWidth = thick;
    c.strokeRect(
      x0 - thick / 2,
      this.rowY(row) + PAD - thick / 2,
      Math.max(2, x1 - x0) + thick,
      BAR + thick,
    );
  }

  private drawBrush(m: LaneModel): void {
    const c = this.context;
    if (!this.brush) return;
    const [a, b] = this.brush;
    c.fillStyle = css(m.colors.accent);
    c.globalAlpha = 0.2;
    c.fillRect(Math.min(a, b), SCALE, Math.abs(b - a), this.height);
    c.globalAlpha = 1;
  }

  private timeAt(px: number): number {
    const part = (px - this.gutter) / (this.width - this.gutter);
    return this.t0 + part * (this.t1 - this.t0);
  }

  hit(px: number, py: number): Spot | null {
    const m = this.model,
      row = Math.floor((py - SCALE + this.scroll) / LANE);
    if (!m || py < SCALE || px < this.gutter || row < 0 || row >= m.tasks.length) return null;
    const ns = this.timeAt(px),
      column = (this.t1 - this.t0) / (this.width - this.gutter),
      task = m.tasks[row],
      wide = m.lanes.sliceAt(task, Math.floor(ns)),
      near = NEAR * column,
      slice =
        wide && wide.end - wide.begin > 2 * near
          ? wide
          : m.lanes.largestIn(task, Math.max(0, Math.floor(ns - near)), ns + near, 400);
    return slice && { slice, from: ns - column / 2, to: ns + column / 2 };
  }

  // By code, in a part of the time.
  timesIn(task: number, from: number, to: number): Float64Array {
    const m = this.model!;
    return this.index(m, task).between(from, to, new Float64Array(m.codes.count));
  }

  private listen(): void {
    const el = this.canvas,
      place = (e: MouseEvent): [number, number] => {
        const box = el.getBoundingClientRect();
        return [e.clientX - box.left, e.clientY - box.top];
      },
      fingers = new Map<number, [number, number]>();
    let dragged = false, // until the click that follows
      brushed = false;
    el.addEventListener("pointerdown", e => {
      if (e.button) return;
      fingers.set(e.pointerId, place(e));
      dragged = false;
      // above the lanes there is nothing to take hold of
      brushed = fingers.size === 1 && (e.shiftKey || place(e)[1] < SCALE);
    });
    el.addEventListener("pointermove", e => {
      const [x, y] = place(e),
        before = fingers.get(e.pointerId);
      if (!before) return this.point(this.hit(x, y), x, y);
      if (!dragged && Math.hypot(x - before[0], y - before[1]) <= DRAG) return;
      if (!dragged) el.setPointerCapture(e.pointerId);
      dragged = true;
      this.point(null, x, y);
      if (brushed) {
        this.brush = [Math.max(this.gutter, before[0]), Math.max(this.gutter, x)];
        this.queue();
      } else {
        this.drag(fingers, e.pointerId, [x, y]);
        fingers.set(e.pointerId, [x, y]);
      }
    });
    const up = (e: PointerEvent) => {
      const { brush } = this;
      fingers.delete(e.pointerId);
      this.brush = null;
      if (!brush) return;
      const [a, b] = brush.map(px => this.timeAt(px)).sort((x, y) => x - y);
      if (e.type === "pointerup" && Math.abs(brush[1] - brush[0]) > DRAG) {
        this.look(a, b, this.scroll, true);
        this.actions.moved();
      }
      this.queue();
    };
    el.addEventListener("pointerup", up);
    el.addEventListener("pointercancel", up);
    el.addEventListener("pointerleave", () => this.point(null, 0, 0));
    el.addEventListener("click", e => {
      if (!dragged) this.actions.select(this.hit(...place(e))?.slice ?? null);
    });
    el.addEventListener("dblclick", e => {
      const spot = this.hit(...place(e));
      if (spot) this.actions.open(spot.slice);
    });
    el.addEventListener("wheel", e => this.wheel(e, place(e)[0]), { passive: false });
  }

  // One finger moves the picture, two spread it.
  private drag(fingers: Map<number, [number, number]>, id: number, at: [number, number]): void {
    const [x, y] = fingers.get(id)!,
      other = [...fingers].find(f => f[0] !== id)?.[1],
      room = this.width - this.gutter;
    if (!other) return this.panBy(-(at[0] - x) / room, -(at[1] - y), false);
    const before = Math.max(8, Math.abs(x - other[0])),
      now = Math.max(8, Math.abs(at[0] - other[0]));
    this.zoomBy(before / now, Math.min(1, Math.max(0, (other[0] - this.gutter) / room)));
  }

  private wheel(e: WheelEvent, x: number): void {
    const unit = e.deltaMode === 1 ? LANE : 1,
      room = this.width - this.gutter,
      across = e.shiftKey ? e.deltaX || e.deltaY : e.deltaX,
      [t0, t1, scroll] = this.target();
    if (e.ctrlKey || e.metaKey) {
      e.preventDefault();
      const at = Math.min(1, Math.max(0, (x - this.gutter) / room));
      this.zoomBy(Math.exp(e.deltaY * unit * 0.004), at);
    } else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
      if (t1 - t0 >= (this.model?.lanes.end ?? 0)) return; // the page scrolls
      e.preventDefault();
      this.panBy((across * unit) / room, 0, false);
    } else {
      if (e.deltaY > 0 ? scroll >= this.mostScroll() - 1 : scroll <= 0) return;
      e.preventDefault();
      this.panBy(0, e.deltaY * unit, false);
    }
    this.point(null, 0, 0);
  }

  private point(spot: Spot | null, x: number, y: number): void {
    const slice = spot?.slice ?? null,
      old = this.hovered;
    if (slice?.task !== old?.task || slice?.begin !== old?.begin) {
      this.hovered = slice;
      this.queue();
    }
    this.actions.hover(spot, x, y);
  }
}

// What a column of so many pixels has, from below: a code, its pixels, the next code. What is there
// has one at least, if there is room. `times`: of each of `codes`.
export function heights(
  times: Float64Array,
  high: number,
  codes: readonly number[],
): number[] {
  const out: number[] = [];
  let whole = 0,
    rest = high;
  for (let s = 0; s < codes.length; s++) whole += times[s];
  for (let s = 0; s < codes.length; s++) {
    if (!(times[s] > 0)) continue;
    const n = Math.max(1, Math.round((times[s] / whole) * high));
    out.push(codes[s], n);
    rest -= n;
  }
  while (rest && out.length) {
    let largest = 1;
    for (let i = 3; i < out.length; i += 2) if (out[i] > out[largest]) largest = i;
    if (rest < 0 && out[largest] < 2) break;
    out[largest] += Math.sign(rest);
    rest -= Math.sign(rest);
  }
  return out;
}
