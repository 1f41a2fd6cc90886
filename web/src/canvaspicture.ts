// SPDX-License-Identifier: Apache-2.0
//
// What pictures on a canvas have in common: the canvas is as large as its box, is drawn at most
// once a frame, and the view of it goes smoothly from one place to another.
import { Ruler } from "./ruler";
import { Travel } from "./travel";

export type Place = [number, number, number]; // left and right edge, pixels scrolled

export abstract class CanvasPicture {
  protected width = 0; // pixels of CSS
  protected height = 0;
  protected readonly context: CanvasRenderingContext2D;
  protected readonly ruler: Ruler;
  protected readonly travel = new Travel();
  private queued = 0;
  private readonly observer: ResizeObserver;

  constructor(
    protected readonly canvas: HTMLCanvasElement,
    font: string,
  ) {
    this.context = canvas.getContext("2d", { alpha: false })!;
    this.context.font = font;
    this.ruler = new Ruler(this.context);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(canvas);
  }

  abstract draw(): void;
  // What is in view.
  protected abstract get place(): Place;
  protected abstract set place(place: Place);
  // Keeps that inside of what there is.
  protected abstract clamp(): void;

  done(): void {
    this.observer.disconnect();
    cancelAnimationFrame(this.queued);
  }

  resize(): void {
    const box = this.canvas.getBoundingClientRect(),
      dpr = window.devicePixelRatio || 1;
    if (!box.width || !box.height) return;
    this.width = box.width;
    this.height = box.height;
    this.canvas.width = Math.round(box.width * dpr);
    this.canvas.height = Math.round(box.height * dpr);
    this.clamp();
    this.draw();
  }

  // After a change of what is shown. Paper has no frames of animation: what is not drawn now is
  // not printed.
  protected refresh(): void {
    this.clamp();
    if (document.documentElement.hasAttribute("data-paper")) this.resize();
    else this.queue();
  }

  look(left: number, right: number, scroll: number, smooth: boolean): void {
    const from = this.place;
    this.place = [left, right, scroll];
    this.clamp();
    if (this.travel.begin(from, this.place, smooth)) this.place = from;
    this.queue();
  }

  // Where the view is going to.
  target(): Place {
    const t = this.travel.target ?? this.place;
    return [t[0], t[1], t[2]];
  }

  queue(): void {
    if (this.queued) return;
    this.queued = requestAnimationFrame(now => {
      this.queued = 0;
      const at = this.travel.at(now);
      if (at) this.place = [at[0], at[1], at[2]];
      if (this.travel.target) this.queue();
      this.draw();
    });
  }
}
