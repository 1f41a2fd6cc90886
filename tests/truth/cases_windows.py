# SPDX-License-Identifier: Apache-2.0
"""Windows that follow each other against one window of the same run.

One coldspot records another one that records the load in windows of 100 ms. The merged windows must
be a sound recording, and have each thread that was born and died in both. Its switches, preemptions
and wakeups are the same numbers in both, except for the ones that the kernel hid. Each recorder has
its own clock reads at each switch, so its times are the same to within those.
"""
import os
import subprocess

import always
import checks
import postgres
from cases import case
from recording import Recording

GO = "go\nquit\n"
THREADS, WAVE_PAUSE_MS = 10000, 1
SWITCH_NS = 20_000  # between the clock reads of two recorders
FLOOR_NS = 2_000_000  # the thread can lose its CPU between them

MAKEFILE = """all: $(patsubst %,t%,$(shell seq 300))
t%:
	@sh -c 'echo "int f(void) { return $*; }" | cc -xc -c -o /dev/null - 2>&1; true'
"""


class Both:
    """The same run in one window, and in many that are merged."""

    def __init__(self, env, argv, stdin=""):
        one, many, merged = (os.path.join(env.scratch, name)
                             for name in ("one.json", "many.coldspot", "many.json"))
        for path in (one, many, merged):
            if os.path.exists(path):
                os.unlink(path)
        record = [env.coldspot, "record", "-q"]
        subprocess.run([*record, "-o", one, "--", *record, "--every", "100ms", "-o", many, "--",
                        *argv], input=stdin.encode(), stdout=subprocess.DEVNULL, check=True,
                       timeout=120)
        report = subprocess.run([env.coldspot, "report", "-o", merged, many], check=True,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60)
        self.summary = report.stderr.decode(errors="replace")
        self.one = Recording.load(one)
        self.recording = Recording.load(merged)
        os.unlink(many)


def whole_lives(rec):
    """Sums of threads that were born and died in the recording, by thread."""
    lives = {}
    for task in rec.tasks:
        lives.setdefault((task.tid, task.start_boottime_ns), []).append(task)
    return {key: tasks for key, tasks in lives.items()
            if any("born" in t.flags for t in tasks) and any("exited" in t.flags for t in tasks)}


def compare(one, many, missed):
    """`missed`: switches that the kernel hid from the two; each learns of them in its own way."""
    problems = []
    for name in ("switches", "preemptions", "wakeups"):
        a, b = (sum(getattr(t, name) for t in tasks) for tasks in (one, many))
        if abs(a - b) > missed:
            problems.append(f"{many[0]}: {b} {name} in windows, {a} in one, {missed} missed")
    switches = sum(t.switches for t in one)
    for name in ("wall_ns", "on_ns", "off_ns"):
        a, b = (sum(getattr(t, name) for t in tasks) for tasks in (one, many))
        problems += checks.within(f"{many[0]}: {name}", b, a, 0, FLOOR_NS + SWITCH_NS * switches)
    return problems


def judge(tap, name, both, least):
    one, many = whole_lives(both.one), whole_lives(both.recording)
    many.pop(min(many, key=lambda key: key[1]))  # the command, which the outer one knew before
    missed = sum(r.events_lost("missed_switch") for r in (both.one, both.recording))
    problems = [p for key, tasks in many.items() if key in one
                for p in compare(one[key], tasks, missed)]
    absent = [key for key in many if key not in one]
    if absent:
        problems.append(f"{len(absent)} threads are in windows only, as {absent[0]}")
    if len(many) < least:
        problems.append(f"only {len(many)} threads lived in the windows, not {least}")
    tap.report(f"windows/{name}", problems[:10])
    tap.note(f"{len(many)} threads, {sum(t.switches for ts in many.values() for t in ts)} "
             f"switches, {missed} missed, {both.recording.window_ns // 100_000_000} windows")
    # a thread that wakes while the end of a window reads it, and programs that end before their
    # tables are there
    always.report(tap, f"windows/{name}", both, ("stack_unread", "truncated"))


@case("windows", ("default",))
def windows(env, tap, mode):
    """Many short threads, a parallel make, and a database, in windows and in one."""
    judge(tap, "threads", Both(env, [env.life, "threads", str(THREADS), str(WAVE_PAUSE_MS)], GO),
          THREADS)
    makefile = os.path.join(env.scratch, "Makefile")
    with open(makefile, "w", encoding="ascii") as f:
        f.write(MAKEFILE)
    judge(tap, "make", Both(env, ["make", "-s", "-j", "-f", makefile]), 300)
    if not postgres.bin_dir():
        tap.skip("windows/pgbench", "no PostgreSQL here: install postgresql")
        return
    judge(tap, "pgbench", Both(env, postgres.Cluster(env.scratch).bench_command(10)), 5)
