// SPDX-License-Identifier: Apache-2.0
//
// usage: node graph.mjs BUILD
//
// Prints TAP. The graph and paths of the page must be those of the program, to the ns.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import {
  assertOpenToAll,
  finish,
  fragment,
  open,
  pages,
  press,
  settle,
  test,
} from "./browser.mjs";

const build = process.argv[2],
  program = resolve(build, "coldspot"),
  CANVAS = ".lanes .flame canvas",
  PHONE = { viewport: { width: 390, height: 844 } };
const read = name => JSON.parse(readFileSync(`${pages}/${name}.json`, "utf8"));

// The graph of the page, as `coldspot graph -f json` has it.
const graphOf = page =>
  page.evaluate(() => {
    const { head, node, edge, strings } = window.coldspot,
      kinds = ["threads", "not-recorded", "interrupt", "peer", "unknown", "open"],
      rows = (table, body) => Array.from(table, (_, i) => body(i));
    return {
      blocked_ns: head.graph.blocked_ns,
      threads: head.graph.threads,
      redistributed: head.graph.redistributed,
      nodes: rows(node.name, i => {
        const own = kinds[node.kind[i]] === "threads";
        return {
          name: strings[node.name[i]],
          kind: kinds[node.kind[i]],
          threads: own ? node.threads[i] : null,
          waited_ns: own ? node.waited_ns[i] : null,
          ended_ns: node.ended_ns[i],
        };
      }),
      edges: rows(edge.from, i => ({
        from: edge.from[i],
        to: edge.to[i],
        cause: head.causes[edge.cause[i]][0],
        ns: edge.ns[i],
        full_ns: edge.full_ns[i],
        runq_ns: edge.runq_ns[i],
      })),
      knots: head.graph.knots.map((knot, k) => ({
        nodes: rows(node.knot, i => i).filter(i => node.knot[i] === k + 1),
        ...knot,
      })),
    };
  });

for (const name of ["relay", "million", "wakers", "patterns"])
  await test(`the graph is that of the program: ${name}`, () =>
    open(name, "v=graph", async page =>
      assert.deepEqual(await graphOf(page), read(name + ".graph")),
    ));

// Parts as [begin, ns, tid, tids of the chain], of the path that is drawn.
const partsOf = page =>
  page.evaluate(css => {
    const { model } = document.querySelector(css).lanes,
      { task } = window.coldspot;
    return model.path.map(({ begin, ns, task: t }) => [begin, ns, task.tid[t]]);
  }, CANVAS);
const wanted = json => json.parts.map(p => [p.begin_ns, p.ns, p.tid]);

await test("the critical path of a thread is that of the program, part for part", async () => {
  for (const tid of [500, 501, 502, 503])
    await open("relay", `v=timeline&path=500%2F${tid}`, async page => {
      const json = read(`relay.path-${tid}`);
      assert.ok(json.parts.length > 50);
      assert.deepEqual(await partsOf(page), wanted(json));
    });
});

await test("a path of the time in view, by keys and from a link; its rows add up", () =>
  open("relay", "v=timeline&lanes=process&span=1000000~21000000", async page => {
    await press(page, "ArrowRight", "P");
    assert.match(fragment(page).get("path"), /^500\/50\d@1000000~21000000$/);
    const details = page.locator(".details .path");
    assert.match(await details.locator("h2").innerText(), /^Critical path, 20\.0 ms$/);
    const parts = await partsOf(page);
    assert.equal(parts.reduce((ns, part) => ns + part[1], 0), 20e6);
    assert.ok((await page.evaluate(css => document.querySelector(css).lanes.lines, CANVAS)) > 0);
    await page.reload();
    await page.waitForSelector(".app");
    await settle(page);
    assert.deepEqual(await partsOf(page), parts, "a link shows the same");
    await details.locator("tbody button").first().click();
    await settle(page);
    assert.ok(fragment(page).get("slice"), "a row leads to its longest part");
    assert.notEqual(fragment(page).get("span"), "1000000~21000000");
    await page.getByRole("button", { name: "Close the path" }).click();
    await settle(page);
    assert.equal(await page.locator(".path").count(), 0);
  }));

await test("a path of a thread that is not there is none", () =>
  open("relay", "v=timeline&path=1%2F1%405~6", async page => {
    assert.equal(await page.locator(".path").count(), 0);
    assert.match(await page.locator(".lanes .bar2").innerText(), /select a slice of its thread/);
  }));

await test("nodes are selected by the pointer and by keys; their threads are a filter", () =>
  open("wakers", "v=graph", async page => {
    assert.equal(await page.locator(".waitgraph .node").count(), 7);
    await page.locator(".waitgraph .node", { hasText: "worker of shop" }).click();
    await settle(page);
    assert.equal(fragment(page).get("node"), "threads:worker of shop");
    const details = page.locator(".details .slice");
    assert.match(await details.innerText(), /worker of shop[^]*7\.00 s[^]*5\.50 s writer of shop/);
    assert.equal(await page.locator(".edges .tr:not(.th)").count(), 5, "only its edges");
    await press(page, "ArrowRight");
    assert.equal(fragment(page).get("node"), "threads:writer of shop");
    await press(page, "ArrowRight");
    assert.equal(fragment(page).get("node"), "interrupt:[block interrupt]");
    await press(page, "ArrowLeft", "ArrowLeft");
    assert.equal(fragment(page).get("node"), "threads:worker of shop");
    await press(page, "Enter");
    assert.deepEqual(fragment(page).getAll("thread"), ["300/302"]);
    await page.reload();
    await page.waitForSelector(".app");
    await settle(page);
    assert.equal(await page.locator('.node[aria-pressed="true"]').count(), 1);
    await press(page, "Escape", "Escape");
    assert.equal(fragment(page).get("node"), null);
    await press(page, "9");
    assert.match(await page.locator(".knots").innerText(), /Without events/);
  }));

await test("a page without wakers has no graph", () =>
  open("shop", "v=graph", async page => {
    assert.equal(await page.getByRole("button", { name: "Graph" }).count(), 0);
  }));

await test("the strip moves the timeline, and the timeline's time can be in the strip", () =>
  open("paced", "v=timeline", async page => {
    const view = () => page.evaluate(css => document.querySelector(css).lanes.target(), CANVAS);
    const range = async ([from, to]) => {
      const [t0, t1] = await view();
      assert.ok(Math.abs(t0 - from) < 1 && Math.abs(t1 - to) < 1, `${t0} ${t1}`);
    };
    await range([0, 4e9]);
    const box = await page.locator(".times").boundingBox(),
      x = part => box.x + part * box.width;
    await page.mouse.move(x(0.3), box.y + 10);
    await page.mouse.down();
    await page.mouse.move(x(0.6), box.y + 10, { steps: 3 });
    await page.mouse.up();
    await settle(page);
    assert.equal(fragment(page).get("when"), "2-3");
    await range([1e9, 3e9]);
    await press(page, "+", "+", "0");
    await range([1e9, 3e9]);
    await page.evaluate(css => {
      const { lanes } = document.querySelector(css);
      lanes.look(2.2e9, 3.1e9, 0, false);
      lanes.panBy(0, 0);
    }, CANVAS);
    await settle(page);
    await page.getByRole("button", { name: "This time in all views" }).click();
    await settle(page);
    assert.equal(fragment(page).get("when"), "3-4");
    await range([2.2e9, 3.1e9]);
    const link = page.url();
    await page.reload();
    await page.waitForSelector(".app");
    await settle(page);
    await range([2.2e9, 3.1e9]);
    assert.equal(page.url(), link);
    await page.locator(".notice.part").getByRole("button", { name: "Show all" }).click();
    await settle(page);
    await range([0, 4e9]);
    assert.equal(fragment(page).get("when"), null);
  }));

// Two threads that hand each other turns.
const PROGRAM = `
import os, threading, time
there, back = os.pipe(), os.pipe()
def asks():
    for _ in range(20):
        time.sleep(0.004)
        os.write(there[1], b"x")
        os.read(back[0], 1)
def answers():
    for _ in range(20):
        os.read(there[0], 1)
        time.sleep(0.004)
        os.write(back[1], b"x")
threads = [threading.Thread(target=f) for f in (asks, answers)]
[t.start() for t in threads]
[t.join() for t in threads]
`;

function sums(rows, key) {
  const out = {};
  for (const row of rows) out[key(row)] = (out[key(row)] ?? 0) + row.ns;
  return out;
}

if (process.getuid())
  console.log("# a recording needs root, so none is compared");
else
  await test("of a recording, graph and path are those of the commands", async () => {
    const file = resolve(pages, "turns.coldspot"),
      run = (...args) => execFileSync(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    rmSync(file, { force: true });
    const command = ["--", "/usr/bin/python3", "-c", PROGRAM];
    run("record", "-q", "--events", "--wakers", "--every", "100ms", "-o", file, ...command);
    run("report", "-q", "-o", resolve(pages, "turns.html"), file);
    const graph = JSON.parse(run("graph", "-f", "json", file)),
      path = JSON.parse(run("report", "--critical-path", "-f", "json", file));
    await open("turns", "v=timeline", async page => {
      assert.deepEqual(await graphOf(page), graph);
      await page.getByRole("button", { name: "Critical path" }).click();
      await settle(page);
      assert.equal(fragment(page).get("path"), `${path.thread.pid}/${path.thread.tid}`);
      assert.deepEqual(await partsOf(page), wanted(path));
      const rows = await page.evaluate(css => {
        const { model } = document.querySelector(css).lanes,
          { p } = model.lanes;
        return model.path.map(({ ns, kind, task }) => ({ ns, kind, tid: p.task.tid[task] }));
      }, CANVAS);
      const tids = path.parts.map(part => ({ ...path.rows[part.row], ns: part.ns, tid: part.tid })),
        key = row => `${row.tid} ${row.kind}`;
      assert.deepEqual(sums(rows, key), sums(tids, key));
    });
  });

for (const [fragment, name] of [
  ["v=graph&node=threads%3Aworker%20of%20shop", "wakers"],
  ["v=timeline&path=500%2F500", "relay"],
])
  for (const options of [{ colorScheme: "light" }, { colorScheme: "dark" }, PHONE])
    await test(`nothing keeps anybody out: ${name} ${JSON.stringify(options)}`, () =>
      open(
        name,
        fragment,
        async page => {
          await assertOpenToAll(page);
          const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.ok(wide <= 0, `${wide} pixels too wide`);
        },
        { ...options, bypassCSP: true },
      ));

await finish();
