#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""agent: the file of metrics_file says what the store says, and promtool takes it. Needs root."""
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import COLDSPOT, Tap  # noqa: E402

PATIENCE_S = 60
START = "coldspot_agent_start_time_seconds"
WRITTEN = "coldspot_agent_windows_written_total"
SAMPLE = re.compile(r'(\w+)(?:\{(.*)\})? ([0-9.]+)')


def await_(what):
    end = time.monotonic() + PATIENCE_S
    while True:
        got = what()
        if got or time.monotonic() > end:
            return got
        time.sleep(0.05)


def samples(text):
    found = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        name, labels, value = SAMPLE.fullmatch(line).groups()
        whole, _, part = value.partition(".")
        ns = int(whole) * 10**9 + int((part + "0" * 9)[:9])
        key = (name, tuple(re.findall(r'(\w+)="((?:[^"\\\\]|\\\\.)*)"', labels or "")))
        assert key not in found, f"twice: {key}"
        found[key] = ns
    return found


def total(found, metric, **labels):
    return sum(ns for (name, have), ns in found.items()
               if name == metric and set(labels.items()) <= set(have))


class Agent:
    def __init__(self, top, metrics):
        self.store, self.settings = os.path.join(top, "store"), os.path.join(top, "agent.toml")
        self.log = os.path.join(top, "log")
        self.write(metrics)
        with open(self.log, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen([COLDSPOT, "agent", "--config", self.settings],
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def write(self, metrics):
        with open(self.settings, "w", encoding="ascii") as f:
            f.write(f'store = "{self.store}"\nwindow = "1s"\nhooks_only = true\n'
                    f'metrics_file = "{metrics}"\n')

    def reload(self, metrics):
        self.write(metrics)
        self.process.send_signal(signal.SIGHUP)

    def said(self):
        with open(self.log, encoding="utf-8") as f:
            return f.read()

    def query(self, sql):
        done = subprocess.run([COLDSPOT, "query", "--store", self.store, "-f", "json", sql],
                              check=True, stdout=subprocess.PIPE, timeout=PATIENCE_S)
        return json.loads(done.stdout)


def read(path):
    try:
        with open(path, encoding="utf-8") as f:
            return f.read()
    except FileNotFoundError:
        return ""


def same(got_ns, seconds):
    """SQL has doubles."""
    return abs(got_ns - (seconds or 0) * 1e9) <= max(1000, got_ns * 1e-9)


def grows(tap, agent, path):
    first = await_(lambda: read(path))
    tap.ok("the file is there after a window", None if first else agent.said())
    tap.ok("readable for all", None if os.stat(path).st_mode & 0o7777 == 0o644 else
           oct(os.stat(path).st_mode))
    written = ("coldspot_agent_windows_written_total", ())
    second = await_(lambda: samples(read(path))[written] > samples(first)[written] and read(path))
    before, after = samples(first), samples(second)
    less = [k for k, ns in before.items() if k[0].endswith("_total") and after.get(k, -1) < ns]
    tap.ok("no counter shrinks", less)
    if shutil.which("promtool"):
        done = subprocess.run(["promtool", "check", "metrics"], input=second.encode(),
                              check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        tap.ok("promtool check metrics", done.stdout.decode() or done.returncode or None)
    else:
        tap.skip("promtool check metrics", "NOT CHECKED: no promtool (apt install prometheus)")


def adds_up(tap, agent, path):
    """After its end: the file against SQL over the store."""
    agent.process.send_signal(signal.SIGTERM)
    tap.ok("it ends", agent.process.wait(timeout=PATIENCE_S))
    got = samples(read(path))
    wrong = []

    def compare(what, ns, seconds):
        if not same(ns, seconds):
            wrong.append(f"{what}: {ns / 1e9} s, the store has {seconds}")

    for row in agent.query("SELECT cause, sum(seconds) AS s FROM totals GROUP BY cause"):
        compare(row["cause"], total(got, "coldspot_agent_cause_seconds_total",
                                    cause=row["cause"]), row["s"])
    sums, = agent.query("SELECT sum(on_s) AS o, sum(runq_s) AS r, sum(blocked_s) AS b, "
                        "sum(seconds) AS l, count(*) AS n FROM windows")
    for state, metric, key in (("on", "oncpu", "o"), ("runq", "runq", "r"),
                               ("blocked", "blocked", "b")):
        compare(state, total(got, f"coldspot_agent_{metric}_seconds_total"), sums[key])
        compare(f"cgroups {state}", total(got, "coldspot_agent_cgroup_seconds_total",
                                          state=state), sums[key])
    compare("length", total(got, "coldspot_agent_recorded_seconds_total"), sums["l"])
    compare("cgroups' waits", total(got, "coldspot_agent_waited_seconds_total"),
            total(got, "coldspot_agent_cause_seconds_total") / 1e9)
    for row in agent.query("SELECT loss, sum(events) AS n FROM losses WHERE loss <> 'unnamed' "
                           "GROUP BY loss"):
        compare(row["loss"], total(got, "coldspot_agent_lost_events_total", kind=row["loss"]),
                row["n"])
    compare("windows", total(got, "coldspot_agent_windows_written_total"), sums["n"])
    tap.ok("sums by cause, cgroup and loss are those of the store", "\n".join(wrong))
    unit = agent.query("SELECT coalesce(nullif(substr(container, 1, 12), ''), nullif(unit, ''), "
                       "nullif(cgroup, ''), '(unknown)') AS name, sum(on_s) AS s FROM threads "
                       "GROUP BY 1 ORDER BY 2 DESC LIMIT 1")[0]
    tap.ok("so is the busiest cgroup", None if same(
        total(got, "coldspot_agent_cgroup_seconds_total", cgroup=unit["name"], state="on"),
        unit["s"]) else unit)
    size = sum(os.stat(f).st_blocks * 512 for f in glob.glob(agent.store + "/*.coldspot"))
    told = total(got, "coldspot_agent_store_bytes") / 10**9
    tap.ok("so is the size of the store", None if 0 < told <= 3 * size + (8 << 20) else
           (told, size))
    tap.ok("nothing else is in the directory",
           [f for f in os.listdir(os.path.dirname(path)) if f != os.path.basename(path)])


def changes(tap, top, path):
    agent = Agent(top, os.path.join(top, "none", "x.prom"))
    try:
        reloads(tap, agent, path)
    finally:
        agent.process.kill()
        agent.process.wait()


def reloads(tap, agent, path):
    said = await_(lambda: "cannot write" in agent.said() and agent.said())
    tap.ok("a directory that is missing is said", None if said else agent.said())
    agent.reload(path)
    tap.ok("SIGHUP takes another file", None if await_(lambda: read(path)) else agent.said())
    keeps_counting(tap, agent, path)
    agent.reload("")
    tap.ok("and without one the file is removed",
           None if await_(lambda: not os.path.exists(path)) else agent.said())
    before, = (ns for (name, _), ns in samples(agent.last).items() if name == START)
    agent.reload(path)
    first = samples(await_(lambda: read(path)) or "")
    tap.ok("turned on again, all counters begin anew, and so does the time of their start",
           None if total(first, START) > before and
           0 < total(first, WRITTEN) <= 2 * 10**9 else first)
    agent.process.send_signal(signal.SIGTERM)
    agent.process.wait(timeout=PATIENCE_S)
    said = re.search(r"stopped; (\d+) windows? written", agent.said())
    stores = [agent.store + "2", agent.store]
    have = 0
    for agent.store in stores:
        have += agent.query("SELECT count(*) AS n FROM windows")[0]["n"]
    tap.ok("its last line counts the windows of both stores", None if said and
           int(said[1]) == have else (said and said[0], have))
    tap.ok("it was said once", None if agent.said().count("cannot write") == 1 else agent.said())


def keeps_counting(tap, agent, path):
    """With another store."""
    before = samples(await_(lambda: read(path) if total(samples(read(path)), WRITTEN) >= 2 * 10**9
                            else None))
    agent.store += "2"
    agent.reload(path)
    wrong = []

    def grown():
        found = samples(read(path))
        if found and (total(found, WRITTEN) < total(before, WRITTEN) or
                      total(found, START) != total(before, START)):
            wrong.append(found)
        return wrong or os.path.isdir(agent.store) and total(found, WRITTEN) > \
            total(before, WRITTEN) + 2 * 10**9
    tap.ok("with another store, counters go on", None if await_(grown) and not wrong else wrong)
    agent.last = read(path)
    agent.store = agent.store[:-1]


def checks(tap, top, path):
    """agent --check"""
    settings = os.path.join(top, "checked.toml")
    textfile = os.path.dirname(path)
    os.mkdir(os.path.join(textfile, "d.prom"))
    for line, words in ((f'metrics_file = "{path}"', None),
                        ('metrics_file = "x.prom"', "must begin with '/' and end with .prom"),
                        (f'metrics_file = "{path}.txt"', "must begin with '/' and end with .prom"),
                        (f'metrics_file = "{top}/none/x.prom"', "none/': No such file"),
                        (f'metrics_file = "{textfile}/d.prom"', "is no regular file"),
                        (f'push = ["dir:{textfile}", "s3+https://h/b"]', None),
                        (f'push = ["dir:{top}/none"]', f"push: dir:{top}/none: cannot open"),
                        (f'push = ["dir:{settings}"]', "is no directory"),
                        (f'push = ["s3+https://h/b?credentials-file={top}/none"]',
                         f"cannot open '{top}/none'")):
        with open(settings, "w", encoding="ascii") as f:
            f.write(line + "\n")
        done = subprocess.run([COLDSPOT, "agent", "--config", settings, "--check"], check=False,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        said = done.stderr.decode()
        tap.ok(f"--check: {line.replace(top, 'TOP')}", None if done.returncode == bool(words) and
               (words or "") in said else (done.returncode, said))
    os.rmdir(os.path.join(textfile, "d.prom"))


def main():
    tap = Tap()
    can = not os.geteuid() and subprocess.run(
        [COLDSPOT, "doctor"], check=False, timeout=60, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL).returncode == 0
    if not can:
        tap.skip("all", "this machine or user cannot record")
        tap.done()
        return
    agent = None
    with tempfile.TemporaryDirectory() as top:
        path = os.path.join(top, "textfile", "coldspot.prom")
        os.mkdir(os.path.dirname(path))
        try:
            agent = Agent(top, path)
            grows(tap, agent, path)
            adds_up(tap, agent, path)
            os.remove(path)
        finally:
            agent.process.kill()
            agent.process.wait()
        other = os.path.join(top, "other")
        os.mkdir(other)
        changes(tap, other, path)
        checks(tap, top, path)
    tap.done()


main()
