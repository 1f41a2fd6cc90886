// SPDX-License-Identifier: Apache-2.0
//
// usage: node chdb_server.js DIRECTORY, with npm's `chdb` (550 MB) to be found by node
//
// The part of ClickHouse's HTTP interface that `coldspot push` uses, over the engine itself. It
// writes its port to DIRECTORY/port. By hand, see docs/push.md: CI does not fetch so much.
"use strict";
const fs = require("fs");
const http = require("http");
const path = require("path");
const zlib = require("zlib");
const { Session } = require("chdb");

const dir = process.argv[2];
const session = new Session(path.join(dir, "data"));

/* Parameters of the URL are settings of the statement. */
function statement(params, body) {
	const settings = [...params]
		.filter(([name]) => name !== "query")
		.map(([name, value]) => `${name} = ${/^\d+$/.test(value) ? value : `'${value}'`}`);
	const query = params.get("query");
	if (!query)
		return body.toString();
	return `${query.replace(" FORMAT", ` SETTINGS ${settings.join(", ")} FORMAT`)}\n${body}`;
}

function answer(request, body) {
	const { searchParams } = new URL(request.url, "http://localhost");
	const plain = request.headers["content-encoding"] === "gzip" ? zlib.gunzipSync(body) : body;
	const result = String(session.query(statement(searchParams, plain), "TSV"));
	return searchParams.get("query") ? "" : result;
}

const server = http.createServer((request, response) => {
	const parts = [];
	request.on("data", (part) => parts.push(part));
	request.on("end", () => {
		try {
			response.end(answer(request, Buffer.concat(parts)));
		} catch (error) {
			response.statusCode = 500;
			response.end(String(error));
		}
	});
});
server.listen(0, "127.0.0.1", () => {
	fs.writeFileSync(path.join(dir, "port"), String(server.address().port));
});
