#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""push to targets for whole days: a directory, and S3, which is s3_server.py. Every day that is
over arrives whole and sound, at least once, and no other does. Needs no root and no network."""
import concurrent.futures
import datetime
import filecmp
import glob
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from tap import COLDSPOT, Tap  # noqa: E402

MAKER = os.path.join(os.path.abspath(os.environ["COLDSPOT_BUILD"]),
                     "tests/cli/test_literal_recording")
PATIENCE_S = 60
WINDOW = """host db1
kernel 6.18.44
arch x86_64
boot 5f1c
ncpu 2
window 60s
begin_wall {begin}000000000
begin_mono {mono}000000000
task 4/4 main start=7
wait S sys=futex blocked={ns}ns count=3 max={ns}ns
 u main
 u commit
"""
TODAY = datetime.datetime.now(datetime.timezone.utc).date()
KEYS = {"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "wJalr/XUtn+FEMI=k3y"}

tap = Tap()
LOCK = threading.Lock()


def ok(name, problem=None):
    with LOCK:
        tap.ok(name, problem)
        sys.stdout.flush()


def differs(got, want):
    return None if got == want else f"{got}\nnot {want}"


def await_(what):
    end = time.monotonic() + PATIENCE_S
    while True:
        got = what()
        if got or time.monotonic() > end:
            return got
        time.sleep(0.05)


def day(before):
    return (TODAY - datetime.timedelta(days=before)).isoformat()


def files_below(top):
    return sorted(os.path.relpath(os.path.join(d, f), top)
                  for d, _, files in os.walk(top) for f in files)


class World:
    """A store, and a directory for the rest."""

    def __init__(self, *days):
        self.dir = tempfile.mkdtemp()
        self.store, self.archive = self.path("store"), self.path("archive")
        os.mkdir(self.store)
        os.mkdir(self.archive)
        for name in days:
            self.add(name)

    def __enter__(self):
        return self

    def __exit__(self, *_args):
        shutil.rmtree(self.dir)

    def path(self, name):
        return os.path.join(self.dir, name)

    def add(self, name, windows=2, hour="10"):
        begin = datetime.datetime.fromisoformat(f"{name[:10]}T{hour}:00+00:00")
        texts = []
        for i in range(windows):
            at = int(begin.timestamp()) + 60 * i
            texts.append(self.path(f"{name}-{i}.lit"))
            with open(texts[-1], "w", encoding="ascii") as f:
                f.write(WINDOW.format(begin=at, mono=at - 1600000000, ns=10**9 + i))
        to = self.path(name + ".made")
        subprocess.run([MAKER, to, *texts], check=True)
        os.rename(to, os.path.join(self.store, name + ".coldspot"))

    def leave_log(self, name):
        """Its last window is in the log alone, as if the writer had been killed."""
        path, work = os.path.join(self.store, name + ".coldspot"), self.path("work")
        os.rename(path, work)
        db = sqlite3.connect(work, isolation_level=None)
        last = db.execute("SELECT max(id) FROM windows").fetchone()[0]
        rows = {}
        db.execute("BEGIN")
        for table, key in (("blocks", "window"), ("windows", "id"), ("causes", "window"),
                           ("losses", "window"), ("tasks", "window"), ("waits", "window"),
                           ("objects", "window"), ("stack_nodes", "window"),
                           ("stack_frames", "window"), ("place_waits", "window")):
            rows[table] = db.execute(f"SELECT * FROM {table} WHERE {key} = ?", (last,)).fetchall()
            db.execute(f"DELETE FROM {table} WHERE {key} = ?", (last,))
        db.execute("COMMIT")
        db.execute("PRAGMA journal_mode = WAL").fetchone()
        db.execute("PRAGMA wal_autocheckpoint = 0").fetchone()
        db.execute("BEGIN")
        for table, found in rows.items():
            for row in found:
                db.execute(f"INSERT INTO {table} VALUES({','.join('?' * len(row))})", row)
        db.execute("COMMIT")
        shutil.copy(work, path)
        shutil.copy(work + "-wal", path + "-wal")
        db.close()

    def push(self, *args, status=0, env=None):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("AWS_")}
        done = subprocess.run([COLDSPOT, "push", "--store", self.store, *args], check=False,
                              timeout=90, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env={**clean, **(env or {})})
        self.out, self.err = done.stdout.decode(), done.stderr.decode()
        if done.returncode != status:
            raise SystemExit(f"# {args}: status {done.returncode}\n# {self.out}\n# {self.err}")

    def archived(self, top=None):
        return files_below(top or self.archive)

    def unsound(self, top=None):
        """What is wrong with what arrived, and whether it has all windows."""
        top = top or self.archive
        for name in self.archived(top):
            path, source = os.path.join(top, name), os.path.join(self.store, name[4:])
            done = subprocess.run([COLDSPOT, "check", path], check=False, stdout=subprocess.PIPE)
            counts = [subprocess.run([COLDSPOT, "report", "-f", "json", p], check=True,
                                     stdout=subprocess.PIPE).stdout for p in (path, source)]
            if done.returncode or json.loads(counts[0]) != json.loads(counts[1]):
                return f"{name}: {done.stdout.decode()}"
        return None


def want(*names):
    return [f"db1/{name}.coldspot" for name in names]


def directories():
    with World(day(3), day(2), day(2) + ".2", day(0)) as w:
        url = "dir:" + w.archive
        w.push(url)
        ok("a directory gets every day that is over, by host, and no other", differs(
            w.archived(), sorted(want(day(3), day(2), day(2) + ".2"))))
        ok("each is sound and has all windows", w.unsound())
        ok("to the byte", [n for n in w.archived() if not filecmp.cmp(
            os.path.join(w.archive, n), os.path.join(w.store, n[4:]), shallow=False)])
        ok("what was pushed is said, and which day is not over",
           (not w.out.startswith("3 day files pushed, ") or
            not w.out.endswith(f"; {day(0)}.coldspot waits for the end of its day\n")) and w.out)
        done = subprocess.run([COLDSPOT, "query", "--store", w.archive + "/db1", "-f", "csv",
                               "SELECT count(*) FROM windows"], check=True, stdout=subprocess.PIPE)
        ok("the directory of a host is a store", differs(done.stdout.split()[-1], b"6"))
        os.remove(os.path.join(w.archive, want(day(3))[0]))
        w.push("file://" + w.archive + "/")
        ok("also that none was pushed", not w.out.startswith("0 day files pushed, ") and w.out)
        ok("nothing is sent twice, by either name of the directory", differs(
            w.archived(), sorted(want(day(2), day(2) + ".2"))))
        w.add(day(1))
        w.push(url, "--since", "-1d")
        ok("the next day follows", differs(
            w.archived(), sorted(want(day(2), day(2) + ".2", day(1)))))
    with World(day(3), day(2)) as w:
        w.leave_log(day(3))
        w.push("dir:" + w.archive)
        ok("windows in the log of a killed writer are in the copy", w.unsound() or differs(
            w.archived(), want(day(3), day(2))))


def missing():
    with World(day(3), day(2)) as w:
        os.rmdir(w.archive)
        w.push("dir:" + w.archive, status=1)
        ok("a directory that is missing is not made, and is said",
           (os.path.exists(w.archive) or w.err.count("\n") != 1 or
            f"gets no days until you mend this: cannot open '{w.archive}': No such" not in w.err or
            "1 target behind" not in w.out) and w.out + w.err)
        with open(w.archive, "wb"):
            pass
        w.push("dir:" + w.archive, status=1)
        ok("so is a file", f"mend this: '{w.archive}' is no directory" not in w.err and w.err)
        os.remove(w.archive)
        os.mkdir(w.archive)
        w.push("dir:" + w.archive)
        ok("once it is there, all days arrive", differs(w.archived(), want(day(3), day(2))))


def two_stores():
    with World(day(3), day(2)) as w:
        w.push("dir:" + w.archive)
        want_bytes = [open(os.path.join(w.archive, n), "rb").read() for n in w.archived()]
        shutil.rmtree(w.store)
        os.mkdir(w.store)
        w.add(day(3), hour="11")
        w.push("dir:" + w.archive, status=1)
        ok("a day of another store with the same host is not replaced",
           differs([open(os.path.join(w.archive, n), "rb").read() for n in w.archived()],
                   want_bytes))
        ok("which is said, and what to do", w.err.count("mend this") != 1 or
           f"'{w.archive}/db1/{day(3)}.coldspot' is of another store: move it away" not in w.err
           and w.err)
        os.remove(os.path.join(w.archive, "db1", day(3) + ".coldspot"))
        w.push("dir:" + w.archive)
        ok("then it arrives", differs(len(w.archived()), 2) or
           not w.out.startswith("1 day file pushed, ") and w.out)


def since():
    with World(day(4), day(3)) as w:
        w.push("--since", day(3) + "T00:00Z", "dir:" + w.archive)
        ok("--since is where a new target begins", differs(w.archived(), want(day(3))))
        # of the newest day, nobody knows in its first hour whether the one before is over
        with open(os.path.join(w.store, day(2) + ".coldspot"), "wb") as f:
            f.write(b"SQLite format 3\0 and nothing else")
        w.push("dir:" + w.archive)
        ok("a damaged file is kept as it is", differs(
            os.path.getsize(glob.glob(f"{w.archive}/*/{day(2)}.coldspot")[0]), 33))


def follows():
    with World(day(3)) as w:
        p = subprocess.Popen([COLDSPOT, "push", "--store", w.store, "--follow",
                              "dir:" + w.archive], stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            await_(lambda: w.archived() == want(day(3)))
            w.add(day(2))
            w.add(day(0))
            got = await_(lambda: w.archived() == want(day(3), day(2)))
            time.sleep(1.5)
            ok("--follow sends a day when it is over, and not before",
               None if got and w.archived() == want(day(3), day(2)) else w.archived())
            p.send_signal(signal.SIGTERM)
            ok("and ends by a signal", differs(p.wait(timeout=PATIENCE_S), 0))
        finally:
            p.kill()
            p.wait()


class Cloud(World):
    """With a server for S3."""

    def __init__(self, *days):
        super().__init__(*days)
        self.objects = self.path("objects/waits/fleet%20a".replace("%20", " "))
        self.keys(*KEYS.values())
        self.server = subprocess.Popen([os.path.join(HERE, "s3_server.py"), self.dir],
                                       stdin=subprocess.DEVNULL)
        await_(lambda: os.path.exists(self.path("port")))
        with open(self.path("port"), encoding="ascii") as f:
            self.host = "127.0.0.1:" + f.read()

    def __exit__(self, *args):
        self.server.kill()
        self.server.wait()
        super().__exit__(*args)

    def keys(self, *words):
        with open(self.path("keys"), "w", encoding="ascii") as f:
            f.write(" ".join(words))

    def plan(self, *words):
        with open(self.path("plan"), "w", encoding="ascii") as f:
            f.write(" ".join(words))

    def url(self, rest="", user=""):
        return f"s3+http://{user}{self.host}/waits/fleet%20a{rest}"

    def lines(self, name):
        try:
            with open(self.path(name), encoding="utf-8") as f:
                return [json.loads(line) for line in f]
        except FileNotFoundError:
            return []

    def send(self, *args, status=0, env=None):
        self.push(*(args or [self.url()]), status=status, env=KEYS if env is None else env)

    def problem(self, names):
        return self.lines("wrong") or differs(self.archived(self.objects), want(*names)) or \
            self.unsound(self.objects)


def s3():
    with Cloud(day(3), day(2), day(0)) as w:
        w.leave_log(day(3))
        w.send()
        ok("S3 gets every day that is over, signed, and whole", w.problem([day(3), day(2)]))
        ok("with a region and a type", differs(
            {(t["region"], t["type"]) for t in w.lines("taken")},
            {("us-east-1", "application/vnd.sqlite3")}))
        ok("nothing is left in the store", [f for f in os.listdir(w.store) if f.endswith(".day")])
        w.send()
        ok("and nothing is sent twice", differs(len(w.lines("taken")), 2))


def again_later():
    with Cloud(day(4), day(3), day(2)) as w:
        w.plan("503", "drop", "503:1", "take", "lose", "take")
        w.send()
        ok("after 503, a connection that breaks off and a lost answer, all days are there",
           w.problem([day(4), day(3), day(2)]) or differs(
               [t["path"][-19:-9] for t in w.lines("taken")], [day(4), day(3), day(3), day(2)]))
        ok("the reason is said", "does not take days, and is tried again: status 503: SlowDown: "
           "because of SlowDown" not in w.err and w.err)


def not_taken():
    with Cloud(day(3), day(2)) as w:
        w.plan(*["expired"] * 9)
        w.send(status=1)
        ok("an expired session gives up no day",
           ("1 target behind" not in w.out or "ExpiredToken" not in w.err) and w.out + w.err)
        w.plan()
        w.send()
        ok("with a new one, all arrive", w.problem([day(3), day(2)]))


def wrong_keys():
    with Cloud(day(3), day(2)) as w:
        w.keys("other", "k3y")
        w.send(status=1)
        ok("wrong keys give up no day", w.archived(w.objects) or (
            "SignatureDoesNotMatch" not in w.err and w.err))
        os.remove(w.path("wrong"))
        w.keys(*KEYS.values())
        w.send()
        ok("with the right ones, all arrive", w.problem([day(3), day(2)]))


def killed():
    with Cloud(day(3), day(2)) as w:
        w.plan("hang")
        p = subprocess.Popen([COLDSPOT, "push", "--store", w.store, w.url()],
                             env={**os.environ, **KEYS}, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        await_(lambda: w.lines("seen"))
        p.kill()
        p.wait()
        w.plan()
        w.send()
        ok("after kill -9 in the middle, nothing is missing", w.problem([day(3), day(2)]))


def keys():
    with Cloud(day(3)) as w:
        w.keys("AKID", "s3cr3t+/", "t0ken")
        with open(w.path("credentials"), "w", encoding="ascii") as f:
            f.write("# ours\n[other]\naws_access_key_id = no\n[default]\n"
                    "aws_access_key_id = AKID\naws_secret_access_key=s3cr3t+/\n"
                    "aws_session_token = t0ken\n")
        os.chmod(w.path("credentials"), 0o600)
        url = w.url(f"?region=eu-west-1&credentials-file={w.path('credentials')}")
        w.send(url, env={})
        ok("keys, a session and a region of the URL", w.problem([day(3)]) or
           differs(w.lines("taken")[0]["region"], "eu-west-1"))
        w.add(day(2))
        w.keys("AKID", "s3cr3t+/")
        w.send(w.url(user="AKID:s3cr3t%2b%2f@"), env={"AWS_REGION": "eu-north-1"})
        ok("user and password of the URL are keys, and AWS_REGION is the region",
           w.problem([day(3), day(2)]) or differs(w.lines("taken")[-1]["region"], "eu-north-1"))
        text = w.err + w.out
        for name in glob.glob(os.path.join(w.store, "push-*.cursor")):
            with open(name, encoding="ascii") as f:
                text += f.read()
        ok("no key is in messages, nor in the cursor",
           ("s3cr3t" in text or "AKID" in text) and text)


def no_keys():
    with Cloud(day(3)) as w:
        w.send(status=1, env={})
        ok("without keys it says once what to set, and does not wait",
           ("mend this: no keys for S3: set AWS_ACCESS_KEY_ID" not in w.err or
            w.err.count("\n") != 1) and w.err)


def open_keys():
    with Cloud(day(3)) as w:
        with open(w.path("credentials"), "w", encoding="ascii") as f:
            f.write("aws_access_key_id = AKID\naws_secret_access_key = s3cr3t\n")
        os.chmod(w.path("credentials"), 0o644)
        w.send(w.url(f"?credentials-file={w.path('credentials')}"), status=1, env={})
        ok("others may not read the file", "others cannot read" not in w.err and w.err)


def refusals():
    with World(day(3)) as w:
        for url, words in (("dir:archive", "dir:/PATH, from the root"),
                           ("file://host/x", "dir:/PATH, from the root"),
                           ("s3+https://host", "the bucket is missing"),
                           ("s3+https://host/b?acl=x", "s3 has the parameters"),
                           ("s3+https://host/b?region=a/b", "'a/b' is no region"),
                           ("dir+http://h/x", "a target is NAME+http://")):
            w.push(url, status=1)
            ok(f"no target: {url}", words not in w.err and w.err)
        w.push("dir:/x/", "file:///x", status=1)
        ok("nor one that is given twice", "is given twice" not in w.err and w.err)


TESTS = (directories, missing, two_stores, since, follows, s3, again_later, not_taken, wrong_keys,
         killed, keys, no_keys, open_keys, refusals)
# most of their time is that between tries
with concurrent.futures.ThreadPoolExecutor(len(TESTS)) as pool:
    running = [pool.submit(test) for test in TESTS]
for one in running:
    one.result()
tap.done()
