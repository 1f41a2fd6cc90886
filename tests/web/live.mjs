// SPDX-License-Identifier: Apache-2.0
//
// usage: node live.mjs BUILD
//
// Prints TAP. The server is mock.mjs, so that a test says when a window is over.
import assert from "node:assert/strict";
import { clickFrame, finish, fragment, openUrl, pages, press, settle, test } from "./browser.mjs";
import { Mock } from "./mock.mjs";

const LOST = /ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE|ERR_CONNECTION_RESET/;

// A server with `windows` of a second, and the page on it.
async function live(windows, body, { fragment = "", set = {}, ...options } = {}) {
  const mock = Object.assign(new Mock(pages), set);
  for (let i = 0; i < windows; i++) mock.push({ lock: 1e9 * (i % 5), "net-recv": 5e8 });
  await mock.start();
  try {
    const url = mock.url + (fragment ? "#" + fragment : "");
    await openUrl(url, mock.url, page => body(page, mock), options);
  } finally {
    await mock.stop();
  }
}

const until = async (page, right, what) => {
  for (let i = 0; i < 200; i++) {
    if (await right()) return;
    await page.waitForTimeout(50);
  }
  assert.ok(false, what);
};
const profiles = mock => mock.asked.filter(a => a.startsWith("profile?"));
const asked = mock => profiles(mock).at(-1)?.replace(/&format=page$/, "");
const shows = (page, mock, from, to) =>
  until(page, () => asked(mock) === `profile?from=${from}&to=${to}`, `not ${from} to ${to}`);
const button = (page, name) => page.getByRole("button", { name, exact: true });

await test("the last ten seconds are shown, and the next window moves them on", () =>
  live(30, async (page, mock) => {
    await shows(page, mock, 21, 30);
    assert.match(await page.locator(".livebar .span").innerText(), /^12:00:20 to 12:00:30, 10 w/);
    mock.push();
    await shows(page, mock, 22, 31);
    await until(page, () => page.locator(".span", { hasText: "12:00:31" }).count(), "its time");
    assert.equal(page.workers().length, 1, "profiles are decoded in a worker");
  }));

await test("a selection, a zoom and a filter survive an update", () =>
  live(
    20,
    async (page, mock) => {
      await clickFrame(page, "take_order", 0, 2);
      await page.click('[data-cause="lock"]');
      await settle(page);
      const before = fragment(page);
      assert.ok(before.get("z") && before.get("at"));
      const title = () => page.locator(".details h2.name").innerText();
      assert.equal(await title(), "take_order");
      mock.profile = () => "wall"; // where there is no such frame
      mock.push();
      await shows(page, mock, 12, 21);
      await page.locator(".details h2:not(.name)").waitFor();
      mock.profile = () => "shop";
      mock.push();
      await shows(page, mock, 13, 22);
      await page.locator(".details h2.name").waitFor();
      assert.equal(await title(), "take_order");
      assert.equal(String(fragment(page)), String(before));
      const [x0, x1] = await page.evaluate(() =>
        document.querySelector(".flame canvas").flame.target(),
      );
      assert.ok(x0 > 0 || x1 < 1, "the zoom is as it was");
    },
  ));

await test("a brush chooses windows, stays there, and is in the address", () =>
  live(30, async (page, mock) => {
    await shows(page, mock, 21, 30);
    const box = await page.locator(".times").boundingBox(),
      at = seq => box.x + (box.width * (30 + seq - 0.5)) / 60;
    await page.mouse.move(at(5), box.y + 20);
    await page.mouse.down();
    await page.mouse.move(at(8), box.y + 20, { steps: 4 });
    await page.mouse.up();
    await shows(page, mock, 5, 8);
    await settle(page);
    assert.equal(fragment(page).get("w"), "5-8");
    assert.equal(await page.locator(".pulse").innerText(), "frozen");
    const n = profiles(mock).length;
    mock.push();
    const newest = page.locator(".timeline", { hasText: "12:00:31" });
    await until(page, () => newest.count(), "the strip goes on");
    assert.equal(profiles(mock).length, n, "what is frozen is not asked for again");
    await page.reload();
    await page.waitForSelector(".app");
    await shows(page, mock, 5, 8);
    await button(page, "Follow").click();
    await shows(page, mock, 22, 31);
    await page.goBack();
    await shows(page, mock, 5, 8);
  }));

await test("keys: freeze, step, the ends of the range, and how much is followed", () =>
  live(30, async (page, mock) => {
    await shows(page, mock, 21, 30);
    await press(page, "z");
    mock.push();
    await page.waitForTimeout(200);
    await shows(page, mock, 21, 30);
    await press(page, ",");
    await shows(page, mock, 20, 29);
    await page.getByRole("slider", { name: "First window shown" }).focus();
    await press(page, "ArrowRight");
    await shows(page, mock, 21, 29);
    await press(page, "Home");
    await shows(page, mock, 1, 29);
    await press(page, "Tab", "ArrowLeft");
    await shows(page, mock, 1, 28);
    await press(page, "z");
    await shows(page, mock, 22, 31);
    await button(page, "last window").click();
    await shows(page, mock, 31, 31);
    await settle(page);
    assert.equal(fragment(page).get("w"), "last");
    await page.reload();
    await page.waitForSelector(".app");
    await shows(page, mock, 31, 31);
  }));

await test("a server that is started anew: what it has is shown, and what is gone is said", () =>
  live(
    30,
    async (page, mock) => {
      await shows(page, mock, 21, 30);
      await mock.stop();
      const notice = page.locator(".notice");
      await until(page, async () => /lost, trying/.test(await notice.innerText()), "it says so");
      assert.ok(await page.locator(".flame canvas").isVisible(), "the last picture stays");
      mock.server_id = "two";
      mock.windows.length = 0;
      for (let i = 0; i < 3; i++) mock.push();
      await mock.start();
      await shows(page, mock, 1, 3);
      await until(page, async () => (await notice.innerText()) === "", "it is well again");
      await press(page, "z");
      assert.equal(fragment(page).get("on"), "two");
      await mock.stop();
      mock.server_id = "three";
      await mock.start();
      await until(page, async () => /started anew/.test(await notice.innerText()), "it is said");
      assert.equal(await page.locator(".pulse").innerText(), "live");
    },
    { expects: LOST },
  ));

await test("a server that wants another token says so", () =>
  live(
    5,
    async (page, mock) => {
      await shows(page, mock, 1, 5);
      mock.unauthorized = true;
      for (const stream of mock.streams) stream.end();
      const notice = page.locator(".notice.bad");
      await notice.filter({ hasText: "open the address" }).waitFor();
    },
    { expects: /ERR_INCOMPLETE|401/ },
  ));

await finish();
