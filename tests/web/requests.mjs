// SPDX-License-Identifier: Apache-2.0
//
// usage: node requests.mjs BUILD
//
// Prints TAP. Sums, quantiles, comparisons, waits and paths of requests must be those of the
// program, to the ns: they are summed up again here.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import {
  assertOpenToAll,
  finish,
  fragment,
  open,
  openUrl,
  pages,
  press,
  settle,
  shots,
  test,
  time,
} from "./browser.mjs";

const build = process.argv[2],
  PHONE = { viewport: { width: 390, height: 844 } },
  OTHERS = "[other places]";
const read = name => JSON.parse(readFileSync(`${pages}/${name}.requests.json`, "utf8"));

// What the page has, as `report --requests -f json` has it; "path" of each slow one beside it.
const requestsOf = page =>
  page.evaluate(() => {
    const { report } = window,
      { p } = report,
      requests = report.requests(),
      paths = report.paths(),
      cause = i => (i < 0 ? null : p.head.causes[i][0]);
    return requests.classes.map(c => ({
      class: c.name,
      count: c.count,
      began_before: c.before,
      open: c.open,
      nested: c.nested,
      handed: c.handed,
      overlapping: c.overlapping,
      p50_ns: c.p50,
      p90_ns: c.p90,
      p99_ns: c.p99,
      max_ns: c.max,
      slow: c.slow,
      middle: c.middle,
      rows: c.doing.map(row => ({
        part: row.part,
        cause: cause(row.cause),
        place: row.place || null,
        ns: row.ns,
        ...(c.middle ? { slow_ns: row.slow, middle_ns: row.middle } : {}),
        ...(row.error >= 0 ? { error_ns: row.error } : {}),
      })),
      slowest: c.slowest.map(one => ({
        begin_ns: one.begin,
        ns: one.ns,
        tid: p.task.tid[one.task],
        comm: p.strings[p.task.comm[one.task]],
        answered_by: p.task.tid[one.writer],
        trace: one.trace || null,
        parts: requests.pieces(one, paths).map(piece => ({
          begin_ns: piece.begin,
          ns: piece.ns,
          part: piece.part,
          ...(piece.moment >= 0 && piece.part !== "run-queue"
            ? {
                cause: cause(p.wait.kind[p.moment.wait[piece.moment]]),
                waker: p.strings[p.waker.label[p.moment.waker[piece.moment]] ?? 0] || null,
              }
            : {}),
        })),
      })),
    }));
  });

// Rows as a page has them: beyond the limit, one for each part and cause. Means are rounded.
function shortened(rows) {
  const MOST = 200,
    others = new Map();
  for (const { part, cause, ns } of rows.slice(MOST)) {
    const key = JSON.stringify([part, cause]),
      row = others.get(key) ?? { part, cause, place: OTHERS, ns: 0 };
    row.ns += ns;
    others.set(key, row);
  }
  return [...rows.slice(0, MOST), ...others.values()];
}

const byName = (a, b) => (a.class < b.class ? -1 : 1);

// Every number of the program, and the sums of the page's rows.
function compare(ours, { classes: theirs }) {
  ours.sort(byName);
  theirs.sort(byName);
  assert.equal(ours.length, theirs.length);
  for (const [i, c] of theirs.entries()) {
    const { wall_ns, on_cpu_ns, runq_ns, idle_ns, unknown_ns, not_split_ns, blocked_ns } = c,
      { rows, slowest } = c,
      mine = ours[i],
      wanted = shortened(rows);
    for (const key of Object.keys(mine))
      if (key !== "rows" && key !== "slowest") assert.equal(mine[key], c[key], key);
    assert.deepEqual(mine.slowest, slowest);
    assert.equal(mine.rows.length, wanted.length);
    for (const [k, row] of wanted.entries()) {
      const { part, cause, ns } = mine.rows[k];
      if (row.place === OTHERS)
        assert.deepEqual([part, cause, ns], [row.part, row.cause, row.ns]);
      else assert.deepEqual(mine.rows[k], row);
    }
    const sum = test => mine.rows.filter(test).reduce((ns, row) => ns + row.ns, 0);
    assert.equal(sum(() => true), wall_ns);
    for (const [part, ns] of [
      ["on-cpu", on_cpu_ns],
      ["run-queue", runq_ns],
      ["idle", idle_ns],
      ["not-known", unknown_ns],
      ["not-split", not_split_ns],
    ])
      assert.equal(sum(row => row.part === part), ns, part);
    for (const [cause, ns] of Object.entries(blocked_ns))
      assert.equal(sum(row => row.part === "blocked" && row.cause === cause), ns, cause);
    for (const one of mine.slowest)
      assert.equal(one.parts.reduce((ns, piece) => ns + piece.ns, 0), one.ns);
  }
}

for (const name of ["requests", "requests-one", "requests-places"])
  await test(`classes, rows and the slowest are those of the program: ${name}`, () =>
    open(name, "v=requests", async page => {
      const wanted = read(name),
        most = Math.max(...wanted.classes.map(c => c.rows.length));
      if (name === "requests-places") assert.ok(most > 200, `${most} rows`);
      compare(await requestsOf(page), wanted);
    }),
  );

// A server with threads of its own, and its client.
const PROGRAM = `
import http.client, http.server, threading, time
lock = threading.Lock()
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        with lock:
            time.sleep(0.02 if self.path == "/slow" else 0.001)
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")
    def log_message(self, *args):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
def asks():
    c = http.client.HTTPConnection("127.0.0.1", server.server_port)
    for i in range(40):
        c.request("GET", "/slow" if i % 20 == 7 else "/fast")
        c.getresponse().read()
threads = [threading.Thread(target=asks) for _ in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
`;

if (process.getuid())
  console.log("# a recording needs root, so none is compared");
else
  await test("of a recording, a file and a server have what the command says", async () => {
    const program = resolve(build, "coldspot"),
      file = resolve(pages, "served.coldspot"),
      run = (...args) => execFileSync(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    rmSync(file, { force: true });
    const command = ["--", "/usr/bin/python3", "-c", PROGRAM];
    run("record", "-q", "--request", "auto:http", "--wakers", "-o", file, ...command);
    run("report", "-q", "-o", resolve(pages, "served.html"), file);
    const text = run("report", "--requests", "-f", "json", file).toString(),
      counts = Object.fromEntries(JSON.parse(text).classes.map(c => [c.class, c.count])),
      all = Object.values(counts).reduce((a, b) => a + b, 0);
    assert.equal(all, 160, text.slice(0, 1000));
    await open("served", "v=requests", async page => {
      compare(await requestsOf(page), JSON.parse(text));
      await press(page, "ArrowRight");
      assert.equal(await page.locator(".request .path").count(), 1);
      await page.screenshot({ path: `${shots}/requests-served.png` });
    });
    const server = spawn(program, ["serve", file], { stdio: ["ignore", "pipe", "pipe"] });
    try {
      const url = await new Promise((done, fail) => {
        let said = "";
        for (const stream of [server.stdout, server.stderr])
          stream.on("data", d => {
            said += d;
            const found = /^http\S+/m.exec(said);
            if (found) done(found[0]);
          });
        server.on("exit", () => fail(new Error(said)));
      });
      await openUrl(url, new URL(url).origin + "/", async page => {
        await page.getByRole("button", { name: "Requests" }).click();
        await page.locator(".requests .slowest").waitFor();
        await settle(page);
        compare(await requestsOf(page), JSON.parse(text));
        assert.equal(fragment(page).get("v"), "requests");
      });
    } finally {
      server.kill("SIGINT");
    }
  });

// Without the place: these waits have no user stack, and the page names such a place by its call.
function sums(rows) {
  const out = {};
  for (const { comm, kind, cause, ns } of rows) {
    const key = [comm, kind, cause].join("|");
    out[key] = (out[key] ?? 0) + ns;
  }
  return out;
}

await test("critical paths of all requests of a class are that of the program", () =>
  open("requests", "v=requests", async page => {
    const ours = await page.evaluate(() => {
      const { report } = window,
        { p } = report,
        paths = report.paths();
      return report.requests().classes.filter(c => c.slowest.length === c.count).map(c => ({
        class: c.name,
        split: c.slowest.every(one => one.turns.length === 1),
        rows: c.slowest.filter(one => one.turns.length).flatMap(one =>
          paths.rows(paths.inTurn(one.turns)).map(({ task, kind, cause, ns }) => ({
            comm: p.strings[p.task.comm[task]],
            kind,
            cause: cause < 0 ? null : p.head.causes[cause][0],
            ns,
          })),
        ),
      }));
    });
    assert.ok(ours.length > 5 && ours.some(c => !c.split), `${ours.length} classes`);
    const theirs = new Map(read("requests").classes.map(c => [c.class, c]));
    for (const c of ours)
      assert.deepEqual(sums(c.rows), sums(theirs.get(c.class).critical_path), c.class);
  }));

const rowsOf = (page, grid) => page.locator(`.${grid} .tr:not(.th)`);

await test("classes with most time are first, a click on a head sorts, a search leaves some", () =>
  open("requests", "v=requests", async page => {
    const { classes } = read("requests"),
      by = (value, sign = -1) =>
        [...classes].sort(
          (a, b) => sign * (value(a) - value(b)) || (a.class < b.class ? -1 : 1),
        );
    // what is selected stays in view, so the first rows may not be there
    const first = async () => {
      await page.locator(".classes").evaluate(el => el.scrollTo(0, 0));
      await settle(page);
      return rowsOf(page, "classes").locator(".c-name").allInnerTexts();
    };
    const head = name => page.getByRole("columnheader", { name }).getByRole("button");
    const names = list => list.slice(0, 5).map(c => c.class);
    assert.deepEqual((await first()).slice(0, 5), names(by(c => c.wall_ns)));
    await head("requests").click();
    await settle(page);
    assert.deepEqual((await first()).slice(0, 5), names(by(c => c.count)));
    await head("p99").click();
    await settle(page);
    assert.deepEqual((await first()).slice(0, 5), names(by(c => c.p99_ns)));
    await head("p99").click();
    await settle(page);
    assert.equal(fragment(page).get("sort"), "p99r");
    assert.deepEqual((await first()).slice(0, 5), names(by(c => c.p99_ns, 1)));
    await page.getByRole("searchbox").fill("things-1");
    await settle(page);
    const found = classes.filter(c => c.class.includes("things-1")).length;
    assert.equal(await page.locator(".classes").getAttribute("aria-rowcount"), `${found + 1}`);
  }));

await test("a class shows its parts, and what makes the slowest slower", () =>
  open("requests", "v=requests", async page => {
    const { classes } = read("requests"),
      c = classes.find(one => one.class === ":8080 GET /things-0/{}");
    await rowsOf(page, "classes").filter({ hasText: c.class }).click();
    await settle(page);
    assert.equal(fragment(page).get("requests"), c.class);
    const shown = page.locator("section.class"),
      cells = (table, css) => shown.locator("table").nth(table).locator(css).allInnerTexts();
    assert.equal(await shown.locator("h2").innerText(), c.class);
    const parts = [
      c.on_cpu_ns,
      c.runq_ns,
      ...Object.values(c.blocked_ns).sort((a, b) => b - a),
      c.idle_ns,
      c.unknown_ns,
      c.not_split_ns,
    ].filter(Boolean);
    assert.deepEqual(await cells(0, "tbody td:first-child"), parts.map(time));
    const bars = await shown.locator(".whole .bar i").evaluateAll(all =>
      all.map(el => +el.style.flexGrow),
    );
    for (const [i, ns] of parts.entries()) assert.ok(Math.abs(bars[i] - ns / c.wall_ns) < 1e-6);
    const all = c.rows.reduce((ns, row) => ns + row.slow_ns - row.middle_ns, 0),
      rows = c.rows.filter(row => row.slow_ns - row.middle_ns > all / 200);
    assert.ok(rows.length > 2);
    assert.deepEqual(await cells(1, "tbody td:first-child"), [
      ...rows.map(row => time(row.slow_ns - row.middle_ns)),
      time(all),
    ]);
    assert.deepEqual(
      (await cells(1, "tbody td:nth-child(2)")).slice(0, rows.length),
      rows.map(row => time(row.error_ns)),
    );
    assert.match(await shown.innerText(), new RegExp(`${c.handed} were answered by another`));
    assert.equal(await rowsOf(page, "slowest").count(), c.slowest.length);
  }));

await test("too few requests are not compared, and all are listed", () =>
  open("requests-one", "v=requests", async page => {
    const shown = page.locator("section.class");
    assert.match(await shown.innerText(), /Fewer than 5 requests are not compared/);
    assert.equal(await shown.locator("table").count(), 1);
    assert.equal(await rowsOf(page, "slowest").count(), 3);
    await press(page, "ArrowRight", "ArrowRight", "ArrowRight");
    assert.match(await page.locator(".request").innerText(), /Request, 0 ns[^]*It did not wait/);
    assert.equal(await page.locator(".request .path").count(), 0);
  }));

await test("a page without requests has no such tab", () =>
  open("relay", "v=requests", async page => {
    assert.equal(await page.getByRole("button", { name: "Requests" }).count(), 0);
    assert.equal(await page.locator(".requests").count(), 0);
  }));

await test("a request has its waits, its path and its time in the timeline, from a link too", () =>
  open("requests", "", async page => {
    await press(page, "q");
    assert.equal(fragment(page).get("v"), "requests");
    await press(page, "ArrowDown", "ArrowRight", "ArrowRight");
    const c = [...read("requests").classes].sort((a, b) => b.wall_ns - a.wall_ns)[1],
      slow = c.slowest[1];
    assert.equal(fragment(page).get("request"), `500/${slow.tid}@${slow.begin_ns}`);
    const details = page.locator(".details .request"),
      text = () => details.innerText();
    const before = await text();
    assert.ok(before.startsWith(`Request, ${time(slow.ns)}`), before);
    const waits = await details.locator(".waits tbody td:nth-child(2)").allInnerTexts(),
      parts = slow.parts.filter(part => part.part !== "on-cpu"),
      least = parts.map(part => part.ns).sort((a, b) => b - a)[20] ?? -1;
    assert.deepEqual(waits, parts.filter(part => part.ns > least).map(part => time(part.ns)));
    const ways = await details.locator(".path h2").innerText();
    assert.equal(ways, `Critical path, ${time(slow.ns)}`);
    await page.reload();
    await page.waitForSelector(".app");
    await settle(page);
    assert.equal(await text(), before);
    await press(page, "Enter");
    assert.equal(fragment(page).get("v"), "timeline");
    const [t0, t1] = await page.evaluate(() =>
      document.querySelector(".lanes .flame canvas").lanes.target(),
    );
    assert.ok(t0 <= slow.begin_ns && t1 >= slow.begin_ns + slow.ns);
    assert.ok(t1 - t0 < 3 * slow.ns, "not much more");
    const drawn = await page.evaluate(() =>
      document.querySelector(".lanes .flame canvas").lanes.model.path.map(part => part.ns),
    );
    assert.equal(drawn.reduce((a, b) => a + b, 0), slow.ns);
    await page.goBack();
    await settle(page);
    assert.equal(fragment(page).get("v"), "requests");
    assert.equal(await text(), before);
    await press(page, "Escape");
    assert.equal(await details.count(), 0);
  }));

await test("a request that was handed on has its path in a link", () =>
  open("requests", "v=requests", async page => {
    const key = await page.evaluate(() => {
      const all = window.report.requests().classes.flatMap(c => c.slowest);
      return all.find(one => one.turns.filter(turn => turn.split).length > 1).key;
    });
    await page.goto(page.url().replace(/#.*/, `#v=requests&request=${encodeURIComponent(key)}`));
    await settle(page);
    await page.getByRole("button", { name: "In the timeline" }).click();
    await settle(page);
    assert.match(fragment(page).get("path"), /^500\/\d+@\d+~\d+,500\/\d+@\d+~\d+/);
    assert.match(await page.locator(".details .path").innerText(), /then of shop-500\/50\d/);
  }));

await test("nonsense in the address shows the first class", () =>
  open("requests", "v=requests&requests=%3Cb%3E&request=1%2F2%403&path=-9/9@1~2,x", async page => {
    assert.equal(await page.locator(".classes [aria-selected=true]").count(), 1);
    assert.equal(await page.locator(".request").count(), 0);
  }));

await test("grids are for keys: classes, and requests of one", () =>
  open("requests", "v=requests", async page => {
    const active = grid => page.locator(`.${grid}`).getAttribute("aria-activedescendant");
    await page.locator(".classes").focus();
    await press(page, "End");
    assert.equal(await active("classes"), "class-50");
    await press(page, "Home", "ArrowDown", "Enter");
    assert.equal(await active("slowest"), "slow-0");
    await page.locator(".slowest").focus();
    await press(page, "ArrowDown", "ArrowDown");
    assert.equal(await active("slowest"), "slow-2");
    assert.equal(await page.locator(".slowest [aria-selected=true]").count(), 1);
    await press(page, "Enter");
    assert.equal(fragment(page).get("v"), "timeline");
  }));

for (const options of [{ colorScheme: "light" }, { colorScheme: "dark" }, PHONE])
  await test(`nothing keeps anybody out: ${JSON.stringify(options)}`, () =>
    open(
      "requests",
      "v=requests",
      async page => {
        await press(page, "ArrowRight");
        await assertOpenToAll(page);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${wide} pixels too wide`);
      },
      { ...options, bypassCSP: true },
    ));

await test("screenshots, for eyes", async () => {
  const shoot = (name, hash, file, options, body) =>
    open(
      name,
      hash,
      async page => {
        await body?.(page);
        await page.screenshot({ path: `${shots}/requests-${file}.png` });
      },
      options,
    );
  const selected = page => press(page, "ArrowRight"),
    wide = { viewport: { width: 1440, height: 900 } };
  await shoot("requests", "v=requests", "many", wide);
  await shoot("requests", "v=requests", "request", wide, selected);
  await shoot("requests", "v=requests", "dark", { ...wide, colorScheme: "dark" }, selected);
  await shoot("requests", "v=requests", "phone", PHONE);
  await shoot("requests", "v=requests", "phone-request", PHONE, selected);
  await shoot("requests-one", "v=requests", "one", wide, selected);
  await shoot("requests-places", "v=requests", "places", { viewport: { width: 900, height: 700 } });
  await shoot("requests", "v=requests", "timeline", wide, async page => {
    await press(page, "ArrowRight", "Enter");
  });
});

await finish();
