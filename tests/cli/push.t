#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""push: what a store has arrives at servers, whole, in order, and at least once. The server is
push_server.py, which checks the rules of each API. Prints TAP; needs no root and no network."""
import glob
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
COLDSPOT = os.path.abspath(os.environ["COLDSPOT"])
MAKER = os.path.join(os.path.abspath(os.environ["COLDSPOT_BUILD"]),
                     "tests/cli/test_literal_recording")
DAY = "2026-11-24"
BEGIN = 1795478400  # of that day
WINDOWS = 5
WINDOW = """host db1
kernel 6.18.44
arch x86_64
boot 5f1c
ncpu 2
window 60s
begin_wall {begin}000000000
begin_mono {mono}000000000
task 4/4 main start=7
wait S sys=futex blocked={a}ns count={n} max={a}ns
 u main
 u commit
wait S sys=read blocked={b}ns count=2 max={b}ns
 u main
 u fetch_{k}
task 9/9 other start=8
wait R flags=preempted runq=7ms count=1 max=7ms
 u start
"""

count = 0


def ok(name, problem=None):
    global count
    count += 1
    print(f"{'not ok' if problem else 'ok'} {count} - {name}")
    for line in str(problem or "").splitlines()[:12]:
        print(f"# {line}")
    sys.stdout.flush()


def differs(got, want):
    return None if got == want else f"{got}\nnot {want}"


class World:
    """A store with some windows, and a server."""

    def __init__(self, windows=WINDOWS):
        self.dir = tempfile.mkdtemp()
        self.store = os.path.join(self.dir, "store")
        os.mkdir(self.store)
        self.want = []
        if windows:
            self.add_day(DAY, BEGIN, windows)
        self.server = subprocess.Popen([os.path.join(HERE, "push_server.py"), self.dir],
                                       stdin=subprocess.DEVNULL)
        while not os.path.exists(self.path("port")):
            assert self.server.poll() is None, "the server ended"
        with open(self.path("port"), encoding="ascii") as f:
            self.host = "127.0.0.1:" + f.read()

    def __enter__(self):
        return self

    def __exit__(self, *_args):
        self.server.kill()
        self.server.wait()
        shutil.rmtree(self.dir)

    def path(self, name):
        return os.path.join(self.dir, name)

    def add_day(self, day, begin, windows):
        texts = []
        for i in range(windows):
            at, a, b = begin + 60 * i, 1_234_567_891 + i, 333_000_111 * (i + 1)
            texts.append(self.path(f"{day}-{i}.lit"))
            with open(texts[-1], "w", encoding="ascii") as f:
                f.write(WINDOW.format(begin=at, mono=at - 1790000000, a=a, b=b, n=10 + i, k=i % 2))
            self.want.append({"at": at * 10**9, "ns": a + b + 7_000_000, "count": 13 + i})
        subprocess.run([MAKER, os.path.join(self.store, day + ".coldspot"), *texts], check=True)

    def plan(self, *words):
        with open(self.path("plan"), "w", encoding="ascii") as f:
            f.write(" ".join(words))

    def url(self, name, rest=""):
        return f"{name}+http://{self.host}{rest}"

    def push(self, *args, status=0, env=None):
        done = subprocess.run([COLDSPOT, "push", "--store", self.store, *args], timeout=90,
                              check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env={**os.environ, **(env or {})})
        self.out, self.err = done.stdout.decode(), done.stderr.decode()
        if done.returncode != status:
            raise SystemExit(f"# {args}: status {done.returncode}\n# {self.out}\n# {self.err}\n"
                             f"# {self.lines('wrong')}")

    def lines(self, name):
        try:
            with open(self.path(name), encoding="utf-8") as f:
                return [json.loads(line) for line in f]
        except FileNotFoundError:
            return []

    def taken(self, api=None):
        return [line for line in self.lines("taken") if "ns" in line and
                (api is None or line["api"] == api)]

    def problem(self, want=None, api=None):
        """What arrived against what the store has."""
        if self.lines("wrong"):
            return self.lines("wrong")
        got = [{k: line[k] for k in ("at", "ns", "count")} for line in self.taken(api)]
        return differs(got, self.want if want is None else want)


def targets():
    """Each API, with nothing in the way."""
    with World() as w:
        for name in ("otlp", "pyroscope", "parca", "clickhouse"):
            w.push(w.url(name))
            ok(f"{name} gets every window, as its API wants it", w.problem(api=name))
            ok(f"{name}: and what was pushed is said",
               not w.out.startswith(f"{WINDOWS} windows pushed, ") and w.out)
            w.push(w.url(name))
            ok(f"{name} gets nothing twice", w.problem(api=name))
        ids = [[line.get("id", line.get("token")) for line in w.taken(name)]
               for name in ("otlp", "pyroscope", "clickhouse")]
        ok("windows have identifiers of their own",
           differs([len(set(i)) for i in ids], [WINDOWS] * 3))
        labels = w.taken("pyroscope")[0]
        ok("series are named, and samples have labels with few values",
           differs((labels["labels"], labels["keys"]),
                   ({"__name__": "off_cpu", "service_name": "coldspot", "host": "db1"},
                    ["cause", "class", "process"])))


def stacks():
    """ClickHouse: each stack once a day, before the rows that name it."""
    with World() as w:
        w.add_day("2026-11-25", BEGIN + 86400, 2)
        w.push(w.url("clickhouse"))
        known, unknown, repeated = {}, [], []
        for line in w.lines("taken"):
            if "stacks" in line:
                had = known.setdefault(line["day"], set())
                repeated += had & set(line["stacks"])
                had.update(line["stacks"])
            else:
                day = DAY if line["at"] < (BEGIN + 86400) * 10**9 else "2026-11-25"
                unknown += set(line["stack_ids"]) - known[day]
        ok("rows name stacks that are there", unknown)
        ok("stacks are sent once a day", repeated or len(known) != 2 and known)
        ok("two days are sent whole", w.problem())


def again_later():
    with World() as w:
        w.plan("503", "take", "429:1", "take", "drop", "half", "take")
        w.push(w.url("otlp"))
        got = [line["at"] for line in w.taken()]
        ok("after 503, 429, and answers that break off, all arrive, in order",
           differs(sorted(set(got)), [line["at"] for line in w.want]) or
           differs(got, sorted(got)))
        ok("what repeats has the same identifier",
           differs(len({line["id"] for line in w.taken()}), WINDOWS))
        ok("each reason is said once, with the target and without a second line",
           w.err.count("status 503: because\n") != 1 and w.err)
        ok("and its end", "takes windows again" not in w.err and w.err)
    with World() as w:
        w.plan(*["503"] * 50)
        w.push(w.url("otlp"), status=1)
        ok("a target that takes nothing is left behind, with a status",
           "1 target behind" not in w.out and w.out)
        w.plan()
        w.push(w.url("otlp"))
        ok("and gets everything the next time", w.problem())


def lost_answers():
    """libcurl itself repeats a request whose connection ended without a byte, but not `half`."""
    for word in ("twice", "half"):
        with World() as w:
            w.plan("take", word, "take")
            w.push(w.url("otlp"))
            ids = [line["id"] for line in w.taken()]
            ok(f"{word}: a window whose answer was lost is sent again, with its identifier",
               differs(len(ids), WINDOWS + 1) or differs(ids[1], ids[2]))
        with World() as w:
            w.plan("take", "take", "take", word, "take")
            w.push(w.url("clickhouse"))
            tokens = {}
            for line in w.taken():
                tokens.setdefault(line["token"], []).append((line["ns"], line["count"]))
            ok(f"{word}: ClickHouse gets it with the same token, so that sums stay exact",
               any(len(set(rows)) > 1 for rows in tokens.values()) and tokens or
               differs(sum(len(rows) for rows in tokens.values()), WINDOWS + 1) or
               differs(sum(rows[0][0] for rows in tokens.values()),
                       sum(line["ns"] for line in w.want)))


def refused():
    for status in ("400", "413", "422"):
        with World() as w:
            w.plan("take", status, "take")
            w.push(w.url("otlp"), status=1)
            ok(f"{status}: the window is skipped, counted, and said",
               w.problem(want=w.want[:1] + w.want[2:]) or
               ("1 refused" not in w.out or "refused the window of 2026-11-24T00:01" not in w.err)
               and w.out + w.err)
    with World() as w:
        w.plan("take", "partial", "take")
        w.push(w.url("otlp"), status=1)
        ok("what OTLP rejects in part is said, and not sent again",
           w.problem() or "3 profiles rejected: too old" not in w.err and w.err)
    for status in ("401", "404", "301"):
        with World() as w:
            w.plan("take", *[status] * 50)
            w.push(w.url("otlp"), status=1)
            w.plan()
            w.push(w.url("otlp"))
            ok(f"{status} is about the target: no window is given up", w.problem())


def killed():
    """kill -9 while a request is under way, again and again."""
    with World() as w:
        for _ in range(3):
            w.plan("take", "hang")
            before = len(w.lines("seen"))
            p = subprocess.Popen([COLDSPOT, "push", "--store", w.store, w.url("otlp")],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
            while len(w.lines("seen")) < before + 2:
                assert p.poll() is None, "it ended"
            p.kill()
            p.wait()
        w.plan()
        w.push(w.url("otlp"))
        ids = [line["id"] for line in w.taken()]
        ok("after kill -9 nothing is missing", differs(
            sorted({line["at"] for line in w.taken()}), [line["at"] for line in w.want]))
        ok("and only what was under way may come twice", differs(len(set(ids)), WINDOWS) or
           (len(ids) > WINDOWS + 3 and ids))
        ok("nothing but its cursor and lock is in the store", differs(
            sorted(os.path.splitext(f)[1] for f in os.listdir(w.store) if f.startswith("push-")),
            [".cursor", ".lock"]))


def hanging():
    """A signal ends it although the server does not answer."""
    with World() as w:
        w.plan("hang")
        p = subprocess.Popen([COLDSPOT, "push", "--store", w.store, w.url("otlp")],
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
        while not w.lines("seen"):
            assert p.poll() is None, "it ended"
        says = subprocess.run([COLDSPOT, "push", "--store", w.store, w.url("otlp")], timeout=60,
                              check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        ok("a second one to the same target is refused",
           (says.returncode != 1 or b"another coldspot sends to" not in says.stderr) and says)
        p.send_signal(signal.SIGTERM)
        said = p.communicate(timeout=60)
        ok("SIGTERM ends it during a request", differs(p.returncode, 1))
        ok("which is said, and is not the fault of the target",
           differs(said, (b"0 windows pushed, 0 B; 1 target behind; interrupted\n", b"")))


def beside_one_that_hangs():
    """A target that takes connections and never answers, before one that does."""
    for more in ([], ["--follow", "--since", "1s"]):
        with World() as w, socket.create_server(("127.0.0.1", 0)) as deaf:
            url = f"parca+http://127.0.0.1:{deaf.getsockname()[1]}"
            p = subprocess.Popen([COLDSPOT, "push", "--store", w.store, *more, url,
                                  w.url("otlp")], stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT)
            want = WINDOWS if not more else 1
            for _ in range(80):
                if len(w.taken()) >= want or p.poll() is not None:
                    break
                time.sleep(0.1)
            ok(f"push {' '.join(more)}: one target does not wait for another that hangs",
               None if len(w.taken()) >= want else f"it had {w.taken()}")
            p.send_signal(signal.SIGTERM)
            try:
                said = p.communicate(timeout=20)[0]
            except subprocess.TimeoutExpired:
                p.kill()
                said = "it did not end"
            ok(f"push {' '.join(more)}: and a signal ends all",
               None if p.returncode == int(not more) else (p.returncode, said))


def since():
    with World() as w:
        w.push("--since", f"{DAY}T00:02:30Z", w.url("otlp"))
        ok("--since is where a new target begins", w.problem(want=w.want[2:]))
        w.push("--since", f"{DAY}T00:00Z", w.url("otlp"))
        ok("and nothing to one that has a cursor", w.problem(want=w.want[2:]))
        w.add_day("2026-11-26", BEGIN + 2 * 86400, 1)
        w.plan(*["503"] * 9)
        w.push("--since", "2026-11-26T00:00Z", w.url("clickhouse"), status=1)
        w.plan()
        w.push(w.url("clickhouse"))
        ok("a target that was away remembers where it begins",
           w.problem(want=w.want[-1:], api="clickhouse"))


def stores():
    """A cursor belongs to one store."""
    with World(windows=2) as w:
        os.mkdir(w.path("state"))
        w.push("--state", w.path("state"), w.url("otlp"))
        first, w.store = w.store, w.path("other")
        os.mkdir(w.store)
        w.add_day(DAY, BEGIN + 3600, 3)
        w.push("--state", w.path("state"), w.url("otlp"))
        ok("--state: a second store has cursors of its own",
           w.problem() or not w.out.startswith("3 windows pushed, ") and w.out)
        w.store = os.path.join(w.path("state"), "..", "store")
        w.push("--state", w.path("state"), w.url("otlp"))
        ok("and a store has the same ones by any name", w.problem())
        shutil.rmtree(first)
        os.mkdir(first)
        w.add_day(DAY, BEGIN + 7200, 3)
        w.push("--state", w.path("state"), w.url("otlp"))
        ok("a store that was begun anew at the same path is sent whole",
           w.problem() or "was begun anew" not in w.err and w.err)
    with World(windows=3) as w:
        w.push(w.url("otlp"))
        os.remove(os.path.join(w.store, DAY + ".coldspot"))
        w.push(w.url("otlp"))
        ok("days that were removed are not a new store", w.err)
        w.add_day(DAY, BEGIN + 7200, 1)
        w.push(w.url("otlp"))
        ok("also if it has fewer windows than were sent", w.problem())
    with World(windows=3) as w:
        w.push(w.url("otlp"))
        p = subprocess.Popen([COLDSPOT, "push", "--store", w.store, "--follow", w.url("otlp")],
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
        time.sleep(0.5)
        os.remove(os.path.join(w.store, DAY + ".coldspot"))
        w.add_day(DAY, BEGIN + 7200, 2)
        for _ in range(100):
            if len(w.taken()) == 5 or p.poll() is not None:
                break
            time.sleep(0.1)
        p.kill()
        p.wait()
        ok("also while it follows", w.problem())


def secrets():
    with World() as w:
        with open(w.path("token"), "w", encoding="ascii") as f:
            f.write("# ours\nAuthorization: Bearer s3cr3t\n")
        os.chmod(w.path("token"), 0o600)
        w.push(w.url("otlp", f"?header-file={w.path('token')}"))
        ok("a header comes from a file", differs({line["authorization"] for line in w.taken()},
                                                 {"Bearer s3cr3t"}))
        os.chmod(w.path("token"), 0o644)
        w.push(w.url("parca", f"?header-file={w.path('token')}"), status=1)
        ok("which others may not read", "others cannot read" not in w.err and w.err)
    with World(windows=1) as w:
        w.plan("503", "take")
        w.push(f"otlp+http://me:p%40ss%3Aword@{w.host}?tenant=a&service=shop")
        ok("user and password of the URL are sent", differs(
            w.taken()[0]["authorization"], "Basic bWU6cEBzczp3b3Jk"))
        ok("the service, too", differs(w.taken()[0]["service"], "shop"))
        text = w.err + w.out
        for name in glob.glob(os.path.join(w.store, "push-*")):
            with open(name, encoding="ascii") as f:
                text += f.read()
        ok("but neither is in messages, nor in the cursor",
           ("p%40ss" in text or "p@ss" in text or "me:" in text) and text)
        w.push("otlp+http://me:s3cr3t@/x", status=1)
        ok("nor in a message about a URL", "s3cr3t" in w.err and w.err)
    with World(windows=1) as w:
        w.push(w.url("clickhouse", "/?database=waits&async_insert=1"))
        ok("other parameters are the server's", differs(
            w.taken()[0]["settings"], {"database": "waits", "async_insert": "1"}))
        w.push(w.url("pyroscope", "?tenant=team-a"))
        ok("a tenant is a header", differs(w.taken("pyroscope")[0]["tenant"], "team-a"))


def follow(w, day, want):
    p = subprocess.Popen([COLDSPOT, "push", "--store", w.store, "--follow", w.url("otlp")],
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL)
    while not glob.glob(os.path.join(w.store, "push-*.cursor")):
        assert p.poll() is None, "it ended"
    w.add_day(day, BEGIN + 86400 * (int(day[-2:]) - 24), 2)
    while len({line["id"] for line in w.taken()}) < want:
        assert p.poll() is None, "it ended"
    p.send_signal(signal.SIGTERM)
    p.wait(timeout=60)


def follows():
    """Windows that come later; a target that is new begins with the next one."""
    with World() as w:
        follow(w, "2026-11-25", 2)
        ok("--follow sends what comes, and not what was there", differs(
            sorted({line["at"] for line in w.taken()}), [line["at"] for line in w.want[WINDOWS:]]))
        w.add_day("2026-11-26", BEGIN + 2 * 86400, 1)
        follow(w, "2026-11-27", 5)
        got = sorted({line["at"] for line in w.taken()})
        ok("later, it sends all that the target has not had", w.lines("wrong") or differs(
            got, [line["at"] for line in w.want[WINDOWS:]]))
    with World(windows=0) as w:
        follow(w, DAY, 2)
        ok("also if the store was empty", differs(
            sorted({line["at"] for line in w.taken()}), [line["at"] for line in w.want]))


def refusals():
    with World(windows=1) as w:
        for url, words in (("http://127.0.0.1/", "a target is NAME+http://"),
                           ("zipkin+http://h", "otlp, pyroscope, parca, clickhouse and s3"),
                           ("otlp+ftp://h", "a target is NAME+http://"),
                           ("otlp+http://", "the name of a host is missing"),
                           ("otlp+http://h?service=", "service= in the target"),
                           ("otlp+http://h/#x", "has no '#'")):
            w.push(url, status=1)
            ok(f"no target: {url}", words not in w.err and w.err)
        w.push(w.url("otlp"), w.url("otlp"), status=1)
        ok("nor one that is given twice", "is given twice" not in w.err and w.err)
        cursor = w.path("store") + "/push-0.cursor"
        w.push(w.url("otlp"))
        cursor, = glob.glob(os.path.join(w.store, "push-*.cursor"))
        with open(cursor, "w", encoding="ascii") as f:
            f.write("coldspot push 1\nx\nnonsense\n")
        w.push(w.url("otlp"), status=1)
        ok("a damaged cursor is not guessed at", "is damaged" not in w.err and w.err)
        w.push("--state", w.path("none"), w.url("otlp"), status=1)
        ok("a directory for cursors must be there",
           "does not exist: make it" not in w.err and w.err)
        os.mkdir(w.path("state"))
        w.push("--state", w.path("state"), w.url("parca"))
        ok("--state is where cursors are",
           len(os.listdir(w.path("state"))) != 2 and os.listdir(w.path("state")))


sys.dont_write_bytecode = True
if not shutil.which("protoc") or not os.path.isdir("/usr/share/gocode/src/github.com/google/pprof"):
    print("ok 1 - all # SKIP protobuf-compiler or golang-github-google-pprof-dev is missing")
    count = 1
else:
    for test in (targets, stacks, again_later, lost_answers, refused, killed, hanging,
                 beside_one_that_hangs, since, stores,
                 secrets, follows, refusals):
        test()
print(f"1..{count}")
