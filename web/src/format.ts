// SPDX-License-Identifier: Apache-2.0
//
// Numbers as the program prints them (src/base/text/units.h): one time must not look different on
// the terminal and in the page.

const UNITS: [string, number][] = [
  ["µs", 1e3],
  ["ms", 1e6],
  ["s", 1e9],
];

function form(ns: number): { unit: string; factor: number; decimals: number; value: number } {
  if (ns < 1000) return { unit: "ns", factor: 1, decimals: 0, value: Math.round(ns) };
  for (const [unit, factor] of UNITS) {
    for (const decimals of [2, 1, 0]) {
      const value = Math.floor((ns * 10 ** decimals + factor / 2) / factor);
      if (value < 1000) return { unit, factor, decimals, value };
    }
  }
  return { unit: "s", factor: 1e9, decimals: 0, value: Math.floor((ns + 5e8) / 1e9) };
}

export function time(ns: number): string {
  const f = form(ns);
  return (f.value / 10 ** f.decimals).toFixed(f.decimals) + " " + f.unit;
}

// What may be off, in the unit of the time it belongs to.
export function timeError(ns: number, error: number): string {
  if (!Number.isFinite(error)) return "?";
  const f = form(ns),
    most = f.factor > 1 ? f.decimals + 2 : f.decimals;
  let d = f.decimals,
    value = Math.floor((error * 10 ** d + f.factor / 2) / f.factor);
  while (!value && error && d < most)
    value = Math.floor((error * 10 ** ++d + f.factor / 2) / f.factor);
  return ((value || (error ? 1 : 0)) / 10 ** d).toFixed(d);
}

// NaN is a number that is not known.
export function count(n: number): string {
  if (Number.isNaN(n)) return "-";
  return Math.round(n)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ",");
}

// A share that is not all is never shown as all, and one that is not nothing never as nothing.
export function share(part: number, whole: number): string {
  if (!whole) return "-";
  let permille = Math.floor((part / whole) * 1000 + 0.5);
  if (permille === 1000 && part < whole) permille--;
  return part && !permille ? "<0.1%" : (permille / 10).toFixed(1) + "%";
}

// The short form of a bucket's edge: "1 µs", "1.25 ms", "16 s".
export function edge(ns: number): string {
  if (!isFinite(ns)) return "more";
  const [factor, unit] =
    ns < 1024
      ? [1, "ns"]
      : ns < 2 ** 20
        ? [2 ** 10, "µs"]
        : ns < 2 ** 30
          ? [2 ** 20, "ms"]
          : [2 ** 30, "s"];
  return +(ns / (factor as number)).toFixed(2) + " " + unit;
}

export function plural(n: number, word: string, many = word + "s"): string {
  return `${count(n)} ${n === 1 ? word : many}`;
}

// Of threads that were visited, the number of waits is unknown.
export function waits(n: number): string {
  return n ? plural(n, "wait") : "waits";
}

// "2026-11-02 14:32:18", UTC
export function stamp(ms: number): string {
  return new Date(ms).toISOString().replace("T", " ").slice(0, 19);
}
