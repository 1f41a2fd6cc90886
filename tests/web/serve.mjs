// SPDX-License-Identifier: Apache-2.0
//
// usage: node serve.mjs BUILD
//
// Prints TAP. One program is looked at through one page, as a person would: what is not clear at
// once is asked for again.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { finish, fragment, openUrl, press, root, settle, test } from "./browser.mjs";

const program = resolve(process.argv[2], "coldspot"),
  work = mkdtempSync(join(tmpdir(), "serve.")),
  PASSWORD = "a-word-for-the-test",
  PATIENCE_S = 120;
writeFileSync(join(work, "password"), PASSWORD + "\n", { mode: 0o600 });

// A child, and what it has printed.
function start(command, args) {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] }),
    run = { child, said: "" };
  for (const stream of [child.stdout, child.stderr]) stream.on("data", d => (run.said += d));
  run.ended = new Promise(done => child.on("exit", done));
  return run;
}

async function until(right, what) {
  for (let i = 0; i < PATIENCE_S * 10; i++) {
    const found = await right();
    if (found) return found;
    await new Promise(done => setTimeout(done, 100));
  }
  return assert.fail(typeof what === "function" ? what() : what);
}

async function freePort() {
  const server = createServer();
  await new Promise(done => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  await new Promise(done => server.close(done));
  return port;
}

async function serve(args) {
  const run = start(program, ["serve", ...args]);
  const url = await until(() => /^http\S+/m.exec(run.said)?.[0], () => `no address: ${run.said}`);
  return { ...run, url };
}

async function end(run, signal) {
  run.child.kill(signal);
  await run.ended;
}

// Tests one after the other: there is one program to look at.
let last = Promise.resolve();
function inTurn(name, body) {
  const mine = last.then(body);
  last = mine.catch(() => {});
  return test(name, () => mine);
}

const load = start("python3", [join(root, "tests/web/row_lock.py")]);
const pid = await until(() => /^ready (\d+)$/m.exec(load.said)?.[1], "PostgreSQL has not begun");
const args = ["-p", pid, "--tree"],
  fixed = [...args, "--listen", `127.0.0.1:${await freePort()}`],
  locked = [...fixed, "--password-file", join(work, "password")];

await inTurn("a token opens the page, and stays neither in its address nor its links", async () => {
  const server = await serve(args);
  try {
    const origin = new URL(server.url).origin + "/";
    await openUrl(server.url, origin, async page => {
      await page.locator(".flame canvas").waitFor();
      assert.ok(!page.url().includes("token"), page.url());
      assert.equal(page.workers().length, 1);
      await page.getByRole("button", { name: "Export", exact: true }).click();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.locator(".export a", { hasText: "folded" }).click(),
      ]);
      assert.equal(await download.failure(), null);
    });
  } finally {
    await end(server, "SIGINT");
  }
});

let server = null;
const LOST = /ERR_CONNECTION_REFUSED|ERR_EMPTY|ERR_INCOMPLETE|ERR_CONNECTION_RESET|ERR_SOCKET/;

await inTurn("a row lock as it happens: drill, brush, compare, reload, restart", async () => {
  server = await serve(locked);
  await openUrl(
    server.url,
    server.url,
    async page => {
      const chip = page.locator('[data-cause="db-lock"]'),
        asks = [];
      page.on("request", r => r.url().includes("format=page") && asks.push(r.url()));
      await page.locator(".flame canvas").waitFor();
      assert.equal(await chip.count(), 0, "nobody waits for a row yet");
      load.child.stdin.write("lock\n");
      await until(() => /^locked$/m.test(load.said), "the row is held");
      const begun = Date.now();
      await chip.waitFor();
      console.log(`# the wait for a row was on the page ${Date.now() - begun} ms after its begin`);

      // drill: only that, and to a function below it
      await chip.click();
      await settle(page);
      assert.equal(fragment(page).get("cause"), "db-lock");
      await page.locator(".flame canvas").focus();
      await press(page, "ArrowDown", "ArrowDown", "ArrowDown", "Enter");
      assert.ok(fragment(page).get("z") && fragment(page).get("at"));
      const name = await page.locator(".details h2.name").innerText();
      const n = asks.length;
      await until(() => asks.length > n + 1, "updates");
      assert.equal(await page.locator(".details h2.name").innerText(), name, "it is still chosen");

      // freeze, and brush the last window by keys
      await press(page, "z");
      await page.getByRole("slider", { name: "First window shown" }).focus();
      await press(page, "End");
      const range = fragment(page).get("w");
      assert.match(range, /^(\d+)-\1$/, "one window");
      await until(() => asks.at(-1).includes(`from=${range.split("-")[0]}`), "its profile");

      // compare with what was before, and back
      await press(page, "D");
      await page.locator(".app.two").waitFor();
      await page.locator(".verdict").first().waitFor();
      await page.getByRole("button", { name: "Back", exact: true }).click();
      await page.locator(".app:not(.two)").waitFor();
      await settle(page);
      const before = String(fragment(page));
      await page.reload();
      await page.locator(".flame canvas").waitFor();
      await settle(page);
      assert.equal(String(fragment(page)), before, "a reload shows the same");

      // killed, and started again under the open page
      await end(server, "SIGKILL");
      await page.locator(".notice", { hasText: "trying again" }).waitFor();
      assert.ok(await page.locator(".flame canvas").isVisible());
      server = await serve(locked);
      await page.locator(".notice", { hasText: "started anew" }).waitFor();
      await page.locator(".pulse", { hasText: "live" }).waitFor();
      await until(() => /last=|from=1&/.test(asks.at(-1)), "windows of the new one");
    },
    { httpCredentials: { username: "any", password: PASSWORD }, expects: LOST },
  );
});

await last;
load.child.stdin.end("end\n");
if (server) await end(server, "SIGINT");
await load.ended;
rmSync(work, { recursive: true });
await finish();
