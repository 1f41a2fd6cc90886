// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { count, edge, plural, share, time, timeError } from "../../../web/src/format";

test("a time has three digits, as on the terminal", () => {
  for (const [ns, text] of [
    [0, "0 ns"],
    [999, "999 ns"],
    [1000, "1.00 µs"],
    [9994, "9.99 µs"],
    [9996, "10.0 µs"],
    [999_499, "999 µs"],
    [999_500, "1.00 ms"],
    [1_234_567, "1.23 ms"],
    [59_940_000_000, "59.9 s"],
    [123_456_000_000_000, "123456 s"],
  ] as [number, string][])
    assert.equal(time(ns), text);
});

test("an error has the unit of its time, and is never 0 if it is not", () => {
  assert.equal(timeError(1_230_000, 40_000), "0.04");
  assert.equal(timeError(1_230_000, 400), "0.0004");
  assert.equal(timeError(1_230_000, 1), "0.0001");
  assert.equal(timeError(1_230_000, 0), "0.00");
  assert.equal(timeError(500, 7), "7");
});

test("a share rounds to neither all nor nothing", () => {
  assert.equal(share(1, 0), "-");
  assert.equal(share(0, 10), "0.0%");
  assert.equal(share(1, 1_000_000), "<0.1%");
  assert.equal(share(999_999, 1_000_000), "99.9%");
  assert.equal(share(5, 5), "100.0%");
});

test("counts and plurals", () => {
  assert.equal(count(1_234_567.4), "1,234,567");
  assert.equal(count(999), "999");
  assert.equal(plural(1, "wait"), "1 wait");
  assert.equal(plural(2000, "wait"), "2,000 waits");
  assert.equal(plural(0, "entry", "entries"), "0 entries");
});

test("edges of buckets are powers of two", () => {
  assert.equal(edge(512), "512 ns");
  assert.equal(edge(1280), "1.25 µs");
  assert.equal(edge(2 ** 24), "16 ms");
  assert.equal(edge(2 ** 34), "16 s");
  assert.equal(edge(Infinity), "more");
});
