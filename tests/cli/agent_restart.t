#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""agent: a wait that is open over a restart is in the store as a whole. Needs root."""
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import COLDSPOT, PYTHON, Tap, need_root, run  # noqa: E402

PATIENCE_S = 60
GAP_S = 3
NS = 10**9
# How far the clock of run queues may be from ours, and a system call on its way.
SLACK_NS = 2 * 10**6

# Reads a pipe byte by byte, and writes down when each wait began and ended.
SLEEPER = """
import os, sys, time
log = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
while True:
    os.write(log, b"%d " % time.monotonic_ns())
    got = os.read(0, 1)
    os.write(log, b"%d\\n" % time.monotonic_ns())
    if not got:
        break
"""


def await_(what, why):
    end = time.monotonic() + PATIENCE_S
    while True:
        got = what()
        if got:
            return got
        if time.monotonic() > end:
            raise SystemExit(f"# waited {PATIENCE_S} s for {why}")
        time.sleep(0.01)


class Sleeper:
    """A thread that knows its own waits: (begin, end), the last one open."""

    def __init__(self, top, name):
        self.log = os.path.join(top, name)
        self.asleep_ns = []  # when each wait was seen to sleep
        self.process = subprocess.Popen([PYTHON, "-S", "-E", "-c", SLEEPER, self.log],
                                        stdin=subprocess.PIPE)
        self.await_wait(1)

    def waits(self, now_ns):
        if not os.path.exists(self.log):
            return []
        with open(self.log, encoding="ascii") as f:
            numbers = [int(word) for word in f.read().split()]
        return list(zip(numbers[::2], numbers[1::2] + [now_ns]))

    def await_wait(self, number):
        def sleeps():
            with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as f:
                state = f.read().rsplit(")", 1)[1].split()[0]
            now = time.monotonic_ns()
            return len(self.waits(now)) == number and state == "S" and now
        self.asleep_ns.append(await_(sleeps, f"wait {number} of {self.log}"))

    def wake(self):
        number = len(self.asleep_ns)
        self.process.stdin.write(b"x")
        self.process.stdin.flush()
        self.await_wait(number + 1)

    def waited_ns(self, begin_ns, end_ns):
        """As it measured itself, in this range."""
        return sum(max(0, min(end, end_ns) - max(begin, begin_ns))
                   for begin, end in self.waits(end_ns))

    def end(self):
        self.process.stdin.close()
        self.process.wait()


class Agent:
    def __init__(self, top):
        self.store, self.settings = os.path.join(top, "store"), os.path.join(top, "agent.toml")
        self.log = os.path.join(top, "log")
        self.notify = os.path.join(top, "notify")
        self.metrics = os.path.join(top, "agent.prom")
        self.process = None

    def write(self, more):
        with open(self.settings, "w", encoding="ascii") as f:
            f.write(f'store = "{self.store}"\nmetrics_file = "{self.metrics}"\n{more}\n')

    def start(self):
        """Returns when its first window is open."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager, \
                open(self.log, "a", encoding="utf-8") as log:
            manager.bind(self.notify)
            manager.settimeout(PATIENCE_S)
            self.process = subprocess.Popen([COLDSPOT, "agent", "--config", self.settings],
                                            env={**os.environ, "NOTIFY_SOCKET": self.notify},
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            while b"READY=1" not in manager.recv(4096):
                pass
        os.unlink(self.notify)

    def logged(self):
        with open(self.log, encoding="utf-8") as log:
            return log.read()

    def end(self, how):
        self.process.send_signal(how)
        self.process.wait()

    def await_windows(self, count):
        def has():
            if self.process.poll() is not None:
                raise SystemExit(f"# the agent ended: {self.logged()}")
            return len(self.windows()) >= count
        await_(has, f"window {count}\n# {self.logged()}")

    def query(self, sql):
        done = subprocess.run([COLDSPOT, "query", "-f", "json", "--store", self.store, sql],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                              timeout=120)
        return json.loads(done.stdout) if not done.returncode else []

    def windows(self):
        """Begin and end of each, CLOCK_MONOTONIC."""
        return [(row["begin_mono_ns"], row["begin_mono_ns"] + row["window_ns"])
                for row in self.query("SELECT begin_mono_ns, window_ns FROM main.windows")]


def gaps_of(windows):
    """Of each window, the begin of the gap before it, or its own if there is none."""
    return [before[1] if before and w[0] - before[1] > NS // 1000 else w[0]
            for before, w in zip([None, *windows], windows)]


class Stored:
    """What the store has."""

    def __init__(self, agent):
        self.windows = agent.windows()
        self.from_ns = gaps_of(self.windows)
        self.tasks = agent.query(
            "SELECT window, tid, wall_ns, on_ns + preempted_ns + runq_ns + blocked_ns"
            " + unaccounted_ns AS sum_ns, preempted_ns + runq_ns + blocked_ns AS off_ns,"
            " gap_wait_ns FROM main.tasks")
        self.losses = agent.query("SELECT window, loss, events, ns FROM main.losses")

    def of(self, sleeper):
        return {t["window"]: t for t in self.tasks if t["tid"] == sleeper.process.pid}

    def loss(self, window, name):
        return [(row["events"], row["ns"]) for row in self.losses
                if (row["window"], row["loss"]) == (window, name)]


def gap_windows(stored):
    """Numbers of the windows that begin after a gap."""
    return [i + 1 for i, (w, begin) in enumerate(zip(stored.windows, stored.from_ns))
            if begin < w[0]]


def check_whole(stored, sleeper):
    """The parts in windows and the stated gaps are what it measured."""
    rows = stored.of(sleeper)
    begin_ns, end_ns = stored.windows[0][0], stored.windows[-1][1]
    if sorted(rows) != list(range(1, len(stored.windows) + 1)):
        return f"rows of windows {sorted(rows)} of {len(stored.windows)}"
    own_ns = sleeper.waited_ns(begin_ns, end_ns)
    awake_ns = end_ns - begin_ns - own_ns
    got_ns = sum(row["off_ns"] + row["gap_wait_ns"] for row in rows.values())
    print(f"# waited {own_ns / 1e9:.6f} s, was awake for {awake_ns / 1e6:.3f} ms; "
          f"in the store {(got_ns - own_ns) / 1e3:+.1f} us")
    if -SLACK_NS <= got_ns - own_ns <= awake_ns + SLACK_NS:
        return None
    return f"{got_ns} ns in the store, {own_ns} ns measured, {awake_ns} ns awake"


def check_gap(stored, window, sleeper, wait):
    """The part in the gap of its wait with this number, which began in the gap or before it."""
    begin_ns, from_ns = stored.windows[window - 1][0], stored.from_ns[window - 1]
    called_ns = sleeper.waits(begin_ns)[wait - 1][0]
    got_ns = stored.of(sleeper)[window]["gap_wait_ns"]
    most_ns = begin_ns - max(from_ns, called_ns)
    least_ns = begin_ns - max(from_ns, sleeper.asleep_ns[wait - 1])
    print(f"# {got_ns} ns in a gap of {begin_ns - from_ns} ns: {(got_ns - most_ns) / 1e3:+.1f} us")
    slack_ns = SLACK_NS if called_ns > from_ns else 0
    if least_ns - slack_ns <= got_ns <= most_ns + slack_ns:
        return None
    return f"{got_ns} ns, not {least_ns} to {most_ns} ns"


def check_losses(stored, window):
    """The loss of a window is the sum of its threads."""
    waits = [t["gap_wait_ns"] for t in stored.tasks
             if t["window"] == window and t["gap_wait_ns"]]
    gap_ns = stored.windows[window - 1][0] - stored.from_ns[window - 1]
    unknown = stored.loss(window, "gap_unknown")
    print(f"# {len(waits)} waits, {unknown} unknown")
    if stored.loss(window, "gap_waits") != [(len(waits), sum(waits))] or not waits:
        return f"{stored.loss(window, 'gap_waits')}, not {len(waits)}, {sum(waits)}"
    if max(waits) > gap_ns:
        return f"{max(waits)} ns of a gap of {gap_ns}"
    if any(ns != gap_ns * events or events > len(waits) for events, ns in unknown):
        return f"unknown: {unknown}"
    return None


def main():
    need_root()
    tap = Tap()
    with tempfile.TemporaryDirectory() as top:
        agent = Agent(top)
        through, before, late = (Sleeper(top, name) for name in ("through", "before", "late"))

        agent.write('window = "1s"\nhooks_only = true')
        agent.start()
        agent.await_windows(2)
        agent.end(signal.SIGKILL)
        time.sleep(GAP_S / 2)
        before.wake()
        late.wake()
        time.sleep(GAP_S / 2)
        killed = len(agent.windows())
        agent.write('window = "4s"\nhooks_only = true')  # the first one has 2 s at least
        agent.start()
        late.wake()
        agent.await_windows(killed + 2)

        agent.write('window = "1s"\nhooks_only = true\ninterval = "0"')
        agent.process.send_signal(signal.SIGHUP)
        await_(lambda: "read the settings again" in agent.logged(), "SIGHUP\n# " + agent.logged())
        agent.await_windows(len(agent.windows()) + 2)

        agent.write('window = "1s"\nmax_overhead = "0.01%"')
        agent.process.send_signal(signal.SIGHUP)
        await_(lambda: "threads are visited" in agent.logged(), "visits")
        agent.await_windows(len(agent.windows()) + 2)
        through.wake()
        agent.await_windows(len(agent.windows()) + 2)
        agent.end(signal.SIGTERM)

        stored = Stored(agent)
        gaps = gap_windows(stored)
        tap.ok("a kill, two changes of settings and visits are four gaps",
               (len(gaps) != 4 or gaps[0] != killed + 1) and f"{gaps}, {killed}\n{agent.logged()}")
        tap.ok("the first window of a new store lacks nothing",
               stored.loss(1, "gap_waits") + stored.loss(1, "gap_unknown"))
        tap.ok("a wait over all gaps is in the store as a whole", check_whole(stored, through))
        for gap, what in zip(gaps, ("a kill", "SIGHUP", "a change to a budget", "visits")):
            tap.ok(f"after {what}, a wait lacks the whole gap",
                   check_gap(stored, gap, through, 1))
            tap.ok(f"after {what}, the loss is that of all threads", check_losses(stored, gap))
        tap.ok("a wait that began in the gap lacks its part", check_gap(stored, gaps[0], before, 2))
        tap.ok("and likewise one that ends in the first window",
               not stored.windows[gaps[0] - 1][0] < late.waits(0)[1][1] <
               stored.windows[gaps[0] - 1][1] and "it ended elsewhere" or
               check_gap(stored, gaps[0], late, 2))
        tap.ok("all other windows state nothing",
               [t for t in stored.tasks if t["gap_wait_ns"] and t["window"] not in gaps])
        tap.ok("the parts of each thread in each window are its wall time",
               [t for t in stored.tasks if t["sum_ns"] != t["wall_ns"]])
        for sleeper in (through, before, late):
            sleeper.end()
        events = sum(events for gap in gaps for events, _ in stored.loss(gap, "gap_waits"))
        with open(agent.metrics, encoding="ascii") as f:
            tap.ok("metrics count these waits",
                   f'lost_events_total{{kind="gap_waits"}} {events}\n' not in f.read() and
                   f"not {events}")
        asked = agent.query("SELECT window, gap_wait_s FROM threads"
                            f" WHERE tid = {through.process.pid} AND gap_wait_s > 0")
        tap.ok("query has the part of each thread",
               [row["window"] for row in asked] != gaps and f"{asked} of {gaps}")
        out, _ = run("report", agent.store)
        tap.ok("report says so", "open in a gap of the recording" not in out and out)
        run("check", *(os.path.join(agent.store, name) for name in os.listdir(agent.store)
                       if name.endswith(".coldspot")))
        tap.ok("the files are sound")
    tap.done()


main()
