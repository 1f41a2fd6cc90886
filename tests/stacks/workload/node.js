// SPDX-License-Identifier: Apache-2.0
// Code made at run time, builtins and native code, in the main thread and in the pool's.
'use strict';
const crypto = require('crypto');
const fs = require('fs');
const zlib = require('zlib');

function fib(n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

function sorts() {
  const values = Array.from({ length: 500 }, (_, i) => (i * 7919) % 1009);
  values.sort((a, b) => a - b);
  return values.map((v) => String(v)).reduce((a, b) => a + b.length, 0);
}

function texts() {
  const text = JSON.stringify({ list: Array.from({ length: 50 }, (_, i) => ({ i })) });
  return JSON.parse(text).list.length + text.replace(/[0-9]+/g, (m) => m + m).length;
}

async function files() {
  for (;;) {
    await fs.promises.readFile(__filename);
    fs.statSync(__filename);
    await new Promise((done) => setTimeout(done, 1));
  }
}

function pooled() {
  crypto.pbkdf2('a', 'b', 2000, 64, 'sha512', pooled);
}

function zipped() {
  zlib.deflate(crypto.randomBytes(50000), zipped);
}

function turn() {
  fib(18);
  sorts();
  texts();
  new Map(Object.entries(process.env)).forEach((v, k) => v + k);
  setTimeout(turn, Math.random() * 3);
}

files();
pooled();
zipped();
turn();
