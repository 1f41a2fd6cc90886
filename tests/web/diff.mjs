// SPDX-License-Identifier: Apache-2.0
//
// usage: node diff.mjs BUILD
//
// Prints TAP. Pages are those of test_pages; what is shown is held against the JSON of the same
// diff, and of each of its recordings, which this reads by itself.
import { mkdirSync, readFileSync } from "node:fs";
import assert from "node:assert/strict";
import {
  clickFrame,
  finish,
  fragment,
  frameTimes,
  json,
  judgeFrames,
  leastContrast,
  open,
  press,
  root,
  settle,
  shots,
  test,
  time,
} from "./browser.mjs";

const PAGES = [
  "diff",
  "diff-requests",
  "diff-same",
  "diff-untested",
  "diff-idle",
  "diff-nasty",
  "diff-python",
  "diff-modules",
  "diff-new",
  "diff-hists",
  "diff-uneven",
  "diff-empty",
];
const SIDES = ["before", "after"];
const sum = list => list.reduce((a, b) => a + b, 0);

function signed(ns) {
  const text = time(Math.round(Math.abs(ns)));
  return Math.round(ns) > 0 ? "+" + text : Math.round(ns) < 0 ? "\u2212" + text : text;
}

function percent(item) {
  if (!item.ns[0] || !item.ns[1]) return item.ns[1] ? "new" : "gone";
  const part = (100 * item.change) / item.before;
  if (item.after >= 11 * item.before) return "x" + (item.after / item.before).toFixed(0);
  return (part < 0 ? "\u2212" : "+") + Math.abs(part).toFixed(1) + "%";
}

// What a row of a table says of an item of the JSON.
function cells(item) {
  return {
    before: time(Math.round(item.before)),
    after: time(Math.round(item.after)),
    change: signed(item.change),
    percent: percent(item),
    verdict: item.verdict === "unknown" ? "?" : item.verdict,
    p: item.p === null ? "-" : String(+item.p.toPrecision(3)),
    was: time(item.ns[0]),
    now: time(item.ns[1]),
  };
}

// With its module, where there are more of the name.
function labels({ frames }) {
  const many = new Map(),
    key = f => f.kind + f.name;
  for (const f of frames) many.set(key(f), (many.get(key(f)) ?? 0) + 1);
  return f => (many.get(key(f)) > 1 ? `${f.name} [${f.module || "unknown"}]` : f.name);
}

function rowsOf(page) {
  return page.locator(".table .tr:not(.th)").evaluateAll(rows =>
    rows.map(row => ({
      name: row.querySelector(".t").textContent,
      kind: row.querySelector(".badge")?.textContent ?? "",
      cells: Object.fromEntries(
        [...row.children]
          .filter(c => !c.className.includes("c-name"))
          .map(c => [c.className.split(" ")[0].replace("c-", ""), c.textContent]),
      ),
    })),
  );
}

async function row(page, name) {
  const found = (await rowsOf(page)).find(r => r.name === name);
  assert.ok(found, `a row of ${name}`);
  return found.cells;
}

const layouts = page =>
  page.evaluate(() =>
    [...document.querySelectorAll("canvas")].map(c => {
      const { layout, shape, text } = c.flame.model;
      return {
        total: layout.total,
        of: Object.fromEntries(
          [...layout.node].map((n, i) => [text[shape.label[n]], layout.w[i]]),
        ),
        seen: [c.flame.x0, c.flame.x1],
      };
    }),
  );
// As wide as a box is: thousandths of a ns, rounded once for each stack.
const near = (got, want, what) => assert.ok(Math.abs(got - want) < 100, `${what}: ${got}, ${want}`);
const details = async page => (await page.locator(".details").innerText()).replace(/\s+/g, " ");
const tall = { viewport: { width: 1280, height: 3000 } };

for (const name of PAGES) {
  await test(`${name}: both sides have the time of their recordings`, () =>
    open(name, "", async page => {
      const want = json(name);
      const got = await page.evaluate(() => {
        const p = window.coldspot,
          out = { all: [0, 0], counted: [0, 0], idle: [0, 0], count: [0, 0] };
        for (let w = 1; w <= p.waits; w++) {
          const ns = p.wait.blocked_ns[w] + p.wait.runq_ns[w],
            side = w <= p.split ? 0 : 1;
          out.all[side] += ns;
          out[p.wait.path[w] ? "counted" : "idle"][side] += ns;
          out.count[side] += p.wait.count[w];
        }
        return out;
      });
      assert.deepEqual(got.counted, want.total.ns);
      assert.deepEqual(got.idle, want.idle.ns);
      SIDES.forEach((side, i) => {
        const { budget, waits } = json(`${name}-${side}`);
        assert.equal(got.all[i], budget.listed_blocked_ns + budget.listed_runq_ns, side);
        assert.equal(got.count[i], sum(waits.map(w => w.count)), side);
      });
      const { total, idle } = want;
      const head = (await page.locator(".change").innerText()).replace(/\s+/g, " ");
      if (total.ns[0] + total.ns[1]) {
        assert.ok(head.includes(`${signed(total.change)}, ${percent(total)}`), head);
        assert.ok(head.includes(`${time(Math.round(total.before))}, then`), head);
        assert.ok(head.includes(` ${total.verdict === "unknown" ? "?" : total.verdict} `), head);
        if (total.p !== null) assert.ok(head.includes(` p ${cells(total).p} `), head);
        const [picture] = await layouts(page);
        near(picture.total, 500 * (total.before + total.after), "the picture");
      }
      // With nothing left out it is all of both recordings.
      await page.evaluate(() => (location.hash = "v=table&by=process&class="));
      await settle(page);
      const [first] = await rowsOf(page);
      if (first && (await rowsOf(page)).length === 1) {
        assert.equal(first.cells.was, time(total.ns[0] + idle.ns[0]));
        assert.equal(first.cells.now, time(total.ns[1] + idle.ns[1]));
      }
    }));

  await test(`${name}: the tables say of functions and causes what the JSON says`, () =>
    open(
      name,
      "v=table",
      async page => {
        const want = json(name);
        const labelOf = labels(want);
        let rows = (await rowsOf(page)).filter(r => r.kind);
        const frames = want.frames.filter(f => f.ns[0] + f.ns[1]);
        assert.equal(rows.length, frames.length);
        for (const f of frames) {
          const label = labelOf(f),
            found = rows.find(r => r.name === label && r.kind === f.kind);
          assert.ok(found, `${f.kind} ${label}`);
          assert.deepEqual(found.cells, cells(f), label);
        }
        await page.selectOption(".bar2 select", "cause");
        await settle(page);
        rows = await rowsOf(page);
        assert.equal(rows.length, want.causes.length);
        for (const c of want.causes)
          assert.deepEqual(rows.find(r => r.name === c.cause)?.cells, cells(c), c.cause);
      },
      tall,
    ));
}

await test("table: a click on a head sorts, changes by their size", () =>
  open("diff", "v=table", async page => {
    const order = async () => (await rowsOf(page)).map(r => r.name);
    const size = json("diff")
      .frames.map(f => Math.abs(f.change))
      .sort((a, b) => b - a);
    const want = (await rowsOf(page)).map(r => r.cells.change.replace(/[+\u2212]/, ""));
    assert.deepEqual(
      want,
      [...size, 200000].map(ns => time(Math.round(ns))),
    );
    await page.click(".th .c-percent button");
    await settle(page);
    assert.equal(fragment(page).get("sort"), "-percent");
    assert.ok(["<&\"audit\">", "do_fsync"].includes((await order())[0]), "what is new");
    await page.click(".th .c-percent button");
    await settle(page);
    assert.ok((await rowsOf(page)).slice(0, 3).every(r => r.cells.percent === "gone"));
    await page.click(".th .c-verdict button");
    await settle(page);
    const verdicts = (await rowsOf(page)).map(r => r.cells.verdict);
    assert.deepEqual([...new Set(verdicts)], ["more", "less", "noise", "small"]);
  }));

await test("table: a column that is not there does not sort", async () => {
  const order = async (view, sort) => {
    let names;
    await open("diff", `v=${view}&sort=${sort}`, async page => {
      names = (await rowsOf(page)).map(r => r.name);
    });
    return names;
  };
  const want = await order("table", "-change");
  assert.deepEqual(await order("table", "-max"), want);
  assert.deepEqual(await order("sandwich", "p"), await order("sandwich", "-change"));
});

await test("two recordings that are one: nothing changed", () =>
  open("diff-same", "v=table", async page => {
    for (const r of await rowsOf(page)) {
      assert.equal(r.cells.change, "0 ns", r.name);
      assert.ok(["noise", "small"].includes(r.cells.verdict), r.name);
    }
    assert.match(await details(page), /No function by more than chance explains/);
  }));

await test("picture: red is more, blue is less, grey is chance; labels can be read", async () => {
  for (const theme of ["light", "dark"]) {
    await open("diff", `theme=${theme}`, async page => {
      const color = await page.evaluate(() => {
        const { paint, shape, text } = document.querySelector("canvas").flame.model,
          out = {};
        for (let i = 0; i < shape.len; i++) out[text[shape.label[i]]] = paint.fill[paint.index[i]];
        return out;
      });
      const [r, , b] = color.take_order,
        [lr, , lb] = color.old_backoff,
        noise = color.recv;
      assert.ok(r > b + 60, `more: ${color.take_order}`);
      assert.ok(lb > lr + 60, `less: ${color.old_backoff}`);
      assert.ok(Math.max(...noise) - Math.min(...noise) < 20, `noise: ${noise}`);
      assert.notDeepEqual(color["[Missed Kernel Stack]"], noise);
      // the key has the colours of the picture
      const key = await page
        .locator(".legend .dot")
        .evaluateAll(dots => dots.map(d => getComputedStyle(d).backgroundColor));
      assert.equal(key.length, 6);
      assert.equal(key[2], `rgb(${noise.join(", ")})`);
      assert.match(await page.locator(".legend").innerText(), /much less.*noise.*much more/s);
    });
    for (const name of ["diff", "diff-untested", "diff-nodes"])
      await open(name, `theme=${theme}`, async page => {
        const worst = await leastContrast(page);
        assert.ok(worst >= 4.5, `${name} ${theme}: contrast ${worst.toFixed(2)}`);
      });
  }
});

await test("width: the mean of both sides, or one of them; keys m, c and g", () =>
  open("diff", "", async page => {
    const { total } = json("diff");
    await press(page, "m");
    assert.equal(fragment(page).get("m"), "before");
    near((await layouts(page))[0].total, 1000 * total.before, "before");
    await press(page, "m");
    near((await layouts(page))[0].total, 1000 * total.after, "after");
    assert.equal((await layouts(page))[0].of.old_backoff, undefined, "gone");
    await press(page, "m", "c", "g");
    assert.equal(fragment(page).get("m"), null);
    assert.equal(fragment(page).get("c"), "cause");
    assert.equal(fragment(page).get("g"), "cause");
  }));

await test("side by side: one scale, one order, and both follow", () =>
  open("diff", "", async page => {
    const want = json("diff");
    await press(page, "6");
    assert.equal(fragment(page).get("v"), "sides");
    let [a, b] = await layouts(page);
    assert.equal(a.total, b.total, "one scale");
    const lock = want.frames.find(f => f.name === "take_order");
    near(a.of.take_order, 1000 * lock.before, "before");
    near(b.of.take_order, 1000 * lock.after, "after");
    assert.equal(b.of.old_backoff, undefined);
    await clickFrame(page, "take_order", 0, 2);
    [a, b] = await layouts(page);
    assert.notEqual(fragment(page).get("z"), null);
    assert.ok(Math.abs(a.seen[1] - a.seen[0] - (b.seen[1] - b.seen[0])) < 1e-6, "one scale still");
    near((b.seen[1] - b.seen[0]) * b.total, 1000 * lock.after, "as wide as the wider");
    assert.match(await page.locator(".details h2").innerText(), /take_order/);
    await press(page, "0");
    await clickFrame(page, "old_backoff", 0, 2);
    assert.match(
      await page.locator(".sides section").nth(1).innerText(),
      /The zoomed frame is not there after/,
    );
    await press(page, "0", "+");
    [a, b] = await layouts(page);
    assert.ok(a.seen[1] - a.seen[0] < 0.99);
    assert.deepEqual(
      a.seen.map(v => v.toFixed(4)),
      b.seen.map(v => v.toFixed(4)),
    );
    await press(page, "/");
    await page.keyboard.type("mutex");
    await settle(page);
    assert.match(await page.locator(".matched").innerText(), /^\d+\.\d%$/);
  }));

await test("side by side: keys and search go through both, whatever the width was", () =>
  open("diff", "v=sides&m=after", async page => {
    await press(page, "/");
    await page.keyboard.type("old_backoff");
    await press(page, "Enter");
    assert.match(await page.locator(".details h2").innerText(), /old_backoff/);
    assert.notEqual(await page.locator(".matched").innerText(), "0.0%");
  }));

await test("search: the share of what is found, and from match to match", () =>
  open("diff", "", async page => {
    const { total, frames } = json("diff"),
      lock = frames.find(f => f.name === "pthread_mutex_lock");
    await press(page, "/");
    await page.keyboard.type("pthread_mutex");
    await settle(page);
    const want = (100 * (lock.before + lock.after)) / (total.before + total.after);
    assert.equal(await page.locator(".matched").innerText(), want.toFixed(1) + "%");
    await press(page, "Enter");
    assert.match(await page.locator(".details h2").innerText(), /pthread_mutex_lock/);
    await page.fill(".search input", "worker_main");
    await settle(page);
    assert.equal(await page.locator(".matched").innerText(), "100.0%");
  }));

await test("details: both sides' numbers, verdict and lengths of a frame", () =>
  open("diff", "", async page => {
    await clickFrame(page, "take_order");
    const text = await details(page),
      lock = json("diff").frames.find(f => f.name === "take_order");
    assert.ok(text.includes(`${signed(lock.change)} ${percent(lock)} more p 0.0005`), text);
    for (const [name, a, b] of [
      ["time per second", time(Math.round(lock.before)), time(Math.round(lock.after))],
      ["time in all", time(lock.ns[0]), time(lock.ns[1])],
      ["waiting for a CPU", "20.0 ms", "60.0 ms"],
      ["waits", ...lock.count.map(n => n.toLocaleString("en-US"))],
      ["longest", time(lock.max_ns[0]), time(lock.max_ns[1])],
    ])
      assert.ok(text.includes(`${name} ${a} ${b}`), `${name} ${a} ${b}: ${text}`);
    assert.equal(await page.locator(".details .hist").count(), 2);
    assert.match(text, new RegExp(`lock \\${signed(lock.change)} \\${percent(lock)}`));
    assert.match(text, /Zoom Callers, callees Only under Without/);
    await page.hover(".details h2");
    await page.mouse.move(300, 300);
  }));

await test("details: a single wait that is most of the change is named", () =>
  open("diff-untested", "", async page => {
    const { frames } = json("diff-untested"),
      labelOf = labels({ frames });
    let said = 0;
    for (const f of frames) {
      const notable = Math.abs(f.change) >= 0.1 * Math.max(f.before, f.after);
      const kind = { user: 2, kernel: 4, interpreted: 6, inlined: 8 }[f.kind];
      await page.evaluate(
        ([k, n]) => (location.hash = new URLSearchParams({ fn: `${k}:${n}` }).toString()),
        [kind, labelOf(f)],
      );
      await settle(page);
      assert.equal(await page.locator(".details h2").innerText(), labelOf(f));
      const some = /a single wait of .* is (all|\d+%) of it/.test(await details(page));
      assert.equal(
        some,
        f.largest_wait_part >= 0.5 && f.verdict !== "small" && notable,
        f.name,
      );
      said += some;
    }
    assert.ok(said > 0 && said < frames.length, `${said} of ${frames.length}`);
  }));

await test("details: mean and longest are of the waits that are counted", () =>
  open("diff-untested", "", async page => {
    const { frames } = json("diff-untested"),
      labelOf = labels({ frames }),
      off = w => w.blocked_ns + w.runq_ns;
    let tried = 0;
    for (const f of frames) {
      const under = SIDES.map(s =>
        json(`diff-untested-${s}`).waits.filter(w =>
          (f.kind === "kernel" ? w.kernel : w.user).includes(f.name),
        ),
      );
      const counted = under.map(waits => waits.filter(w => w.class !== "idle"));
      const mixed = i => counted[i].length && under[i].length > counted[i].length;
      if (!mixed(0) && !mixed(1)) continue;
      const kind = { user: 2, kernel: 4, interpreted: 6, inlined: 8 }[f.kind];
      await page.evaluate(
        ([k, n]) => (location.hash = new URLSearchParams({ fn: `${k}:${n}` }).toString()),
        [kind, labelOf(f)],
      );
      await settle(page);
      const text = await details(page),
        count = list => sum(list.map(w => w.count)),
        cells = of => counted.map(list => (list.length ? time(Math.round(of(list))) : "-"));
      for (const want of [
        `mean ${cells(list => sum(list.map(off)) / count(list)).join(" ")}`,
        `longest ${cells(list => Math.max(...list.map(w => w.max_ns))).join(" ")}`,
      ])
        assert.ok(text.includes(want), `${f.name}: ${want} in ${text}`);
      tried++;
    }
    assert.ok(tried > 0);
  }));

await test("histograms of threads: of both sides, each in its own steps", () =>
  open("diff-hists", "", async page => {
    const sides = SIDES.map(s => json(`diff-hists-${s}`)),
      texts = () => page.locator(".lengths .exact").allInnerTexts(),
      heading = () => page.locator(".lengths h3").innerText(),
      of = (side, kind, comm) =>
        sum(
          sides[side].tasks
            .filter(t => !comm || t.comm === comm)
            .flatMap(t => t.hists[kind].hist.map(b => b[1])),
        );
    assert.match(await heading(), /wait of 3 threads before, 2 after/i);
    for (const [i, text] of (await texts()).entries())
      assert.ok(text.startsWith(`${SIDES[i]}: ${of(i, "off")} waits, exact; p50 \u2264 `), text);
    assert.equal(await page.locator(".lengths .hist").count(), 4, "and those that were listed");
    // the ends of buckets: 1024 ns * 2^16 * 1.75 and 1024 ns * 2^18 * 1.25; 1 ms * 2^5 * 1.25
    assert.match((await texts())[0], /p50 \u2264 117 ms, p99 \u2264 336 ms/);
    assert.match((await texts())[1], /p50 \u2264 40\.0 ms, p99 \u2264 40\.0 ms/);
    for (const [i, side] of sides.entries()) {
      const bars = await page
        .locator(".lengths .hist svg")
        .nth(2 * i)
        .getAttribute("aria-label");
      for (const [floor, n] of side.tasks.flatMap(t => t.hists.off.hist)) {
        const from = +(floor / 2 ** 20).toFixed(2);
        assert.ok(bars.includes(` ${from} ms: ${n}`), `${from} ms: ${n} in ${bars}`);
      }
    }
    // one scale: what is at the right end of one is there in all
    const ends = await page
      .locator(".lengths .hist")
      .evaluateAll(list =>
        list.map(f => [...f.querySelectorAll("text:not(.v)")].at(-1).textContent),
      );
    assert.equal(new Set(ends).size, 1, ends.join());
    await page.selectOption(".lengths select", "on");
    await settle(page);
    assert.equal(fragment(page).get("h"), "on");
    assert.ok((await texts())[0].startsWith(`before: ${of(0, "on")} slices, exact`));
    await page.selectOption(".lengths select", "off");
    await clickFrame(page, "worker");
    assert.match(await heading(), /wait of 1 thread before, 1 after/i);
    for (const [i, text] of (await texts()).entries())
      assert.ok(text.startsWith(`${SIDES[i]}: ${of(i, "off", "worker")} wait`), text);
    await clickFrame(page, "main");
    assert.equal(await page.locator(".lengths").count(), 0);
    assert.equal(await page.locator(".details .hist").count(), 2);
  }));

await test("histograms of threads: a side that has none says so", async () => {
  await open("diff-half-hists", "", async page => {
    const texts = await page.locator(".lengths .exact").allInnerTexts();
    assert.deepEqual(texts[0], "before: recorded without --hist");
    assert.match(texts[1], /^after: 8 waits, exact/);
  });
  await open("diff", "", async page => assert.equal(await page.locator(".lengths").count(), 0));
});

await test("what is larger is so by the unit, however long a side was recorded", () =>
  open("diff-uneven", "v=tree", async page => {
    const { causes, frames } = json("diff-uneven"),
      mean = i => i.before + i.after,
      most = list => list.reduce((a, b) => (mean(b) > mean(a) ? b : a)),
      [locked, fill] = ["locked", "fill"].map(n => frames.find(f => f.name === n));
    assert.ok(mean(locked) > mean(fill) && sum(locked.ns) < sum(fill.ns), "or this tells nothing");
    const names = (await rowsOf(page)).map(r => r.name);
    assert.ok(names.indexOf("locked") < names.indexOf("fill"), names.join());
    assert.ok(names.includes("futex_wait") && !names.includes("pipe_read"), "what is open");
    await page.click('.treetable .tr:has(.t:text-is("main"))');
    await settle(page);
    const widths = await page
      .locator('.shares:has(h3:has-text("Causes")) .line')
      .evaluateAll(lines =>
        Object.fromEntries(
          lines.map(l => [
            l.querySelector(".link").textContent,
            l.querySelector(".meter i").style.width,
          ]),
        ),
      );
    // 800 ms a second of one, 200 ms of the other
    assert.equal(Math.round(parseFloat(widths[most(causes).cause])), 80, JSON.stringify(widths));
    const painted = () =>
      page.locator("canvas").evaluateAll(list =>
        list.map(c => {
          const { paint, shape, text, causes } = c.flame.model,
            at = [...shape.label].findIndex(l => text[l] === "main");
          return causes[paint.cause[at]];
        }),
      );
    await press(page, "2");
    assert.deepEqual(await painted(), [most(causes).cause]);
    await press(page, "6");
    const own = i => causes.find(c => c.ns[i] > 0).cause;
    assert.deepEqual(await painted(), [own(0), own(1)], "side by side each has its own");
  }));

await test("chips: a thread whose name begins with - is one, and not left out", () =>
  open("diff-uneven", "", async page => {
    const { total } = json("diff-uneven"),
      bash = json("diff-uneven-after").tasks.findIndex(t => t.comm === "bash"),
      { waits } = json("diff-uneven-after"),
      others = sum(waits.filter(w => w.task === bash).map(w => w.blocked_ns)),
      want = 500 * (total.before + total.after - others / 10);
    await page.click(".chip.pop");
    await page.locator(".threadlist .line:not(.process) .only", { hasText: /^-bash$/ }).click();
    await settle(page);
    near((await layouts(page))[0].total, want, "-bash alone");
    assert.equal(await page.locator(".chip.filter .name").innerText(), "thread -bash/-bash");
    await page.reload();
    await page.waitForSelector("canvas");
    await settle(page);
    near((await layouts(page))[0].total, want, "after a reload");
    await page.click(".chip.pop");
    await page
      .locator(".threadlist .line:not(.process)", { hasText: /^-bash/ })
      .locator(".less")
      .click();
    await settle(page);
    near((await layouts(page))[0].total, 50 * others, "without -bash");
  }));

await test("chips: Escape closes the list of threads, and nothing else", () =>
  open("diff", "s=mutex", async page => {
    await page.click(".chip.pop");
    await page.locator(".threadlist .only").first().focus();
    await press(page, "Escape");
    assert.equal(await page.locator(".popover").count(), 0);
    assert.equal(fragment(page).get("s"), "mutex");
    assert.ok(await page.evaluate(() => document.activeElement.matches(".chip.pop")));
  }));

await test("tip: the change, its verdict and both sides", () =>
  open("diff", "", async page => {
    await clickFrame(page, "take_order");
    await page.mouse.move(600, 500);
    const box = await page.locator("canvas").boundingBox();
    const at = await page.evaluate(() => {
      const f = document.querySelector("canvas").flame,
        l = f.model.layout,
        i = [...l.node].findIndex(
          n => f.model.text[f.model.shape.label[n]] === "pthread_mutex_lock",
        );
      return [((l.x[i] + l.w[i] / 2) / l.total) * f.width, f.rowY(l.depth[i]) + 8];
    });
    await page.mouse.move(box.x + at[0], box.y + at[1]);
    const tip = await page.locator(".tip").innerText();
    assert.match(tip, /\+103 ms · \+101\.0% · more, p 0\.0005/);
    assert.match(tip, /102 ms, then 205 ms per second/);
  }));

await test("chips: a set of waits that was tested keeps its verdict, another has none", () =>
  open("diff", "", async page => {
    const chip = name => page.locator(`.chip [data-cause="${name}"]`);
    const lock = json("diff").causes.find(c => c.cause === "lock");
    assert.ok((await chip("lock").innerText()).includes(signed(lock.change)));
    await chip("lock").click();
    await settle(page);
    let head = await page.locator(".change").innerText();
    assert.ok(head.includes("more") && head.includes(signed(lock.change)), head);
    assert.equal(fragment(page).get("cause"), "lock");
    await chip("lock").click();
    await page.click('.chip .less[aria-label="Without lock"]');
    await settle(page);
    head = (await page.locator(".change").innerText()).replace(/\s+/g, " ");
    assert.ok(head.includes(" ? "), head);
    const { total } = json("diff");
    near(
      (await layouts(page))[0].total,
      500 * (total.before + total.after - lock.before - lock.after),
      "without",
    );
    await press(page, "C");
    assert.equal(fragment(page).get("cause"), null);
    await clickFrame(page, "take_order");
    await press(page, "e");
    assert.equal(fragment(page).get("under"), "take_order");
    assert.match(await page.locator(".change").innerText(), /more/);
    await press(page, "C", "x");
    near(
      (await layouts(page))[0].total,
      500 * (total.before + total.after - lock.before - lock.after),
      "without, by key",
    );
  }));

await test("chips: idle time is beside all other until somebody wants it", () =>
  open("diff-untested", "", async page => {
    const { total, idle } = json("diff-untested");
    assert.ok(idle.ns[0] > 0);
    const chip = page.locator('.chip [data-class="idle"]');
    assert.ok((await chip.innerText()).includes(signed(idle.change)));
    assert.equal(await page.locator(".chips .clear").count(), 0);
    await page.click('.chip .less[aria-label="Without class idle"]');
    await settle(page);
    const want = 500 * (total.before + total.after + idle.before + idle.after);
    near((await layouts(page))[0].total, want, "with idle");
    assert.equal(fragment(page).get("class"), "");
    await page.reload();
    await page.waitForSelector("canvas");
    await settle(page);
    near((await layouts(page))[0].total, want, "after a reload");
    await page.click(".chips .clear");
    await settle(page);
    assert.equal(fragment(page).get("class"), null);
    near((await layouts(page))[0].total, 500 * (total.before + total.after), "without");
  }));

await test("chips: threads go by their names, for numbers differ", () =>
  open("diff-untested", "", async page => {
    const sides = SIDES.map(s => json(`diff-untested-${s}`)),
      names = new Set(
        sides.flatMap(s =>
          s.tasks.map(t => (t.comm === t.group_comm ? t.comm : `${t.group_comm}/${t.comm}`)),
        ),
      );
    await page.click(".chip.pop");
    await page.waitForSelector(".threadlist .line");
    const lines = await page.locator(".threadlist .line:not(.process) .only").allInnerTexts();
    assert.deepEqual(new Set(lines), names);
    await page
      .locator(".threadlist .line:not(.process) .only", { hasText: /^shop-api\/worker$/ })
      .click();
    await settle(page);
    assert.match(fragment(page).get("thread"), /^shop-api\/worker$/);
    await page.keyboard.press("Escape");
    await page.evaluate(() => (location.hash += "&v=table&by=thread&class="));
    await settle(page);
    const [only] = await rowsOf(page);
    const of = (s, key) =>
      sum(s.waits.filter(w => s.tasks[w.task].comm === "worker").map(w => w[key]));
    assert.deepEqual(
      [only.name, only.cells.was, only.cells.now],
      ["shop-api/worker", ...sides.map(s => time(of(s, "blocked_ns") + of(s, "runq_ns")))],
    );
  }));

await test("sandwich: callers and callees with their changes", () =>
  open("diff", "", async page => {
    await clickFrame(page, "take_order");
    await press(page, "3");
    assert.equal(fragment(page).get("fn"), "2:take_order");
    assert.match(
      await page.locator(".halves h2").first().innerText(),
      /102 ms, then 205 ms per second: \+101\.0%/,
    );
    const [up, down] = await layouts(page);
    assert.ok(up.of.worker_main > 0 && down.of.futex_wait > 0);
    assert.equal(up.total, down.total);
  }));

await test("tree: the same numbers for the keyboard and a screen reader", () =>
  open("diff", "v=tree", async page => {
    const want = json("diff"),
      grid = page.locator('[role="treegrid"]');
    assert.deepEqual(await row(page, "all"), cells(want.total));
    assert.deepEqual(await row(page, "worker_main"), cells(want.total));
    await grid.focus();
    await press(page, "ArrowDown", "ArrowDown", "ArrowDown");
    assert.deepEqual(
      await row(page, "take_order"),
      cells(want.frames.find(f => f.name === "take_order")),
    );
    const heads = await page.locator('[role="columnheader"]').allInnerTexts();
    assert.deepEqual(heads.slice(0, 6), ["before", "after", "change", "%", "verdict", "p"]);
    const label = await (await open1(page)).getAttribute("aria-label");
    assert.match(label, /602 ms, then 688 ms per second/);
  }));

async function open1(page) {
  await press(page, "2");
  return page.locator("canvas");
}

await test("keys: views, help and what is known of both", () =>
  open("diff", "", async page => {
    for (const [key, view] of [
      ["1", "name"],
      ["3", "sandwich"],
      ["4", "tree"],
      ["5", "table"],
      ["6", "sides"],
      ["2", null],
    ]) {
      await press(page, key);
      assert.equal(fragment(page).get("v"), view, key);
    }
    await press(page, "?");
    assert.match(await page.locator("dialog").innerText(), /Red is more than before/);
    await press(page, "Escape", "i");
    const about = await page.locator("dialog").innerText();
    assert.match(about, /before: before\.coldspot/);
    assert.match(about, /after: after <&> \.coldspot/);
    assert.match(about, /3 kernel stacks truncated/);
    assert.match(about, /PID 4121.*PID 5200/s);
    await press(page, "Escape", "ArrowDown", "ArrowDown", "ArrowDown");
    assert.match(await page.locator(".details h2").innerText(), /query_orders/);
    await press(page, "ArrowRight", "Enter");
    assert.notEqual(fragment(page).get("z"), null);
    await press(page, "Backspace", "Escape", "f", "t");
    assert.equal(fragment(page).get("up"), "1");
    await press(page, "n");
    assert.equal(fragment(page).get("thread"), "shop-api/worker");
    assert.match(await page.locator(".foot").innerText(), /Lost: before 3 kernel stacks/);
  }));

await test("url: a reload shows the same picture, to the pixel", async () => {
  for (const view of [
    "v=sides&s=mutex&theme=dark",
    "v=table&by=cause&sort=percent",
    "m=after&c=cold&up=1&cause=-lock",
    "v=sandwich&fn=2%3Atake_order",
  ])
    await open("diff", view, async page => {
      const before = await page.screenshot();
      await page.reload();
      await page.waitForSelector(".app");
      await settle(page);
      assert.ok(before.equals(await page.screenshot()), view);
      for (const [key, value] of new URLSearchParams(view))
        assert.equal(fragment(page).get(key), value, key);
    });
});

await test("url: what only the other page has does no harm", async () => {
  await open("diff", "g=thread&m=runq&v=nothing&t=on&class=x&z=1&sort=max", async page => {
    assert.ok(await page.locator(".app").isVisible());
  });
  await open("shop", "v=sides&c=change&m=before", async page => {
    assert.ok(await page.locator("canvas").isVisible());
    assert.equal(await page.locator(".change").count(), 0);
  });
});

await test("names with markup and scripts in them are text", () =>
  open("diff-nasty", "", async page => {
    for (const key of ["1", "3", "4", "5", "6", "i"]) await press(page, key);
    assert.equal(await page.evaluate(() => document.querySelectorAll("#app script").length), 0);
  }));

await test("nothing on either side, and nothing before", async () => {
  await open("diff-empty", "", async page => {
    assert.ok(await page.getByText("No thread waited in this window").isVisible());
    for (const key of ["1", "3", "4", "5", "6", "2", "n", "ArrowDown", "Enter", "+", "0", "e"])
      await press(page, key);
  });
  await open("diff-new", "v=table", async page => {
    for (const r of await rowsOf(page)) assert.equal(r.cells.percent, "new");
    await press(page, "6");
    assert.equal((await layouts(page))[0].of.worker, undefined);
  });
});

await test("functions with one name in two modules stay separate", () =>
  open("diff-modules", "v=table", async page => {
    const names = (await rowsOf(page)).map(r => r.name);
    assert.ok(names.includes("init [liba.so]") && names.includes("init [libb.so]"), names);
    for (const name of ["init [liba.so]", "init [libb.so]"])
      assert.equal((await row(page, name)).verdict, "?");
  }));

await test("100,000 nodes: sums are those of the JSON; times of frames", () =>
  open("diff-nodes", "", async page => {
    const { total } = json("diff-nodes"),
      [picture] = await layouts(page);
    assert.ok(Math.abs(picture.total - 500 * (total.before + total.after)) < 1e5);
    console.log(
      `# loaded and drawn after ${(await page.evaluate(() => performance.now())).toFixed(0)} ms`,
    );
    for (const view of ["heavy", "sides"]) {
      await page.evaluate(v => (location.hash = "v=" + v), view);
      await settle(page);
      judgeFrames(view, await frameTimes(page));
    }
    for (const key of ["5", "3", "4", "1"]) await press(page, key);
  }));

await test("paper has the picture and the key to its colours", () =>
  open("diff", "theme=dark", async page => {
    await page.emulateMedia({ media: "print" });
    await settle(page);
    assert.ok(!(await page.locator(".bar1").isVisible()));
    assert.ok(await page.locator("canvas").isVisible());
    assert.ok(await page.locator(".legend").isVisible());
    assert.ok((await page.pdf()).length > 10000);
  }));

await test("the program writes the texts that the page shows", () =>
  open("diff", "", async page => {
    const text = readFileSync(`${root}/tests/golden/diff/expected.txt`, "utf8");
    const said = (await page.locator(".change .muted").innerText()).trim();
    assert.ok(text.replace(/\s+/g, " ").includes(said), said);
  }));

await test("screenshots, for eyes", async () => {
  mkdirSync(shots, { recursive: true });
  for (const [w, h] of [
    [1280, 800],
    [800, 600],
  ])
    for (const theme of ["light", "dark"])
      for (const [name, view] of Object.entries({
        flame: "",
        sides: "v=sides",
        table: "v=table",
        tree: "v=tree&fn=2%3Atake_order",
        sandwich: "v=sandwich&fn=2%3Atake_order",
      }))
        await open(
          "diff",
          `${view}&theme=${theme}`,
          async page => {
            await page.screenshot({ path: `${shots}/diff-${name}-${theme}-${w}x${h}.png` });
            const wide = await page.evaluate(() => document.documentElement.scrollWidth);
            assert.ok(wide <= w, `${name}: ${wide} pixels wide`);
          },
          { viewport: { width: w, height: h } },
        );
});

await finish();
