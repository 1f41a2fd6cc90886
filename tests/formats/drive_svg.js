/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drive_svg.js CHROMIUM FILE: a person with mouse and keyboard in front of a flame graph. Prints in
 * JSON what can be seen after each step.
 */
"use strict";
const { chromium } = require("playwright-core");

const [executablePath, file] = process.argv.slice(2);

/* what is on the screen; runs in the page */
function look() {
	const shown = {};

	document.querySelectorAll("g.f").forEach((g) => {
		const name = g.querySelector("title").textContent.replace(/ \([^()]*\)$/, "");
		const box = g.querySelector("rect").getBoundingClientRect();

		if (box.width > 0 && !(name in shown))
			shown[name] = { width: Math.round(box.width),
				faded: g.classList.contains("parent"),
				found: g.querySelector("rect").getAttribute("fill") ===
					"rgb(230,0,230)" };
	});
	return {
		shown,
		details: document.getElementById("details").textContent.trim(),
		matched: document.getElementById("matched").textContent.trim(),
		reset: document.getElementById("reset").getBoundingClientRect().width > 0,
		wide: document.documentElement.getBoundingClientRect().width,
		dark: getComputedStyle(document.querySelector("text.title")).fill,
		search: location.search,
		hash: location.hash,
	};
}

async function main() {
	const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
	const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
	const steps = {};
	const title = (name) => page.locator(`title:text("${name} (")`);
	const frame = (name) => page.locator("g.f", { has: title(name) }).first().locator("rect");
	let answer = "";

	try {
		page.on("dialog", (d) => d.accept(answer));
		page.on("pageerror", (e) => (steps.error = e.message));
		await page.goto("file://" + file);
		steps.opened = await page.evaluate(look);
		await frame("take_order").hover();
		steps.hovered = await page.evaluate(look);
		await frame("worker_main").click();
		steps.zoomed = await page.evaluate(look);
		answer = "futex";
		await page.keyboard.press("Control+f");
		steps.searched = await page.evaluate(look);
		await page.reload();
		steps.reloaded = await page.evaluate(look);
		await page.locator("#reset").click();
		steps.whole = await page.evaluate(look);
		await page.keyboard.press("Escape");
		steps.escaped = await page.evaluate(look);
		await page.emulateMedia({ colorScheme: "dark" });
		await page.setViewportSize({ width: 800, height: 600 });
		steps.dark = await page.evaluate(look);
		console.log(JSON.stringify(steps));
	} finally {
		await browser.close();
	}
}

main().catch((e) => {
	console.error(e.stack);
	process.exit(1);
});
