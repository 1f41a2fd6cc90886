// SPDX-License-Identifier: Apache-2.0
//
// By which column a table is sorted, and the heads of its columns, which change that.
import type { Props } from "./shared";

export interface Sorting {
  sort: string; // as the state has it: column, "-" before it: descending
  key: string; // the column
  down: boolean;
}

// What the state says, or `usual` if that is no column of this table. All tables have a name.
export function sortingOf(sort: string, columns: readonly string[], usual: string): Sorting {
  const named = sort.replace("-", ""),
    found = named === "name" || columns.includes(named) ? sort : usual;
  return { sort: found, key: found.replace("-", ""), down: found.startsWith("-") };
}

// By the value of a column and then by name; without a column, by name.
export function ordered<T>(
  rows: T[],
  { down }: Sorting,
  value: ((row: T) => number) | undefined,
  nameOf: (row: T) => string,
): T[] {
  const sign = down ? -1 : 1;
  const byName = (a: T, b: T) => {
    const [x, y] = [nameOf(a), nameOf(b)];
    return x < y ? -1 : x > y ? 1 : 0;
  };
  return rows.sort((a, b) =>
    value ? sign * (value(a) - value(b)) || byName(a, b) : sign * byName(a, b),
  );
}

interface Head {
  name: string;
  text: string;
  title?: string;
  by: Sorting;
  change: Props["change"];
}

// The first click on a column of numbers has the largest on top.
export function SortHead({ name, text, title, by: { key, down }, change }: Head) {
  const sorted = key === name ? (down ? "descending" : "ascending") : "none",
    sort = key === name ? (down ? name : "-" + name) : name === "name" ? name : "-" + name;
  return (
    <span role="columnheader" class={"c-" + name} title={title} aria-sort={sorted}>
      <button onClick={() => change({ sort })}>
        {text}
        {key === name ? <i>{down ? " \u2193" : " \u2191"}</i> : null}
      </button>
    </span>
  );
}
