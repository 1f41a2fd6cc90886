#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
serve from outside: every route, who may ask, what hostile clients can do, and that what it says is
what the recording says. What needs to record is skipped where that is not possible.
"""
import base64
import concurrent.futures
import datetime
import glob
import gzip
import http.client
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.parse

COLDSPOT = os.environ["COLDSPOT"]
MAKER = os.environ["COLDSPOT_BUILD"] + "/tests/cli/test_literal_recording"
PATIENCE_S = 60
count = 0
work = tempfile.mkdtemp()


def ok(good, what, why=""):
    global count
    count += 1
    print(f"{'ok' if good else 'not ok'} {count} - {what}", flush=True)
    if not good and why != "":
        print("\n".join("# " + line for line in str(why)[:4000].splitlines()), flush=True)


def skip(what, why):
    global count
    count += 1
    print(f"ok {count} - {what} # SKIP {why}", flush=True)


def run(*args, **more):
    return subprocess.run(args, capture_output=True, timeout=120, check=False, **more)


def until(found, seconds=PATIENCE_S):
    """Asks again until it is true; its last answer."""
    end = time.monotonic() + seconds
    while True:
        answer = found()
        if answer or time.monotonic() > end:
            return answer
        time.sleep(0.1)


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    def json(self):
        return json.loads(self.body)

    def __str__(self):
        return f"{self.status}\n{self.headers}\n{self.body[:600]!r}"


class Serve:
    """A server, from its first line on; ended by its PID."""

    def __init__(self, *args, tls=None):
        self.log = tempfile.TemporaryFile(dir=work)
        self.process = subprocess.Popen([COLDSPOT, "serve", *args], stdout=subprocess.PIPE,
                                        stderr=self.log, text=True)
        self.url = self.process.stdout.readline().strip()
        where = urllib.parse.urlsplit(self.url)
        self.tls = tls
        self.port = where.port
        self.token = urllib.parse.parse_qs(where.query).get("token", [""])[0]

    def connect(self):
        if self.tls:
            return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=PATIENCE_S,
                                               context=self.tls)
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)

    def ask(self, path, headers=None, method="GET", body=None, over=None):
        connection = over or self.connect()
        connection.request(method, path, body=body, headers=headers or {})
        answer = Answer(connection.getresponse())
        if not over:
            connection.close()
        return answer

    def get(self, path, over=None, **headers):
        headers.setdefault("Authorization", "Bearer " + self.token)
        return self.ask(path, headers, over=over)

    def status(self):
        return self.get("/api/v1/status").json()

    def refused(self, why):
        return self.status()["health"]["refused"][why]

    def raw(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S)

    def said(self):
        self.log.seek(0)
        return self.log.read().decode()

    def end(self):
        """Its exit status after Ctrl-C."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return "it did not end"


def literal(name, *windows):
    """A recording of such windows of one second each, which follow each other."""
    texts = []
    for i, waits in enumerate(windows):
        texts.append(f"{work}/{name}{i}.lit")
        with open(texts[-1], "w", encoding="utf-8") as f:
            f.write(f"host web-7\nboot b\nkernel 6.1.0\narch x86_64\ntarget PID 100 ({name})\n"
                    f"command coldspot record -p 100\nwindow 1s\nsides user kernel\n"
                    f"begin_wall {(1700000000 + i) * 1000000000 + 123456}\n"
                    f"begin_mono {(50 + i) * 1000000000}\n{waits}")
    path = f"{work}/{name}.coldspot"
    made = run(MAKER, path, *texts)
    assert not made.returncode, made
    return path


def shop():
    window = """task 100/100 shop group=shop on=100ms
  wait S sys=futex blocked=300ms runq=1ms count=30
    u main
    u take_order
    u pthread_mutex_lock
    k futex_wait_queue
  wait S sys=epoll_wait blocked={poll}ms runq=2ms count=10
    u event_base_loop
    u epoll_dispatch
    u epoll_wait
    k ep_poll
task 100/101 worker group=shop on=5ms
  wait D sys=fsync blocked={sync}ms count=4
    u main
    u save
    u fsync
    k io_schedule
"""
    return literal("shop", *(window.format(poll=500 + i, sync=100 * (i + 1)) for i in range(3)))


def test_usage(path):
    for args, status, sentence in (
            (["--listen", "0.0.0.0:0", path], 1,
             "add --tls-cert and --tls-key and --password-file"),
            (["--listen", "127.0.0.1:http", path], 1, "is not HOST:PORT"),
            (["--listen", "127.0.0.1:70000", path], 1, "is not HOST:PORT"),
            (["--listen", "[::1", path], 1, "is not HOST:PORT"),
            (["--listen", "192.0.2.1:0", path], 1, "cannot listen on '192.0.2.1:0'"),
            (["--tls-cert", path, path], 2, "go together"),
            (["--password-file", "/nonexistent", path], 1, "/nonexistent"),
            (["--password-file", "/dev/null", path], 1, "in its first line"),
            (["-p", "1", path], 2, "cannot be combined"),
            ([path, path], 2, "one recording, or one directory"),
            (["/nonexistent.coldspot"], 1, "/nonexistent.coldspot"),
            (["-o", "x.svg"], 2, "-o takes one recording"),
            (["--keep", "1ms"], 2, "at least 1.00 s"),
            (["--interval", "1ms"], 2, "the minimum is 10 ms"),
            (["--max-events", "5"], 2, "--max-events needs --events"),
            (["--events", "--max-overhead", "1%"], 2, "cannot be used together"),
            (["--request", "auto", "--max-overhead", "1%"], 2, "cannot be used together"),
            (["--request", "auto", path], 2, "cannot be combined with what to record"),
            (["--wakers", path], 2, "cannot be combined with what to record"),
            (["--request", "nonsense", "--", "true"], 1, "nonsense"),
            (["-p", "1", "--", "true"], 2, "cannot be combined")):
        got = run(COLDSPOT, "serve", *args)
        text = got.stderr.decode()
        ok(got.returncode == status and sentence in text and text.count("\n") == 1 and
           not got.stdout, f"serve {' '.join(args).replace(work, '')} is refused", got)


def every_path():
    with open("docs/openapi.json", encoding="utf-8") as f:
        return json.load(f)["paths"]


def test_routes(server, mode):
    """What is described is there, and needs the token."""
    ask = {"/api/v1/diff": "?before=1-1&after=2-3", "/debug/pprof/offcpu": "?seconds=1"}
    for path, methods in every_path().items():
        if path == "/api/v1/stream":
            continue
        answer = server.get(path + ask.get(path, ""))
        # nothing here was recorded with requests
        wanted = {"/": 401, "/favicon.ico": 204, "/api/v1/requests": 400}.get(path, 200)
        text = json.dumps(methods)
        if "Modes: " in text and mode not in re.search(r"Modes: ([a-z, ]*)\.", text)[1]:
            wanted = 404
        if path == "/":  # a person's way in is the address
            wanted = 200
        ok(answer.status == wanted, f"{mode}: {path} answers {wanted}", answer)
        bare = server.ask(path)
        is_open = methods["get"].get("security") == []
        ok(bare.status == (answer.status if is_open else 401),
           f"{mode}: {path} without a token", bare)
        ok(bare.headers["X-Content-Type-Options"] == "nosniff" and
           "frame-ancestors 'none'" in bare.headers["Content-Security-Policy"] and
           bare.headers["Referrer-Policy"] == "no-referrer" and
           not bare.headers["Access-Control-Allow-Origin"], f"{mode}: {path} has its headers",
           bare)
        head = server.ask(path + ask.get(path, ""), {"Authorization": "Bearer " + server.token},
                          "HEAD")
        ok(head.status == wanted and not head.body, f"{mode}: HEAD {path}", head)
        other = server.ask(path, {"Authorization": "Bearer " + server.token}, "DELETE")
        ok(other.status == 405 and "GET" in other.headers["Allow"], f"{mode}: DELETE {path}",
           other)


def test_cookie(server):
    path = "/?token=" + server.token
    first = server.ask(path)
    cookie = first.headers["Set-Cookie"] or ""
    name = f"coldspot-{server.port}-{os.uname().nodename}="
    ok(first.status == 303 and first.headers["Location"] == "/" and "HttpOnly" in cookie and
       "SameSite=Strict" in cookie and cookie.startswith(name) and
       server.token not in cookie, "the token becomes a cookie", first)
    cookie = cookie.split(";")[0]
    page = server.ask("/", {"Cookie": "a=b; " + cookie + "; c=d"})
    ok(page.status == 200 and
       re.search(rb'<script id="data"[^>]* data-live="1"[^>]*></script>', page.body),
       "with it there is the page, without data", page)
    policy = page.headers["Content-Security-Policy"]
    meta = re.search(rb'Security-Policy" content="([^"]*)"', page.body)[1].decode()
    ok(policy == meta + "; frame-ancestors 'none'" and "connect-src 'self'" in meta and
       "default-src 'none'" in meta and "unsafe" not in meta, "its policy lets it ask only us",
       policy)
    ok(server.ask("/api/v1/status", {"Cookie": cookie}).status == 200, "the API takes the cookie")
    for wrong in (cookie[:-1], cookie + "x", cookie.split("=")[0] + "=", "x" + cookie,
                  cookie.split("=")[0] + "=" + server.token):
        ok(server.ask("/api/v1/status", {"Cookie": wrong}).status == 401,
           "another cookie is refused", wrong)


def test_who(server):
    good = {"Authorization": "Bearer " + server.token}
    before = server.status()["health"]["refused"]
    for headers, status in (
            ({"Authorization": "Bearer x" + server.token}, 401),
            ({"Authorization": "Bearer " + server.token[:-1]}, 401),
            ({"Authorization": "Basic " + server.token}, 401),
            ({"Authorization": ""}, 401),
            ({**good, "Host": "evil.example"}, 403),
            ({**good, "Host": f"evil.example:{server.port}"}, 403),
            ({**good, "Host": f"127.0.0.1.evil.example:{server.port}"}, 403),
            ({**good, "Host": "localhost.evil.example"}, 403),
            ({**good, "Host": ""}, 403),
            ({**good, "Host": "[::1"}, 403),
            ({**good, "Host": "127.0.0.1:80:80"}, 403),
            ({**good, "Host": "localhost:9999"}, 200),
            ({**good, "Host": "[::1]:9999"}, 200),
            ({**good, "Host": "10.1.2.3"}, 200),
            ({**good, "Origin": "http://evil.example"}, 403),
            ({**good, "Origin": "null"}, 403),
            ({**good, "Origin": "http://127.0.0.1:1"}, 403),
            ({**good, "Origin": f"http://127.0.0.1:{server.port}"}, 200),
            ({**good, "Sec-Fetch-Site": "cross-site"}, 403),
            ({**good, "Sec-Fetch-Site": "same-site"}, 403),
            ({**good, "Sec-Fetch-Site": "same-origin"}, 200),
            ({**good, "Sec-Fetch-Site": "none"}, 200)):
        answer = server.ask("/api/v1/status", headers)
        ok(answer.status == status and (status == 200 or "error" in answer.json()),
           f"{status} for {[v.replace(server.token, 'TOKEN') for v in headers.values()]}", answer)
    after = server.status()["health"]["refused"]
    ok(after["token"] - before["token"] == 4 and after["host"] - before["host"] == 7 and
       after["origin"] - before["origin"] == 5, "refusals are counted", (before, after))


def test_tricks(server):
    for path in ("/etc/passwd", "/../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd",
                 "/api/v1/../../etc/passwd", "/api/v1/profile/", "/api/v1/profile/x",
                 "/api/v1/profile%00", "/API/v1/status", "/api/v1/status/", "/./", "/index.html",
                 "*", "/" + "a" * 8000):
        with server.raw() as s:
            s.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                      f"Authorization: Bearer {server.token}\r\n\r\n".encode())
            line = s.makefile("rb").readline()
        ok(re.match(rb"HTTP/1.1 (404|400|414|431) ", line), f"path {path[:40]}", line)
    for query, sentence in (("comn=x", "unknown parameter 'comn'"), ("from=x", "parameter 'from'"),
                            ("from=3&to=2", "ends before it begins"), ("format=png", "not one of"),
                            ("cause=mutexes", "parameter 'cause'"), ("state=Q", "'Q'"),
                            ("pid=1,x", "parameter 'pid'"), ("pid=0", "parameter 'pid'"),
                            ("comm=", "no text"), ("min=1x", "parameter 'min'"),
                            ("under=a%00b", "control character"), ("comm=a%0ab", "control"),
                            ("comm=" + "x" * 1025, "more than 1024"), ("idle=maybe", "not one of"),
                            ("&".join("comm=a" for _ in range(65)), "more than 64"),
                            ("width=10&format=svg", "the minimum is 400"),
                            ("recording=../../etc/passwd", "does not show a directory"),
                            ("wakers=one", "record with --wakers"), ("view=on", "--on-cpu"),
                            ("invert=2", "is not 0 or 1"), ("palette=pink", "is no palette"),
                            ("regex=1", "unknown parameter"),
                            ("user-threads&kernel-threads", "exclude each other")):
        answer = server.get("/api/v1/profile?" + query)
        ok(answer.status == 400 and sentence in answer.json()["error"], f"?{query[:40]} is refused",
           answer)
    for query in ("comm=nobody", "from=9", "last=5&from=90&to=99"):
        answer = server.get("/api/v1/profile?" + query)
        ok(answer.status == 404 and answer.json()["error"], f"?{query} is not there", answer)


def test_large(server):
    """10 MB of header, in one line and in many."""
    for what, line in (("one line", b"X: " + b"x" * 10_000_000),
                       ("many lines", b"X-a: b\r\n" * 1_250_000)):
        with server.raw() as s:
            try:
                s.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + line + b"\r\n\r\n")
                got = s.recv(1000)
            except OSError:
                got = b""
            ok(not got or re.match(rb"HTTP/1.1 (431|413|400) ", got),
               f"10 MB of header, {what}, are refused", got)
    ok(server.get("/healthz").body == b"ok\n" and server.refused("no_request") >= 2,
       "and counted, and the server goes on", server.status())


def test_crowd(server):
    """1,000 connections; one that was there before is answered all the time."""
    old = server.connect()
    ok(server.get("/healthz", over=old).status == 200, "a connection is there")
    crowd = []
    for _ in range(1000):
        s = socket.socket()
        s.setblocking(False)
        s.connect_ex(("127.0.0.1", server.port))
        crowd.append(s)
    refused = until(lambda: server.get("/api/v1/status", over=old).json()
                    ["health"]["refused"]["connections"] >= 500)
    ok(refused, "of 1,000 connections most are refused, and counted",
       server.get("/api/v1/status", over=old))
    for s in crowd:
        s.close()

    def answers():
        try:
            return server.get("/healthz").status == 200
        except OSError:
            return False
    ok(until(answers), "when they have left, new ones are answered")
    old.close()


def drip(server):
    """A request byte by byte: the time until the server ends it."""
    with server.raw() as s:
        try:
            for byte in b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 1000:
                s.sendall(bytes([byte]))
                time.sleep(0.3)
                s.setblocking(False)
                try:
                    if not s.recv(100):
                        return True
                except BlockingIOError:
                    pass
                s.setblocking(True)
        except OSError:
            return True
    return False


def stuff(server):
    """A viewer that asks for much and reads nothing: True when the server has dropped it."""
    with server.raw() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        one = (f"GET /api/v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n"
               f"Authorization: Bearer {server.token}\r\n\r\n").encode()
        s.settimeout(2 * PATIENCE_S)
        try:
            while True:  # blocks when nobody reads, and fails when the server has closed
                s.sendall(one * 100)
        except socket.timeout:
            return False
        except OSError:
            return True


def test_slow(server):
    """Both at a time, because each takes as long as the server is patient."""
    with concurrent.futures.ThreadPoolExecutor() as pool:
        drips = [pool.submit(drip, server) for _ in range(5)]
        stuffed = pool.submit(stuff, server)
        ok(server.get("/api/v1/profile").status == 200, "meanwhile others are answered")
        ok(all(d.result() for d in drips), "requests byte by byte are ended")
        ok(stuffed.result(), "a viewer that reads nothing is dropped")
    ok(until(lambda: server.refused("slow") >= 6), "and they are counted", server.status())


FORMATS = {"txt": "txt", "folded": "folded", "wide": "wide.folded", "svg": "svg", "html": "html",
           "json": "json", "ndjson": "ndjson", "hist": "hist.txt", "hist-json": "hist.json",
           "pprof": "pb.gz", "speedscope": "speedscope.json", "firefox": "firefox.json",
           "denet": "denet.json", "csv": "csv", "tree": "tree.txt"}


def test_format_names(server):
    """What is described is what there is."""
    listed = server.get("/api/v1/profile?format=nonsense").json()["error"].split(" one of ")[1]
    params = every_path()["/api/v1/profile"]["get"]["parameters"]
    described = [p for p in params if p.get("name") == "format"][0]["schema"]["enum"]
    ok(set(listed.split(", ")) == set(described), "the description has each format",
       set(listed.split(", ")) ^ set(described))


def test_formats(server, path):
    """The same bytes as `report -o` writes."""
    test_format_names(server)
    for query, options in (("", []), ("&comm=worker", ["--comm", "worker"]),
                           ("&cause=disk-sync&comm=w*", ["--cause", "disk-sync", "--comm", "w*"]),
                           ("&pid=100&class=work,idle", ["-p", "100", "--class", "work,idle"]),
                           ("&idle=hide", ["--idle", "hide"]), ("&by=cause", ["--by", "cause"]),
                           ("&under=save&invert", ["--under", "save", "--invert"])):
        wrong = []
        for name, ending in FORMATS.items():
            out = f"{work}/as.{ending}"
            got = run(COLDSPOT, "report", "-q", path, "-o", out, *options)
            with open(out, "rb") as f:
                wanted = f.read()
            answer = server.get(f"/api/v1/profile?format={name}{query}")
            if got.returncode or answer.status != 200 or answer.body != wanted:
                wrong.append((name, got, str(answer)))
            elif f'filename="coldspot.{ending.split()[0]}"' not in \
                    (answer.headers["Content-Disposition"] or ""):
                wrong.append((name, answer.headers["Content-Disposition"]))
        ok(not wrong, f"all formats, {query or 'everything'}: as report writes them", wrong)
    packed = server.get("/api/v1/profile?format=ndjson", **{"Accept-Encoding": "gzip"})
    ok(packed.headers["Content-Encoding"] == "gzip" and packed.body[:2] == b"\x1f\x8b",
       "answers are compressed for those who can read it", packed)
    summary = run(COLDSPOT, "report", path).stdout
    ok(server.get("/api/v1/profile?format=summary").body.split(b"\n")[0] ==
       summary.split(b"\n")[0], "and the summary", summary)


def sums_of(windows):
    """Of all windows: time by cause, and the totals."""
    by_cause = {}
    for causes, ns in zip(windows["cause"], windows["ns"]):
        for c, n in zip(causes, ns):
            name = windows["causes"][c][0]
            by_cause[name] = by_cause.get(name, 0) + n
    return by_cause, {k: sum(windows[k]) for k in ("length_ns", "on_ns", "runq_ns", "blocked_ns")}


def sums_of_file(path):
    """The same from the tables of the recording."""
    def rows(sql):
        got = run("sqlite3", "-readonly", path, sql)
        assert not got.returncode, got
        return [line.split("|") for line in got.stdout.decode().split("\n")[:-1]]
    by_cause = {c: int(n) for c, n in rows("select cause, sum(blocked_ns + runq_ns) from causes "
                                           "group by cause having sum(blocked_ns + runq_ns) > 0")}
    keys = ("length_ns", "on_ns", "runq_ns", "blocked_ns")
    return by_cause, dict(zip(keys, map(int, rows(
        "select sum(window_ns), sum(on_ns), sum(preempted_ns + runq_ns), sum(blocked_ns) "
        "from windows")[0])))


def test_windows(server):
    windows = server.get("/api/v1/windows").json()
    ok(windows["seq"] == [1, 2, 3] and windows["begin_wall_ms"][1] == 1700000001000.123456 and
       windows["length_ns"] == [10**9] * 3 and windows["threads"] == [2] * 3 and
       windows["on_ns"] == [105 * 10**6] * 3, "the windows of the file", windows)
    by_cause, totals = sums_of(windows)
    ok(by_cause["disk-sync"] == 600 * 10**6 and
       sum(by_cause.values()) == totals["blocked_ns"] + totals["runq_ns"] and
       windows["idle_ns"] == [(502 + i) * 10**6 for i in range(3)], "their causes add up",
       windows)
    ok(server.get("/api/v1/windows?after=2").json()["seq"] == [3], "only those after one")
    for query, wanted in (("from=2", 500), ("to=1", 100), ("last=1", 300), ("last=2&to=2", 300),
                          ("from=2&to=2", 200)):
        p = server.get(f"/api/v1/profile?{query}&cause=disk-sync").json()
        got = sum(w["blocked_ns"] for w in p["waits"])
        ok(got == wanted * 10**6, f"profile of {query}", got)
    diff = server.get("/api/v1/diff?before=1&after=3").json()
    ok(any(c["cause"] == "disk-sync" and c["ns"] == [100 * 10**6, 300 * 10**6]
           for c in diff["causes"]), "what changed between two windows", diff.get("causes"))
    for form in ("page", "text", "svg", "html", "folded"):
        ok(server.get(f"/api/v1/diff?before=1&after=2-3&format={form}").status == 200,
           f"diff as {form}")
    for query in ("before=1", "after=1", "before=x&after=1", "before=1&after=9-",
                  "before=3-1&after=1", "before=-&after=1", "before=1&after=2&per=x"):
        ok(server.get(f"/api/v1/diff?{query}").status in (400, 404), f"diff of {query} is refused")


def events(server, path="/api/v1/stream", wanted=4, **headers):
    """The first events of a stream: name, id and data."""
    connection = server.connect()
    connection.request("GET", path, headers={"Authorization": "Bearer " + server.token, **headers})
    response = connection.getresponse()
    got, event = [], {}
    while len(got) < wanted:
        line = response.readline().decode().rstrip("\n")
        if line:
            key, _, value = line.partition(": ")
            event[key] = value
        elif "event" in event:
            got.append((event["event"], event.get("id"), json.loads(event["data"])))
            event = {}
        else:
            event = {}
    connection.close()
    return got


def test_stream(server):
    first, second = events(server, wanted=2)
    ok(first[0] == "status" and first[2]["mode"] == "recording" and second[0] == "window" and
       second[1] == "3" and second[2]["seq"] == [1, 2, 3], "a stream begins with all windows",
       (first, second))
    ok(events(server, "/api/v1/stream?after=2", 2)[1][2]["seq"] == [3], "or after one")
    ok(events(server, wanted=2, **{"Last-Event-ID": "1"})[1][2]["seq"] == [2, 3],
       "or where it was cut off")
    ok(events(server, wanted=2, **{"Last-Event-ID": "77"})[1][2]["seq"] == [1, 2, 3],
       "or, after another server's last event, from the beginning")


def test_tools(server):
    go = shutil.which("go") or "/usr/lib/go-1.19/bin/go"
    if os.path.exists(go):
        got = run(go, "tool", "pprof", "-top", "-sample_index=1",
                  f"http://127.0.0.1:{server.port}/debug/pprof/offcpu?seconds=1&token="
                  f"{server.token}", cwd=work, env={**os.environ, "HOME": work})
        ok(not got.returncode and b"pthread_mutex_lock" in got.stdout, "go tool pprof", got)
    else:
        skip("go tool pprof", "no go")
    if shutil.which("promtool"):
        metrics = server.get("/metrics")
        got = run("promtool", "check", "metrics", input=metrics.body)
        ok(metrics.headers["Content-Type"].startswith("text/plain; version=0.0.4") and
           not got.returncode and not got.stderr, "promtool check metrics", got)
        ok(b'coldspot_offcpu_seconds_total{cause="disk-sync",class="work"} 0.600000000\n' in
           metrics.body and
           b'coldspot_process_seconds_total{comm="shop",state="on"} 0.315000000\n' in metrics.body,
           "metrics have the sums", metrics.body)
    else:
        skip("promtool check metrics", "no promtool")
    if shutil.which("curl"):
        got = run("curl", "-sS", "--compressed", "-c", work + "/jar", "-L", server.url)
        ok(got.stdout.startswith(b"<!doctype html>"), "curl follows the address to the page", got)
        got = run("curl", "-sS", "-b", work + "/jar",
                  f"http://127.0.0.1:{server.port}/api/v1/status")
        ok(b'"mode":"recording"' in got.stdout, "and keeps the cookie", got)
    else:
        skip("curl", "no curl")


def test_prometheus(server):
    """A real one scrapes it."""
    if not shutil.which("prometheus"):
        skip("prometheus scrapes it", "no prometheus")
        return
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    with open(work + "/prometheus.yml", "w", encoding="utf-8") as f:
        f.write("global: {scrape_interval: 1s}\nscrape_configs: [{job_name: coldspot, "
                f"authorization: {{credentials: {server.token}}}, static_configs: [{{targets: "
                f"['127.0.0.1:{server.port}']}}]}}]\n")
    prometheus = subprocess.Popen(
        ["prometheus", f"--config.file={work}/prometheus.yml", f"--storage.tsdb.path={work}/tsdb",
         f"--web.listen-address=127.0.0.1:{port}"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def scraped():
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
            connection.request("GET", "/api/v1/query?query=coldspot_offcpu_seconds_total")
            answer = connection.getresponse()
            if answer.status == 503:  # it starts
                return None
            found = json.loads(answer.read())["data"]["result"]
        except OSError:
            return None
        return {m["metric"]["cause"]: m["value"][1] for m in found}
    found = until(scraped)
    ok(found and found["disk-sync"] == "0.6", "prometheus scrapes it", found)
    prometheus.terminate()
    prometheus.wait()


def test_recording(path):
    server = Serve(path)
    ok(re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[A-Za-z0-9_-]{43}", server.url),
       "the address is on standard output", server.url)
    until(lambda: server.status()["kept"]["last_seq"] == 3)
    test_routes(server, "recording")
    test_cookie(server)
    test_who(server)
    test_tricks(server)
    test_windows(server)
    test_stream(server)
    test_formats(server, path)
    test_tools(server)
    test_prometheus(server)
    test_large(server)
    test_crowd(server)
    test_slow(server)
    connection = server.connect()
    connection.request("GET", "/api/v1/stream",
                       headers={"Authorization": "Bearer " + server.token})
    connection.getresponse()
    ok(until(lambda: server.status()["health"]["viewers"] == 1), "a viewer is counted")
    status = server.end()
    ok(status == 0, "Ctrl-C ends it, also with an open stream", (status, server.said()))
    connection.close()


def test_directory(path):
    books = work + "/books"
    os.mkdir(books)
    shutil.copy(path, books + "/a.coldspot")
    window = "task 5/5 db group=db on=1ms\n  wait D sys=fsync blocked=70ms count=4\n    u main\n"
    shutil.copy(literal("db", window), books + "/b.coldspot")
    with open(books + "/broken.coldspot", "wb") as f:
        f.write(b"nothing" * 1000)
    os.symlink("/etc/passwd", books + "/link.coldspot")
    os.mkdir(books + "/deep.coldspot")
    with open(books + "/notes.txt", "w", encoding="utf-8") as f:
        f.write("no recording")
    server = Serve(books)
    found = until(lambda: (lambda a: a if all(b["read"] for b in a) else None)(
        server.get("/api/v1/recordings").json()))
    ok([b["name"] for b in found] == ["a.coldspot", "b.coldspot", "broken.coldspot"],
       "the recordings of a directory, and nothing else", found)
    a, b, broken = found
    ok((a["windows"], a["threads"], a["host"], a["target"], a["length_ns"], a["error"]) ==
       (3, 2, "web-7", "PID 100 (shop)", 3 * 10**9, None) and a["top_cause"] == "lock" and
       a["blocked_ns"] == (900 + 1503 + 600) * 10**6 and a["idle_ns"] == 1509 * 10**6,
       "what is in them", a)
    ok(broken["error"] and broken["threads"] is None, "one that is no recording says so", broken)
    ok([x["name"] for x in server.get("/api/v1/recordings?search=(DB)").json()] == ["b.coldspot"],
       "search")
    p = server.get(f"/api/v1/profile?recording={b['id']}").json()
    ok(sum(w["blocked_ns"] for w in p["waits"]) == 70 * 10**6, "a profile of one", p)
    ok(server.get(f"/api/v1/windows?recording={a['id']}").json()["seq"] == [1, 2, 3],
       "the windows of one")
    ok(server.get(f"/api/v1/diff?before={a['id']}:1&after={b['id']}").status == 200 and
       server.get(f"/api/v1/diff?before={a['id']}&after={b['id']}:1-1&format=page").status == 200,
       "two compared")
    sides = server.get(f"/api/v1/diff?before={a['id']}:1-2&after={b['id']}").json()
    ok([sides[side]["name"] for side in ("before", "after")] ==
       ["a.coldspot, windows 1-2", "b.coldspot"], "by the names of their files", sides)
    for wrong in ("a.coldspot", "../a.coldspot", "/etc/passwd", "0" * 16, "x" * 1000,
                  "link.coldspot", ""):
        query = urllib.parse.quote(wrong, safe="")
        for what in (f"profile?recording={query}", f"diff?before={query}&after={b['id']}"):
            answer = server.get("/api/v1/" + what)
            ok(answer.status in (400, 404) and "error" in answer.json(),
               f"no recording '{wrong[:20]}'", answer)
    ok(server.get("/api/v1/profile").status == 400, "which one must be said")
    os.remove(books + "/b.coldspot")
    ok([x["name"] for x in server.get("/api/v1/recordings").json()] ==
       ["a.coldspot", "broken.coldspot"], "one that is removed is no longer there")
    ok(server.end() == 0, "Ctrl-C ends it", server.said())


def store_day(store, begin, *blocked_s):
    """A day of a store: windows of a minute, which follow each other from `begin` on (UTC)."""
    at = datetime.datetime.fromisoformat(begin + "+00:00").timestamp()
    texts = []
    for i, seconds in enumerate(blocked_s):
        texts.append(f"{work}/day{i}.lit")
        with open(texts[-1], "w", encoding="utf-8") as f:
            f.write(f"host db1\nkernel 6.18.44\narch x86_64\nboot 5f1c\nwindow 60s\n"
                    f"begin_wall {int(at + i * 60)}000000000\n"
                    f"begin_mono {int(at + i * 60 - 1790000000)}000000000\n"
                    f"task 4/4 main start=7\n"
                    f"wait S sys=202 blocked={seconds}s count=3 max={seconds}s\n u main\n")
    made = run(MAKER, f"{store}/{begin[:10]}.coldspot", *texts)
    assert not made.returncode, made
    return int(at * 1000)


def blocked(server, query):
    answer = server.get("/api/v1/profile?" + query)
    return answer.json()["budget"]["listed_blocked_ns"] / 1e9 if answer.status == 200 else answer


def test_store_times(server, then, now):
    ok(blocked(server, "") == 66, "without a time: the last hour", blocked(server, ""))
    for query, want in [("at=2026-11-04T14:33:18Z", 12), ("on=2026-11-04Z&since=14:33Z", 25),
                        ("since=-2m", 45), (f"from={then}&to={then + 60000}", 23),
                        ("on=2026-11-04Z&last=1", 13), ("at=10:02:30Z", 23)]:
        ok(blocked(server, query) == want, f"{query}: {want} s", blocked(server, query))
    for query, status, says in [("at=2026-11-04T14:20Z", 404, "no window at 2026-11-04T14:20"),
                                ("from=1&to=5", 404, "the windows are from 2026-11-04T14:32"),
                                ("at=soon", 400, "is not a time"),
                                ("recording=1", 400, "directory"),
                                ("at=-1m&since=-2m", 400, "excludes")]:
        answer = server.get("/api/v1/profile?" + query)
        ok(answer.status == status and says in answer.json()["error"], f"{query} is refused",
           answer)
    windows = server.get("/api/v1/windows?on=2026-11-04Z").json()
    ok(windows["seq"] == [then, then + 60000, then + 120000] and windows["threads"] == [1, 1, 1],
       "windows are numbered by when they begin", windows)
    rest = server.get(f"/api/v1/windows?on=2026-11-04Z&after={then}").json()["seq"]
    ok(rest == windows["seq"][1:], "and go on after one", rest)
    diff = server.get(f"/api/v1/diff?before={then}-{then}&after={now}-{now}").json()
    ok([diff[side]["name"] for side in ("before", "after")] ==
       ["window of 2026-11-04T14:32:00.000Z",
        "window of 2026-11-25T10:00:00.000Z"],
       "two times are compared, by name", list(diff))
    ok(server.get("/debug/pprof/offcpu?since=-1m").body[:2] == b"\x1f\x8b", "pprof of a time")
    for path in ("/metrics", "/api/v1/stream", "/api/v1/recordings"):
        answer = server.get(path)
        ok(answer.status == 404 and "does not exist here: this server shows the past" in
           answer.json()["error"], f"{path} says that it is not there", answer)


def test_store():
    store = tempfile.mkdtemp(dir=work)
    then = store_day(store, "2026-11-04T14:32:00", 11, 12, 13)
    now = store_day(store, "2026-11-25T10:00:00", 21, 22, 23)
    server = Serve(store)
    ok("showing the last hour of the store, 2026-11-25T10:00:00.000Z to 2026-11-25T10:03:00.000Z" in
       server.said(), "it says which time it shows", server.said())
    status = server.status()
    ok(status["mode"] == "store" and status["store"]["is_last_hour"] and
       status["store"]["first_ms"] == then and status["store"]["last_ms"] == now + 180000 and
       status["store"]["since_ms"] == now + 180000 - 3600000,
       "the status has the span of the store", status.get("store"))
    test_store_times(server, then, now)
    store_day(store, "2026-11-26T00:00:00", 31)
    ok(blocked(server, "") == 31 and server.status()["store"]["last_ms"] > now + 180000,
       "what is written meanwhile is there", blocked(server, ""))
    ok(server.end() == 0, "Ctrl-C ends it", server.said())
    os.mkdir(f"{work}/young")
    begin = store_day(f"{work}/young", "2026-11-25T10:00:00", 1)
    server = Serve(f"{work}/young")
    ok(server.status()["store"]["since_ms"] == begin, "a store of a minute fills the strip",
       server.status()["store"])
    server.end()
    server = Serve(store, "--at", "2026-11-04T14:33:18Z")
    status = server.status()["store"]
    ok(status["at_ms"] == then + 78000 and not status["is_last_hour"] and
       status["since_ms"] == then + 78000 - 1800000 and
       server.get("/api/v1/windows").json()["seq"][0] == then, "--at shows the hour around", status)
    server.end()
    with open(f"{store}/2026-11-24.coldspot", "wb") as f:
        f.write(b"no recording" * 100)
    server = Serve(store, "--since", "2026-11-23T00:00Z")
    ok(blocked(server, "") == 97 and "2026-11-24.coldspot" in server.said(),
       "a damaged day is said, and left out", server.said())
    server.end()
    os.mkdir(f"{work}/no_store")
    for args, status, says in [
            ([store, "--at", "2026-11-04T14:20Z"], 1, "no window at 2026-11-04T14:20:00.000Z: the"),
            ([store, "--on", "2026-10-01"], 1, "no window in that time range"),
            ([store, "--on", "2026-11-24Z"], 1, "2026-11-24.coldspot"),
            ([f"{work}/no_store", "--at", "10:00"], 1, "is no store"),
            ([f"{store}/2026-11-04.coldspot", "--at", "14:32"], 1, "is a file"),
            (["--at", "14:32"], 2, "need a store"),
            ([store, "--at", "14:32", "--since", "-1h"], 2, "--at"),
            ([store, "--at", "noon"], 2, "is not a time")]:
        ended = run(COLDSPOT, "serve", *args)
        ok(ended.returncode == status and says in ended.stderr.decode() and not ended.stdout,
           f"serve {' '.join(args[1:] or args)} is refused", ended)


def test_password(path):
    if not shutil.which("openssl"):
        skip("TLS and a password", "no openssl")
        return
    made = run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
               "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
               work + "/key.pem", "-out", work + "/cert.pem")
    assert not made.returncode, made
    with open(work + "/password", "w", encoding="utf-8") as f:
        f.write("correct horse: battery\nnot this\n")
    tls = ["--tls-cert", work + "/cert.pem", "--tls-key", work + "/key.pem"]
    got = run(COLDSPOT, "serve", "--listen", "0.0.0.0:0", *tls, path)
    ok(got.returncode == 1 and b"add --password-file" in got.stderr, "TLS alone is refused", got)
    got = run(COLDSPOT, "serve", "--listen", "0.0.0.0:0", "--password-file", work + "/password",
              path)
    ok(got.returncode == 1 and b"add --tls-cert and --tls-key," in got.stderr,
       "a password alone is refused", got)
    got = run(COLDSPOT, "serve", *tls[:3], work + "/password", path)
    ok(got.returncode == 1 and got.stderr.count(b"\n") == 1, "a key that is no key is refused", got)
    context = ssl.create_default_context(cafile=work + "/cert.pem")
    server = Serve("--listen", "0.0.0.0:0", *tls, "--password-file", work + "/password", path,
                   tls=context)
    ok(re.fullmatch(r"https://0\.0\.0\.0:\d+/", server.url), "no token in the address", server.url)

    def basic(pair):
        return {"Authorization": "Basic " + base64.b64encode(pair.encode()).decode()}
    ok(server.ask("/", basic("me:correct horse: battery")).status == 200 and
       server.ask("/api/v1/status", basic(":correct horse: battery")).status == 200,
       "the password opens it")
    bare = server.ask("/")
    ok(bare.status == 401 and bare.headers["WWW-Authenticate"].startswith("Basic realm="),
       "a browser gets to know that it has to ask for it", bare)
    for wrong in ("me:correct horse: batter", "me:", "correct horse: battery", "me:" + "x" * 2000,
                  "me:correct horse: battery\n"):
        ok(server.ask("/api/v1/status", basic(wrong)).status == 401, "another one does not")
    with socket.create_connection(("127.0.0.1", server.port)) as s:
        s.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        got = s.recv(100)
        ok(not got.startswith(b"HTTP/1.1 2"), "nothing is said without TLS", got)
    ok(server.end() == 0, "Ctrl-C ends it", server.said())


LOAD = """
import os, threading, time
lock = threading.Lock()
def hold():
    while True:
        with lock:
            time.sleep(0.002)
for _ in range(8):
    threading.Thread(target=hold, daemon=True).start()
r, w = os.pipe()
def ping():
    while True:
        os.write(w, b"x")
        time.sleep(0.0005)
threading.Thread(target=ping, daemon=True).start()
end = time.monotonic() + float(os.environ["LOAD_S"])
while time.monotonic() < end:
    os.read(r, 100)
"""


def can_record():
    return run(COLDSPOT, "record", "-q", "-d", "0.1", "-o", work + "/try.folded", "--",
               "true").returncode == 0


def capabilities(pid):
    """Names of threads and their effective capabilities."""
    found = []
    for path in glob.glob(f"/proc/{pid}/task/*/status"):
        try:
            with open(path, encoding="utf-8") as f:
                text = f.read()
        except (FileNotFoundError, ProcessLookupError):  # a thread of a connection has ended
            continue
        found.append((re.search(r"Name:\s*(.*)", text)[1],
                      int(re.search(r"CapEff:\s*([0-9a-f]+)", text)[1], 16)))
    return found


def test_live():
    """Under load, with viewers that come, read, and stop reading."""
    path = work + "/live.coldspot"
    env = {**os.environ, "LOAD_S": "600"}
    load = subprocess.Popen([sys.executable, "-c", LOAD], env=env)
    other = subprocess.Popen([sys.executable, "-c", LOAD], env=env)
    server = Serve("-p", str(load.pid), "--window", "200ms", "-o", path)
    rude = server.raw()  # reads nothing
    rude.sendall(f"GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\n"
                 f"Authorization: Bearer {server.token}\r\n\r\n".encode())
    got = events(server, wanted=6)
    ok([e[0] for e in got].count("window") >= 3 and
       all(e[2]["server"] == got[0][2]["server"] for e in got), "windows come as they end", got)
    test_routes(server, "live")
    caps = capabilities(server.process.pid)
    threads = [c for name, c in caps if name.startswith(("MHD-", "serve-"))]
    ok(len(threads) >= 3 and not any(threads), "threads of the server have no capability", caps)
    go = shutil.which("go") or "/usr/lib/go-1.19/bin/go"
    if os.path.exists(go):
        got = run(go, "tool", "pprof", "-top", "-sample_index=1", f"http://127.0.0.1:{server.port}"
                  f"/debug/pprof/offcpu?seconds=2&token={server.token}", cwd=work,
                  env={**os.environ, "HOME": work})
        ok(not got.returncode and b"nanosleep" in got.stdout, "go tool pprof of a live one", got)
    else:
        skip("go tool pprof of a live one", "no go")

    def post(body, **headers):
        return server.ask("/api/v1/targets", {"Authorization": "Bearer " + server.token, **headers},
                          "POST", body)
    added = post(json.dumps({"add": {"pid": other.pid}}))
    ok(added.status == 200 and {t["pid"] for t in added.json()["targets"]} ==
       {load.pid, other.pid}, "a process is added", added)

    def has_other():
        p = server.get("/api/v1/profile?last=1").json()
        return any(t["tgid"] == other.pid for t in p["tasks"])
    ok(until(has_other), "and recorded")
    removed = post('{"remove": {"pid": %d}}' % other.pid)
    ok(removed.status == 200 and removed.json()["targets"] == [{"pid": load.pid}],
       "and removed", removed)
    ok(until(lambda: not has_other()), "and no longer recorded")
    ok(post('{"add": {"pid": 4194304}}').status == 404, "one that does not exist is not added")
    for body in ("", "{}", '{"add": 1}', '{"add": {"pid": -1}}', '{"add": {"pid": 1}} x',
                 "[" * 4000):
        ok(post(body).status == 400, f"body {body[:20]} is refused")
    ok(post("x" * 5000).status == 413, "a large body is refused")
    ok(post('{"add": {"pid": 1}}', Origin="http://evil.example").status == 403,
       "another site's page cannot add one")
    os.kill(load.pid, signal.SIGKILL)
    load.wait()
    ok(until(lambda: server.status()["over"] == "all processes have ended"),
       "when they have ended, it says so and stays", server.status())
    windows = server.get("/api/v1/windows").json()
    profile = server.get("/api/v1/profile").json()
    ok(windows["seq"] == list(range(1, len(windows["seq"]) + 1)) and len(windows["seq"]) >= 10,
       "no window is missing", windows["seq"])
    status = server.end()
    rude.close()
    ok(status == 0 and re.search(r"wrote .*live\.coldspot", server.said()), "Ctrl-C ends it",
       (status, server.said()))
    live, file = sums_of(windows), sums_of_file(path)
    ok(live == file and sum(live[0].values()) > 10**9, "sums of all windows are those of the file",
       (live, file))
    report = run(COLDSPOT, "report", path, "-f", "json").stdout
    report = json.loads(report)
    ok(profile["budget"] == report["budget"], "and so is the profile of all")
    ok(sum(w["blocked_ns"] + w["runq_ns"] for w in profile["waits"]) ==
       sum(w["blocked_ns"] + w["runq_ns"] for w in report["waits"]), "with all its waits")
    other.kill()
    other.wait()


def test_cgroups():
    """Cgroups come and go while it records one."""
    mount = re.search(r"^\S+ \S+ \S+ \S+ (\S+) .* - cgroup2 ",
                      open("/proc/self/mountinfo", encoding="utf-8").read(), re.M)
    top = os.path.join(mount[1], f"coldspot-serve-{os.getpid()}") if mount else "/nowhere"
    try:
        os.mkdir(top)
    except OSError as e:
        return skip("cgroups come and go", str(e))
    paths, loads = [os.path.join(top, n) for n in ("one", "two")], []
    try:
        for path in paths:
            os.mkdir(path)
            loads.append(subprocess.Popen(["sleep", "601"]))
            with open(path + "/cgroup.procs", "w", encoding="ascii") as f:
                f.write(str(loads[-1].pid))
        names = [f"/{os.path.basename(top)}/{n}" for n in ("one", "two")]
        server = Serve("--cgroup", names[0], "--window", "200ms")

        def post(how, **whom):
            return server.ask("/api/v1/targets", {"Authorization": "Bearer " + server.token},
                              "POST", json.dumps({how: whom}))

        def seen():
            tasks = server.get("/api/v1/profile?last=1").json().get("tasks", [])
            return {t["tgid"] for t in tasks}
        ok(until(lambda: seen() == {loads[0].pid}), "one cgroup is recorded", seen())
        added = post("add", cgroup=names[1])
        ok(added.status == 200 and added.json()["targets"] == [{"cgroup": n} for n in names],
           "a cgroup is added", added)
        ok(until(lambda: seen() == {p.pid for p in loads}), "and recorded", seen())
        ok(post("add", cgroup=names[1]).status == 409, "twice is refused")
        ok(post("add", cgroup=names[0] + "/none").status == 404, "so is one that does not exist")
        refused = post("add", pid=loads[0].pid)
        ok(refused.status == 400 and "cgroups, not processes" in refused.json()["error"],
           "and a process", refused)
        ok(post("remove", cgroup=names[0]).status == 200 and until(lambda: seen() ==
           {loads[1].pid}), "a cgroup is removed, and no longer recorded", seen())
        ok(post("remove", cgroup=names[1]).status == 400, "the last one stays")
        ok(server.end() == 0, "Ctrl-C ends it", server.said())
    finally:
        for load in loads:
            load.kill()
            load.wait()
        for path in paths + [top]:
            if os.path.isdir(path):
                os.rmdir(path)
    return None


def test_keep():
    """What is too old is dropped and counted; a command's end is said."""
    server = Serve("--window", "100ms", "--keep", "1s", "--", sys.executable, "-c",
                   "import time\nfor _ in range(400): time.sleep(0.01)")
    ok(until(lambda: server.status()["kept"]["dropped"] >= 5), "old windows are dropped",
       server.status())
    kept = server.get("/api/v1/windows").json()
    ok(kept["dropped"] == kept["seq"][0] - 1 and sum(kept["length_ns"]) <= 10**9,
       "the numbers say how many", kept)
    ok(server.get("/api/v1/profile?from=1&to=1").status == 404, "they are no longer there")
    ok(server.ask("/api/v1/targets", {"Authorization": "Bearer " + server.token}, "POST",
                  '{"add": {"pid": 1}}').status == 409, "targets of a command cannot change")
    ok(until(lambda: server.status()["over"]), "the end of the command is said", server.status())
    ok(server.end() == 0, "Ctrl-C ends it", server.said())


def test_intervals():
    """What the heat map shows: sums within a second, of a recording without a file."""
    server = Serve("--window", "1s", "--interval", "100ms", "--", sys.executable, "-c",
                   "import time\nfor _ in range(600): time.sleep(0.01)")
    ok(until(lambda: server.status()["kept"]["last_seq"] >= 2), "two windows", server.status())
    windows = server.get("/api/v1/windows").json()
    parts = windows["intervals"][0]
    ok(parts and len(parts["ns"]) == len(parts["length_ns"]) > 1 and
       [sum(of) for of in zip(*parts["ns"])] == windows["ns"][0],
       "the intervals of a window add up to its sums", windows)
    profile = server.get("/api/v1/profile?last=1").json()
    ok(profile["budget"]["threads"] >= 1, "a profile of it", profile.get("budget"))
    ok(server.end() == 0, "Ctrl-C ends it", server.said())


def page_head(server, query):
    """The JSON at the begin of what the page is given."""
    data = server.get(f"/api/v1/profile?{query}&format=page").body
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    length = int.from_bytes(data[:4], "little")
    return json.loads(data[4:4 + length])


def test_events():
    """Timelines of windows that follow each other, of which each keeps so many instants."""
    server = Serve("--window", "300ms", "--events", "--max-events", "9", "--wakers", "--",
                   sys.executable, "-c", "import time\nfor _ in range(150): time.sleep(0.02)")
    ok(until(lambda: server.status()["kept"]["last_seq"] >= 4), "four windows", server.status())
    head = page_head(server, "from=2&to=3")
    # the wait that the end of a window cuts comes on top
    ok(18 <= head.get("timelines", {}).get("waits", 0) <= 22, "windows have instants, so many each",
       head.get("timelines"))
    ok(head.get("graph", {}).get("redistributed"), "and who ended them", head.get("graph"))
    lost = [loss for loss in server.status()["health"]["losses"] if loss["name"] == "events_lost"]
    ok(lost and lost[0]["events"] >= 4, "what did not fit is counted", lost)
    profile = server.get("/api/v1/profile?from=2&to=2").json()
    count = sum(w["count"] for w in profile["waits"])
    ok(count > 9, "the sums have all of it", count)
    ok(server.end() == 0, "Ctrl-C ends it", server.said())


# Answers after 30 ms.
NAPS = """
import http.server, time
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        time.sleep(0.03)
        self.send_response(200); self.send_header("Content-Length", "2"); self.end_headers()
        self.wfile.write(b"ok")
    def log_message(self, *args): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"""
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def ask_for_naps(port, count):
    """How long the client waited for all of them, in ns."""
    c = http.client.HTTPConnection("127.0.0.1", port)
    begin = time.monotonic_ns()
    for i in range(count):
        c.request("GET", f"/nap/{i}", headers={"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"}
                  if i == 3 else {})
        c.getresponse().read()
    return time.monotonic_ns() - begin


def test_requests():
    """Requests of a server while it is recorded, in windows shorter than all of them."""
    program = subprocess.Popen([sys.executable, "-c", NAPS], stdout=subprocess.PIPE)
    port = int(program.stdout.readline())
    server = Serve("--window", "200ms", "--request", "auto:http", "--wakers", "-p",
                   str(program.pid))
    ok(until(lambda: server.status()["kept"]["last_seq"] >= 1), "a window", server.status())
    ok(server.get("/api/v1/requests?to=1").json().get("classes") == [] and
       page_head(server, "to=1").get("requests") == {"classes": 0, "of": 0},
       "a window before the first request")
    ns = ask_for_naps(port, 20)
    last = server.status()["kept"]["last_seq"]
    ok(until(lambda: server.status()["kept"]["last_seq"] >= last + 2), "windows of all requests")
    name = f":{port} GET /nap/{{}}"
    answer = server.get("/api/v1/requests?critical-path=1")
    got = {c["class"]: c for c in answer.json()["classes"]}.get(name, {})
    ok(answer.headers["Content-Type"] == "application/json" and got.get("count") == 20,
       "each request is one, whichever windows it is in", answer)
    others = ("on_cpu", "runq", "idle", "unknown", "not_split")
    parts = sum(got["blocked_ns"].values()) + sum(got[f"{part}_ns"] for part in others)
    ok(20 * 30_000_000 <= got["wall_ns"] == parts <= ns, "its parts add up to it", got)
    ok(sum(row["ns"] for row in got["critical_path"]) == got["wall_ns"], "so does its path", got)
    ok(got["blocked_ns"].get("sleep", 0) >= 20 * 29_000_000, "it was asleep", got)
    one = server.get(f"/api/v1/requests?trace={TRACE[:8].upper()}").json()["classes"]
    ok([c["count"] for c in one] == [1] and one[0]["slowest"][0]["trace"] == TRACE,
       "a request is found by the id of its trace", one)
    text = server.get("/api/v1/requests?format=summary")
    ok(name in text.body.decode() and text.headers["Content-Type"].startswith("text/plain"),
       "the text", text)
    few = server.get("/api/v1/requests?last=1").json()["classes"]
    ok(sum(c["count"] for c in few) < 20, "of one window, those that it has whole", few)
    ok(page_head(server, "from=1").get("requests", {}).get("of", 0) >= 1, "the page has them")
    for query, why in (("trace=12", "trace"), ("trace=0" * 8, "trace"), ("format=svg", "format"),
                       ("critical-path=7", "critical-path"), ("frm=1", "frm")):
        bad = server.get(f"/api/v1/requests?{query}")
        ok(bad.status == 400 and why in bad.json()["error"], f"{query} is refused", bad)
    none = server.get("/api/v1/requests?trace=" + "0" * 32)
    ok(none.status == 404 and "trace id" in none.json()["error"], "so is a trace there is not",
       none)
    ok(server.end() == 0, "Ctrl-C ends it", server.said())
    program.kill()
    program.wait()


def main():
    path = shop()
    test_usage(path)
    test_recording(path)
    test_directory(path)
    test_store()
    test_password(path)
    if can_record() and shutil.which("sqlite3"):
        test_live()
        test_cgroups()
        test_keep()
        test_intervals()
        test_events()
        test_requests()
    else:
        skip("a recording that goes on", "this machine or user cannot record: see coldspot doctor")
    print(f"1..{count}")


try:
    main()
finally:
    shutil.rmtree(work, ignore_errors=True)
