// SPDX-License-Identifier: Apache-2.0
//
// A server that speaks as `coldspot serve` does (docs/openapi.json), with profiles of test_pages:
// what the page does with answers that come late, never, or from another server than before can be
// tried, as no real recording would do it.
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

const SECOND = 1e9,
  BEGIN_MS = Date.UTC(2026, 10, 25, 12, 0, 0);
const CAUSES = [
  ["lock", "lock"],
  ["net-recv", "remote"],
  ["disk", "disk"],
  ["idle", "idle"],
];

// The data of a page, as the server has it.
function dataOf(pages, name) {
  const html = readFileSync(`${pages}/${name}.html`, "latin1"),
    [, base64] = /<script id="data"[^>]*>([^<]*)</.exec(html);
  return Buffer.from(base64, "base64");
}

export class Mock {
  server_id = "one";
  mode = "live";
  over = null;
  dropped = 0;
  losses = [];
  profile = () => "shop"; // name of a page, by from and to
  diff = () => "diff";
  recordings = [];
  hosts = null; // of a fleet: an answer, or an error
  windows = []; // one row each
  asked = []; // paths with their queries
  silent = false; // profiles are not answered
  streams = new Set();
  unauthorized = false;
  targets = [4121];
  changeable = true;
  busy = 0; // so many profiles are refused

  constructor(pages, port = 0) {
    this.pages = pages;
    this.port = port;
    this.held = [];
  }

  async start() {
    this.http = createServer((request, response) => this.answer(request, response));
    await new Promise((done, bad) => {
      this.http.on("error", bad);
      this.http.listen(this.port, "127.0.0.1", done);
    });
    this.port = this.http.address().port;
    this.url = `http://127.0.0.1:${this.port}/`;
    return this;
  }

  // As when its process is killed.
  async stop() {
    this.http.closeAllConnections();
    await new Promise(done => this.http.close(done));
    this.streams.clear();
  }

  // A window of one second; `ns` by cause.
  push(ns = {}, more = {}) {
    const last = this.windows.at(-1),
      seq = (last?.seq ?? this.dropped) + 1;
    const row = {
      seq,
      begin: BEGIN_MS + (seq - 1) * 1000,
      length: SECOND,
      threads: 12,
      ns: { lock: 0, idle: 5 * SECOND, ...ns },
      lost: 0,
      ...more,
    };
    this.windows.push(row);
    for (const stream of this.streams) this.send(stream, "window", this.columns([row]), seq);
    return seq;
  }

  pushStatus() {
    for (const stream of this.streams) this.send(stream, "status", this.status());
  }

  send(stream, event, data, id) {
    stream.write(`${id ? `id: ${id}\n` : ""}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  columns(rows) {
    const of = f => rows.map(f);
    return {
      server: this.server_id,
      dropped: this.dropped,
      causes: CAUSES,
      seq: of(r => r.seq),
      begin_wall_ms: of(r => r.begin),
      length_ns: of(r => r.length),
      threads: of(r => r.threads),
      on_ns: of(() => SECOND / 2),
      runq_ns: of(() => SECOND / 10),
      idle_ns: of(r => r.ns.idle),
      cause: of(r => Object.keys(r.ns).map(name => CAUSES.findIndex(c => c[0] === name))),
      ns: of(r => Object.values(r.ns)),
      lost_ns: of(r => r.lost),
      intervals: of(r => r.intervals ?? null),
    };
  }

  status() {
    return {
      server: this.server_id,
      mode: this.mode,
      version: "1.0",
      host: "web-7",
      kernel: "6.1.0",
      target: this.mode === "directory" ? null : "PID 4121 (shop)",
      file: this.mode === "directory" ? "coldspot" : null,
      window_ns: SECOND,
      wakers: false,
      ...(this.mode === "store" ? { store: this.store } : {}),
      over: this.over,
      kept: {
        first_seq: this.mode === "directory" ? 0 : (this.windows[0]?.seq ?? 0),
        last_seq: this.mode === "directory" ? 0 : (this.windows.at(-1)?.seq ?? 0),
        dropped: this.dropped,
      },
      limits: { keep_ns: 3600 * SECOND, rows: 100000 },
      health: {
        losses: this.losses,
        effort: ["41203 context switches", "cost: 0.4 % of one CPU"],
        skipped: 0,
        requests: this.asked.length,
        cpu_ns: 1.5e9,
        rss_bytes: 30 << 20,
        viewers: this.streams.size,
        refused: { host: 2, no_request: 0 },
      },
    };
  }

  json(response, status, data) {
    response.writeHead(status, { "Content-Type": "application/json" });
    response.end(JSON.stringify(data));
  }

  data(response, name) {
    const packed = dataOf(this.pages, name);
    response.writeHead(200, { "Content-Type": "application/octet-stream" });
    response.end(gunzipSync(packed));
  }

  changeTargets(request, response) {
    const pids = this.targets,
      now = () =>
        this.json(response, 200, {
          target: "PID 4121 (shop)",
          changeable: this.changeable,
          targets: pids.map(t => (typeof t === "string" ? { cgroup: t } : { pid: t })),
        });
    if (request.method !== "POST") return now();
    let body = "";
    request.on("data", part => (body += part));
    request.on("end", () => {
      const { add, remove } = JSON.parse(body);
      if (add?.pid === 999999) return this.json(response, 404, { error: "no process 999999" });
      if (add) pids.push(add.cgroup ?? add.pid);
      else pids.splice(pids.indexOf(remove.cgroup ?? remove.pid), 1);
      now();
    });
  }

  // What was held back.
  release() {
    for (const go of this.held.splice(0)) go();
  }

  answer(request, response) {
    const { pathname, searchParams: query } = new URL(request.url, this.url),
      api = pathname.replace(/^\/api\/v1\//, "");
    if (api !== pathname) this.asked.push(api + "?" + query);
    if (pathname === "/") {
      response.writeHead(200, {
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": "frame-ancestors 'none'",
      });
      response.end(readFileSync(`${this.pages}/live.html`));
      return;
    }
    if (this.unauthorized) {
      this.json(response, 401, { error: "no token: open the address that coldspot serve printed" });
      return;
    }
    if (api === "targets") return this.changeTargets(request, response);
    const range = (text => [+text[0], +text[1]])([query.get("from"), query.get("to")]);
    switch (api) {
      case "status":
        return this.json(response, 200, this.status());
      case "windows": {
        if (this.mode === "directory" && !query.get("recording"))
          return this.json(response, 400, { error: "which recording? add recording=ID" });
        const after = +(query.get("after") ?? 0),
          [since, until] = ["since", "until"].map(k => Date.parse(query.get(k))),
          time = r => !since || (r.begin + r.length / 1e6 > since && r.begin < until);
        // as many as could be read in a second
        if (this.mode === "store")
          return this.json(
            response,
            200,
            this.columns(this.windows.filter(r => r.seq > after && time(r)).slice(0, 4)),
          );
        return this.json(response, 200, this.columns(this.windows.filter(r => r.seq > after)));
      }
      case "stream":
        response.writeHead(200, { "Content-Type": "text/event-stream" });
        response.write(": here\n\n");
        this.streams.add(response);
        response.on("close", () => this.streams.delete(response));
        return;
      case "profile":
        if (query.get("format") !== "page") {
          response.writeHead(200, { "Content-Type": "text/plain" });
          response.end(`${query}\n`);
          return;
        }
        if (this.busy) {
          this.busy--;
          return this.json(response, 503, { error: "other viewers keep the server busy" });
        }
        if (this.silent) this.held.push(() => this.data(response, this.profile(...range)));
        else this.data(response, this.profile(...range));
        return;
      case "diff":
        return this.data(response, this.diff(query.get("before"), query.get("after")));
      case "hosts":
        return this.json(response, this.hosts.error ? 404 : 200, this.hosts);
      case "recordings": {
        const search = query.get("search") ?? "";
        return this.json(
          response,
          200,
          this.recordings.filter(r => JSON.stringify(r).includes(search)),
        );
      }
    }
    if (pathname === "/favicon.ico") {
      response.writeHead(204);
      response.end();
      return;
    }
    this.json(response, 404, { error: `there is no ${pathname}` });
  }
}
