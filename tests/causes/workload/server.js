// SPDX-License-Identifier: Apache-2.0
// server.js idle SOCKET: waits for clients. server.js stall: runs a program and waits for its end.
const { execSync } = require("child_process");
const http = require("http");

if (process.argv[2] === "idle") http.createServer(() => {}).listen(process.argv[3]);
else setInterval(() => execSync("sleep 0.05"), 80);
