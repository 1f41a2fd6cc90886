// SPDX-License-Identifier: Apache-2.0
//
// Remembers the last results of each step by their keys. What one thread has computed can be given
// to another one, which then finds it here.
export type Shelves = { [step: string]: [string, unknown][] };

export class Kept {
  private readonly shelves = new Map<string, Map<string, any>>();
  readonly made = new Set<string>(); // steps that were computed here

  constructor(private readonly given: Shelves = {}) {}

  step<T>(name: string, most: number, make: (key: string) => T): (key: string) => T {
    const known = new Map<string, T>((this.given[name] as [string, T][]) ?? []);
    this.shelves.set(name, known);
    return key => {
      let value = known.get(key);
      if (value === undefined) {
        this.made.add(name);
        known.set(key, (value = make(key)));
        if (known.size > most) known.delete(known.keys().next().value!);
      }
      return value;
    };
  }

  // Of these steps, whose results are data alone.
  give(names: readonly string[]): Shelves {
    return Object.fromEntries(names.map(name => [name, [...(this.shelves.get(name) ?? [])]]));
  }
}
