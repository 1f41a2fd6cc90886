// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { CAUSES } from "../../../web/src/causes";
import { contrast, rgb, type ColorBy, type Theme } from "../../../web/src/color";
import { Report } from "../../../web/src/report";
import { golden } from "./golden";

const DISTINCT = 18; // of CIEDE2000, where 1 is just seen and 10 is another shade of a colour
const READABLE = 4.5;

function lab(color: readonly number[]): number[] {
  const [r, g, b] = color.map(v =>
    v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4,
  );
  const f = (t: number) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116),
    x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047),
    y = f(0.2126 * r + 0.7152 * g + 0.0722 * b),
    z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function distance(one: readonly number[], other: readonly number[]): number {
  const [l1, a1, b1] = lab(one),
    [l2, a2, b2] = lab(other),
    cos = (degrees: number) => Math.cos((degrees * Math.PI) / 180),
    pale = (c: number) => Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7)),
    g = 1.5 - 0.5 * pale((Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2);
  const c1 = Math.hypot(a1 * g, b1),
    c2 = Math.hypot(a2 * g, b2),
    angle = (a: number, b: number) => ((Math.atan2(b, a * g) * 180) / Math.PI + 360) % 360,
    h1 = angle(a1, b1),
    h2 = angle(a2, b2),
    turn = c1 * c2 ? ((h2 - h1 + 540) % 360) - 180 : 0,
    hue = c1 * c2 ? (h1 + turn / 2 + 360) % 360 : h1 + h2,
    c = (c1 + c2) / 2,
    l = (l1 + l2) / 2 - 50;
  const t =
    1 -
    0.17 * cos(hue - 30) +
    0.24 * cos(2 * hue) +
    0.32 * cos(3 * hue + 6) -
    0.2 * cos(4 * hue - 63);
  const dl = (l2 - l1) / (1 + (0.015 * l * l) / Math.sqrt(20 + l * l)),
    dc = (c2 - c1) / (1 + 0.045 * c),
    dh = (2 * Math.sqrt(c1 * c2) * Math.sin((turn * Math.PI) / 360)) / (1 + 0.015 * c * t),
    bend = 60 * Math.exp(-(((hue - 275) / 25) ** 2));
  return Math.sqrt(
    dl * dl + dc * dc + dh * dh - 2 * pale(c) * Math.sin((bend * Math.PI) / 180) * dc * dh,
  );
}

test("distance: pairs of the paper of CIEDE2000 are near its values", () => {
  assert.equal(distance([9, 99, 199], [9, 99, 199]), 0);
  assert.ok(Math.abs(distance([0, 0, 0], [255, 255, 255]) - 100) < 0.1);
});

const style = readFileSync("web/src/style.css", "utf8");
// The light theme's values come first.
const variable = (name: string, theme: Theme) => {
  const all = [...style.matchAll(new RegExp(`--${name}: (#[0-9a-f]{6});`, "g"))];
  return rgb(all[theme === "light" ? 0 : 1][1]);
};

test("what a search finds has a colour that nothing else has, and its text can be read", () => {
  for (const theme of ["light", "dark"] as Theme[]) {
    const match = variable("match", theme);
    const far = (color: readonly number[], what: string) =>
      assert.ok(
        distance(match, color) >= DISTINCT,
        `${theme}: ${distance(match, color).toFixed(1)} from ${what}`,
      );
    assert.ok(contrast(match, variable("match-ink", theme)) >= READABLE);
    for (const [cause, color] of Object.entries(CAUSES)) far(rgb(color), cause);
    for (const name of ["shop", "python", "objects", "wall", "wakers", "ends"]) {
      const report = new Report(golden(`${name}/expected.page`));
      for (const color of ["cause", "cold", "kind", "module"] as ColorBy[]) {
        report.use({ ...report.defaults, color, classes: [] }, theme, {});
        for (const fill of report.graph().paint.fill) far(fill, `a frame of ${name}, ${color}`);
      }
    }
  }
});
