# SPDX-License-Identifier: Apache-2.0
"""Windows that follow each other against one window of the same run.

One coldspot records another one that records the load in windows of 100 ms, at least 100. The
merged windows must be a sound recording, and have each thread that was born and died in both. Its
switches, preemptions, wakeups and waits are the same numbers in both, except for the ones that
the kernel hid. Each recorder has its own clock reads at each switch, so its times are the same to
within those.
"""
import os
import subprocess

import always
import checks
import postgres
import rwsem
from cases import case
from recording import Recording

GO = "go\nquit\n"
THREADS, FEW_THREADS, WAVE = 10000, 400, 40
WINDOWS, FEW_WINDOWS = 100, 3
LOAD_S, FEW_S = (12, 30, 75), (3,)  # a busy machine takes longer for as many windows

MAKEFILE = """all: $(patsubst %,t%,$(shell seq 300))
t%:
	@sh -c 'echo "int f(void) { return $*; }" | cc -xc -c -o /dev/null - 2>&1; true'
"""


REPEAT = "end=$(($(date +%s) + {seconds})); while [ $(date +%s) -lt $end ]; do {command}; done"


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
                       timeout=200)
        report = subprocess.run([env.coldspot, "report", "-o", merged, many], check=True,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60)
        self.summary = report.stderr.decode(errors="replace")
        self.one = Recording.load(one)
        self.recording = Recording.load(merged)
        os.unlink(many)


def waits_of(tasks):
    """A wait that goes on into the next window is in both: open, and then begun before."""
    return sum(w.count for t in tasks for w in t.waits if "open" not in w.flags)


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
    a, b = waits_of(one), waits_of(many)
    if abs(a - b) > missed:
        problems.append(f"{many[0]}: {b} waits in windows, {a} in one, {missed} missed")
    switches = sum(t.switches for t in one)
    for name in ("wall_ns", "on_ns", "off_ns"):
        a, b = (sum(getattr(t, name) for t in tasks) for tasks in (one, many))
        problems += checks.within(f"{many[0]}: {name}", b, a, 0,
                                  checks.BOTH_NS + checks.BOTH_EACH_NS * switches)
    return problems


def judge(tap, name, both, least, windows=WINDOWS):
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
    merged = both.recording.merged
    if merged["windows"] < windows:
        problems.append(f"only {merged['windows']} windows, not {windows}")
    if merged["gap_ns"] or merged["overlap_ns"]:
        problems.append(f"windows do not follow each other: {merged}")
    tap.report(f"windows/{name}", problems[:10])
    tap.note(f"{len(many)} threads, {sum(t.switches for ts in many.values() for t in ts)} "
             f"switches, {sum(waits_of(ts) for ts in many.values())} waits, {missed} missed, "
             f"{merged['windows']} windows")
    # a thread that wakes while the end of a window reads it, programs that end before their tables
    # are there, and open files that the end of a window has no time for
    always.report(tap, f"windows/{name}", both,
                  ("stack_unread", "truncated", "peers", *rwsem.losses()))


def both_with(env, windows, lengths, argv_of, stdin=""):
    """The first run of a length, in seconds, that has so many windows; or the last."""
    for seconds in lengths:
        both = Both(env, argv_of(seconds), stdin)
        if both.recording.merged["windows"] >= windows:
            break
    return both


def threads(env, tap, number, windows, lengths):
    def life(seconds):
        return [env.life, "threads", str(number), str(seconds * 1000 * WAVE // number)]

    judge(tap, "threads", both_with(env, windows, lengths, life, GO), number, windows)


@case("windows-few", ("default",))
def windows_few(env, tap, _mode):
    """Some short threads, for emulated machines."""
    threads(env, tap, FEW_THREADS, FEW_WINDOWS, FEW_S)


@case("windows", ("default",))
def windows(env, tap, mode):
    """Many short threads, a parallel make, and a database, in windows and in one."""
    threads(env, tap, THREADS, WINDOWS, LOAD_S)
    makefile = os.path.join(env.scratch, "Makefile")
    with open(makefile, "w", encoding="ascii") as f:
        f.write(MAKEFILE)
    judge(tap, "make", both_with(env, WINDOWS, LOAD_S, lambda seconds: ["sh", "-c", REPEAT.format(
        seconds=seconds, command=f"make -s -j8 -f {makefile}")]), 300)
    if not postgres.bin_dir():
        tap.skip("windows/pgbench", "no PostgreSQL here: install postgresql")
        return
    cluster = postgres.Cluster(env.scratch)
    judge(tap, "pgbench", both_with(env, WINDOWS, LOAD_S, cluster.bench_command), 5)
