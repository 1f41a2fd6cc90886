// SPDX-License-Identifier: Apache-2.0
//
// usage: node screens.mjs BUILD
//
// Prints TAP. What cannot be read is not there: pages on screens from a phone to a desk, zoomed, in
// both themes and on paper. Nothing is cut that one has to read, nothing is beyond the edge.
import assert from "node:assert/strict";
import { inflateSync } from "node:zlib";
import {
  clickFrame,
  finish,
  fragment,
  json,
  leastContrast,
  open,
  openPicture,
  press,
  settle,
  test,
  time,
} from "./browser.mjs";

const DESK = { width: 1280, height: 800 },
  SMALL = { width: 800, height: 600 },
  ZOOMED = { width: 640, height: 400 }, // that of a desk, at 200 %
  PHONE = { width: 390, height: 844 };
const PAGES = ["shop", "wall", "python", "threads", "nasty", "events", "wakers", "empty"].concat(
  ["requests", "diff", "diff-untested"],
);

// What of the page is cut at its edge, by an ellipsis or by a box that is too small.
const cutOff = page =>
  page.evaluate(() => {
    const out = [],
      context = document.createElement("canvas").getContext("2d");
    if (document.documentElement.scrollWidth > innerWidth)
      out.push(`${document.documentElement.scrollWidth} pixels wide`);
    for (const el of document.querySelectorAll(
      ".budget > *, .hints li, .change > *, .foot .lost, .foot .whole, .options > *, .search",
    )) {
      const box = el.getBoundingClientRect();
      if (!box.width || !box.height) continue;
      if (box.left < 0 || box.right > innerWidth + 0.5)
        out.push(`beyond the edge: ${el.className} ${el.textContent}`);
      if (el.scrollWidth > el.clientWidth + 1 && getComputedStyle(el).display !== "inline")
        out.push(`cut: ${el.className} ${el.textContent}`);
    }
    for (const el of document.querySelectorAll("select")) {
      if (!el.checkVisibility()) continue;
      const style = getComputedStyle(el),
        text = el.selectedOptions[0].text;
      context.font = `${style.fontSize} ${style.fontFamily}`;
      const room = el.clientWidth - parseFloat(style.paddingLeft) - 18; // and its arrow
      if (context.measureText(text).width > room) out.push(`cut: ${text} in ${room} pixels`);
    }
    return out;
  });

// One page at all sizes: what is shown by what there is room for.
async function sized(page, sizes, body) {
  for (const [size, viewport] of Object.entries(sizes)) {
    await page.setViewportSize(viewport);
    await settle(page);
    await body(size);
  }
}

await test("nothing that has to be read is cut, on a screen of any size", async () => {
  for (const name of PAGES)
    await open(name, "", async page => {
      const also = { events: ["7", "8"], wakers: ["9"], requests: ["q"] },
        more = name.startsWith("diff") ? ["6"] : (also[name] ?? []);
      for (const key of ["2", "3", "4", "5", ...more]) {
        await page.keyboard.press(key);
        await sized(page, { DESK, SMALL, ZOOMED, PHONE }, async size => {
          assert.deepEqual(await cutOff(page), [], `${size}: ${name}, view ${key}`);
          if (size !== "PHONE") return;
          const filters = page.getByRole("button", { name: /^Filters/ });
          await filters.click();
          assert.deepEqual(await cutOff(page), [], `filters: ${name}, view ${key}`);
          await filters.click();
        });
      }
    });
});

// Of rows, the pixels of a name that are in view: the least of all.
const leastName = page =>
  page.evaluate(() => {
    const rows = document.querySelector(".rows:not(.threadlist)").getBoundingClientRect();
    const names = [...document.querySelectorAll(".rows .tr:not(.th) .c-name")].slice(0, 12);
    return Math.min(
      ...names.map(el => {
        const t = el.querySelector(".t").getBoundingClientRect(),
          wanted = el.querySelector(".t").scrollWidth;
        return Math.min(t.right, rows.right) - t.left + (t.width >= wanted - 1 ? 1000 : 0);
      }),
    );
  });

await test("a row has its name in view, whatever columns there is room for", async () => {
  for (const name of ["shop", "deep", "diff"])
    await open(name, "by=place", async page => {
      for (const key of ["5", "4", "3"]) {
        await page.keyboard.press(key);
        await sized(page, { SMALL, ZOOMED, PHONE }, async size => {
          const least = await leastName(page);
          assert.ok(least >= 50, `${size}: ${name}, view ${key}: ${least} pixels of a name`);
          assert.match(await page.locator(".tr:not(.th)").nth(1).innerText(), /\d (s|ms|µs|ns)/);
        });
      }
    });
});

await test("tree: a run of frames that call but one is in one column", () =>
  open("deep", "v=tree", async page => {
    const rows = await page.locator('[role="treegrid"] .tr:not(.th)').evaluateAll(all =>
      all.map(row => ({
        level: +row.getAttribute("aria-level"),
        of: +row.getAttribute("aria-setsize"),
        indent: parseFloat(row.querySelector(".c-name").style.paddingLeft),
      })),
    );
    assert.ok(rows.length > 20, `${rows.length} rows`);
    let same = 0;
    for (let i = 1; i < rows.length - 1; i++) {
      assert.equal(rows[i].level, rows[i - 1].level + 1, "the heaviest way is open");
      if (rows[i].of === 1 && rows[i + 1].of === 1) {
        assert.equal(rows[i + 1].indent, rows[i].indent, `level ${rows[i].level}`);
        same++;
      } else {
        assert.ok(rows[i + 1].indent > rows[i].indent, `level ${rows[i].level}`);
      }
    }
    assert.ok(same > 10, `${same} in one column`);
  }));

await test("tree: who has siblings has what is below it to its right", () =>
  open("shop", "v=tree", async page => {
    const rows = await page.locator('[role="treegrid"] .tr:not(.th)').evaluateAll(all =>
      all.map(row => [
        +row.getAttribute("aria-setsize"),
        parseFloat(row.querySelector(".c-name").style.paddingLeft),
        +row.getAttribute("aria-level"),
      ]),
    );
    let seen = 0;
    rows.forEach(([of, indent, level], i) => {
      const next = rows[i + 1];
      if (of < 2 || !next || next[2] !== level + 1) return;
      assert.ok(next[1] > indent, `row ${i}`);
      seen++;
    });
    assert.ok(seen > 0, "some have siblings and are open");
  }));

await test("phone: the selection is described below the picture, and closing it clears it", () =>
  open(
    "shop",
    "",
    async page => {
      const box = selector => page.locator(selector).boundingBox();
      assert.equal(await page.locator(".details").count(), 0);
      await page.click('button[aria-label="Details"]');
      assert.match(await page.locator(".details").innerText(), /Where threads waited/);
      await clickFrame(page, "query_orders");
      const details = await box(".details"),
        canvas = await box("canvas");
      assert.equal(await page.locator(".details h2").innerText(), "query_orders");
      assert.ok(details.width >= 389 && canvas.width >= 389, "both are as wide as the screen");
      assert.ok(details.y >= canvas.y + canvas.height - 2, "one is below the other");
      assert.ok(canvas.height >= 150 && details.height >= 150, `${canvas.height} of picture`);
      await page.click('button[aria-label="Close the details"]');
      await settle(page);
      assert.equal(await page.locator(".details").count(), 0);
      assert.equal(fragment(page).get("at"), null);
      assert.equal(fragment(page).get("panel"), null, "those of a wider screen are as they were");
      await clickFrame(page, "query_orders");
      assert.equal(await page.locator(".details h2").innerText(), "query_orders");
    },
    { viewport: PHONE },
  ));

await test("phone: a tap selects, and presses nothing of the sheet that it opens", () =>
  open(
    "deep",
    "",
    async page => {
      await page.evaluate(() => {
        window.pressed = [];
        const note = e =>
          e.target instanceof Element &&
          e.target.closest(".details") &&
          window.pressed.push(e.target.textContent || e.target.className);
        for (const kind of ["click", "mousedown"]) addEventListener(kind, note, true);
      });
      const at = await page.locator(".flame canvas").boundingBox();
      let opened = 0;
      for (let i = 0; i < 40; i++) {
        const x = at.x + 20 + ((i * 37) % (at.width - 40)),
          y = at.y + 6 + Math.floor(((i + 0.5) * (at.height - 12)) / 40);
        await page.touchscreen.tap(x, y);
        await page.waitForTimeout(60);
        const sheet = page.locator('.details button[aria-label="Close the details"]');
        if (await sheet.count()) {
          opened++;
          assert.notEqual(await page.locator(".details h2.name").count(), 0, `tap ${i}`);
          assert.deepEqual(await page.evaluate(() => window.pressed), [], `tap ${i}`);
          await page.evaluate(() => {
            document.querySelector(".details .close").click();
            window.pressed = [];
          });
          await page.locator(".details").waitFor({ state: "detached" });
        }
      }
      assert.ok(opened > 20, `${opened} of 40 taps were at a frame`);
    },
    { viewport: PHONE, hasTouch: true, isMobile: true },
  ));

await test("phone: places and the sandwich's functions are chosen by a tap", async () => {
  const phone = { viewport: PHONE, hasTouch: true, isMobile: true };
  await open(
    "objects",
    "v=table",
    async page => {
      const row = page.locator(".table .tr:not(.th)").first(),
        { width } = await row.locator(".c-name").boundingBox();
      assert.ok(width > 200, `${width} pixels for a place`);
      await row.tap();
      assert.equal(await row.getAttribute("aria-selected"), "true");
      await page.locator(".bar1 nav button", { hasText: "Sandwich" }).tap();
      await settle(page);
      const title = page.locator(".halves h2 b").first(),
        own = await title.innerText();
      await page.locator(".table .tr:not(.th)").nth(1).tap();
      await settle(page);
      assert.notEqual(await title.innerText(), own);
    },
    phone,
  );
});

await test("picture: a drag moves it and selects nothing, the next click selects", () =>
  open("deep", "", async page => {
    const at = await page.locator(".flame canvas").boundingBox();
    await page.mouse.move(at.x + 300, at.y + 200);
    await page.mouse.down();
    await page.mouse.move(at.x + 300, at.y + 120, { steps: 4 });
    await page.mouse.up();
    await settle(page);
    assert.equal(fragment(page).get("at"), null);
    assert.ok(+fragment(page).get("y") > 0, "it moved");
    await page.mouse.click(at.x + 300, at.y + 100);
    await settle(page);
    assert.notEqual(fragment(page).get("at"), null);
  }));

await test("phone: wakers are shown by a tap among the filters", async () => {
  await open(
    "wakers",
    "",
    async page => {
      const button = page.getByRole("button", { name: "wakers", exact: true });
      assert.equal(await button.isVisible(), false);
      await page.getByRole("button", { name: /^Filters/ }).tap();
      await button.tap();
      await settle(page);
      assert.equal(await button.getAttribute("aria-pressed"), "true");
      assert.equal(fragment(page).get("wakers"), "1");
      assert.deepEqual(await cutOff(page), []);
    },
    { viewport: PHONE, hasTouch: true, isMobile: true },
  );
});

const strip = page => page.locator(".windows .says").innerText();

await test("seconds: a strip above the graph shows waiting over time, of what passes", async () => {
  await open("shop", "", async page => {
    assert.equal(await page.locator(".windows").count(), 0, "recorded without");
  });
  await open("seconds", "", async page => {
    assert.equal(await strip(page), "at most 2.0 threads waiting at once");
    const { x, y, width, height } = await page.locator(".times").boundingBox();
    assert.ok(height < 50, "the graph has the room");
    const bottom = y + height;
    assert.ok((await page.locator(".flame").boundingBox()).y >= bottom);
    for (const [second, says] of [
      [1, "1.5 threads waiting, most in futex"],
      [2, "0.0 threads waiting"],
      [3, "0.5 threads waiting, most in poll"],
    ]) {
      await page.mouse.move(x + (width * (second + 0.5)) / 4, y + 5);
      assert.equal((await strip(page)).replace(/^\d+:\d+:\d+: /, ""), says);
    }
    await page.mouse.move(x, bottom + 60);
    await page.click('[data-cause="poll"]');
    await settle(page);
    assert.equal(await strip(page), "at most 0.5 threads waiting at once");
  });
});

await test("seconds: a part of the time is summed anew, and all of it again", async () => {
  await open("seconds", "", async page => {
    const total = async () =>
      /of (.*) of PID/.exec(await page.locator(".flame canvas").getAttribute("aria-label"))[1];
    assert.equal(await total(), "4.00 s off CPU in 6 waits");
    const { x, y, width } = await page.locator(".times").boundingBox(),
      at = second => x + (width * (second + 0.5)) / 4;
    await page.mouse.move(at(1), y + 5);
    await page.mouse.down();
    await page.mouse.move(at(3), y + 5, { steps: 3 });
    await page.mouse.up();
    await settle(page);
    assert.equal(await total(), "2.00 s off CPU in waits", "their time, and no number");
    assert.equal(fragment(page).get("when"), "2-4");
    assert.match(await page.locator(".notice.part").innerText(), /Only the time of waits is known/);
    await page.click('[data-cause="poll"]');
    await settle(page);
    assert.equal(await total(), "500 ms off CPU in waits");
    await page.click('[data-cause="poll"]');
    await page.getByRole("slider", { name: "First window shown" }).focus();
    await press(page, "ArrowRight", "ArrowRight");
    assert.equal(fragment(page).get("when"), "4-4");
    assert.equal(await total(), "500 ms off CPU in waits");
    for (const key of ["2", "4", "5", "7", "3"]) await press(page, key);
    await page.reload();
    await page.waitForSelector(".app");
    assert.equal(fragment(page).get("when"), "4-4");
    await press(page, "1");
    await page.getByRole("button", { name: "Show all" }).first().click();
    await settle(page);
    assert.equal(await total(), "4.00 s off CPU in 6 waits");
    assert.equal(fragment(page).get("when"), null);
    await page.goBack();
    await settle(page);
    assert.equal(await total(), "500 ms off CPU in waits");
  });
});

// Of the strip: how far from its neighbour the colour of each tenth of the second column is.
const heatColumn = page =>
  page.evaluate(() => {
    const canvas = document.querySelector(".times canvas"),
      { data, width, height } = canvas
        .getContext("2d")
        .getImageData(0, 0, canvas.width, canvas.height);
    return [...Array(10).keys()].map(k => {
      const at = Math.round(height * (1 - (k + 0.5) / 10)) * width + Math.round(width / 2);
      return [...data.subarray(at * 4, at * 4 + 3)].join();
    });
  });

await test("heat map: a tenth of each second that waits is a line, and can be chosen", async () => {
  await open("tenths", "cause=-poll", async page => {
    await page.getByRole("button", { name: "heat map" }).click();
    await settle(page);
    assert.equal(fragment(page).get("strip"), "heat");
    const colors = await heatColumn(page);
    assert.equal(new Set(colors).size, 2);
    assert.deepEqual(
      colors.map(c => c === colors[3]),
      [...Array(10).keys()].map(k => k === 3),
    );
    const { x, y, width, height } = await page.locator(".times").boundingBox();
    await page.mouse.move(x + width / 2, y + height * 0.65);
    assert.match(await strip(page), /01\.300 to 01\.400: 1\.0 threads waiting$/);
    await page.mouse.down();
    await page.mouse.up();
    await settle(page);
    assert.match(fragment(page).get("when"), /^1[0-9]-1[0-9]$/);
    await press(page, "h");
    assert.equal(fragment(page).get("strip"), null);
  });
  await open("seconds", "strip=heat", async page =>
    assert.match(await page.locator(".times").innerText(), /record with --interval 100ms/),
  );
});

await test("phone: a tap on the strip tells of that second", () =>
  open(
    "seconds",
    "",
    async page => {
      const { x, y, width } = await page.locator(".times").boundingBox();
      await page.touchscreen.tap(x + width * 0.3, y + 10);
      await settle(page);
      assert.match(await strip(page), /1.5 threads waiting, most in futex/);
      assert.equal(fragment(page).get("when"), "2-2");
      const graph = await page.locator(".flame canvas").boundingBox();
      assert.ok(graph.height > 250, "room for the graph");
      assert.deepEqual(await cutOff(page), []);
    },
    { viewport: PHONE, hasTouch: true, isMobile: true },
  ));

await test("histograms: lengths have units, and no label is on another or cut", async () => {
  for (const viewport of [DESK, PHONE])
    for (const [name, frame] of [
      ["shop", "take_order"],
      ["shop", "event_loop"],
      ["one", "main"],
      ["hists", "shop"],
      ["nodes", "worker-1"],
    ])
      await open(
        name,
        name === "shop" ? "class=" : "",
        async page => {
          await clickFrame(page, frame);
          const graphs = await page.locator(".hist svg").evaluateAll(list =>
            list.map(svg => ({
              width: svg.clientWidth,
              texts: [...svg.querySelectorAll("text")]
                .filter(t => t.textContent)
                .map(t => {
                  const { x, y, width, height } = t.getBBox();
                  return {
                    text: t.textContent,
                    below: +t.getAttribute("y") > svg.clientHeight - 10,
                    box: { x, y, width, height },
                    size: parseFloat(getComputedStyle(t).fontSize),
                  };
                }),
            })),
          );
          assert.ok(graphs.length > 0, name);
          for (const { width, texts } of graphs) {
            const what = `${viewport.width}, ${name}: ${texts.map(t => t.text).join("|")}`;
            const lengths = texts.filter(t => t.below);
            assert.ok(lengths.length > 1, what);
            for (const { text } of lengths)
              assert.match(text, /^(0|\d+ (ns|us|\u00b5s|ms|s))$/, what);
            texts.forEach(({ box: a, size }, i) => {
              assert.ok(a.x >= 0 && a.x + a.width <= width + 0.5, what);
              assert.ok(size >= 11, what);
              for (const { box: b } of texts.slice(i + 1))
                assert.ok(
                  a.x + a.width <= b.x ||
                    b.x + b.width <= a.x ||
                    a.y + a.height <= b.y + 1 ||
                    b.y + b.height <= a.y + 1,
                  what,
                );
            });
          }
        },
        viewport === PHONE ? { viewport, hasTouch: true, isMobile: true } : { viewport },
      );
});

await test("phone: one button has the filters, the picture most of the screen", async () => {
  for (const name of ["shop", "wall", "deep", "diff"])
    await open(
      name,
      "",
      async page => {
        const buttons = () => page.locator("button:visible, select:visible").count(),
          top = async () => (await page.locator(".flame canvas").boundingBox()).y;
        const folded = await buttons(),
          y = await top();
        assert.ok(folded <= 18, `${name}: ${folded} buttons`);
        assert.ok(y <= (name === "diff" ? 390 : 300), `${name}: the picture begins at ${y}`);
        assert.equal(await page.locator(".chips [data-cause]:visible").count(), 0);
        const filters = page.getByRole("button", { name: /^Filters/ });
        await filters.click();
        assert.equal(await filters.getAttribute("aria-expanded"), "true");
        assert.ok((await buttons()) > folded, `${name}: filters are there when asked for`);
        await page.locator(".chips [data-cause]").first().click();
        await filters.click();
        await settle(page);
        assert.equal(await filters.innerText(), "Filters (1)", name);
        assert.equal(await buttons(), folded, `${name}: and away again`);
      },
      { viewport: PHONE, hasTouch: true, isMobile: true },
    );
  await open("shop", "", async page =>
    assert.equal(await page.getByRole("button", { name: /^Filters/ }).count(), 0),
  );
});

await test("a low screen: the page scrolls, and the picture has its height", () =>
  open(
    "shop",
    "",
    async page => {
      const height = await page.evaluate(
        () => document.querySelector(".flame canvas").clientHeight);
      assert.ok(height >= 300, `${height} pixels of picture`);
      const at = await page.locator(".flame canvas").boundingBox();
      await page.mouse.move(at.x + 50, at.y + 20);
      await page.mouse.wheel(0, 120);
      await settle(page);
      assert.ok((await page.evaluate(() => scrollY)) > 50, "the wheel goes on to the page");
      assert.equal(fragment(page).get("y"), null);
      await page.evaluate(() => scrollTo(0, 0));
      await page.keyboard.down("Control");
      await page.mouse.wheel(0, -200);
      await page.keyboard.up("Control");
      await settle(page);
      assert.equal(await page.evaluate(() => scrollY), 0);
      assert.match(fragment(page).get("x"), /~/, "with Ctrl it is the picture's");
    },
    { viewport: ZOOMED },
  ));

await test("a low screen: a picture that is higher than its place scrolls first", () =>
  open(
    "deep",
    "",
    async page => {
      const at = await page.locator(".flame canvas").boundingBox();
      await page.mouse.move(at.x + 50, at.y + 20);
      await page.mouse.wheel(0, 60);
      await settle(page);
      assert.equal(await page.evaluate(() => scrollY), 0);
      assert.ok(+fragment(page).get("y") > 0);
    },
    { viewport: ZOOMED },
  ));

await test("where threads waited: what was idle is one line", () =>
  open("shop", "", async page => {
    const { waits } = json("shop"),
      off = w => w.blocked_ns + w.runq_ns,
      idle = waits.filter(w => w.class === "idle").reduce((sum, w) => sum + off(w), 0);
    assert.ok(idle > 0);
    const line = page.locator(".details .idle");
    assert.ok((await line.innerText()).includes(time(idle)), await line.innerText());
    const causes = await page.locator(".places .line .link").allInnerTexts();
    assert.ok(causes.length > 3 && !causes.includes("idle"), causes.join());
    await line.getByRole("button").click();
    await settle(page);
    assert.equal(fragment(page).get("cause"), "idle");
    assert.equal(await line.count(), 0);
    assert.ok((await page.locator(".places .line").count()) > 0, "alone, it is shown by place");
  }));

await test("only idle: that is said, and shown by places", () =>
  open("all-idle", "", async page => {
    assert.equal(await page.locator(".hints li").count(), 0);
    assert.match(await page.locator(".hints").innerText(), /^Nothing to look at/);
    assert.ok((await page.locator(".places .line").count()) > 0);
    await open("empty", "", async none => assert.equal(await none.locator(".hints").count(), 0));
  }));

await test("back: undoes a view, a zoom and a filter, and not what was only looked at", () =>
  open("shop", "", async page => {
    // A machine that is busy takes its time until the address follows.
    const until = async (what, right) => {
      for (let i = 0; i < 40 && !right(fragment(page)); i++) await settle(page);
      assert.ok(right(fragment(page)), `${what}: ${page.url().split("#")[1]}`);
    };
    const back = async (what, right) => {
      await page.goBack();
      await until(what, right);
    };
    const shows = view =>
      page.locator(".bar1 nav .on", { hasText: view }).waitFor({ timeout: 10_000 });
    await press(page, "5");
    await until("a view", f => f.get("v") === "table");
    await press(page, "2");
    await until("another", f => f.get("v") === null);
    await clickFrame(page, "query_orders", 0, 2);
    await until("a zoom", f => f.get("z") !== null);
    await page.click('[data-cause="net-recv"]');
    await until("a filter", f => f.get("cause") === "net-recv");
    await press(page, "t", "\\");
    await until("looks", f => f.get("theme") === "dark" && f.get("panel") === "0");
    await back("the filter", f => f.get("cause") === null && f.get("z") !== null);
    await back("the zoom", f => f.get("z") === null && f.get("v") === null);
    await back("the view", f => f.get("v") === "table");
    await shows("Table");
    await back("the first", f => f.get("v") === null);
    await shows("Left heavy");
    await page.goForward();
    await until("forth", f => f.get("v") === "table");
    await shows("Table");
  }));

// Pages of a PDF, and how many of its pictures are how bright.
function pdfOf(bytes) {
  const text = bytes.toString("latin1"),
    images = [];
  for (const m of text.matchAll(/\/Subtype \/Image\n([^]{0,300}?)>> stream\n/g)) {
    const value = key => +new RegExp(`/${key} (\\d+)`).exec(m[1])[1],
      at = m.index + m[0].length,
      pixels = inflateSync(bytes.subarray(at, at + value("Length")));
    if (pixels.length !== value("Width") * value("Height") * 3) continue;
    const light = pixels.reduce((sum, v) => sum + v, 0) / pixels.length / 255;
    images.push({ width: value("Width"), height: value("Height"), light });
  }
  return { pages: text.match(/\/Type\s*\/Page\b/g).length, images };
}

await test("paper: one page, with a picture that is light and as large as its place", async () => {
  for (const [name, view] of [
    ["shop", "theme=dark"],
    ["wall", ""],
    ["diff", "theme=dark"],
  ])
    await open(name, view, async page => {
      const { pages, images } = pdfOf(await page.pdf({ preferCSSPageSize: true }));
      assert.equal(pages, 1, name);
      assert.equal(images.length, 1, `${name}: pictures`);
      const [{ width, height, light }] = images;
      assert.ok(width > 900 && height > 350, `${name}: ${width}x${height}`);
      assert.ok(light > 0.7, `${name}: ${light} of white`);
    });
  await open("threads", "v=table", async page => {
    const { pages } = pdfOf(await page.pdf({ preferCSSPageSize: true }));
    assert.equal(pages, 1, "a long table is as much as one page has");
  });
});

// The least contrast of text that is seen, as WCAG has it, with what it says. Colours are laid over
// each other as far as they let through what is below them.
const worstText = page =>
  page.evaluate(() => {
    const parse = text => {
      const n = text.match(/[\d.]+/g).map(Number);
      return [n[0], n[1], n[2], n[3] ?? 1];
    };
    const over = (top, under, alpha) =>
      [0, 1, 2].map(i => top[i] * top[3] * alpha + under[i] * (1 - top[3] * alpha));
    const luminance = c => {
      const [r, g, b] = c.map(v =>
        v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4,
      );
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const worst = { ratio: 21, text: "" },
      walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node; (node = walker.nextNode());) {
      const text = node.textContent.trim(),
        el = node.parentElement;
      if (!text || el.closest("script, .hidden, noscript, :disabled, option")) continue;
      const box = el.getBoundingClientRect();
      if (!box.width || !box.height || !el.checkVisibility()) continue;
      const up = [];
      for (let e = el; e; e = e.parentElement) up.push(getComputedStyle(e));
      let ground = [255, 255, 255],
        ink = null;
      for (const style of up.reverse()) {
        ground = over(parse(style.backgroundColor), ground, +style.opacity);
        if (+style.opacity < 1) ink = +style.opacity * (ink ?? 1);
      }
      const style = getComputedStyle(el);
      const seen = over(parse(el.closest("svg") ? style.fill : style.color), ground, ink ?? 1);
      const x = luminance(seen),
        y = luminance(ground),
        ratio = (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
      if (ratio < worst.ratio) Object.assign(worst, { ratio, text, class: el.className });
    }
    return worst;
  });

await test("all words of the page can be read, light and dark", async () => {
  for (const theme of ["light", "dark"])
    for (const [name, view, keys] of [
      ["shop", "cause=-net-recv", ["ArrowDown", "ArrowDown", "ArrowDown"]],
      ["python", "v=table", ["ArrowDown"]],
      ["python", "v=tree", ["ArrowDown"]],
      ["lost", "v=sandwich&fn=4%3Aschedule", []],
      ["diff", "", []],
      ["diff", "v=table&class=-idle", ["ArrowDown"]],
      ["shop", "", ["i"]],
      ["shop", "", ["?"]],
    ])
      await open(name, `${view}&theme=${theme}`, async page => {
        await press(page, ...keys);
        const { ratio, text, class: of } = await worstText(page);
        assert.ok(ratio >= 4.5, `${theme} ${name} ${view}: ${ratio.toFixed(2)} of ${of}: ${text}`);
      });
});

await test("the cause that is written on a frame can be read on every colour", async () => {
  for (const theme of ["light", "dark"])
    for (const name of ["nodes", "python"])
      await open(name, `theme=${theme}`, async page => {
        const worst = await leastContrast(page, "soft");
        assert.ok(worst >= 4.5, `${theme} ${name}: contrast ${worst.toFixed(2)}`);
      });
});

await test("what is idle steps back behind what is not, light and dark", async () => {
  for (const theme of ["light", "dark"])
    await open("shop", `theme=${theme}`, async page => {
      const [page_, idle, busy] = await page.evaluate(() => {
        const { paint, shape } = document.querySelector(".flame canvas").flame.model,
          names = window.coldspot.head.causes.map(c => c[0]);
        const of = cause =>
          [...paint.cause.keys()]
            .filter(n => names[paint.cause[n]] === cause && shape.kind[n] > 1)
            .map(n => paint.fill[paint.index[n]]);
        const ground = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number);
        return [ground, of("idle"), of("net-recv")];
      });
      const away = color => Math.hypot(...color.map((v, i) => v - page_[i]));
      assert.ok(idle.length && busy.length);
      assert.ok(
        Math.max(...idle.map(away)) < Math.max(...busy.map(away)),
        `${theme}: ${idle.map(away)} from the page, ${busy.map(away)} of net-recv`,
      );
    });
});

await test("who cannot see the labels of choices hears them, on a screen of any size", async () => {
  for (const viewport of [DESK, PHONE])
    for (const name of ["wall", "diff"])
      await open(
        name,
        "",
        async page => {
          if (viewport === PHONE) await page.getByRole("button", { name: /^Filters/ }).click();
          for (const label of ["Group", "Width", "Colour"])
            assert.equal(await page.getByRole("combobox", { name: label }).count(), 1, label);
          const views = page.getByRole("navigation", { name: "Views" }).getByRole("button");
          assert.equal(
            await views.filter({ hasText: "Left heavy" }).getAttribute("aria-pressed"),
            "true",
          );
        },
        { viewport },
      );
});

// Of a flame graph in an SVG, the least contrast of a name and its box as they are drawn now.
const worstLabel = page =>
  page.evaluate(() => {
    const linear = v => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
    const luminance = c => 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
    const numbers = text => text.match(/[\d.]+/g).map(Number);
    const dark = matchMedia("(prefers-color-scheme: dark)").matches,
      under = dark ? [29, 29, 34] : [238, 238, 238],
      worst = { ratio: 21, name: "", labels: 0 };
    for (const g of document.querySelectorAll("g.f:not(.hide)")) {
      const text = g.querySelector("text"),
        rect = getComputedStyle(g.querySelector("rect")),
        group = +getComputedStyle(g).opacity;
      if (!text || !text.textContent) continue;
      const over = (top, alpha) => numbers(top).map((v, i) => v * alpha + under[i] * (1 - alpha)),
        x = luminance(over(rect.fill, +rect.opacity * group)),
        y = luminance(over(getComputedStyle(text).fill, group)),
        ratio = (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
      worst.labels++;
      if (ratio < worst.ratio) Object.assign(worst, { ratio, name: text.textContent });
    }
    return worst;
  });

await test("svg: names can be read on every colour, light and dark, zoomed and found", async () => {
  const graphs = ["wall/expected.svg", "shop/expected.cause.svg", "diff/expected.svg"];
  for (const colorScheme of ["light", "dark"]) {
    const judge = async (page, what) => {
      const { ratio, name, labels } = await worstLabel(page);
      assert.ok(labels > 1, `${what}: ${labels} labels`);
      assert.ok(ratio >= 4.5, `${colorScheme} ${what}: ${ratio.toFixed(2)} of ${name}`);
    };
    for (const path of graphs)
      await openPicture("tests/golden/" + path, page => judge(page, path), { colorScheme });
    // the one that has its script
    await openPicture(
      "tests/golden/shop/expected.whole.svg",
      async page => {
        page.on("dialog", d => d.accept("[a-z]"));
        await judge(page, "as it is");
        await page.locator("#search").click();
        assert.match(await page.locator("#matched").textContent(), /Matched: 100/);
        await judge(page, "found");
        await page.locator("#search").click();
        await page.locator("g.f rect").nth(4).click();
        assert.ok((await page.locator("g.parent").count()) > 2);
        await judge(page, "zoomed");
      },
      { colorScheme },
    );
  }
});

await test("svg: keys go from frame to frame, and zoom", async () => {
  await openPicture("tests/golden/shop/expected.whole.svg", async page => {
    const at = () =>
      page.evaluate(() => {
        const g = document.querySelectorAll("g.at");
        return g.length === 1 && g[0].querySelector("title").textContent;
      });
    const walk = async keys => {
      for (const key of keys) await page.keyboard.press("Arrow" + key);
      return at();
    };
    // what the page itself has: page.url() hears of it later
    const hash = () => page.evaluate(() => location.hash);
    assert.match(await walk(["Up"]), /^all /, "the first key shows where one is");
    const child = await walk(["Up"]);
    assert.doesNotMatch(child, /^all /);
    assert.equal(await page.locator("#details").textContent(), "Function: " + child);
    assert.equal(await page.locator("#details").getAttribute("role"), "status");
    const beside = await walk(["Right"]);
    assert.notEqual(beside, child);
    assert.equal(await walk(["Left"]), child);
    assert.match(await walk(["Down"]), /^all /);
    assert.match(await walk(["Down"]), /^all /, "nothing is below it");
    assert.equal(await walk(["Up"]), child, "the widest");
    const leaf = await walk(Array(20).fill("Up"));
    assert.equal(await walk(["Up", "Up"]), leaf, "nothing is above it");
    assert.equal(await walk(Array(20).fill("Down").concat("Up")), child);
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("g.at rect").getAttribute("width"), "1180.0");
    assert.ok((await hash()).includes("#/"));
    await page.keyboard.press("Escape");
    assert.ok(!(await hash()).includes("#/"));
    assert.equal(await at(), child, "it stays there");
  });
});

await finish();
