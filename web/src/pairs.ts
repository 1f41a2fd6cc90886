// SPDX-License-Identifier: Apache-2.0
//
// A hash table from pairs of whole numbers to a number. A Map of keys made of both is five times as
// slow, and building a tree does little else.
export class Pairs {
  private size = 1 << 12;
  private used = 0;
  private slots = new Int32Array(this.size * 3);

  // The place of the pair among the slots, or of the free slot it belongs to.
  private find(a: number, b: number): number {
    const mask = this.size - 1;
    let at = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b);
    at = (at ^ (at >>> 15)) & mask;
    while (this.slots[at * 3 + 2] && (this.slots[at * 3] !== a || this.slots[at * 3 + 1] !== b))
      at = (at + 1) & mask;
    return at * 3;
  }

  // -1: it is not there.
  get(a: number, b: number): number {
    return this.slots[this.find(a, b) + 2] - 1;
  }

  // `value` is 0 or more.
  set(a: number, b: number, value: number): void {
    const at = this.find(a, b);
    if (!this.slots[at + 2] && ++this.used * 2 > this.size) {
      this.grow();
      this.used--;
      this.set(a, b, value);
      return;
    }
    this.slots[at] = a;
    this.slots[at + 1] = b;
    this.slots[at + 2] = value + 1;
  }

  private grow(): void {
    const before = this.slots;
    this.size *= 2;
    this.slots = new Int32Array(this.size * 3);
    for (let i = 0; i < before.length; i += 3) {
      if (before[i + 2])
        this.slots.set(before.subarray(i, i + 3), this.find(before[i], before[i + 1]));
    }
  }
}
