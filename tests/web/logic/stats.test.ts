// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { contrast, mix, rgb } from "../../../web/src/color";
import { BINS, HIST_LEN } from "../../../web/src/data";
import {
  binFloorNs,
  binQuantile,
  ceilNs,
  errorNs,
  floorNs,
  quantileBound,
} from "../../../web/src/stats";

test("buckets of waits meet at powers of two", () => {
  assert.equal(floorNs(0), 0);
  for (let i = 0; i < HIST_LEN - 1; i++) assert.equal(ceilNs(i), floorNs(i + 1));
  assert.equal(ceilNs(HIST_LEN - 1), Infinity);
});

test("a quantile is the end of its bucket, and never beyond the longest wait", () => {
  const hist = new Float64Array(HIST_LEN);
  assert.equal(quantileBound(hist, 990, 0), 0);
  hist[0] = 98;
  hist[4] = 2;
  assert.equal(quantileBound(hist, 500, 10_000), ceilNs(0));
  assert.equal(quantileBound(hist, 980, 10_000), ceilNs(0));
  assert.equal(quantileBound(hist, 990, 1e9), ceilNs(4));
  assert.equal(quantileBound(hist, 990, 10_000), 10_000);
});

test("bins of threads have four steps for each power of two", () => {
  assert.equal(binFloorNs(1000, 0), 0);
  assert.deepEqual(
    [1, 2, 3, 4, 5].map(i => binFloorNs(1000, i)),
    [1000, 1250, 1500, 1750, 2000],
  );
  const bins = new Float64Array(BINS);
  bins[1] = 9;
  bins[5] = 1;
  assert.equal(binQuantile(bins, 900, 1000), 1250);
  assert.equal(binQuantile(bins, 901, 1000), 2500);
  bins[BINS - 1] = 100;
  assert.equal(binQuantile(bins, 999, 1000), Infinity);
});

test("the error of a sum is the root of its variance", () => {
  assert.equal(errorNs(0), 0);
  assert.equal(errorNs(9), 3000);
});

test("colours", () => {
  assert.deepEqual(rgb("#ff8001"), [255, 128, 1]);
  assert.deepEqual(mix([0, 0, 0], [255, 255, 255], 0.5), [128, 128, 128]);
  assert.equal(Math.round(contrast([0, 0, 0], [255, 255, 255])), 21);
  assert.equal(contrast([9, 9, 9], [9, 9, 9]), 1);
});
