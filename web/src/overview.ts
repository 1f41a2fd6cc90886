// SPDX-License-Identifier: Apache-2.0
//
// All of the time above the lanes: how many threads waited at once, by cause, and which part the
// lanes show. That part is drawn anew with the pointer, or moved.
import { css, type Rgb } from "./color";
import { gutterOf } from "./lanepicture";

const NEAR = 4, // pixels
  LEAST_MOST = 1; // threads at the top, at least

export interface OverviewModel {
  end: number; // ns
  crowd: Map<number, Float64Array>; // threads by code and part of the time
  fill: Rgb[]; // by code
  text: string; // in the place of names
  colors: { page: Rgb; line: Rgb; muted: Rgb; accent: Rgb };
}

export class Overview {
  private model: OverviewModel | null = null;
  private view: [number, number] = [0, 1];
  private still: HTMLCanvasElement | null = null; // what does not move
  private width = 0;
  private height = 0;
  private readonly context: CanvasRenderingContext2D;
  private readonly observer: ResizeObserver;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly look: (t0: number, t1: number) => void,
  ) {
    this.context = canvas.getContext("2d", { alpha: false })!;
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(canvas);
    this.listen();
  }

  done(): void {
    this.observer.disconnect();
  }

  set(model: OverviewModel): void {
    this.model = model;
    this.still = null;
    this.draw();
  }

  show(t0: number, t1: number): void {
    this.view = [t0, t1];
    this.draw();
  }

  private resize(): void {
    const dpr = window.devicePixelRatio || 1;
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    this.canvas.width = Math.round(this.width * dpr);
    this.canvas.height = Math.round(this.height * dpr);
    this.still = null;
    this.draw();
  }

  private draw(): void {
    const m = this.model,
      c = this.context,
      dpr = this.canvas.width / this.width;
    if (!m || !this.width || !this.height) return;
    this.still ??= this.drawStill(m, dpr);
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.drawImage(this.still, 0, 0);
    c.setTransform(dpr, 0, 0, dpr, 0, 0);
    const [x0, x1] = this.view.map(ns => this.x(ns)),
      left = gutterOf(this.width);
    c.fillStyle = css(m.colors.page);
    c.globalAlpha = 0.72;
    c.fillRect(left, 0, x0 - left, this.height);
    c.fillRect(x1, 0, this.width - x1, this.height);
    c.globalAlpha = 1;
    if (x1 - x0 > this.width - left - 1) return;
    c.strokeStyle = css(m.colors.accent);
    c.lineWidth = 1.5;
    c.strokeRect(x0 - 0.75, 0.75, Math.max(2, x1 - x0) + 1.5, this.height - 1.5);
  }

  private drawStill(m: OverviewModel, dpr: number): HTMLCanvasElement {
    const still = document.createElement("canvas"),
      c = still.getContext("2d", { alpha: false })!,
      left = gutterOf(this.width),
      count = [...m.crowd.values()][0]?.length ?? 0,
      base = new Float64Array(count),
      sums = new Float64Array(count);
    still.width = this.canvas.width;
    still.height = this.canvas.height;
    c.setTransform(dpr, 0, 0, dpr, 0, 0);
    c.fillStyle = css(m.colors.page);
    c.fillRect(0, 0, this.width, this.height);
    for (const part of m.crowd.values()) part.forEach((n, i) => (sums[i] += n));
    const most = Math.max(LEAST_MOST, sums.reduce((a, b) => Math.max(a, b), 0)),
      room = this.height - 3,
      // edges of whole pixels: between two parts there shall be no seam
      px = (x: number) => Math.round(x * dpr) / dpr,
      x = (i: number) => px(left + (i * (this.width - left)) / count),
      y = (n: number) => px(this.height - (n / most) * room);
    for (const [code, part] of m.crowd) {
      c.fillStyle = css(m.fill[code]);
      part.forEach((n, i) => {
        if (n <= 0) return;
        c.fillRect(x(i), y(base[i] + n), x(i + 1) - x(i), y(base[i]) - y(base[i] + n));
        base[i] += n;
      });
    }
    c.fillStyle = css(m.colors.line);
    c.fillRect(0, this.height - 1, this.width, 1);
    c.fillRect(left - 1, 0, 1, this.height);
    c.fillStyle = css(m.colors.muted);
    c.font = '11px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';
    c.textBaseline = "middle";
    c.fillText(m.text, 10, this.height / 2, left - 14);
    return still;
  }

  private x(ns: number): number {
    const left = gutterOf(this.width);
    return left + (ns / this.model!.end) * (this.width - left);
  }

  private timeAt(px: number): number {
    const left = gutterOf(this.width),
      part = Math.min(1, Math.max(0, (px - left) / (this.width - left)));
    return part * this.model!.end;
  }

  private listen(): void {
    const el = this.canvas,
      at = (e: PointerEvent) => e.clientX - el.getBoundingClientRect().left;
    let drag: ((px: number) => void) | null = null;
    el.addEventListener("pointerdown", e => {
      if (e.button || !this.model) return;
      const [t0, t1] = this.view,
        [x0, x1] = [this.x(t0), this.x(t1)],
        px = at(e),
        from = this.timeAt(px),
        whole = t1 - t0 > this.model.end * 0.999;
      el.setPointerCapture(e.pointerId);
      const brush = (still: number) => (to: number) => {
        const other = this.timeAt(to);
        if (other !== still) this.look(Math.min(still, other), Math.max(still, other));
      };
      if (whole) drag = brush(from);
      else if (Math.abs(px - x0) < NEAR) drag = brush(t1);
      else if (Math.abs(px - x1) < NEAR) drag = brush(t0);
      else if (px > x0 && px < x1)
        drag = to => {
          const by = this.timeAt(to) - from;
          this.look(t0 + by, t1 + by);
        };
      else drag = brush(from);
    });
    el.addEventListener("pointermove", e => drag?.(at(e)));
    for (const end of ["pointerup", "pointercancel"])
      el.addEventListener(end, () => (drag = null));
  }
}
