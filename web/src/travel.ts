// SPDX-License-Identifier: Apache-2.0
//
// A few numbers on their way from one view to the next, so that the eye can follow.
const TRAVEL_MS = 180;

export class Travel {
  private way: { from: number[]; to: number[]; start: number } | null = null;

  // false: it is there at once, for nobody shall see a way.
  begin(from: number[], to: number[], smooth: boolean): boolean {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches,
      moves = smooth && !calm && to.some((v, i) => v !== from[i]);
    this.way = moves ? { from, to, start: performance.now() } : null;
    return moves;
  }

  // Where it is going to; null: it does not move.
  get target(): number[] | null {
    return this.way?.to ?? null;
  }

  // Where it is now; null: it does not move.
  at(now: number): number[] | null {
    const { way } = this;
    if (!way) return null;
    const part = Math.min(1, Math.max(0, (now - way.start) / TRAVEL_MS)),
      ease = 1 - (1 - part) ** 3;
    if (part === 1) this.way = null;
    return part === 1 ? way.to : way.from.map((v, i) => v + (way.to[i] - v) * ease);
  }
}
