// SPDX-License-Identifier: Apache-2.0
//
// Lists of strings from one thread to another. Profiles that follow each other have almost the same
// ones, and tens of thousands of them take the other thread longer to read than all numbers, which
// are handed over as memory. So only those go over that have not yet.

export interface PackedTexts {
  ids: Int32Array; // the list, by numbers of strings
  fresh: string[]; // these have the next numbers
  anew: boolean; // numbers begin at 0 again
}

const MOST = 200_000; // that both sides remember

export class TextsOut {
  private readonly known = new Map<string, number>();

  pack(texts: readonly string[]): PackedTexts {
    const anew = this.known.size > MOST,
      fresh: string[] = [];
    if (anew) this.known.clear();
    const ids = Int32Array.from(texts, text => {
      let id = this.known.get(text);
      if (id === undefined) {
        this.known.set(text, (id = this.known.size));
        fresh.push(text);
      }
      return id;
    });
    return { ids, fresh, anew };
  }
}

// In the order in which they were packed.
export class TextsIn {
  private table: string[] = [];

  unpack({ ids, fresh, anew }: PackedTexts): string[] {
    if (anew) this.table = [];
    for (const text of fresh) this.table.push(text);
    const out = new Array<string>(ids.length);
    for (let i = 0; i < ids.length; i++) out[i] = this.table[ids[i]];
    return out;
  }
}
