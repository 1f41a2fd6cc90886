#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`coldspot serve clickhouse://...` by its requests, against a server in this file. Prints TAP;
needs no root and no network."""
import http.server
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import COLDSPOT, Tap  # noqa: E402

BEGIN_MS = 1795478400000  # of 2026-11-24
HOUR_MS = 3600 * 1000
SECRET = "s3cr3t"
WAITS = {"db1": [("lock", "work", 3000), ("sleep", "idle", 2000)],
         "db2": [("disk", "work", 9000)], "web <1>": [("lock", "work", 1)]}

tap = Tap()


class ClickHouse:
    """Adds up WAITS for the hosts whose names a statement has, or all of them."""

    def __init__(self):
        self.seen, self.fault, self.held = [], None, threading.Event()
        me = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_args):
                pass

            def do_POST(self):
                sql = self.rfile.read(int(self.headers["Content-Length"])).decode()
                me.seen.append(sql)
                if me.fault == "slow":
                    me.held.wait(30)
                status, text = me.fault if isinstance(me.fault, tuple) else (200, me.answer(sql))
                self.send_response(status)
                self.send_header("Content-Length", str(len(text.encode())))
                self.end_headers()
                try:
                    self.wfile.write(text.encode())
                except BrokenPipeError:  # the request has ended with serve
                    pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.port = self.http.server_address[1]
        threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()

    def answer(self, sql):
        hosts = [h for h in WAITS if f"^{h}$" in sql] or (
            list(WAITS) if "(host, " not in sql else [])
        begin = BEGIN_MS * 10**6
        if sql.startswith("SELECT host, begin_ns"):
            rows = [[h, begin, 60 * 10**9, len(WAITS[h]), len(WAITS[h]), 0, len(WAITS[h]), 1, 0,
                     *[sum(w[2] for w in WAITS[h])] * 2] for h in hosts]
            if "1700000000" in sql:  # a time without windows
                rows = []
        elif sql.startswith("SELECT host, service"):
            rows = [[h, "shop", cause, kind, "S", "futex", "/a", "", "w", 7, 8, "", "", "11", ns, 1,
                     0]
                    for h in hosts for cause, kind, ns in WAITS[h]]
        elif sql.startswith("SELECT host, cause"):
            rows = [[h, cause, kind, ns] for h in hosts for cause, kind, ns in WAITS[h]]
        elif sql.startswith("SELECT min(begin_ns)"):
            rows = [[begin, begin + 60 * 10**9, 3]]
        else:
            rows = [["11", ["main", "take"], [], 65535]]
        return json.dumps({"meta": [], "data": rows, "rows": len(rows)})


class Serve:
    def __init__(self, url, *args):
        self.process = subprocess.Popen([COLDSPOT, "serve", url, *args], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.url = self.process.stdout.readline().decode().strip()
        self.base, self.token = self.url.split("/?token=")

    def get(self, path, **query):
        request = urllib.request.Request(
            f"{self.base}{path}?{urllib.parse.urlencode(query, doseq=True)}",
            headers={"Authorization": f"Bearer {self.token}"})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.read().decode(errors="replace")
        except urllib.error.HTTPError as e:
            return e.code, json.loads(e.read())["error"]

    def end(self):
        """Seconds until it has ended, and all that it has said."""
        begun = time.monotonic()
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=30)
        return time.monotonic() - begun, (out + err).decode()


def folded(serve, **query):
    status, text = serve.get("/api/v1/profile", format="folded", **query)
    return status, sorted(text.splitlines())


def sums(serve, ch):
    status, text = serve.get("/api/v1/hosts")
    got = json.loads(text)
    tap.ok("hosts by cause, longest waits first",
           (status != 200 or [(h["name"], h["off_ns"], h["idle_ns"], h["causes"])
                              for h in got["hosts"]] !=
            [("db2", 9000, 0, {"disk": 9000}), ("db1", 3000, 2000, {"lock": 3000}),
             ("web <1>", 1, 0, {"lock": 1})]) and text)
    tap.ok("of the last hour, unless somebody asks for another",
           (got["until_ms"] != BEGIN_MS + 60000 or
            got["since_ms"] != got["until_ms"] - HOUR_MS) and text)
    text = serve.get("/api/v1/hosts", search="WEB")[1]
    tap.ok("a search", [h["name"] for h in json.loads(text)["hosts"]] != ["web <1>"] and text)
    got = folded(serve)
    tap.ok("all hosts are one profile", got != (200, ["w;main;take 14"]) and got)
    got = folded(serve, host="db1")
    tap.ok("one host", got != (200, ["w;main;take 5"]) and got)
    got = folded(serve, host=["db1", "db2"], cause="lock,disk")
    tap.ok("two hosts, and a filter", got != (200, ["w;main;take 12"]) and got)
    ch.seen.clear()
    serve.get("/api/v1/profile", host="db1", service="shop",
              **{"from": BEGIN_MS, "to": BEGIN_MS + 5})
    tap.ok("times and services are in the statement",
           (not ch.seen or "^shop$" not in ch.seen[1] or str(BEGIN_MS * 10**6) not in ch.seen[0])
           and ch.seen)
    status, text = serve.get("/api/v1/diff", before="db1", format="text",
                             after=f"db2:{BEGIN_MS}-{BEGIN_MS + 60000}")
    tap.ok("two hosts compared",
           (status != 200 or "before: db1:" not in text or
            "after:  db2, windows of 2026-11-24" not in text) and text)
    status, text = serve.get("/api/v1/diff", before=f":{BEGIN_MS}-{BEGIN_MS + 1}", host="db1",
                             after=f":{BEGIN_MS + 2}-{BEGIN_MS + 3}")
    tap.ok("two times compared", status != 200 and text)


def faults(serve, ch):
    for what, fault, status, want in (
            ("a wrong database", (404, "Code: 81. DB::Exception: no"), 404, "no such database"),
            ("a wrong password", (403, "no"), 500, "refuses the user or password"),
            ("a server that is not one", (200, "<html>"), 500, "not one of ClickHouse")):
        ch.fault = fault
        for path in ("/api/v1/hosts", "/api/v1/profile"):
            got = serve.get(path)
            tap.ok(f"{what}: {path} says so", (got[0] != status or want not in got[1]) and got)
    ch.fault = None
    got = serve.get("/api/v1/hosts", since="2023-11-14T22:13:20Z", until="2023-11-14T22:14Z")
    tap.ok("no window at that time: says where there are some",
           (got[0] != 404 or "the windows are from 2026-11-24" not in got[1]) and got)
    for path, query, want in (("profile", {"last": 3}, "'last'"),
                              ("hosts", {"pid": 3}, "only host="),
                              ("windows", {}, "shows hosts, from ClickHouse"),
                              ("diff", {"before": "a:x", "after": "b"}, "'before'"),
                              ("hosts", {"host": ""}, "'host'")):
        got = serve.get(f"/api/v1/{path}", **query)
        tap.ok(f"{path} {query} is refused", (got[0] not in (400, 404) or want not in got[1]) and
               got)


def routes(serve):
    with open(os.path.join(os.path.dirname(__file__), "../../docs/openapi.json"),
              encoding="utf-8") as f:
        paths = json.load(f)["paths"]
    bad = []
    for path, methods in paths.items():
        modes = re.search(r"Modes: ([a-z, ]*)\.", json.dumps(methods))
        here = not modes or "fleet" in modes[1]
        query = {"before": "db1", "after": "db2"} if path.endswith("diff") else {}
        status = serve.get(path, **query)[0] if path != "/" else 200
        if (status in (200, 204)) != here:
            bad.append((path, status))
    tap.ok("routes are those that are described", bad)


def main():
    ch = ClickHouse()
    serve = Serve(f"clickhouse+http://me:{SECRET}@127.0.0.1:{ch.port}/?database=waits")
    sums(serve, ch)
    faults(serve, ch)
    routes(serve)
    status = serve.get("/api/v1/status")[1]
    tap.ok("the status names the server, without its password",
           ('"mode":"fleet"' not in status.replace(" ", "") or str(ch.port) not in status or
            SECRET in status) and status)
    pages = serve.get("/")[1]
    ch.fault = "slow"
    late = threading.Thread(target=lambda: serve_quietly(serve), daemon=True)
    late.start()
    time.sleep(0.3)
    seconds, said = serve.end()
    tap.ok("a slow server does not hold up the end", seconds > 8 and seconds)
    tap.ok("nothing says the password", SECRET in said + pages and said)
    ch.fault = None
    ch.held.set()
    serve = Serve(f"clickhouse://127.0.0.1:{ch.port}/waits", "--host", "db2")
    got = folded(serve), folded(serve, host="db1")
    tap.ok("--host is for requests that name none",
           got != ((200, ["w;main;take 9"]), (200, ["w;main;take 5"])) and got)
    ch.http.shutdown()
    ch.http.server_close()
    got = serve.get("/api/v1/hosts")
    tap.ok("a server that is down is said",
           (got[0] != 500 or "no whole answer of" not in got[1]) and got)
    serve.end()
    for args, want in ((["--host", "a", "x.coldspot"], "select rows of ClickHouse"),
                       (["clickhouse://h/a/b"], "one name behind the host")):
        done = subprocess.run([COLDSPOT, "serve", *args], stdin=subprocess.DEVNULL, check=False,
                              capture_output=True, timeout=20)
        tap.ok(f"{args} is refused", (not done.returncode or want not in done.stderr.decode()) and
               done.stderr)


def serve_quietly(serve):
    try:
        serve.get("/api/v1/hosts")
    except OSError:
        pass


main()
tap.done()
