// SPDX-License-Identifier: Apache-2.0
//
// usage: node report.mjs BUILD
//
// Prints TAP. Pages are those of test_pages; what is shown is held against the JSON of the same
// profile, which this reads by itself.
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
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
  pages,
  place,
  press,
  root,
  settle,
  shots,
  test,
  time,
} from "./browser.mjs";

// The page has one name for all waits for work.
const shown = w => (w.class === "idle" ? "idle" : w.cause);
const owner = o => (o ? (o.comm === null ? "" : o.comm + "/") + o.tid : "");
// What the page holds under a name, out of the JSON.
function wantedOf(w, key) {
  switch (key) {
    case "cause":
      return shown(w);
    case "kind":
      return w.cause;
    case "owner":
      return owner(w.owner);
    case "owner_task":
      return w.owner && w.owner.task !== null ? w.owner.task + 1 : null;
    default:
      return w[key];
  }
}
const cases = readdirSync(root + "/tests/golden").filter(
  c => !c.includes(".") && readdirSync(`${root}/tests/golden/${c}`).includes("profile.lit"),
);
const off = w => w.blocked_ns + w.runq_ns;
const total = (waits, of = off) => waits.reduce((sum, w) => sum + of(w), 0);

const oneLine = async locator => (await locator.innerText()).replace(/\s+/g, " ").trim();
const graphTotal = page =>
  page.evaluate(() => document.querySelector(".flame canvas").flame.model.layout.total);
const heading = page => page.locator(".details h2").first().innerText();

function tableRows(page) {
  return page.locator(".table .tr:not(.th)").evaluateAll(rows =>
    rows.map(row => ({
      name: row.querySelector(".t").textContent,
      kind: row.querySelector(".badge")?.textContent ?? "",
      cells: Object.fromEntries(
        [...row.children].map(c => [c.className.replace("c-", ""), c.textContent]),
      ),
    })),
  );
}

const count = n => n.toLocaleString("en-US");

// What each function adds up to, each wait once.
function functions(profile) {
  const out = new Map();
  for (const w of profile.waits) {
    const seen = new Set();
    for (const side of ["user", "kernel"])
      for (const label of w[side]) seen.add(side + " " + label);
    for (const key of seen) {
      const row = out.get(key) ?? { off: 0, count: 0, max: 0 };
      row.off += off(w);
      row.count += w.count;
      row.max = Math.max(row.max, w.max_ns);
      out.set(key, row);
    }
  }
  return out;
}

function p99(waits) {
  const hist = new Map(),
    max = Math.max(...waits.map(w => w.max_ns));
  for (const w of waits)
    for (const [floor, n] of w.hist) hist.set(floor, (hist.get(floor) ?? 0) + n);
  const all = [...hist].sort((a, b) => a[0] - b[0]),
    sum = all.reduce((a, b) => a + b[1], 0);
  let seen = 0;
  for (const [floor, n] of all) {
    seen += n;
    if (seen >= Math.ceil((sum * 990) / 1000)) return Math.min(floor ? floor * 2 : 1024, max);
  }
  return 0;
}

for (const name of [...cases, "one", "recursion"]) {
  await test(`${name}: each wait of the page is that of the JSON`, () =>
    open(name, "t=off&class=", async page => {
      const want = json(name);
      const got = await page.evaluate(() => {
        const p = window.coldspot,
          text = i => p.strings[i],
          out = [];
        const stack = leaf => {
          const labels = [];
          for (let s = leaf; s; s = p.stack.parent[s])
            labels.push(text(p.frame.label[p.stack.frame[s]]));
          return labels;
        };
        for (let w = 1; w <= p.waits; w++) {
          if (p.wait.flags[w] & 256) continue; // time on a CPU
          const hist = [];
          for (let i = p.hist.first[w]; i < p.hist.first[w + 1]; i++)
            hist.push([p.hist.bucket[i] ? 2 ** (9 + p.hist.bucket[i]) : 0, p.hist.count[i]]);
          out.push({
            task: p.wait.task[w] ? p.wait.task[w] - 1 : null,
            state: "RSDTtXZPI"[p.wait.state[w]],
            syscall: text(p.wait.syscall[w]) || null,
            cause: p.head.causes[p.wait.cause[w]][0],
            kind: p.head.causes[p.wait.kind[w]][0],
            class: p.head.classes[p.wait.class[w]][0],
            object_label: text(p.object.label[p.wait.object[w]]) || null,
            owner: text(p.wait.owner[w]),
            owner_task: p.wait.owner_task[w] || null,
            blocked_ns: p.wait.blocked_ns[w],
            runq_ns: p.wait.runq_ns[w],
            count: p.wait.count[w],
            max_ns: p.wait.max_ns[w],
            samples: p.wait.samples[w],
            se_ns: Math.floor(Math.sqrt(p.wait.var_us2[w]) * 1000),
            hist,
            user: stack(p.wait.user_stack[w]),
            kernel: stack(p.wait.kernel_stack[w]),
          });
        }
        return out;
      });
      assert.equal(got.length, want.waits.length);
      got.forEach((w, i) => {
        for (const key of Object.keys(w)) {
          // the interpreter's own frames are left out of the page
          if (name === "python" && key === "user") continue;
          if (key === "syscall" && want.waits[i].syscall === null) continue;
          // what an import does not tell is blank
          if (want.waits[i].flags?.includes("summed") && want.waits[i][key] === null) continue;
          const wanted = wantedOf(want.waits[i], key);
          assert.deepEqual(w[key], wanted, `wait ${i}: ${key}`);
        }
      });
      const b = want.budget;
      assert.equal(
        total(got, w => w.blocked_ns),
        b.listed_blocked_ns,
      );
      assert.equal(
        total(got, w => w.runq_ns),
        b.listed_runq_ns,
      );
      if (got.length) assert.equal(await graphTotal(page), total(want.waits));
    }));

  await test(`${name}: the head says what the summary says`, () =>
    open(name, "", async page => {
      if (!cases.includes(name)) return;
      const summary = readFileSync(`${root}/tests/golden/${name}/expected.summary`, "utf8");
      const text = (await page.locator(".budget").innerText()).replace(/\s+/g, " ");
      // waiting for a CPU after a wait for work is idle time
      const { summary: s, budget: b } = json(name),
        woken = total(
          s.kinds.filter(k => k.class === "idle"),
          k => k.runq_ns,
        ),
        idle = b.blocked_ns - s.blocked_ns + woken;
      assert.ok(text.includes(`idle ${time(idle)}`), `idle ${time(idle)} in: ${text}`);
      const runq = Math.max(0, b.preempted_ns + b.runq_ns - woken);
      assert.ok(text.includes(`waiting for a CPU ${time(runq)}`), `${time(runq)} in: ${text}`);
      let rows = 0;
      for (const part of ["on a CPU", "blocked", "unaccounted"]) {
        const m = new RegExp(`^  ${part} +([\\d.]+ [a-z]+|-) +([\\d.]+%|-)`, "m").exec(summary);
        assert.ok(m, `${part} in the summary`);
        assert.ok(text.includes(`${part} ${m[1]}`), `${part} ${m[1]} in: ${text}`);
        rows++;
      }
      assert.equal(rows, 3);
      await press(page, "i");
      const lost = json(name).losses.filter(l => l.name !== "unnamed");
      assert.equal(await page.locator(".losses > li").count(), lost.length);
      assert.ok(await page.getByText("About this recording").isVisible());
    }));
}

await test("table: functions have the sums of the JSON", async () => {
  for (const name of ["shop", "ends", "unnamed", "lost", "recursion"])
    await open(
      name,
      "v=table&by=function",
      async page => {
        const want = functions(json(name)),
          rows = await tableRows(page);
        let checked = 0;
        for (const row of rows) {
          const w = want.get((row.kind === "kernel" ? "kernel " : "user ") + row.name);
          if (!w) {
            assert.match(row.name, /^\[/, "only notes are in no stack");
            continue;
          }
          assert.equal(row.cells.off, time(w.off), row.name);
          assert.equal(row.cells.count, count(w.count), row.name);
          assert.equal(row.cells.max, time(w.max), row.name);
          assert.equal(row.cells.mean, time(Math.round(w.off / w.count)), row.name);
          checked++;
        }
        assert.equal(checked, want.size, `${name}: all functions are there`);
      },
      { viewport: { width: 1280, height: 3000 } },
    );
});

await test("table: causes, calls, threads and places add up and have their p99", () =>
  open("shop", "v=table&by=cause", async page => {
    const { waits, tasks } = json("shop");
    for (const [by, of] of [
      ["cause", shown],
      ["syscall", w => w.syscall ?? "in no system call"],
      ["thread", w => `${tasks[w.task].comm}-${tasks[w.task].tgid}/${tasks[w.task].tid}`],
      ["process", w => `${tasks[w.task].group_comm}-${tasks[w.task].tgid}`],
    ]) {
      await page.selectOption(".bar2 select", by);
      await settle(page);
      const groups = new Map();
      for (const w of waits) groups.set(of(w), [...(groups.get(of(w)) ?? []), w]);
      const rows = await tableRows(page);
      assert.equal(rows.length, groups.size, by);
      for (const row of rows) {
        const group = groups.get(row.name);
        assert.ok(group, `${by} ${row.name}`);
        assert.equal(row.cells.off, time(total(group)), row.name);
        assert.equal(row.cells.p99, time(p99(group)), row.name);
        assert.equal(row.cells.count, count(total(group, w => w.count)), row.name);
      }
    }
    await page.selectOption(".bar2 select", "place");
    await settle(page);
    assert.ok((await tableRows(page)).some(r => r.name.includes("PQexec")));
  }));

await test("patterns of wakeups are below what to look at next", () =>
  open("patterns", "", async page => {
    const want = json("patterns").summary.patterns.filter(w => w.matters);
    assert.ok(want.length > 0);
    assert.deepEqual(
      await page.locator(".hints .pattern").allInnerTexts(),
      want.map(w => `${w.kind} ${w.sentence}`),
    );
  }));

// The table of places of the summary: where, and what it was for.
function summaryPlaces(name) {
  const text = readFileSync(`${root}/tests/golden/${name}/expected.summary`, "utf8"),
    lines = text.slice(text.search(/  where$/m)).split("\n");
  return lines.flatMap((line, i) => {
    const where = /^ +\d+  (\S.*)$/.exec(line)?.[1],
      things = /^ {6}(for .*|held by .*)$/.exec(lines[i + 1])?.[1] ?? "";
    return where ? [{ where, things: things.replace(/, itself .*/, "") }] : [];
  });
}

await test("table: it begins with places, the rows of the summary", async () => {
  for (const name of ["shop", "objects", "peers", "python", "kernel"])
    await open(
      name,
      "v=table",
      async page => {
      assert.equal(await page.locator(".bar2 select").inputValue(), "place");
      const want = summaryPlaces(name),
        rows = await tableRows(page),
        causes = await page.locator(".table .why b").allInnerTexts(),
        things = await page.locator(".table .why em").allTextContents();
      assert.ok(want.length > 0, name);
      // those of the same time may be in another order
      for (const { where, things: what } of want)
        assert.ok(
          rows.some((r, i) => r.name.startsWith(where) && things[i].startsWith(what)),
          `${name}: ${where} ${what}`,
        );
      assert.ok(rows[0].name.startsWith(want[0].where), `${name}: ${rows[0].name} is first`);
      assert.ok(causes.every(c => json(name).waits.some(w => c === shown(w))));
      const idle = causes.indexOf("idle");
      assert.ok(idle < 0 || causes.slice(idle).every(c => c === "idle"), "idle ones are last");
    }, { viewport: { width: 1280, height: 3000 } });
});

await test("table: a click on a head sorts, another turns it round", () =>
  open("shop", "v=table&by=function", async page => {
    const names = async () => (await tableRows(page)).map(r => r.name);
    for (const column of ["max", "count", "name"]) {
      await page.click(`.th .c-${column} button`);
      await settle(page);
      const once = await names();
      assert.equal(
        await page.getAttribute(`.th .c-${column}`, "aria-sort"),
        column === "name" ? "ascending" : "descending",
      );
      await page.click(`.th .c-${column} button`);
      await settle(page);
      assert.notDeepEqual(await names(), once, column);
    }
    assert.equal(fragment(page).get("sort"), "-name");
    const sorted = await names();
    assert.deepEqual(sorted.slice(0, 5), [...sorted].sort().reverse().slice(0, 5));
  }));

await test("picture: a box has the colour of its cause, the kernel's is paler", () =>
  open("shop", "", async page => {
    const colors = name =>
      page.evaluate(name => {
        const f = document.querySelector(".flame canvas").flame,
          { shape, layout: l, paint, text } = f.model;
        const node = [...l.node].find(n => text[shape.label[n]] === name),
          box = l.box[node];
        const x = ((l.x[box] + l.w[box] / 2) / l.total) * f.width,
          y = f.rowY(l.depth[box]) + 2;
        return [
          [...f.context.getImageData(x, y, 1, 1).data].slice(0, 3),
          paint.fill[paint.index[node]],
        ];
      }, name);
    const sum = color => color.reduce((a, b) => a + b);
    for (const name of ["take_order", "futex_wait", "recv", "sk_wait_data", "shop-api"]) {
      const [seen, meant] = await colors(name);
      assert.deepEqual(seen, meant, name);
    }
    const [lock] = await colors("take_order"),
      [net] = await colors("recv");
    assert.ok(lock[0] > lock[2] && net[2] > net[0], "locks are red, the network is blue");
    assert.ok(sum((await colors("futex_wait"))[0]) > sum(lock) + 60);
  }));

await test("search: finds, says the share, and goes from match to match", () =>
  open("shop", "", async page => {
    await press(page, "/");
    await page.keyboard.type("futex");
    await settle(page);
    // the same as the SVG of this profile says
    assert.equal(await page.locator(".matched").innerText(), "76.6%");
    assert.equal(fragment(page).get("s"), "futex");
    await press(page, "Enter");
    const first = await heading(page);
    await press(page, "Enter");
    await press(page, "F3");
    await press(page, "Shift+F3");
    assert.match(first, /futex/);
    assert.match(await heading(page), /futex/);
    await page.fill(".search input", "/^(futex_|start_)/");
    await settle(page);
    assert.equal(await page.locator(".matched").innerText(), "98.9%");
    await page.fill(".search input", "LIMITER");
    await settle(page);
    assert.equal(await page.locator(".matched").innerText(), "0.0%", "upper case is exact");
    await page.fill(".search input", "/a(b/");
    await settle(page);
    assert.equal(await page.locator(".matched").innerText(), "not an expression");
    await press(page, "Escape");
    assert.equal(fragment(page).get("s"), null);
  }));

await test("zoom: by double click, keys and wheel, and back", () =>
  open("shop", "", async page => {
    const target = () =>
      page.evaluate(() => document.querySelector(".flame canvas").flame.target());
    const { waits } = json("shop"),
      all = total(waits);
    await clickFrame(page, "query_orders", 0, 2);
    const part = total(waits.filter(w => w.user.includes("query_orders"))) / all;
    let [x0, x1] = await target();
    assert.ok(Math.abs(x1 - x0 - part) < 1e-9, `${x1 - x0} is ${part}`);
    assert.match(fragment(page).get("z"), /^[0-9a-f]{16}$/);
    await press(page, "Backspace");
    [x0, x1] = await target();
    assert.ok(x1 - x0 > part);
    await press(page, "0");
    assert.deepEqual((await target()).slice(0, 2), [0, 1]);
    await press(page, "+");
    [x0, x1] = await target();
    assert.ok(Math.abs(x1 - x0 - 0.6) < 1e-9);
    assert.match(fragment(page).get("x"), /~/);
    await press(page, "d");
    assert.ok((await target())[0] > x0);
    await press(page, "a", "a", "a", "-");
    assert.equal((await target())[0], 0);
    await page.mouse.move(600, 400);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -300);
    await page.keyboard.up("Control");
    await settle(page);
    [x0, x1] = await target();
    assert.ok(x1 - x0 < 0.5);
    await page.mouse.down();
    await page.mouse.move(500, 400, { steps: 4 });
    await page.mouse.up();
    await settle(page);
    assert.ok((await target())[0] > x0, "dragged");
    assert.equal(fragment(page).get("at"), null, "a drag selects nothing");
  }));

await test("zoom: rows beyond the window scroll, and the zoomed frame is in view", () =>
  open("deep", "", async page => {
    const state = () =>
      page.evaluate(() => {
        const f = document.querySelector(".flame canvas").flame;
        return [f.target()[2], f.model.layout.rows * 20 - f.height];
      });
    await page.mouse.move(400, 500);
    await page.mouse.wheel(0, 100000);
    await settle(page);
    const [at, most] = await state();
    assert.ok(most > 0 && Math.abs(at - most) < 1, `${at} of ${most}`);
    assert.ok(+fragment(page).get("y") > 0);
    await press(page, "0");
    assert.equal((await state())[0], 0);
    await press(page, "f");
    assert.equal(fragment(page).get("up"), "1");
    await page.mouse.wheel(0, -100000);
    await settle(page);
    assert.ok(Math.abs((await state())[0] - most) < 1, "the leaves of a flame are on top");
  }));

// By the rule of the terminal, out of the kinds: a line a kind, each a tenth of what is not idle.
// Waiting for a CPU after a wait for work is not idle, and is shown as a lost CPU is.
// Who records several processes is not told to record children.
function hintsOf(kinds, processes) {
  const ns = k => k.blocked_ns + k.runq_ns,
    idle = k => k.class === "idle",
    woken = {
      cause: "preempted",
      name: "woken for work",
      blocked_ns: 0,
      runq_ns: kinds.filter(idle).reduce((sum, k) => sum + k.runq_ns, 0),
      hint: "more threads are runnable than there are CPUs: see --by thread for those that run",
    },
    busy = [...kinds.filter(k => !idle(k)).map(k => ({ ...k, name: k.cause })), woken].sort(
      (x, y) => ns(y) - ns(x),
    ),
    sum = busy.reduce((sum, k) => sum + ns(k), 0),
    least = sum / 10;
  if (sum < Math.floor(kinds.reduce((sum, k) => sum + ns(k), 0) / 1000)) return [];
  return busy.filter(
    (k, i) =>
      k.hint &&
      (k.cause !== "child" || processes < 2) &&
      ns(k) > 0 &&
      ns(k) >= least &&
      busy.findIndex(other => other.cause === k.cause && other.hint) === i,
  );
}

// Of a lock without an owner, who releases it is what there is to know.
function hintOf(kind, { waits, header }) {
  if (kind.cause !== "lock") return kind.hint;
  const locks = waits.filter(w => w.cause === "lock"),
    of = f => total(locks.filter(f));
  if (of(w => w.owner) >= of(w => !w.owner)) return kind.hint;
  return header.wakers
    ? "the owner is not known: --by waker shows who released it"
    : "the owner is not known: record with --wakers to see who releases it";
}

await test("head: what to look at next is what is worth it", async () => {
  let kept = 0;
  for (const name of cases) {
    const profile = json(name),
      { summary, budget } = profile,
      { kinds } = summary,
      want = hintsOf(kinds, budget.processes).slice(0, 3);
    await open(name, "", async page => {
      assert.deepEqual(
        await page.locator(".hints li:not(.pattern)").allTextContents(),
        want.map(k => `${k.name} ${time(k.blocked_ns + k.runq_ns)} ${hintOf(k, profile)}`),
      );
    });
    kept += kinds.filter(k => k.hint && k.class !== "idle").length > want.length ? 1 : 0;
  }
  assert.ok(kept > 2, "cases where some kind is not worth a line");
});

await test("head: what to look at next is chosen by a click", () =>
  open("shop", "", async page => {
    const { waits, summary } = json("shop"),
      want = hintsOf(summary.kinds);
    await page.click(`.hints button:has-text("${want[0].cause}")`);
    await settle(page);
    assert.equal(await graphTotal(page), total(waits.filter(w => shown(w) === want[0].cause)));
    assert.equal(fragment(page).get("cause"), want[0].cause);
  }));

await test("chips: causes are chosen and left out", () =>
  open("shop", "", async page => {
    const { waits } = json("shop"),
      of = f => total(waits.filter(f));
    await page.click('[data-cause="lock"]');
    await settle(page);
    assert.equal(
      await graphTotal(page),
      of(w => w.cause === "lock"),
    );
    await page.click('[data-cause="net-recv"]');
    await settle(page);
    assert.equal(
      await graphTotal(page),
      of(w => ["lock", "net-recv"].includes(w.cause)),
    );
    assert.deepEqual(fragment(page).getAll("cause"), ["lock", "net-recv"]);
    await page.click('[data-cause="net-recv"]');
    await page.click('[aria-label="Without lock"]');
    await settle(page);
    assert.equal(
      await graphTotal(page),
      of(w => w.cause !== "lock"),
    );
    assert.deepEqual(fragment(page).getAll("cause"), ["-lock"]);
    await page.click('[data-cause="idle"]', { modifiers: ["Alt"] });
    await settle(page);
    assert.equal(
      await graphTotal(page),
      of(w => w.cause !== "lock" && w.class !== "idle"),
    );
    await page.click(".clear");
    await settle(page);
    assert.equal(
      await graphTotal(page),
      of(() => true),
    );
    await page.click('[data-cause="new-thread"]');
    await page.click('[aria-label="Without new-thread"]');
    await page.click('[data-cause="idle"]');
    await settle(page);
    assert.equal(
      await graphTotal(page),
      of(w => w.cause === "poll"),
    );
  }));

await test("chips: classes are chosen and left out, and go with causes", () =>
  open("shop", "", async page => {
    const { waits } = json("shop"),
      of = f => total(waits.filter(f)),
      click = async (what, options) => {
        await page.click(what, options);
        await settle(page);
        return graphTotal(page);
      };
    const idle = of(w => w.class === "idle"),
      all = total(waits);
    assert.ok(idle > 0 && idle < all);
    const words = `idle ${time(idle)}, ${((idle * 100) / all).toFixed(1)}%: `,
      says = () => oneLine(page.locator('[data-class="idle"]'));
    assert.equal(await page.locator("[data-class]").count(), 1, "there is work, and idle time");
    assert.equal(await says(), words + "hide");
    assert.equal(await click('[data-class="idle"]'), all - idle);
    assert.equal(await says(), words + "show");
    assert.equal(await page.locator('[data-cause="idle"]').count(), 0);
    assert.equal(
      await click('[data-cause="lock"]'),
      of(w => w.class !== "idle" && w.cause === "lock"),
    );
    assert.deepEqual(fragment(page).getAll("class"), ["-idle"]);
    await reloadsSame(page, "a class and a cause");
    assert.equal(await click(".clear"), all);
    await page.goto(page.url().replace(/#.*/, "#class=idle"));
    await settle(page);
    assert.equal(await graphTotal(page), idle, "a link to idle time alone");
    assert.equal(await says(), words + "hide");
    await press(page, "Shift+C");
    assert.equal(await graphTotal(page), all);
  }));

await test("idle: what is most is left out, a switch says how much and shows it", async () => {
  const { waits } = json("idle"),
    idle = total(waits.filter(w => w.class === "idle")),
    all = total(waits),
    says = page => oneLine(page.locator('[data-class="idle"]'));
  assert.ok(idle > all / 2);
  await open("idle", "", async page => {
    assert.equal(await graphTotal(page), all - idle);
    assert.equal(await says(page), `idle ${time(idle)}, ${((idle * 100) / all).toFixed(1)}%: show`);
    assert.equal(await page.locator(".clear").count(), 0, "that is no filter of the reader");
    assert.match(await page.locator(".details .idle").innerText(), new RegExp(time(idle)));
    await page.click('[data-class="idle"]');
    await settle(page);
    assert.equal(await graphTotal(page), all);
    assert.deepEqual(fragment(page).getAll("class"), [""]);
    assert.match(await says(page), /: hide$/);
    await page.click('[data-class="idle"]');
    await settle(page);
    assert.equal(await graphTotal(page), all - idle);
    assert.equal(fragment(page).get("class"), null);
    await page.click(".details .idle button");
    await settle(page);
    assert.equal(await graphTotal(page), idle);
  });
  await open("idle-shown", "", async page => {
    assert.equal(await graphTotal(page), all, "as --idle show has it");
    assert.match(await says(page), /: hide$/);
  });
  await open("one", "", async page => assert.equal(await page.locator(".chip.idle").count(), 0));
});

await test("shares: of one wait, they are the same whether or not idle time is shown", async () => {
  const { waits } = json("idle"),
    locks = waits.filter(w => w.cause === "lock"),
    busy = total(waits.filter(w => w.class !== "idle")),
    wanted = ((total(locks) * 100) / busy).toFixed(1) + "%";
  for (const view of ["", "class="])
    await open("idle", view, async page => {
      assert.equal(await oneLine(page.locator('[data-cause="lock"]')), `lock ${wanted}`);
      assert.match(
        await page.locator(".details").innerText(),
        /shares of off-cpu time that is not idle/i,
      );
      await page.fill(".search input", "take_order");
      await settle(page);
      assert.equal(await page.locator(".matched").innerText(), wanted);
      await clickFrame(page, "take_order");
      const one = await oneLine(page.locator(".numbers div", { hasText: "share" }));
      const each = locks.map(w => `share ${((off(w) * 100) / busy).toFixed(1)}%`);
      assert.ok(each.includes(one), `${one} is one of ${each}`);
      await page.fill(".search input", "");
      await page.locator(".flame canvas").focus();
      await press(page, "5");
      await page.selectOption(".bar2 select", "cause");
      await settle(page);
      const rows = await tableRows(page);
      assert.equal(rows.find(r => r.name === "lock").cells.share, wanted);
      if (view) assert.equal(rows.find(r => r.name === "idle").cells.share, "idle");
      assert.match(await page.locator(".bar2").innerText(), /shares are of off-CPU time that/);
    });
});

await test("chips: time on a CPU is a class of its own", () =>
  open("wall", "class=on-cpu", async page => {
    const sum = await page.evaluate(() => window.coldspot.wait.on_ns.reduce((a, b) => a + b));
    assert.ok(sum > 0);
    assert.equal(await graphTotal(page), sum);
  }));

await test("time: a page of --view on says so of its sums", () =>
  open("wall-on", "", async page => {
    const { budget } = json("wall-on"),
      lead = (await page.locator(".lead").innerText()).replace(/\s+/g, " ");
    assert.equal(await graphTotal(page), budget.on_ns);
    assert.equal(lead.trim(), `${time(budget.on_ns)} on a CPU (exact)`);
    assert.equal(await page.locator("h2", { hasText: "Where threads ran" }).count(), 1);
    assert.match(
      await page.locator(".flame canvas").first().getAttribute("aria-label"),
      /^Flame graph of [\d.]+ [a-z]+ on a CPU of /,
    );
    assert.equal(await page.getByText("off CPU").count(), 0);
  }));

await test("chips: waits for work are one cause, or each its own", () =>
  open("shop", "v=table&by=cause", async page => {
    const { waits } = json("shop"),
      names = async () => new Set((await tableRows(page)).map(r => r.name));
    assert.deepEqual(await names(), new Set(waits.map(shown)));
    await page.click(".chip.apart");
    await settle(page);
    assert.equal(fragment(page).get("apart"), "1");
    assert.deepEqual(await names(), new Set(waits.map(w => w.cause)));
    for (const row of await tableRows(page))
      assert.equal(row.cells.off, time(total(waits.filter(w => w.cause === row.name))), row.name);
    assert.equal(await page.getAttribute(".chip.apart", "aria-pressed"), "true");
    await press(page, "2", "g", "g", "g");
    const groups = await page.evaluate(() => {
      const { shape, layout: l, text } = document.querySelector(".flame canvas").flame.model;
      return [...l.node].filter(n => shape.depth[n] === 1).map(n => text[shape.label[n]]);
    });
    assert.deepEqual(new Set(groups), new Set(waits.map(w => w.cause)));
    // what was chosen by the one name stays chosen
    await press(page, "k");
    assert.equal(fragment(page).get("apart"), null);
    await page.click('[aria-label="Without idle"]');
    await press(page, "k");
    assert.deepEqual(fragment(page).getAll("class"), ["-idle"]);
    assert.deepEqual(fragment(page).getAll("cause"), []);
    assert.equal(await graphTotal(page), total(waits.filter(w => w.class !== "idle")));
  }));

await test("chips: threads are chosen from the list and with n and p", () =>
  open("shop", "", async page => {
    const { waits, tasks } = json("shop");
    const of = tid => total(waits.filter(w => tasks[w.task].tid === tid));
    await page.click(".chip.pop");
    await page.fill(".popover input", "worker-1");
    await page.click('.threadlist .only:has-text("worker-1")');
    await settle(page);
    assert.equal(await graphTotal(page), of(4130));
    assert.deepEqual(fragment(page).getAll("thread"), ["4121/4130"]);
    await page.fill(".popover input", "");
    await page.click('[aria-label^="Without worker-2"]');
    await settle(page);
    await page.keyboard.press("Escape");
    await press(page, "Shift+C");
    assert.equal(await graphTotal(page), total(waits));
    const seen = [];
    for (let i = 0; i < 4; i++) {
      await press(page, "n");
      seen.push(await graphTotal(page));
    }
    assert.deepEqual(seen, [of(4121), of(4130), of(4131), total(waits)]);
    await press(page, "p");
    assert.equal(await graphTotal(page), of(4131));
  }));

await test("filters: waits under a frame, and without it, by click and key", () =>
  open("shop", "", async page => {
    const { waits } = json("shop");
    const has = (w, f) => w.user.includes(f) || w.kernel.includes(f);
    await clickFrame(page, "worker_main");
    await page.click('.actions button:has-text("Only under")');
    await settle(page);
    assert.equal(await graphTotal(page), total(waits.filter(w => has(w, "worker_main"))));
    await clickFrame(page, "do_futex");
    await press(page, "x");
    const rest = waits.filter(w => has(w, "worker_main") && !has(w, "do_futex"));
    assert.equal(await graphTotal(page), total(rest));
    await clickFrame(page, "tcp_recvmsg_locked");
    await press(page, "e");
    assert.equal(await graphTotal(page), total(rest.filter(w => has(w, "tcp_recvmsg_locked"))));
    assert.deepEqual(fragment(page).getAll("under"), ["worker_main", "tcp_recvmsg_locked"]);
    await page.click('[aria-label="Remove not do_futex"]');
    await settle(page);
    await page.click('.actions button:has-text("Without")');
    await settle(page);
    assert.ok(await page.getByText("No wait passes these filters").isVisible());
    await page.click(".nothing button");
    await settle(page);
    assert.equal(await graphTotal(page), total(waits));
  }));

await test("details: numbers, causes, threads, code and stack of a frame", () =>
  open("shop", "", async page => {
    const { waits, modules } = json("shop");
    const mine = waits.filter(w => w.user.includes("take_order") && w.count === 5000);
    await clickFrame(page, "take_order");
    const text = (await page.locator(".details").innerText()).replace(/\s+/g, " ");
    assert.ok(text.startsWith("take_order"));
    for (const part of [time(total(mine)), count(5000), time(p99(mine)), time(mine[0].max_ns)])
      assert.ok(text.includes(part), `${part} in ${text}`);
    assert.ok(text.includes("worker-1-4121/4130") && text.includes("futex"));
    const shop = modules.find(m => m.path.includes("shop-api"));
    assert.ok(text.includes(shop.path) && text.includes(shop.build_id));
    const stack = await page.locator(".stack li .link").allInnerTexts();
    assert.deepEqual(
      stack.slice(1),
      [...mine[0].user, ...[]].reverse().concat([...mine[0].kernel].reverse()),
    );
    const label = await page.getAttribute(".hist svg", "aria-label");
    for (const [, n] of mine[0].hist) assert.ok(label.includes(count(n)), label);
    await page.hover(".hist svg", { position: { x: 50, y: 60 } });
    assert.match(await page.locator(".hist figcaption").innerText(), /waits?, /);
    await page.click(".stack li .link >> nth=1");
    await settle(page);
    assert.equal(await heading(page), "start_thread");
  }));

// Counts of the histograms of threads, as the page has them: by task, kind and edge.
const binsOf = (tasks, kind) => {
  const sums = new Map();
  for (const t of tasks)
    for (const [floor, n] of t.hists[kind].hist) sums.set(floor, (sums.get(floor) ?? 0) + n);
  return [...sums].sort((a, b) => a[0] - b[0]);
};

await test("histograms of threads: the page has every count of the JSON", () =>
  open("hists", "", async page => {
    const got = await page.evaluate(() => {
      const { bin } = window.coldspot,
        out = [];
      for (let i = 1; i < bin.task.length; i++)
        out.push([bin.task[i] - 1, bin.kind[i], bin.bucket[i], bin.count[i]]);
      return out;
    });
    const floor = b => (b ? 1024 * 2 ** Math.floor((b - 1) / 4) * (1 + ((b - 1) % 4) / 4) : 0);
    const { tasks } = json("hists");
    ["on", "off", "runq", "blocked"].forEach((kind, k) =>
      tasks.forEach((t, i) =>
        assert.deepEqual(
          got.filter(r => r[0] === i && r[1] === k).map(r => [floor(r[2]), r[3]]),
          t.hists[kind].hist,
          `${kind} of ${t.comm}`,
        ),
      ),
    );
    assert.ok(got.length > 10);
  }));

await test("histograms of threads: exact beside listed, of what is picked, in the URL", () =>
  open("hists", "g=thread", async page => {
    const { tasks, waits } = json("hists");
    const label = nth => page.getAttribute(`.lengths .hist >> nth=${nth} >> svg`, "aria-label");
    const holds = async (of, kind) => {
      const text = await label(0),
        noun = kind === "on" ? "Slices" : "Waits";
      assert.ok(text.startsWith(noun + " by length"), text);
      assert.deepEqual(
        text
          .split("from: ")[1]
          .split(", ")
          .map(v => v.split(": ")[1]),
        binsOf(of, kind).map(b => count(b[1])),
        kind,
      );
    };
    const heading = () => page.locator(".lengths h3").innerText();
    assert.match(await heading(), /every wait of 3 threads/i);
    await holds(tasks, "off");
    assert.equal(await page.locator(".lengths .hist").count(), 2);
    assert.ok((await label(1)).includes(count(waits[0].hist[0][1])));
    // the same lengths stand at the same place
    const [a, b] = await page
      .locator(".lengths .hist")
      .evaluateAll(list =>
        list.map(f => [...f.querySelectorAll("text:not(.v)")].at(-1).textContent),
      );
    assert.equal(a, b);
    await page.selectOption(".lengths select", "on");
    await settle(page);
    assert.equal(fragment(page).get("h"), "on");
    await holds(tasks, "on");
    assert.equal(await page.locator(".lengths .hist").count(), 1);
    const worker = tasks.find(t => t.comm === "worker");
    await clickFrame(page, `worker-${worker.tgid}/${worker.tid}`);
    assert.match(await heading(), /every slice of the thread/i);
    await holds([worker], "on");
    await page.selectOption(".lengths select", "runq");
    await settle(page);
    await holds([worker], "runq");
    // a frame of code is not a thread: its histogram is of listed waits
    await page.selectOption(".lengths select", "off");
    await clickFrame(page, "do_nanosleep");
    assert.equal(await page.locator(".lengths").count(), 0);
    assert.equal(await page.locator(".hist").count(), 1);
  }));

await test("histograms of threads: a filter of threads chooses whose", () =>
  open("hists", "thread=100&h=blocked", async page => {
    const tasks = json("hists").tasks.filter(t => t.tgid === 100);
    assert.match(await page.locator(".lengths h3").innerText(), /every wait of 2 threads/i);
    const text = await page.locator(".lengths .exact").innerText();
    const n = total(binsOf(tasks, "blocked"), b => b[1]);
    assert.ok(text.startsWith(`${count(n)} waits, exact`), text);
  }));

await test("histograms of threads: none without record --hist", () =>
  open("shop", "", async page => assert.equal(await page.locator(".lengths").count(), 0)));

// Rows of a list in the details: name, time.
const listed = (page, title) =>
  page
    .locator(`.shares:has(h3:has-text("${title}")) .line`)
    .evaluateAll(lines =>
      lines.map(l => [
        l.querySelector(".link, span:not(.grow)").textContent,
        l.querySelector("b").textContent,
      ]),
    );

function sums(waits, of) {
  const out = new Map();
  for (const w of waits) out.set(of(w), (out.get(of(w)) ?? 0) + off(w));
  return [...out].sort((a, b) => b[1] - a[1]).map(([name, ns]) => [name, time(ns)]);
}
const objectName = w => w.object_label ?? "not known";
const ownerName = w => owner(w.owner) || "not known";

await test("details: objects and owners of a frame, and filters by object", () =>
  open("objects", "", async page => {
    const { waits, tasks } = json("objects"),
      take = waits.filter(w => w.user.includes("take")),
      lock = "lock cache_lock (app)";
    await clickFrame(page, "take");
    assert.deepEqual(await listed(page, "Objects"), sums(take, objectName));
    assert.deepEqual(await listed(page, "Owners"), sums(take, ownerName));
    await page.click(`.shares [title="Only waits for ${lock}"]`);
    await settle(page);
    assert.deepEqual(fragment(page).getAll("object"), [lock]);
    const of = f => total(waits.filter(f));
    assert.equal(
      await graphTotal(page),
      of(w => w.object_label === lock),
    );
    assert.ok(await page.locator(".chip.filter", { hasText: "for " + lock }).isVisible());
    await page.click(`[aria-label="Remove for ${lock}"]`);
    await settle(page);
    assert.equal(await graphTotal(page), total(waits));
    const less = page.locator(`.shares [aria-label="Without ${lock}"]`);
    await less.focus();
    await press(page, "Enter");
    assert.deepEqual(fragment(page).getAll("object"), ["-" + lock]);
    assert.equal(
      await graphTotal(page),
      of(w => w.object_label !== lock),
    );
    assert.ok(await page.locator(".chip.filter", { hasText: "not for " + lock }).isVisible());
    await press(page, "Shift+C");
    // from a lock to what its owner did meanwhile; one that was not recorded leads nowhere
    assert.equal(await page.locator('.shares .link:has-text("999")').count(), 0);
    await page.click('.shares .link:has-text("holder/301")');
    await settle(page);
    assert.equal(
      await graphTotal(page),
      of(w => tasks[w.task].tid === 301),
    );
  }));

await test("details: where no object is known there is no list of them", () =>
  open("shop", "", async page => {
    await clickFrame(page, "take_order");
    assert.deepEqual(await listed(page, "Objects"), []);
    assert.deepEqual(await listed(page, "Owners"), []);
    assert.ok((await listed(page, "Causes")).length);
  }));

await test("table: objects and owners, for the keyboard too", () =>
  open("objects", "v=table&by=object", async page => {
    const { waits } = json("objects");
    const rows = async () => (await tableRows(page)).map(r => [r.name, r.cells.off]).sort();
    assert.deepEqual(await rows(), sums(waits, objectName).sort());
    await page.focus('[role="grid"]');
    await press(page, "Home", "ArrowDown", "Enter");
    const lock = "lock cache_lock (app)";
    assert.deepEqual(fragment(page).getAll("object"), [lock]);
    assert.deepEqual(await rows(), [[lock, "4.00 s"]]);
    await press(page, "Shift+C");
    await page.selectOption(".bar2 select", "owner");
    await settle(page);
    assert.deepEqual(await rows(), sums(waits, ownerName).sort());
  }));

const cgroupName = tasks => w => {
  const { cgroup, cgroup_id } = tasks[w.task];
  return cgroup ?? (cgroup_id ? `cgroup ${cgroup_id}` : "[no cgroup v2]");
};

await test("cgroups: rows and filters, whatever is in their names", () =>
  open("cgroups", "v=table&by=cgroup", async page => {
    const { waits, tasks } = json("cgroups");
    const rows = async () => (await tableRows(page)).map(r => [r.name, r.cells.off]);
    const all = sums(waits, cgroupName(tasks)),
      odd = all[0][0];
    assert.deepEqual(await rows(), all);
    assert.match(odd, /o"d;d, <&>/);
    await page.focus('[role="grid"]');
    await press(page, "Home", "Enter");
    assert.deepEqual(fragment(page).getAll("cgroup"), [odd]);
    assert.deepEqual(await rows(), [all[0]]);
    assert.ok(await page.locator(".chip.filter", { hasText: 'in /user.slice/o"d' }).isVisible());
    await press(page, "Shift+C");
    assert.deepEqual(await rows(), all);
  }));

await test("cgroups: a group of a graph, with a filter from a link", () =>
  open("cgroups", "g=cgroup&cgroup=-cgroup+9999", async page => {
    const { waits, tasks } = json("cgroups"),
      nginx = "/system.slice/nginx.service",
      of = cgroupName(tasks);
    assert.equal(await graphTotal(page), total(waits.filter(w => of(w) !== "cgroup 9999")));
    await clickFrame(page, nginx);
    assert.equal(await heading(page), nginx);
    await press(page, "Enter");
    assert.equal(await page.locator(".chip.filter", { hasText: "not in cgroup 9999" }).count(), 1);
    await page.click('[aria-label="Remove not in cgroup 9999"]');
    await settle(page);
    assert.deepEqual(fragment(page).getAll("cgroup"), []);
  }));

await test("cgroups: where none is known there is no such choice", async () => {
  for (const [name, there] of [
    ["shop", false],
    ["cgroups", true],
  ]) {
    for (const view of ["v=table", "v=heavy"])
      await open(name, view, async page => {
        assert.equal((await page.locator("option", { hasText: /^cgroup$/ }).count()) > 0, there);
      });
  }
});

await test("details: estimates have their error, totals of threads are exact", () =>
  open("sampled", "", async page => {
    const p = json("sampled"),
      text = async () => (await page.locator(".details").innerText()).replace(/\s+/g, " ");
    const b = p.budget;
    assert.ok(
      (await text()).includes(time(b.blocked_ns + b.preempted_ns + b.runq_ns) + " off CPU (exact)"),
    );
    const w = p.waits.find(w => w.se_ns > 0 && w.user.length);
    await clickFrame(page, w.user[w.user.length - 1]);
    const leaf = w.user[0];
    await clickFrame(page, leaf);
    assert.match(await text(), /\u00b1/);
    assert.match(await text(), /samples/);
  }));

await test("sandwich: callers and callees of a function over all its places", () =>
  open("shop", "", async page => {
    const { waits } = json("shop");
    await clickFrame(page, "do_syscall_64");
    await press(page, "3");
    assert.equal(fragment(page).get("fn"), "4:do_syscall_64");
    const halves = () =>
      page.evaluate(() =>
        [...document.querySelectorAll("canvas")].map(c => {
          const { shape, layout, text } = c.flame.model;
          return {
            total: layout.total,
            next: [...layout.node]
              .filter(n => shape.depth[n] === 1)
              .map(n => [text[shape.label[n]], layout.w[layout.box[n]]]),
          };
        }),
      );
    const mine = waits.filter(w => w.kernel.includes("do_syscall_64"));
    const [callers, callees] = await halves();
    assert.equal(callers.total, total(mine));
    assert.equal(callees.total, total(mine));
    const below = new Map();
    for (const w of mine) {
      const name = w.kernel[w.kernel.indexOf("do_syscall_64") - 1];
      below.set(name, (below.get(name) ?? 0) + off(w));
    }
    assert.deepEqual(new Map(callees.next), below);
    assert.deepEqual(callers.next, [["entry_SYSCALL_64_after_hwframe", total(mine)]]);
    await page.click('.sandwich .tr:has-text("worker_main")');
    await settle(page);
    assert.equal(fragment(page).get("fn"), "2:worker_main");
    assert.equal(
      (await halves())[0].total,
      total(waits.filter(w => w.user.includes("worker_main"))),
    );
  }));

await test("sandwich: it begins with the program's own function that waited longest", async () => {
  for (const [name, own] of [
    ["shop", "Limiter::acquire(std::unique_lock<std::mutex>&)"],
    ["python", "shop/app.py:main:200"],
    ["kernel", null],
    ["diff", null],
  ])
    await open(name, "", async page => {
      await press(page, "3");
      const title = await page.locator(".halves h2 b").first().innerText();
      if (own) assert.equal(title, own);
      assert.doesNotMatch(title, /schedule/, name);
      assert.equal(fragment(page).get("fn"), null, "nobody chose it");
      assert.equal(await page.locator(".table .at .t").textContent(), title);
      if (name !== "diff") assert.equal((await tableRows(page))[0].name, title);
      // what was chosen stays
      await page.locator(".table .tr:not(.th)").nth(1).click();
      await settle(page);
      assert.notEqual(await page.locator(".halves h2 b").first().innerText(), title);
    });
});

const labelsOf = page =>
  page.evaluate(() => {
    const { shape, text, layout } = document.querySelector(".flame canvas").flame.model;
    return [...layout.node].map(n => text[shape.label[n]]);
  });

await test("wakers: a button shows the code of who ended a wait behind its own", async () => {
  await open("shop", "", async page => {
    assert.equal(await page.getByRole("button", { name: "wakers" }).count(), 0, "none recorded");
    await press(page, "W");
    assert.equal(fragment(page).get("wakers"), null);
  });
  await open("wakers", "class=", async page => {
    const all = await graphTotal(page),
      button = page.getByRole("button", { name: "wakers", exact: true });
    assert.ok(!(await labelsOf(page)).includes("--"));
    await button.click();
    await settle(page);
    assert.equal(fragment(page).get("wakers"), "1");
    assert.equal(await graphTotal(page), all, "rows of wakers add up to their waits");
    const labels = await labelsOf(page);
    for (const name of ["--", "writer-301", "worker-302", "stranger-400", "[timer interrupt]"])
      assert.ok(labels.includes(name), name);
    // as many stacks as the folded output of --off-wake has
    const folded = readFileSync(`${root}/tests/golden/wakers/expected.woken.folded`, "utf8");
    const leaves = await page.evaluate(() => {
      const { layout } = document.querySelector(".flame canvas").flame.model;
      return [...layout.node.keys()].filter(i => layout.skip[i] === i + 1).map(i => layout.w[i]);
    });
    const us = folded.trim().split("\n").map(l => +l.slice(l.lastIndexOf(" ")) * 1000);
    assert.deepEqual(leaves.sort(), us.sort());
    await clickFrame(page, "unlock");
    assert.equal(await page.locator(".details .kind .badge").innerText(), "waker");
    assert.match(await page.locator(".details .code dd").first().innerText(), /app/);
    await page.keyboard.press("Escape");
    await press(page, "W");
    assert.ok(!(await labelsOf(page)).includes("--"));
  });
});

await test("recursion: folded on request, in the sandwich counted once", () =>
  open("recursion", "v=sandwich&fn=2%3Awalk", async page => {
    const whole = total(json("recursion").waits);
    const totals = () =>
      page.evaluate(() =>
        [...document.querySelectorAll("canvas")].map(c => c.flame.model.layout.total),
      );
    const rows = () =>
      page.evaluate(() => document.querySelector(".flame canvas").flame.model.layout.rows);
    assert.deepEqual(await totals(), [whole, whole]);
    await press(page, "2");
    assert.equal(await rows(), 9);
    await press(page, "r");
    assert.equal(fragment(page).get("r"), "1");
    assert.equal(await rows(), 8, "walk below walk is one frame");
    assert.equal(await graphTotal(page), whole);
  }));

await test("tree: the same numbers as the graph, for the keyboard and a screen reader", () =>
  open("shop", "v=tree", async page => {
    const grid = page.locator('[role="treegrid"]'),
      { waits } = json("shop");
    const current = async () => {
      const id = await grid.getAttribute("aria-activedescendant");
      return page.locator("#" + id);
    };
    await grid.focus();
    assert.match(await (await current()).innerText(), /^21\.9 s\s+100\.0%/);
    await press(page, "Home", "ArrowDown");
    let row = await current();
    assert.equal(await row.getAttribute("aria-level"), "2");
    assert.equal(await row.getAttribute("aria-expanded"), "true");
    assert.equal(await row.getAttribute("aria-setsize"), "3");
    assert.ok((await row.innerText()).startsWith(time(total(waits.filter(w => w.task === 0)))));
    await press(page, "ArrowLeft");
    assert.equal(await row.getAttribute("aria-expanded"), "false");
    await press(page, "ArrowDown");
    assert.match(await (await current()).innerText(), /worker-1/);
    await press(page, "ArrowRight", "ArrowRight");
    assert.match(await (await current()).innerText(), /start_thread/);
    const at = fragment(page).get("at");
    await press(page, "2");
    assert.equal(fragment(page).get("at"), at, "the selection is the same in the graph");
    assert.equal(await heading(page), "start_thread");
    const canvas = page.locator(".flame canvas");
    assert.match(await canvas.getAttribute("aria-label"), /21\.9 s off CPU in 9,984 waits/);
    assert.match(await page.locator("[aria-live]").last().innerText(), /start_thread, 56\.4%/);
  }));

await test("keys: arrows go from frame to frame, Enter zooms, Escape lets go", () =>
  open("shop", "", async page => {
    await page.focus("canvas");
    await press(page, "ArrowDown");
    assert.equal(await heading(page), "shop-api");
    await press(page, "ArrowRight");
    assert.equal(await heading(page), "worker-1");
    await press(page, "ArrowDown", "ArrowDown", "ArrowDown");
    assert.equal(await heading(page), "take_order");
    await press(page, "ArrowRight");
    assert.equal(await heading(page), "query_orders");
    await press(page, "ArrowLeft", "ArrowUp");
    assert.equal(await heading(page), "worker_main");
    await press(page, "Enter");
    assert.equal(fragment(page).get("z"), fragment(page).get("at"));
    await press(page, "Escape");
    assert.equal(fragment(page).get("at"), null);
    await press(page, "Escape");
    assert.equal(fragment(page).get("z"), null);
  }));

await test("keys: views, colours, groups, measures, theme and help", () =>
  open("shop", "", async page => {
    for (const [key, view] of [
      ["1", "name"],
      ["3", "sandwich"],
      ["4", "tree"],
      ["5", "table"],
      ["2", null],
    ]) {
      await press(page, key);
      assert.equal(fragment(page).get("v"), view, key);
    }
    const { waits } = json("shop");
    await press(page, "m");
    assert.equal(
      await graphTotal(page),
      total(waits, w => w.blocked_ns),
    );
    await press(page, "m");
    assert.equal(
      await graphTotal(page),
      total(waits, w => w.runq_ns),
    );
    await press(page, "m");
    assert.equal(
      await graphTotal(page),
      total(waits, w => w.count),
    );
    await press(page, "m");
    assert.equal(await graphTotal(page), total(waits));
    for (const color of ["cold", "kind", "module", null]) {
      await press(page, "c");
      assert.equal(fragment(page).get("c"), color);
    }
    for (const group of ["process", "thread", "cause", "none", null]) {
      await press(page, "g");
      assert.equal(fragment(page).get("g"), group);
      assert.equal(await graphTotal(page), total(waits));
    }
    await press(page, "t");
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
    await press(page, "?");
    assert.ok(await page.locator("dialog").getByText("sandwich").first().isVisible());
    await press(page, "Escape");
    assert.equal(await page.locator("dialog").count(), 0);
    await press(page, "\\");
    assert.equal(await page.locator(".details").count(), 0);
  }));

// The picture below the bars, and all words.
async function seen(page) {
  await page.mouse.move(1270, 5);
  await page.evaluate(() => document.activeElement.blur());
  await settle(page);
  return [await page.locator("main").screenshot(), await page.locator(".app").innerText()];
}

async function reloadsSame(page, what) {
  const url = page.url(),
    [picture, words] = await seen(page);
  await page.reload();
  await page.waitForSelector(".app");
  await settle(page);
  const [again, wordsAgain] = await seen(page);
  assert.equal(page.url(), url);
  assert.equal(wordsAgain, words, what);
  assert.ok(picture.equals(again), `the picture of ${what}`);
}

await test("url: a reload shows the same picture, to the pixel", async () => {
  for (const view of [
    "v=name&g=thread&c=kind&s=futex",
    "x=0.4%7E0.9&up=1&theme=dark",
    "cause=-poll&v=table&by=object&sort=count",
    "v=sandwich&m=count&fn=2%3Aworker_main",
    "v=tree&thread=4121%2F4130&under=worker_main&not=recv",
  ])
    await open("shop", view, async page => {
      const kept = [...fragment(page)].sort().join();
      assert.equal(kept, [...new URLSearchParams(view)].sort().join());
      await reloadsSame(page, view);
    });
  await open("objects", "apart=1&class=work&object=-child+411&object=-other+objects", async page =>
    reloadsSame(page, "objects, a class and causes apart"),
  );
  await open("shop", "", async page => {
    await clickFrame(page, "query_orders", 0, 2);
    await press(page, "c", "f", "m");
    await page.click('[data-cause="net-recv"]');
    await settle(page);
    await reloadsSame(page, "clicks and keys");
  });
});

await test("url: nonsense in the fragment does no harm", () =>
  open(
    "shop",
    "v=nowhere&z=zz&x=a~b&y=-5&at=0&s=%2F(&cause=%3Cb%3E&thread=x&fn=9&by=q&sort=zz&m=&c=12",
    async page => {
      assert.equal(await page.locator(".app").count(), 1);
      await page.evaluate(() => (location.hash = "#v=table&by=function"));
      await settle(page);
      assert.ok((await tableRows(page)).length > 10, "a changed fragment is followed");
    },
  ));

await test("names with markup and scripts in them are text", () =>
  open("nasty", "v=table&by=function", async page => {
    const names = (await tableRows(page)).map(r => r.name);
    assert.ok(names.includes("]]></script><script>alert(1)</script>"));
    assert.ok(names.some(n => n.includes("<tag>")));
    assert.equal(await page.locator("h1").innerText(), '<PID 7> & "friends"');
    assert.match(await page.title(), /<PID 7> & "friends" - coldspot/);
    assert.equal(await page.locator("tag, img, script:not([id]) ~ script").count(), 0);
    await page.click('.tr:has-text("alert(1)")');
    await settle(page);
    assert.equal(await heading(page), "]]></script><script>alert(1)</script>");
    await press(page, "2");
    await page.fill(".search input", "script");
    await settle(page);
    await press(page, "Enter", "Escape", "e");
    assert.ok((await page.locator(".chip.filter").first().innerText()).includes("alert(1)"));
  }));

await test("the policy forbids scripts, requests and markup that are not the page's own", () =>
  open(
    "shop",
    "",
    async (page, faults) => {
      const result = await page.evaluate(async () => {
        const out = {};
        try {
          const script = document.createElement("script");
          script.textContent = "window.broken = 1";
          document.body.append(script);
        } catch (e) {
          out.script = e.name;
        }
        try {
          document.body.insertAdjacentHTML("beforeend", "<b>x</b>");
        } catch (e) {
          out.markup = e.name;
        }
        await fetch("https://example.org/").catch(e => (out.fetch = e.name));
        await new Promise(done => setTimeout(done, 200));
        return { ...out, broken: window.broken, violations: window.violations.length };
      });
      assert.equal(result.broken, undefined);
      assert.equal(result.markup, "TypeError");
      assert.equal(result.fetch, "TypeError");
      assert.ok(result.violations > 0, JSON.stringify(result));
      faults.length = 0;
    },
    { violates: true },
  ));

await test("an empty profile says that nobody waited", () =>
  open("empty", "", async page => {
    assert.ok(await page.getByText("No thread waited in this window").isVisible());
    for (const key of [
      "1",
      "3",
      "4",
      "5",
      "2",
      "n",
      "ArrowDown",
      "Enter",
      "+",
      "0",
      "e",
      "x",
      "F3",
    ])
      await press(page, key);
  }));

await test("one wait is shown whole", () =>
  open("one", "", async page => {
    await clickFrame(page, "schedule");
    assert.match(await page.locator(".details").innerText(), /1\.00 s/);
    assert.equal(await page.locator(".hist rect").count(), 1);
    assert.equal(await page.locator(".split .bar i").count(), 1, "what was not is not drawn");
    for (const key of ["1", "3", "4", "5"]) await press(page, key);
  }));

await test("very long names are cut in the graph and whole beside it", () =>
  open("nasty", "", async page => {
    const label = await page.evaluate(() => {
      const { text } = document.querySelector(".flame canvas").flame.model;
      return text.find(t => t.length >= 4096);
    });
    await clickFrame(page, label);
    assert.equal(await heading(page), label);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 1280, `${wide} pixels wide`);
  }));

await test("five thousand threads can be listed, found and chosen", () =>
  open("threads", "", async page => {
    assert.match(await page.locator(".chip.pop").innerText(), /All 5,000 threads/);
    const start = Date.now();
    await page.click(".chip.pop");
    await page.waitForSelector(".threadlist .line");
    console.log(`# list of 5,000 threads: ${Date.now() - start} ms`);
    assert.ok((await page.locator(".threadlist .line").count()) < 60, "only those in view");
    await page.fill(".popover input", "/4999");
    assert.equal(await page.locator(".threadlist .line").count(), 1);
    await page.click(".threadlist .only");
    await settle(page);
    const { waits, tasks } = json("threads");
    assert.equal(await graphTotal(page), total(waits.filter(w => tasks[w.task].tid === 4999)));
  }));

await test("100,000 nodes: the sum is that of the JSON; times of frames", () =>
  open("nodes", "", async page => {
    assert.equal(await graphTotal(page), total(json("nodes").waits));
    judgeFrames("flame graph", await frameTimes(page));
    const spent = await page.evaluate(() => {
      const input = document.querySelector(".search input"),
        start = performance.now();
      input.value = "cache";
      input.dispatchEvent(new Event("input", { bubbles: true }));
      return new Promise(done =>
        requestAnimationFrame(() => setTimeout(() => done(performance.now() - start), 0)),
      );
    });
    console.log(`# search over its names until it is drawn: ${spent.toFixed(0)} ms`);
    for (const key of ["5", "3", "4", "1"]) await press(page, key);
  }));

await test("100,000 waits with 790,000 nodes of stacks open and add up", () =>
  open("stacks", "", async page => {
    const spent = await page.evaluate(() => performance.now());
    const sum = await page.evaluate(() => {
      const w = window.coldspot.wait;
      let sum = 0;
      for (let i = 1; i < w.count.length; i++) sum += w.blocked_ns[i] + w.runq_ns[i];
      return sum;
    });
    assert.equal(await graphTotal(page), sum);
    console.log(`# from the start of loading until then: ${spent.toFixed(0)} ms`);
  }));

await test("url: a malformed part of the picture does no harm", () =>
  open("shop", "x=1.2.3~4&y=nothing", async page => {
    const seen = await page.evaluate(() => {
      const f = document.querySelector(".flame canvas").flame;
      return [f.x0, f.x1, f.scroll];
    });
    assert.deepEqual(seen, [0, 1, 0]);
  }));

await test("text can be read on every colour, light and dark", async () => {
  for (const theme of ["light", "dark"])
    for (const color of ["cause", "cold", "kind", "module"])
      await open(
        color === "cause" ? "nodes" : "python",
        `theme=${theme}&c=${color}`,
        async page => {
          const worst = await leastContrast(page);
          assert.ok(worst >= 4.5, `${theme} ${color}: contrast ${worst.toFixed(2)}`);
        },
      );
});

await test("paper is white, and has the picture without the tools", () =>
  open("shop", "theme=dark", async page => {
    await page.emulateMedia({ media: "print" });
    await settle(page);
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "light");
    assert.ok(!(await page.locator(".bar1").isVisible()));
    assert.ok(await page.locator(".flame canvas").isVisible());
    const pdf = await page.pdf();
    assert.ok(pdf.length > 10000);
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
        table: "v=table",
        tree: "v=tree",
        sandwich: "v=sandwich&fn=4%3Ado_syscall_64",
      }))
        await open(
          "shop",
          `${view}&theme=${theme}`,
          async page => {
            await page.screenshot({ path: `${shots}/${name}-${theme}-${w}x${h}.png` });
            const wide = await page.evaluate(() => document.documentElement.scrollWidth);
            assert.ok(wide <= w, `${name}: ${wide} pixels wide`);
          },
          { viewport: { width: w, height: h } },
        );
});

await finish();
