/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open_speedscope.js CHROMIUM NPM_DIR FILE: opens a file in speedscope as its own command does,
 * goes to the Sandwich view and prints in JSON the page's title, its errors, and the time beside
 * the name of each function.
 */
"use strict";
const fs = require("fs");
const os = require("os");
const path = require("path");
const { chromium } = require("playwright-core");

const [executablePath, npm, file] = process.argv.slice(2);
const viewer = path.join(npm, "node_modules/speedscope/dist/release/index.html");

/* speedscope takes a file as a script that hands it over */
function loader(dir) {
	const script = path.join(dir, "profile.js");
	const content = fs.readFileSync(file).toString("base64");

	fs.writeFileSync(script, "speedscope.loadFileFromBase64(" +
		`${JSON.stringify(path.basename(file))}, ${JSON.stringify(content)})`);
	return script;
}

function totals(text) {
	const rows = text.matchAll(/(\S+) \([^)]*%\)\s+\S+ \([^)]*%\)\s+([^\n]+)/g);
	const found = {};

	for (const [, time, name] of rows)
		found[name.trim()] = time;
	return found;
}

async function main() {
	const dir = fs.mkdtempSync(path.join(os.tmpdir(), "speedscope-"));
	const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
	const page = await browser.newPage();
	const errors = [];

	try {
		page.on("pageerror", (e) => errors.push(e.message));
		await page.goto(`file://${viewer}#localProfilePath=${loader(dir)}`);
		await page.waitForSelector("canvas", { timeout: 60000 });
		await page.keyboard.press("3");
		/* its rows come a moment after their head */
		await page.waitForFunction(() => /Symbol Name[^]*%\)\s+\S+ \([^)]*%\)/.test(
			document.body.innerText), null, { timeout: 30000 });
		const text = await page.evaluate(() => document.body.innerText);
		console.log(JSON.stringify({ title: await page.title(), errors,
			totals: totals(text) }));
	} finally {
		await browser.close();
		fs.rmSync(dir, { recursive: true });
	}
}

main().catch((e) => {
	console.error(e.stack);
	process.exit(1);
});
