#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""report and diff of what hosts pushed to ClickHouse. Prints TAP; needs no root and no network.

Faults come from a server in this file. The sums are those of the real engine, npm's `chdb`, which
is started where node finds it (NODE_PATH): docs/fleet.md says how."""
import gzip
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from tap import COLDSPOT, Tap  # noqa: E402

MAKER = os.path.join(os.path.abspath(os.environ["COLDSPOT_BUILD"]),
                     "tests/cli/test_literal_recording")
GOLDEN = os.path.join(HERE, "..", "golden")
BEGIN = 1795478400  # of 2026-11-24
DAY = "2026-11-24"
STORES = {"db1": ["objects", "cgroups", "shop"], "db2": ["shop", "unnamed", "objects"],
          "web-1": ["lost", "kernel", "python"]}
HEAD = ("host", "boot", "arch", "begin_wall", "begin_mono", "window")

tap = Tap()


def run(*args):
    done = subprocess.run([COLDSPOT, *args], timeout=60, check=False, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def differs(got, want):
    return None if got == want else f"{got}\nnot {want}"


# A server with faults.

WINDOWS = [["db1", BEGIN * 10**9, 60 * 10**9, 2, 2, 0, 2, 1, 0, 5000, 5000]]
SUMS = [["db1", "shop", "lock", "work", "S", "futex", "/a", "", "w", 7, 8, "lock x", "w/9", "11",
         3000, 2, 1000],
        ["db1", "shop", "sleep", "idle", "S", "", "/a", "", "w", 7, 9, "", "", "12", 2000, 1, 0]]
STACKS = [["11", ["main", "take\\u005flock", "futex_wait"], ["/x", "/x", ""], 1],
          ["12", ["main", "nap"], [], 65535]]


def body_of(rows):
    text = json.dumps({"meta": [{"name": "a", "type": "String"}], "data": rows,
                       "rows": len(rows), "statistics": {"elapsed": 0.1}})
    return text.replace("\\\\u", "\\u")


GOOD = [body_of(WINDOWS), body_of(SUMS), body_of(STACKS)]


class Stub:
    """Answers with one of `plan` after the other: (status, body), or a word."""

    def __init__(self, plan):
        stub = self
        self.plan, self.seen, self.headers = list(plan), [], []

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_args):
                pass

            def do_POST(self):
                stub.seen.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
                stub.headers.append(dict(self.headers))
                what = stub.plan.pop(0) if stub.plan else "drop"
                if what == "drop":
                    self.close_connection = True
                    return
                status, body = what[0], what[1].encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(body) + 10 * (len(what) > 2)))
                self.end_headers()
                self.wfile.write(body)
                self.close_connection = len(what) > 2

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_args):
        self.server.shutdown()
        self.server.socket.close()

    def url(self, rest="", user=""):
        return f"clickhouse+http://{user}127.0.0.1:{self.port}{rest}"


def answers(*bodies):
    return [(200, b) for b in bodies]


def good():
    with Stub(answers(*GOOD)) as s:
        status, out, err = run("report", s.url("/?database=waits"), "-f", "folded")
        tap.ok("an answer becomes a report",
               differs((status, sorted(out.splitlines())),
                       (0, ["w;main;nap 2", "w;main;take_lock;futex_wait 3"])) and out + err)
        tap.ok("what it cannot tell is said", "time on a CPU" not in err and err)
    with Stub(answers(*GOOD)) as s:
        out = json.loads(run("export", "json", s.url())[1])
        tap.ok("and is null, not 0", differs(
            [out["budget"]["on_ns"], out["header"]["begin_mono_ns"], out["header"]["ncpu"],
             out["tasks"][0]["start_boottime_ns"], out["waits"][0]["max_ns"]], [None] * 5))
    with Stub(answers(*GOOD)) as s:
        status, out, err = run("report", f"clickhouse://127.0.0.1:{s.port}/waits", "-f", "folded")
        tap.ok("clickhouse://HOST/DATABASE is the same", (status or "w;main;nap 2" not in out) and
               out + err)


# db1 by hooks; db2 by visits, which count nothing and sum up a short thread.
MIXED_WINDOWS = [[host, BEGIN * 10**9, 60 * 10**9, 2, 2, 0, 2, 1, 1, ns, ns]
                 for host, ns in (("db1", 5000), ("db2", 9000))]
MIXED_SUMS = [["db1", "shop", "lock", "work", "S", "futex", "/a", "", "w", 7, 8, "", "", "12",
               3000, 2, 1000],
              ["db1", "shop", "preempted", "work", "R", "", "/a", "c1", "w", 7, 8, "", "", "12",
               2000, 4, 2000],
              ["db2", "shop", "lock", "work", "S", "futex", "/a", "", "w", 7, 8, "", "", "12",
               6000, 0, 0],
              ["db2", "shop", "runnable", "work", "R", "", "/a", "", "w", 0, 0, "", "", "12",
               3000, 0, 3000]]


def mixed():
    def ask(*args):
        with Stub(answers(body_of(MIXED_WINDOWS), body_of(MIXED_SUMS), body_of(STACKS))) as s:
            return run(*args, s.url())

    _, out, err = ask("report")
    lines = out.splitlines()
    lock = [line for line in lines if "lock" in line and "%" in line]
    tap.ok("waits that are counted in part have no count and no mean",
           (not lock or lock[0].split()[3:5] != ["-", "-"]) and out)
    tap.ok("visits cannot tell who was preempted",
           "preempted or woken: visits cannot tell" not in out and out)
    tap.ok("the number of threads is a lower bound", "at least 2 threads" not in lines[0] and
           lines[0])
    tap.ok("sampled windows are said to be estimates",
           ("2 of 2 windows were sampled: sums are estimates" not in err or
            "how far estimates are off" not in out) and err + out)
    out = json.loads(ask("export", "json")[1])
    tap.ok("none of it is a number for programs", differs(
        [out["budget"][k] for k in ("threads", "processes", "preempted_ns")] +
        [out["tasks"][0]["preempted_ns"], [w["count"] for w in out["waits"]]],
        [None] * 4 + [[2, 4, None, None]]))
    out = ask("hist")[1]
    tap.ok("a histogram does not say that nothing waited",
           ("No thread waited" in out or "in sums of waits" not in out) and out)
    out = ask("export", "svg")[1]
    tap.ok("frames have no count either", ("waits)" in out or "at least 2 threads" not in out) and
           out[-1500:])
    status, out, err = ask("export", "perfetto")
    tap.ok("instants are in no option of a recording",
           (status != 1 or out or "--events" in err or "ClickHouse" not in err) and err)


def cut(body):
    """Whatever of an answer is missing, it is no answer."""
    return [body[:n] for n in range(0, len(body), 23)]


FAULTS = [
    ("no such database", [(404, "Code: 81. DB::Exception: Database x doesn't exist")],
     "no such database"),
    ("no such table", [(404, "Code: 60. DB::Exception: Table default.offcpu_samples")],
     "--clickhouse-schema"),
    ("another schema", [(404, "Code: 47. DB::Exception: Unknown identifier `wait`")],
     "another version of coldspot"),
    ("wrong password", [(403, "Code: 516. DB::Exception: me: Authentication failed")],
     "refuses the user or password"),
    ("401", [(401, "who are you?")], "refuses the user or password"),
    ("503", [(503, "busy\nsecond line")], "status 503: busy"),
    ("a redirect", [(301, "")], "status 301"),
    ("a connection that ends", ["drop"], "no whole answer"),
    ("a body that ends early", [(200, GOOD[0], "short")], "no whole answer"),
    ("no ClickHouse", [(200, "<html>hello</html>")], "not one of ClickHouse"),
    ("an error behind the first rows",
     [(200, GOOD[0][:60] + "\nCode: 241. DB::Exception: Memory limit exceeded\n")],
     "the server stopped in its answer: Memory limit exceeded"),
    ("rows that are missing", [(200, GOOD[0].replace('"rows": 1', '"rows": 2'))],
     "1 of 2 rows"),
    ("sums that are missing", [(200, GOOD[0]), (200, body_of(SUMS[:1]))] * 4,
     "faster than they can be read"),
    ("stacks that break off", answers(*GOOD[:2]) + [(200, GOOD[2][:-5])], "broke off"),
]


def faults():
    for name, plan, want in FAULTS:
        with Stub(plan) as s:
            status, out, err = run("report", s.url(user="me:s3cr3t@"))
            tap.ok(f"{name}: one sentence, and a status",
                   (status != 1 or out or want not in err or err.count("\n") != 1 or
                    "s3cr3t" in err) and f"{status}\n{out}\n{err}")
    bad = []
    for at, body in enumerate(GOOD):
        for part in cut(body):
            with Stub(answers(*GOOD[:at], part)) as s:
                status, out, _ = run("report", s.url())
                if status != 1 or out:
                    bad.append((at, part))
    tap.ok("nothing is answered from part of an answer", bad)


def texts():
    glob = "x' OR 1=1 -- \\ \n*?"
    with Stub(answers(*GOOD)) as s:
        run("report", s.url(), "--host", glob, "--service", glob, "--since", "2026-11-24T00:00Z")
        want = r"'(?s)^x\\x{27}\\x{20}OR\\x{20}1\\x{3d}1\\x{20}\\x{2d}\\x{2d}\\x{20}\\x{5c}" \
               r"\\x{20}\\x{0a}.*.$'"
        tap.ok("texts of the user stay in their literals", [q for q in s.seen if
               want not in q or q.replace(want, "").count("'")] or (not s.seen and "nothing"))
    with tempfile.TemporaryDirectory() as d, Stub(answers(*GOOD)) as s:
        token = os.path.join(d, "token")
        with open(token, "w", encoding="ascii") as f:
            f.write("X-ClickHouse-Key: s3cr3t\n")
        os.chmod(token, 0o600)
        status, _, err = run("report", s.url(f"/?header-file={token}"))
        tap.ok("headers come from a file",
               (status or s.headers[0].get("X-ClickHouse-Key") != "s3cr3t") and err)
        os.chmod(token, 0o644)
        status, _, err = run("report", s.url(f"/?header-file={token}"))
        tap.ok("which others may not read", (status != 1 or "others cannot read" not in err) and
               err)
    for args, want in ((["--host", "a", "x.coldspot"], "--host selects rows of ClickHouse"),
                       (["clickhouse://h/a/b"], "one name behind the host"),
                       (["clickhouse://h", "x.coldspot"], "cannot be merged")):
        status, _, err = run("report", *args)
        tap.ok(f"{args[-2:]} is refused", (status != 2 or want not in err) and err)


# What the engine would answer to statements without conditions, so that each run has sums.

KEY = ("host", "service", "cause", "class", "state", "syscall", "cgroup", "container", "thread",
       "pid", "tid", "object", "owner", "stack_id")


class Tables:
    """Takes what is pushed, and adds it up."""

    def __init__(self, directory):
        tables = self
        self.dir, self.samples, self.stacks = directory, [], {}

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_args):
                pass

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if "INSERT" in self.path:
                    tables.insert(gzip.decompress(body).decode())
                answer = "" if "INSERT" in self.path else tables.answer(body.decode())
                self.send_response(200)
                self.send_header("Content-Length", str(len(answer.encode())))
                self.end_headers()
                self.wfile.write(answer.encode())

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"clickhouse+http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def store(self, host):
        return os.path.join(self.dir, host)

    def insert(self, text):
        for row in map(json.loads, text.splitlines()):
            if "frames" in row:
                self.stacks[row["stack_id"]] = row
            else:
                self.samples.append(row)

    def grouped(self, key):
        groups = {}
        for row in self.samples:
            groups.setdefault(tuple(row[k] for k in key), []).append(row)
        return sorted(groups.items())

    def answer(self, sql):
        def total(rows, name):
            return sum(row[name] for row in rows)

        assert "WHERE 1 " in sql, sql
        if sql.startswith("SELECT host, begin_ns"):
            rows = [[*key, g[0]["window_ns"], len(g), len({r["wait"] for r in g}), 0,
                     g[0]["rows"], 1, g[0]["sampled"], total(g, "ns"), total(g, "ns")]
                    for key, g in self.grouped(("host", "begin_ns"))]
        elif sql.startswith("SELECT host, service"):
            rows = [[*key, total(g, "ns"), total(g, "count"), total(g, "runq_ns")]
                    for key, g in self.grouped(KEY)]
        else:
            rows = [[i, s["frames"], s["files"], s["kernel"]] for i, s in self.stacks.items()]
        return json.dumps({"meta": [], "data": rows, "rows": len(rows)})


def pushed():
    with tempfile.TemporaryDirectory() as d:
        tables = Tables(d)
        for number, host in enumerate(STORES):
            make_store(tables, host, number)
        stores = [tables.store(host) for host in STORES]
        tap.ok("what is pushed is the sum of the stores", differs(sums(tables.url),
                                                                  sums(*stores)))
        tap.ok("with the same stacks", differs(folded(tables.url), folded(*stores)))
        for what, at in (("a row", 3), ("the last row", -1)):
            row = tables.samples.pop(at)
            status, _, err = run("report", tables.url)
            tap.ok(f"{what} that is missing is said",
                   (status != 1 or "1 of 9 windows lack rows" not in err) and err)
            tables.samples.append(row)
        tables.server.shutdown()
        tables.server.server_close()


# The engine.

class Engine:
    def __init__(self, directory):
        self.dir = directory
        self.node = subprocess.Popen(["node", os.path.join(HERE, "push/chdb_server.js"),
                                      directory], stdin=subprocess.DEVNULL)
        port = os.path.join(directory, "port")
        while not os.path.exists(port):
            assert self.node.poll() is None, "the engine ended"
            time.sleep(0.05)
        time.sleep(0.1)
        with open(port, encoding="ascii") as f:
            self.host = "127.0.0.1:" + f.read()
        self.url = f"clickhouse+http://{self.host}"

    def ask(self, sql):
        with urllib.request.urlopen(f"http://{self.host}/", data=sql.encode()) as answer:
            return answer.read().decode()

    def schema(self):
        for statement in run("push", "--clickhouse-schema")[1].split(";"):
            if statement.strip():
                self.ask(statement)

    def store(self, host):
        return os.path.join(self.dir, host)


def make_store(engine, host, number):
    """A window of each case, at whole minutes and some ns."""
    os.mkdir(engine.store(host))
    texts_of = []
    for i, case in enumerate(STORES[host]):
        with open(os.path.join(GOLDEN, case, "profile.lit"), encoding="utf-8",
                  errors="surrogateescape") as f:
            lines = [line for line in f if line.split(" ")[0] not in HEAD]
        at = (BEGIN + 60 * i) * 10**9 + number * 1_000_007
        texts_of.append(os.path.join(engine.dir, f"{host}-{i}.lit"))
        with open(texts_of[-1], "w", encoding="utf-8", errors="surrogateescape") as f:
            f.write(f"host {host}\nboot b{number}\narch x86_64\nwindow 60s\nbegin_wall {at}\n"
                    f"begin_mono {at - 17 * 10**17}\n" + "".join(lines))
    subprocess.run([MAKER, os.path.join(engine.store(host), DAY + ".coldspot"), *texts_of],
                   check=True)
    status, out, err = run("push", "--store", engine.store(host), engine.url)
    tap.ok(f"{host} is pushed", (status or "3 windows" not in out) and out + err)


def sums(*args):
    """Blocked and waiting for a CPU, in ns, and count, by cause and class."""
    out = json.loads(run("export", "json", *args)[1] or '{"waits": []}')
    got = {}
    for w in out["waits"]:
        key = (w["cause"], w["class"])
        blocked, runq, count = got.get(key, (0, 0, 0))
        got[key] = (blocked + w["blocked_ns"], runq + (w["runq_ns"] or 0), count + w["count"])
    return got


def folded(*args):
    return sorted(run("report", "-f", "wide", *args)[1].splitlines())


SELECTIONS = [[], ["--at", f"{DAY}T00:01:30Z"], ["--since", "-90s"], ["--until", "61s"],
              ["--since", "00:01:00.0005Z", "--until", "00:02Z", "--on", f"{DAY}Z"],
              ["--cause", "lock,disk"], ["--class", "idle"], ["--state", "D"], ["--pid", "300"],
              ["--comm", "wo*"], ["--unit", "nginx"], ["--cgroup", "/system.slice/*"],
              ["--object", "tcp *"], ["--owner", "holder"], ["--under", "take"],
              ["--module", "app"], ["--idle", "hide"]]


def exact(engine):
    for host in STORES:
        bad = []
        for selection in SELECTIONS:
            of_store = folded(engine.store(host), *selection)
            got = folded(engine.url, "--host", host, *selection)
            if got != of_store or sums(engine.store(host), *selection) != sums(
                    engine.url, "--host", host, *selection):
                bad.append(f"{selection}: {got}\n{of_store}")
        tap.ok(f"{host}: every selection has the stacks and sums of the store",
               "\n".join(bad))
    stores = [engine.store(host) for host in STORES]
    tap.ok("all hosts are the sum of all stores", differs(sums(engine.url), sums(*stores)))
    tap.ok("hosts are chosen by glob", differs(folded(engine.url, "--host", "db?"),
                                               folded(*stores[:2])))
    out = json.loads(run("export", "json", engine.url, "--service", "shop*")[1])
    want = json.loads(run("export", "json", *stores)[1])
    names = {i for i, t in enumerate(want["tasks"]) if t["group_comm"].startswith("shop")}
    tap.ok("a service is its processes", differs(
        sum(w["blocked_ns"] + w["runq_ns"] for w in out["waits"]),
        sum(w["blocked_ns"] + w["runq_ns"] for w in want["waits"] if w["task"] in names)))
    lines = run("report", engine.url)[1].splitlines()
    tap.ok("the summary names hosts, time and windows", "3 hosts, 180 s" not in lines[0] and
           lines[:3])


def hosts(engine):
    """Each line: time and its unit, share, idle time and its unit, host, causes."""
    status, out, err = run("report", "--by-host", engine.url)
    lines = out.splitlines()
    got = [tuple(line.split()[i] for i in (0, 5, 6)) for line in lines[3:]]
    want = []
    for host in STORES:
        by_cause = {}
        for (cause, kind), (blocked, runq, _) in sums(engine.store(host)).items():
            by_cause[cause] = by_cause.get(cause, 0) + (kind != "idle") * (blocked + runq)
        seconds = sum(by_cause.values()) / 1e9
        want.append((f"{seconds:#.3g}", host, max(by_cause, key=by_cause.get)))
    want.sort(key=lambda row: -float(row[0]))
    tap.ok("hosts are a table by cause, longest first",
           (status or "3 hosts, 9 windows" not in lines[0]) and out + err or differs(got, want))
    status, _, err = run("report", "--by-host", engine.store("db1"))
    tap.ok("a store has no hosts", (status != 2 or "--by-host" not in err) and err)


def outputs(engine):
    for form in ("summary", "folded", "wide", "csv", "tree", "json", "ndjson", "html", "svg",
                 "pprof", "otlp", "speedscope", "firefox", "hist", "denet"):
        done = subprocess.run([COLDSPOT, "export", form, engine.url], check=False,
                              stdin=subprocess.DEVNULL, capture_output=True)
        tap.ok(f"{form} is written", (done.returncode or not done.stdout) and done.stderr)
    status, _, err = run("export", "chrome", engine.url)
    tap.ok("instants are not known, and that is said",
           (status != 1 or "when waits happened" not in err) and err)
    saved = os.path.join(engine.dir, "x.coldspot")
    run("report", "-q", engine.url, "-o", saved)
    tap.ok("a recording of it has all of it", differs((sums(saved), folded(saved)),
                                                      (sums(engine.url), folded(engine.url))))


def diffs(engine):
    at = ["--at", f"{DAY}T00:00:30Z", "--and", f"{DAY}T00:02:30Z"]
    got = run("diff", engine.url, "--host", "db1", *at, "-f", "folded")
    want = run("diff", engine.store("db1"), *at, "-f", "folded")
    tap.ok("two times of a host are compared", (got[0] or not got[1]) and got[2] or differs(
        sorted(got[1].splitlines()), sorted(want[1].splitlines())))
    got = run("diff", engine.url, "--host", "db1", "--and-host", "web-1", "-f", "folded")
    want = run("diff", engine.store("db1"), engine.store("web-1"), "-f", "folded")
    tap.ok("two hosts are compared", (got[0] or not got[1]) and got[2] or differs(
        sorted(got[1].splitlines()), sorted(want[1].splitlines())))


def engine_faults(engine):
    before = sums(engine.url)
    engine.ask("INSERT INTO offcpu_samples SELECT * FROM offcpu_samples WHERE host = 'db2'")
    engine.ask("INSERT INTO offcpu_stacks SELECT * FROM offcpu_stacks")
    tap.ok("windows that are there twice count once", differs(sums(engine.url), before))
    status, _, err = run("report", engine.url, "--host", "x' OR '1'='1")
    tap.ok("a quote in a name is part of the name", (status != 1 or "no window of such a host"
                                                     not in err) and err)
    status, _, err = run("report", engine.url, "--at", "2027-01-01T00:00Z")
    tap.ok("a time without windows says where they are",
           (status != 1 or "the windows are from 2026-11-24" not in err) and err)
    engine.ask("INSERT INTO offcpu_samples (ts, host, service, cause, class, state, ns, count) "
               f"VALUES ({BEGIN}, 'old', 'a', 'lock', 'work', 'S', 7, 1)")
    status, _, err = run("report", engine.url, "--host", "old")
    tap.ok("rows of an older coldspot are read, and said to be",
           (status or "older coldspot" not in err or
            sums(engine.url, "--host", "old") != {("lock", "work"): (7, 0, 1)}) and err)
    engine.ask("ALTER TABLE offcpu_samples DELETE WHERE host = 'web-1' AND wait = 2 "
               "SETTINGS mutations_sync = 1")
    status, _, err = run("report", engine.url, "--host", "web-1")
    tap.ok("a window that lacks rows is said, with a status",
           (status != 1 or "lack rows" not in err) and f"{status} {err}")
    before = sums(engine.url, "--host", "web-1")
    engine.ask("INSERT INTO offcpu_samples SELECT * FROM offcpu_samples "
               "WHERE host = 'web-1' AND wait = 1")
    tap.ok("rows that are there twice do not stand for others",
           differs(sums(engine.url, "--host", "web-1"), before))
    engine.ask("ALTER TABLE offcpu_samples DELETE WHERE host = 'db2' AND wait = rows "
               "SETTINGS mutations_sync = 1")
    status, _, err = run("report", engine.url, "--host", "db2")
    tap.ok("nor do windows that end early count as whole",
           (status != 1 or "3 of 3 windows lack rows" not in err) and f"{status} {err}")
    engine.ask("ALTER TABLE offcpu_samples DROP COLUMN wait SETTINGS mutations_sync = 1")
    status, _, err = run("report", engine.url)
    tap.ok("a table of another version is said to be one",
           (status != 1 or "another version" not in err) and err)
    engine.schema()
    tap.ok("and its schema mends it", run("report", engine.url)[0])
    engine.ask("DROP TABLE offcpu_samples")
    status, _, err = run("report", engine.url)
    tap.ok("a database without tables is said to be one",
           (status != 1 or "no tables of coldspot" not in err) and err)


def engine():
    found = shutil.which("node") and not subprocess.run(
        ["node", "-e", "require('chdb')"], check=False, stderr=subprocess.DEVNULL).returncode
    if not found:
        tap.skip("against the engine of ClickHouse", "ALL OF IT: npm's chdb is missing")
        return
    with tempfile.TemporaryDirectory() as d:
        e = Engine(d)
        try:
            e.schema()
            for number, host in enumerate(STORES):
                make_store(e, host, number)
            exact(e)
            hosts(e)
            outputs(e)
            diffs(e)
            engine_faults(e)
        finally:
            e.node.kill()
            e.node.wait()


good()
mixed()
faults()
texts()
pushed()
engine()
tap.done()
