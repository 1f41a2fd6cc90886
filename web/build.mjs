// SPDX-License-Identifier: Apache-2.0
//
// usage: node build.mjs OUTPUT
//
// Bundles src/ into one page. The page's policy names the hashes of its style and its script, so
// both are made first and never touched again; the program that writes a report or serves the page
// replaces only the five marks, in their order.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const limit = 126 * 1024;

async function bundle(entry) {
  const result = await build({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["es2020"],
    charset: "ascii",
    lineLimit: 100,
    legalComments: "none",
    jsx: "automatic",
    jsxImportSource: "preact",
  });
  // One newline at the end and none doubled: what is hashed is what stands between the tags.
  return result.outputFiles[0].text.trim();
}

function hash(text) {
  return "'sha256-" + createHash("sha256").update(text).digest("base64") + "'";
}

// Control characters, which stand in texts only: the bundler leaves those of a package as they are.
function escape(text) {
  const hex = c => "\\x" + c.charCodeAt(0).toString(16).padStart(2, "0");
  return text.replace(/[\x00-\x08\x0b-\x1f]/g, hex);
}

const script = "\n" + escape(await bundle("src/main.tsx")) + "\n";
const style = "\n" + (await bundle("src/style.css")) + "\n";
for (const [name, text] of [
  ["script", script],
  ["style", style],
]) {
  if (text.toLowerCase().includes("</" + name) || /[^\n\x20-\x7e\t]/.test(text))
    throw new Error(`the ${name} cannot stand in a page as it is`);
}
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)}`,
  `style-src ${hash(style)}`,
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types<!--policy-->", // last: what is allowed beside it follows
].join("; ");
const page = readFileSync(join(here, "src/page.html"), "utf8")
  .replace("{{policy}}", () => policy)
  .replace("{{style}}", () => style)
  .replace("{{script}}", () => script);
if (!/<!--policy-->[^]*<!--scope-->[^]*<!--title-->[^]*<!--live-->[^]*<!--data-->/.test(page))
  throw new Error("the page has not the marks that src/render/page/page.c replaces");
const packed = gzipSync(page, { level: 9 }).length;
if (packed > limit)
  throw new Error(`the page has ${packed} bytes compressed, the limit is ${limit}`);
writeFileSync(process.argv[2] ?? join(here, "dist/page.html"), page);
console.log(`page: ${page.length} bytes, ${packed} compressed (limit ${limit})`);
