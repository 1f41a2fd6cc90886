/* SPDX-License-Identifier: Apache-2.0 */
/* read_pprof.js FILE: types and sums of a pprof file as npm's pprof-format reads it, in JSON. */
"use strict";
const fs = require("fs");
const zlib = require("zlib");
const { Profile } = require("pprof-format");

const profile = Profile.decode(zlib.gunzipSync(fs.readFileSync(process.argv[2])));
const text = (id) => profile.stringTable.strings[Number(id)];
const sums = profile.sampleType.map(() => 0n);

for (const sample of profile.sample)
	sample.value.forEach((value, i) => (sums[i] += BigInt(value)));
console.log(JSON.stringify({
	types: profile.sampleType.map((t) => `${text(t.type)}/${text(t.unit)}`),
	sums: sums.map(String),
}));
