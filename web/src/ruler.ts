// SPDX-License-Identifier: Apache-2.0
//
// How wide texts are on a canvas, and as much of one as fits.
const ELLIPSIS = "\u2026";

// Widths of characters are measured once: measureText() for each label is what frames cost most.
export class Ruler {
  private readonly ascii = new Float64Array(128);
  private readonly others = new Map<string, number>();
  private readonly labels = new Map<number, number>();
  readonly dots: number;

  constructor(private readonly context: CanvasRenderingContext2D) {
    for (let c = 32; c < 127; c++)
      this.ascii[c] = context.measureText(String.fromCharCode(c)).width;
    this.dots = context.measureText(ELLIPSIS).width;
  }

  private char(text: string, i: number): number {
    const c = text.charCodeAt(i);
    if (c < 128) return this.ascii[c] || this.ascii[32];
    let w = this.others.get(text[i]);
    if (w === undefined) this.others.set(text[i], (w = this.context.measureText(text[i]).width));
    return w;
  }

  width(label: number, text: string): number {
    let w = this.labels.get(label);
    if (w === undefined) {
      w = 0;
      for (let i = 0; i < text.length && w < 1e4; i++) w += this.char(text, i);
      this.labels.set(label, w);
    }
    return w;
  }

  fit(label: number, text: string, room: number): string {
    if (this.width(label, text) <= room) return text.length < 2000 ? text : text.slice(0, 2000);
    let used = this.dots,
      i = 0;
    for (; i < text.length; i++) {
      used += this.char(text, i);
      if (used > room) break;
    }
    if (i && text.charCodeAt(i - 1) >= 0xd800 && text.charCodeAt(i - 1) < 0xdc00) i--;
    return i < 2 ? "" : text.slice(0, i) + ELLIPSIS;
  }
}
