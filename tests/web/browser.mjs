// SPDX-License-Identifier: Apache-2.0
//
// What the tests of pages share: a browser, pages that must not complain, and TAP. The first
// argument of the program is BUILD.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import assert from "node:assert/strict";

const build = resolve(process.argv[2]);
const { chromium } = createRequire(build + "/web/")("playwright-core");
export const pages = build + "/tests/web/pages",
  shots = build + "/tests/web/shots";
export const root = resolve(new URL("../..", import.meta.url).pathname);
const only = process.env.ONLY ?? "";
const PATIENCE_MS = 60_000; // for what a machine with other work does late
const AT_A_TIME = 3,
  running = new Set();
let number = 0,
  failed = 0;

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
});

// Each test has pages of its own, so a few run at a time: most of a test is waiting for a page. It
// returns when there is room for another one; finish() waits for all.
export async function test(name, body) {
  if (!name.includes(only)) return;
  const run = Promise.resolve().then(body).then(
    () => console.log(`ok ${++number} - ${name}`),
    e => {
      failed++;
      console.log(`not ok ${++number} - ${name}`);
      console.log(("" + (e.stack ?? e)).replace(/^/gm, "# "));
    },
  );
  running.add(run);
  run.then(() => running.delete(run));
  if (running.size >= AT_A_TIME) await Promise.race(running);
}

let axe = null;

// No violation that keeps somebody out. The page needs the option bypassCSP: its policy allows no
// script but its own, and this one is run by the tool.
export async function assertOpenToAll(page) {
  axe ??= readFileSync(build + "/web/node_modules/axe-core/axe.min.js", "utf8");
  const found = await page.evaluate(async source => {
    const module = { exports: {} };
    new Function("module", "exports", source)(module, module.exports);
    return (module.exports.run ? module.exports : window.axe)
      .run(document, { resultTypes: ["violations"] })
      .then(r => r.violations.map(v => `${v.impact} ${v.id}: ${v.nodes[0].html}`));
  }, axe);
  assert.deepEqual(found.filter(v => /^(serious|critical)/.test(v)), []);
}

// Opens a page, gives it to `body`, and fails if it complained, broke its policy or asked for
// anything.
export function open(name, fragment, body, options = {}) {
  const url = `file://${pages}/${name}.html${fragment ? "#" + fragment : ""}`;
  return openUrl(url, `file://${pages}/`, body, options);
}

// The same with a page of a server: all that it asks for is below `own`. "expects": complaints of
// the browser that belong to the test.
export async function openUrl(url, own, body, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: "reduce",
    ...options,
  });
  const faults = [],
    page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  page.on("console", m => {
    const said = m.text();
    if (m.type() === "error" && !options.expects?.test(said)) faults.push("console: " + said);
  });
  page.on("pageerror", e => faults.push("error: " + e.message));
  page.on("dialog", d => faults.push("dialog: " + d.message()));
  page.on("request", r => {
    if (!r.url().replace(/^blob:/, "").startsWith(own)) faults.push("request: " + r.url());
  });
  await page.addInitScript(() => {
    window.violations = [];
    document.addEventListener("securitypolicyviolation", e =>
      window.violations.push(e.violatedDirective),
    );
  });
  await page.addInitScript(watchTimers);
  try {
    await page.goto(url);
    await page.waitForSelector(".app");
    await settle(page);
    await body(page, faults);
    assert.deepEqual(faults, []);
    if (!options.violates) assert.deepEqual(await page.evaluate(() => window.violations), []);
  } finally {
    await context.close();
  }
}

// A picture of its own, by its path in the tree.
export async function openPicture(path, body, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(`file://${root}/${path}`);
    await body(page);
  } finally {
    await context.close();
  }
}

// Before any script of the page: which of its timers and frames are still to come.
function watchTimers() {
  const { setTimeout, clearTimeout, requestAnimationFrame, cancelAnimationFrame } = window,
    timers = new Set(),
    frames = new Set();
  window.setTimeout = (f, ms, ...rest) => {
    const id = setTimeout(() => {
      timers.delete(id);
      f(...rest);
    }, ms);
    timers.add(id);
    return id;
  };
  window.clearTimeout = id => {
    timers.delete(id);
    clearTimeout(id);
  };
  window.requestAnimationFrame = f => {
    const id = requestAnimationFrame(now => {
      frames.delete(id);
      f(now);
    });
    frames.add(id);
    return id;
  };
  window.cancelAnimationFrame = id => {
    frames.delete(id);
    cancelAnimationFrame(id);
  };
  window.quiet = async () => {
    for (let still = 0; still < 3; still = timers.size + frames.size ? 0 : still + 1)
      await new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)));
  };
}

// Until the URL has followed and all is drawn: the page has no timer left for three frames. In
// these, what the browser does by itself, such as scrolling, comes to an end.
export async function settle(page) {
  await page.evaluate(() => window.quiet());
}

export async function press(page, ...keys) {
  for (const key of keys) {
    await page.keyboard.press(key);
    await settle(page);
  }
}

export const json = name => JSON.parse(readFileSync(`${pages}/${name}.json`, "utf8"));
export const fragment = page => new URLSearchParams(new URL(page.url()).hash.slice(1));

// Where a frame is on the first canvas, by its name.
export function place(page, label, nth = 0) {
  return page.evaluate(
    ([label, nth]) => {
      const f = document.querySelector(".flame canvas").flame,
        m = f.model,
        l = m.layout;
      const nodes = [...l.node].filter(n => m.text[m.shape.label[n]] === label);
      const box = l.box[nodes[nth]],
        scale = f.width / ((f.x1 - f.x0) * l.total);
      const x = (l.x[box] - f.x0 * l.total + l.w[box] / 2) * scale;
      const y = f.rowY(l.depth[box]) + 10;
      const at = document.querySelector(".flame canvas").getBoundingClientRect();
      return { x: at.left + Math.min(f.width - 2, Math.max(2, x)), y: at.top + y };
    },
    [label, nth],
  );
}

export async function clickFrame(page, label, nth = 0, clicks = 1) {
  const at = await place(page, label, nth);
  if (clicks === 2) await page.mouse.dblclick(at.x, at.y);
  else await page.mouse.click(at.x, at.y);
  await settle(page);
}

// Of the first canvas: how long frames take while it zooms, and the most that one of them does.
export async function frameTimes(page) {
  return page.evaluate(async () => {
    const f = document.querySelector(".flame canvas").flame,
      context = f.context,
      times = [],
      states = [],
      l = f.model.layout;
    // Zooms into middle-sized frames and out again, each frame made to be finished.
    const nodes = [...l.node.keys()].filter(i => l.w[i] < l.total / 50 && l.w[i] > l.total / 500);
    for (let k = 0; k < 6; k++) {
      const box = nodes[Math.floor(((k + 0.5) * nodes.length) / 6)];
      const a = l.x[box] / l.total,
        b = a + l.w[box] / l.total;
      for (let i = 0; i <= 20; i++) {
        const t = i <= 10 ? i / 10 : (20 - i) / 10,
          runs = [];
        states.push([a * t, 1 + (b - 1) * t, 60 * t]);
        [f.x0, f.x1, f.scroll] = states.at(-1);
        for (let run = 0; run < 5; run++) {
          const start = performance.now();
          f.draw();
          context.getImageData(0, 0, 1, 1);
          runs.push(performance.now() - start);
        }
        times.push([runs[0], Math.min(...runs)]);
      }
      await new Promise(done => setTimeout(done, 0));
    }
    // Once more, with an eye on the calls that are dear.
    const calls = { fills: 0, measured: 0 },
      most = { visited: 0, drawn: 0, written: 0, ...calls },
      count = (of, name, key) => {
        const real = of[name];
        of[name] = function (...args) {
          calls[key]++;
          return real.apply(this, args);
        };
      };
    count(Uint32Array.prototype, "fill", "fills");
    count(CanvasRenderingContext2D.prototype, "measureText", "measured");
    for (const state of states) {
      calls.fills = calls.measured = 0;
      [f.x0, f.x1, f.scroll] = state;
      f.draw();
      for (const key in most) most[key] = Math.max(most[key], calls[key] ?? f[key]);
    }
    const quantiles = which => {
      const ms = times.map(t => t[which]).sort((x, y) => x - y);
      const [median, p95, max] = [0.5, 0.95, 1].map(q => ms[Math.floor(q * (ms.length - 1))]);
      const ms2 = v => v.toFixed(2) + " ms";
      return `median ${ms2(median)}, p95 ${ms2(p95)}, longest ${ms2(max)}`;
    };
    return {
      nodes: f.model.shape.len,
      frames: times.length,
      once: quantiles(0),
      best: quantiles(1),
      most,
    };
  });
}

// Times are printed, not judged: they depend on the machine. What frames do is the same everywhere.
export function judgeFrames(what, { nodes, frames, once, best, most }) {
  const { visited, drawn, written, fills, measured } = most;
  console.log(
    `# ${what}: ${nodes} nodes, ${frames} frames of zoom: ${once}; each drawn five times, the ` +
      `fastest: ${best}; at most ${visited} boxes seen, ${drawn} drawn, ${written} labels`,
  );
  assert.ok(nodes > 100000, `${nodes} nodes`);
  assert.ok(visited < 16000, `${visited} boxes were looked at: what is out of sight, too?`);
  assert.ok(drawn < 12000, `${drawn} boxes were drawn`);
  assert.ok(written < 400, `${written} labels were written`);
  assert.ok(fills < 2000, `${fills} calls of fill(): one for each small box?`);
  assert.equal(measured, 0, "texts that were measured");
}

// Of the program: src/base/text/units.h.
export function time(ns) {
  if (ns < 1000) return ns + " ns";
  for (const [unit, factor] of [
    ["µs", 1e3],
    ["ms", 1e6],
    ["s", 1e9],
  ])
    for (const d of [2, 1, 0]) {
      const v = Math.floor((ns * 10 ** d + factor / 2) / factor);
      if (v < 1000) return (v / 10 ** d).toFixed(d) + " " + unit;
    }
  return Math.floor((ns + 5e8) / 1e9) + " s";
}

// Of all colours of the first canvas, the least contrast of a label; "soft": of words beside it.
export async function leastContrast(page, which = "ink") {
  return page.evaluate(which => {
    const { model, inks } = document.querySelector(".flame canvas").flame,
      { fill } = model.paint,
      ink =
        which === "ink" ? model.paint.ink : inks.soft.map(css => css.match(/\d+/g).map(Number));
    const light = color => {
      const [r, g, b] = color.map(v => {
        const s = v / 255;
        return s <= 0.03928 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    return Math.min(
      ...fill.map((f, i) => {
        const x = light(f),
          y = light(ink[i]);
        return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
      }),
    );
  }, which);
}

export async function finish() {
  await Promise.all(running);
  await browser.close();
  console.log(`1..${number}`);
  process.exit(failed ? 1 : 0);
}
