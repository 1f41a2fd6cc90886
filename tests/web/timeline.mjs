// SPDX-License-Identifier: Apache-2.0
//
// usage: node timeline.mjs BUILD
//
// Prints TAP. What lanes show is held against the JSON of the same profile.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { resolve } from "node:path";
import {
  assertOpenToAll,
  finish,
  fragment,
  json,
  open,
  pages,
  press,
  settle,
  test,
} from "./browser.mjs";

const CANVAS = ".lanes .flame canvas",
  S = 1e9,
  program = resolve(process.argv[2], "coldspot");

// Where an instant of a lane is on the screen.
function spot(page, row, ns) {
  return page.evaluate(
    ([row, ns, css]) => {
      const el = document.querySelector(css),
        p = el.lanes,
        box = el.getBoundingClientRect();
      return { x: box.left + p.x(ns), y: box.top + p.rowY(row) + 11 };
    },
    [row, ns, CANVAS],
  );
}
async function click(page, row, ns, options) {
  const { x, y } = await spot(page, row, ns);
  await page.mouse.click(x, y, options);
  await settle(page);
}
async function hover(page, row, ns) {
  const { x, y } = await spot(page, row, ns);
  await page.mouse.move(x, y);
  await settle(page);
  return (await page.locator(".lanes .tip").innerText()).split("\n").filter(Boolean);
}
const says = page => page.locator("#slice-says").innerText();
const names = page => page.evaluate(css => document.querySelector(css).lanes.model.names, CANVAS);
const ids = async page => (await names(page)).map(name => name.split("-").at(-1));
const view = page => page.evaluate(css => document.querySelector(css).lanes.target(), CANVAS);
// The colour in the middle of a lane, as text.
const colorAt = async (page, row, ns) => {
  const { x, y } = await spot(page, row, ns);
  return page.evaluate(
    ([x, y, css]) => {
      const el = document.querySelector(css),
        box = el.getBoundingClientRect(),
        scale = el.width / box.width,
        data = el
          .getContext("2d")
          .getImageData((x - box.left) * scale, (y - box.top + 5) * scale, 1, 1).data;
      return [...data.slice(0, 3)].join();
    },
    [x, y, CANVAS],
  );
};
const fill = (page, code) =>
  page.evaluate(
    ([code, css]) => {
      const m = document.querySelector(css).lanes.model,
        { causes } = window.coldspot.head;
      const at = code in m.codes ? m.codes[code] : causes.findIndex(c => c[0] === code);
      return m.fill[at].join();
    },
    [code, CANVAS],
  );

await test("a page without instants has no timeline, and key 8 does nothing", () =>
  open("shop", "v=timeline", async page => {
    assert.equal(await page.getByRole("button", { name: "Timeline" }).count(), 0);
    await press(page, "8");
    assert.ok(await page.locator(".flame canvas").isVisible());
  }));

await test("each state of a lane has its colour, and what is not known is striped", () =>
  open("events", "v=timeline&lanes=process", async page => {
    assert.deepEqual(await ids(page), ["72/72", "70/70", "70/71"]);
    for (const [row, ns, what] of [
      [1, 0.04 * S, "on"],
      [1, 0.2 * S, "futex"],
      [1, 0.49 * S, "runq"],
      [1, 0.9 * S, "sleep"],
      [0, 0.95 * S, "pipe"],
    ])
      assert.equal(await colorAt(page, row, ns), await fill(page, what), `${row} ${ns} ${what}`);
    const striped = new Set();
    for (let i = 0; i < 12; i++) striped.add(await colorAt(page, 2, 0.02 * S + i * 2e6));
    assert.ok(striped.has(await fill(page, "unknown")), [...striped].join(" "));
    const blank = await colorAt(page, 0, 0.5 * S);
    assert.equal(blank, "255,255,255", "before the thread there is nothing");
  }));

await test("the pointer says what a slice is, to the ns", () =>
  open("events", "v=timeline&lanes=process", async page => {
    const wait = await hover(page, 1, 0.2 * S);
    assert.match(wait[0], /400 ms$/);
    assert.equal(wait[1], "400,000,000 ns from 0.080000000 s");
    assert.match(wait.join(" "), /relay-70\/70 .*at take_turn < main/);
    assert.match(wait.join(" "), /then waiting for a CPU 20\.0 ms/);
    assert.match((await hover(page, 1, 0.49 * S))[0], /^waiting for a CPU 20\.0 ms$/);
    assert.match((await hover(page, 1, 0.04 * S))[0], /^on a CPU 80\.0 ms$/);
    assert.match((await hover(page, 2, 0.02 * S)).join(" "), /^not known .* instants are missing/);
    const disk = (await hover(page, 2, 0.2 * S)).join(" ");
    assert.match(disk, /^disk-sync 390 ms.*for .*wal/);
  }));

await test("a click selects the wait: its sentence, its numbers and its stack are there", () =>
  open("events", "v=timeline&lanes=process", async page => {
    await click(page, 1, 0.2 * S);
    assert.equal(fragment(page).get("slice"), "70/70@80000000");
    const text = await says(page);
    assert.match(text, /^0\.080000000 s, relay-70\/70: blocked 400 ms \(400,000,000 ns\) in futex/);
    assert.match(text, / at take_turn < main.*; then waited 20\.0 ms \(20,000,000 ns\) for a CPU$/);
    const details = page.locator(".details");
    assert.match(await details.locator(".slice h2").innerText(), /futex 400 ms$/);
    assert.match(await details.locator(".slice .facts").innerText(), /400,000,000 ns/);
    assert.match(await details.locator(".stack").innerText(), /take_turn/);
    const link = page.url();
    await page.reload();
    await page.waitForSelector(".app");
    await settle(page);
    assert.match(await says(page), /in futex/, "a link shows the same");
    assert.equal(page.url(), link);
    await press(page, "Escape");
    assert.equal(fragment(page).get("slice"), null);
    assert.equal(await page.locator(".slice").count(), 0);
  }));

await test("by keys alone: from slice to slice, from thread to thread, in and out", () =>
  open("events", "v=timeline&lanes=process&thread=70%2F70", async page => {
    await press(page, "ArrowRight");
    assert.match(await says(page), /blocked 400 ms/, "the largest is first");
    const order = [];
    await press(page, "Home");
    for (let i = 0; i < 9; i++) {
      order.push(/: ([^(,;]*?)(?: \(| in |,|;|$)/.exec(await says(page))[1]);
      await press(page, "ArrowRight");
    }
    assert.deepEqual(order, [
      "on a CPU 80.0 ms",
      "blocked 400 ms",
      "waited 20.0 ms",
      "waited 50.0 ms",
      "on a CPU 40.0 ms",
      "blocked 200 ms",
      "waited 10.0 ms",
      "blocked 200 ms",
      "blocked 200 ms",
    ]);
    await press(page, "Home", "ArrowRight", "Enter");
    const [t0, t1] = await view(page);
    assert.ok(Math.abs((t1 - t0) * 0.6 - 400e6) < 1e6, "zoomed to the slice");
    await press(page, "+", "+");
    const [a, b] = await view(page);
    assert.ok(b - a < (t1 - t0) * 0.4);
    assert.match(fragment(page).get("span"), /^\d+~\d+$/);
    await press(page, "d");
    assert.ok((await view(page))[0] > a);
    await press(page, "a", "0");
    assert.deepEqual((await view(page)).slice(0, 2), [0, S]);
    assert.equal(fragment(page).get("span"), null);
  }));

await test("up and down go to what another thread did at that time", () =>
  open("events", "v=timeline&lanes=process&slice=70%2F70%4080000000", async page => {
    await press(page, "ArrowDown");
    assert.match(await says(page), /-70\/71: blocked 390 ms .* in disk-sync/);
    await press(page, "ArrowUp", "ArrowUp");
    assert.match(await says(page), /late-72\/72: .*on a CPU 5\.00 ms/);
  }));

await test("chips, a search and a selected frame leave the rest pale or out", () =>
  open("events", "v=timeline&lanes=process", async page => {
    const dim = await fill(page, "dim");
    await page.getByRole("searchbox", { name: "Search frames" }).fill("compute");
    await settle(page);
    assert.deepEqual(await ids(page), ["70/70"]);
    assert.equal(await colorAt(page, 0, 0.2 * S), dim);
    assert.equal(await colorAt(page, 0, 0.53 * S), await fill(page, "runq"));
    await page.getByRole("searchbox", { name: "Search frames" }).fill("");
    await page.click('[data-cause="disk-sync"]');
    await settle(page);
    assert.deepEqual(await ids(page), ["70/71"]);
    assert.equal(await colorAt(page, 0, 0.2 * S), await fill(page, "disk-sync"));
  }));

await test("a part of the time is chosen above, by Shift and drag, or by the wheel", () =>
  open("relay", "v=timeline", async page => {
    const drag = async (a, b, y) => {
      await page.mouse.move(a, y);
      await page.mouse.down();
      await page.mouse.move((a + b) / 2, y, { steps: 3 });
      await page.mouse.move(b, y);
      await page.mouse.up();
      await settle(page);
    };
    const box = await page.locator(".overview").boundingBox(),
      from = (await spot(page, 0, 0)).x,
      wide = box.x + box.width - from,
      y = box.y + box.height / 2;
    await drag(from + 0.25 * wide, from + 0.5 * wide, y);
    let [t0, t1] = await view(page);
    assert.ok(Math.abs(t0 - 2.5 * S) < 0.05 * S && Math.abs(t1 - 5 * S) < 0.05 * S, `${t0} ${t1}`);
    await drag(from + 0.4 * wide, from + 0.5 * wide, y);
    assert.ok(Math.abs((await view(page))[0] - t0 - S) < 0.05 * S, "and moved");
    await page.getByRole("button", { name: /^Show all/ }).click();
    await settle(page);
    const { x, y: row } = await spot(page, 0, 5 * S);
    await page.keyboard.down("Shift");
    await drag(x, x + 100, row);
    await page.keyboard.up("Shift");
    [t0, t1] = await view(page);
    assert.ok(Math.abs(t0 - 5 * S) < 0.05 * S && t1 < 8 * S, "from where the drag began");
    await page.mouse.move(x, row);
    await page.keyboard.down("Control");
    for (let i = 0; i < 40; i++) await page.mouse.wheel(0, -200);
    await page.keyboard.up("Control");
    await settle(page);
    [t0, t1] = await view(page);
    assert.ok(Math.abs(t1 - t0 - 1000) < 1, `${t1 - t0} ns is the least`);
    await page.keyboard.down("Shift");
    await page.mouse.wheel(0, 300);
    await page.keyboard.up("Shift");
    await settle(page);
    assert.ok((await view(page))[0] > t0);
  }));

await test("arrows lead from who ended a wait; all of them where they are few", () =>
  open("relay", "v=timeline&lanes=process", async page => {
    const arrows = () => page.evaluate(css => document.querySelector(css).lanes.arrows, CANVAS);
    assert.equal(await arrows(), 0, "four hundred waits are too many");
    const wakes = await page.evaluate(() => {
      const { moment, waker, wait } = window.coldspot,
        out = [];
      moment.wait.forEach((w, i) => {
        const from = waker.task[moment.waker[i]];
        if (from && from !== wait.task[w] && moment.blocked_ns[i] > 1e4)
          out.push({
            at: moment.begin_ns[i] + moment.blocked_ns[i],
            begin: moment.begin_ns[i],
            to: wait.task[w],
            from,
          });
      });
      return out;
    });
    assert.ok(wakes.length > 50);
    const { at, begin, to, from } = wakes[20];
    await page.evaluate(
      ([a, b, css]) => document.querySelector(css).lanes.look(a, b, 0, false),
      [at - 40000, at + 40000, CANVAS],
    );
    await settle(page);
    const inView = wakes.filter(w => w.at >= at - 40000 && w.at <= at + 40000).length;
    assert.ok(inView >= 1);
    assert.ok((await arrows()) >= inView, `${await arrows()} arrows of ${inView} wakes`);
    await click(page, to - 1, Math.max(begin + 1, at - 3000));
    const waker = page.getByRole("button", { name: "Go to the waker" });
    assert.match(await page.locator(".slice .facts").innerText(), /woken by\s+shop-50/);
    await waker.click();
    await settle(page);
    assert.match(fragment(page).get("slice"), new RegExp(`^500/${499 + from}@`));
  }));

// How long a frame takes while it zooms, and the most that one has.
async function frames(page) {
  return page.evaluate(css => {
    const p = document.querySelector(css).lanes,
      { end } = p.model.lanes,
      times = [],
      most = { mixed: 0, runs: 0, arrows: 0 };
    p.indices.clear();
    const begun = performance.now();
    p.draw();
    const first = performance.now() - begun;
    for (const at of [0.2, 0.5, 0.77])
      for (let wide = end; wide > 1000; wide /= 2) {
        const runs = [];
        [p.t0, p.t1] = [at * (end - wide), at * (end - wide) + wide];
        for (let run = 0; run < 5; run++) {
          const start = performance.now();
          p.draw();
          p.context.getImageData(0, 0, 1, 1);
          runs.push(performance.now() - start);
        }
        times.push(Math.min(...runs));
        for (const key in most) most[key] = Math.max(most[key], p[key]);
      }
    times.sort((a, b) => a - b);
    const q = part => times[Math.floor(part * (times.length - 1))].toFixed(1) + " ms";
    return {
      waits: p.model.lanes.p.moment.wait.length,
      lanes: p.model.tasks.length,
      columns: p.pixels.width,
      first: first.toFixed(0) + " ms",
      text: `median ${q(0.5)}, p95 ${q(0.95)}, longest ${q(1)}`,
      frames: times.length,
      ...most,
    };
  }, CANVAS);
}

await test("a million waits are drawn by what is seen, not by how many there are", () =>
  open(
    "million",
    "v=timeline&panel=0",
    async page => {
      const f = await frames(page);
      // times are printed, not judged: they depend on the machine
      console.log(
        `# ${f.waits} waits of ${f.lanes} threads, ${f.columns} columns: a redraw, the fastest ` +
          `of five, at ${f.frames} places and scales: ${f.text}; the first, with its sums, ` +
          f.first,
      );
      assert.ok(f.waits === 1000000 && f.lanes === 16);
      assert.ok(f.mixed <= f.lanes * f.columns && f.mixed > f.columns, `${f.mixed} mixed columns`);
      assert.ok(f.runs <= f.lanes * f.columns, `${f.runs} runs`);
      assert.ok(f.arrows <= 300, `${f.arrows} arrows`);
    },
    { viewport: { width: 1400, height: 900 } },
  ));

await test("the sums of a million waits are the totals of their threads, to the ns", () =>
  open("million", "v=timeline", async page => {
    const got = await page.evaluate(css => {
      const p = document.querySelector(css).lanes,
        { codes, lanes } = p.model;
      return p.model.tasks.map(task => {
        const times = p.timesIn(task, 0, lanes.end),
          rest = [codes.on, codes.runq, codes.dim, codes.unknown];
        return {
          tid: window.coldspot.task.tid[task],
          on: times[codes.on],
          runq: times[codes.runq],
          blocked: times.reduce((sum, ns, c) => sum + (rest.includes(c) ? 0 : ns), 0),
        };
      });
    }, CANVAS);
    const want = new Map(json("million").tasks.map(t => [t.tid, t]));
    for (const t of got) {
      const w = want.get(t.tid),
        blocked = Object.values(w.blocked_ns).reduce((a, b) => a + b, 0);
      assert.deepEqual(
        [t.on, t.runq, t.blocked],
        [w.on_ns, w.preempted_ns + w.runq_ns, blocked],
        `thread ${t.tid}`,
      );
    }
    assert.equal(got.length, 16);
  }));

// Two threads that hand each other turns, and one that sleeps.
const PROGRAM = `
import os, threading, time
there, back = os.pipe(), os.pipe()
def asks():
    for _ in range(50):
        time.sleep(0.002)
        os.write(there[1], b"x")
        os.read(back[0], 1)
def answers():
    for _ in range(50):
        os.read(there[0], 1)
        time.sleep(0.001)
        os.write(back[1], b"x")
threads = [threading.Thread(target=f) for f in (asks, answers, lambda: time.sleep(0.2))]
[t.start() for t in threads]
[t.join() for t in threads]
`;

function recorded() {
  const file = resolve(pages, "recorded.coldspot"),
    run = (...args) => execFileSync(program, args, { stdio: ["ignore", "ignore", "pipe"] });
  rmSync(file, { force: true });
  const command = ["--", "/usr/bin/python3", "-c", PROGRAM];
  run("record", "-q", "--events", "--wakers", "--every", "100ms", "-o", file, ...command);
  for (const ending of ["html", "json"])
    run("report", "-q", "-o", resolve(pages, "recorded." + ending), file);
}

if (process.getuid())
  console.log("# a recording needs root, so its timeline is not looked at");
else
  await test("a recording: slices add up to its threads, arrows of its pipes are there", () => {
    recorded();
    return open("recorded", "v=timeline", async page => {
      const got = await page.evaluate(css => {
        const p = document.querySelector(css).lanes,
          { lanes, codes, tasks } = p.model,
          out = [];
        for (const task of tasks) {
          const times = p.timesIn(task, 0, lanes.end),
            rest = [codes.on, codes.runq, codes.dim, codes.unknown],
            woken = new Set();
          for (let i = lanes.p.moment.first[task]; i < lanes.p.moment.first[task + 1]; i++)
            woken.add(lanes.wakeOf(i).from);
          out.push({
            tid: lanes.p.task.tid[task],
            on: times[codes.on],
            runq: times[codes.runq],
            blocked: times.reduce((sum, ns, c) => sum + (rest.includes(c) ? 0 : ns), 0),
            unknown: times[codes.unknown],
            by: [...woken].filter(Boolean).map(t => lanes.p.task.tid[t]),
          });
        }
        return out;
      }, CANVAS);
      const tasks = json("recorded").tasks,
        blocked = t => Object.values(t.blocked_ns).reduce((a, b) => a + b, 0),
        sums = new Map(tasks.map(t => [t.tid, t]));
      assert.equal(got.length, tasks.length);
      for (const t of got) {
        const w = sums.get(t.tid);
        if (w.unaccounted_ns) continue;
        assert.deepEqual(
          [t.on, t.runq, t.blocked, t.unknown],
          [w.on_ns, w.preempted_ns + w.runq_ns, blocked(w), 0],
          `thread ${t.tid}`,
        );
      }
      const each = got.filter(t => got.some(u => u.by.includes(t.tid) && t.by.includes(u.tid)));
      assert.ok(each.length >= 2, "two threads that wake each other");
    });
  });

for (const colorScheme of ["light", "dark"])
  await test(`nothing of the timeline keeps anybody out, ${colorScheme}`, () =>
    open(
      "events",
      "v=timeline&slice=70%2F70%4080000000",
      async page => {
        await assertOpenToAll(page);
      },
      { colorScheme, bypassCSP: true },
    ));

await test("on a phone all of it fits, and the selection is below", () =>
  open(
    "events",
    "v=timeline&lanes=process",
    async page => {
      await click(page, 1, 0.2 * S);
      assert.ok(await page.locator(".details .slice").isVisible());
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= 390, `${wide} pixels`);
      const box = await page.locator(CANVAS).boundingBox();
      assert.ok(box.height > 80, `${box.height} pixels for the lanes`);
    },
    { viewport: { width: 390, height: 844 } },
  ));

await finish();
