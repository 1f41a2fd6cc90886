# SPDX-License-Identifier: Apache-2.0
"""The outside oracle: perf sched on the same run.

perf records the whole machine (with -p its history is wrong), coldspot records a command and runs
under perf; so every thread that the command makes is born and dies inside both. For each of them
the sums of its life are compared: on the CPU, off the CPU, and waiting for one.

Bound: 0.5 % of the life of the thread, or 200 us if that is more, and 200 ns for each slice: perf
prints whole microseconds. The run-queue delay has 10 us for each wakeup besides: perf counts from
the wakeup, sched_info from the enqueueing that it causes.

perf loses switches from the idle task on some virtual machines, hundreds in a row. So each CPU is
kept busy by a loop of the lowest class, threads of which perf lost more than one switch in a
thousand are not compared, and a run that leaves too few is made again.
"""
import os
import shutil
import subprocess
import sys

import always
import checks
import postgres
import procfs
import timehist
from cases import case
from session import record_command
from workload import end_process

SHARE, FLOOR_NS, SLICE_NS, WAKEUP_NS = 0.005, 200_000, 200, 10_000
TRIES = 3
GO = "go\nquit\n"
WORKLOADS = {
    "pipes": ["pipe-read", "pipe-write", "unix"],
    "mutex": ["mutex", "condvar", "semaphore"],
    "sleepers": ["nanosleep", "futex-time", "poll", "epoll"],
    "spinners": ["preempt", "yield"],
    "pingpong": ["pingpong"],
}
BUSY = "import os; os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))\nwhile True: pass"


class BusyCpus:
    """A loop on each CPU that gives way to everybody."""

    def __enter__(self):
        self.loops = [subprocess.Popen([sys.executable, "-c", BUSY])
                      for _ in range(procfs.online_cpus())]

    def __exit__(self, *_exc):
        for loop in self.loops:
            loop.kill()
            end_process(loop)


def lives(rec):
    """Records by tid, of threads that were born and died in the window."""
    by_tid = {}
    for task in rec.tasks:
        by_tid.setdefault(task.tid, []).append(task)
    return {tid: tasks for tid, tasks in by_tid.items()
            if any("born" in t.flags for t in tasks) and any("exited" in t.flags for t in tasks)}


def judge_life(tid, tasks, theirs):
    def total(name):
        return sum(getattr(t, name) for t in tasks)

    what = f"{tasks[-1].comm} ({tid})"
    if not theirs:
        return [f"{what}: perf does not know it"]
    floor = max(FLOOR_NS, SHARE * total("wall_ns")) + SLICE_NS * total("switches")
    problems = (checks.within(f"{what}: on a CPU", total("on_ns"), theirs.run_ns, 0, floor) +
                checks.within(f"{what}: off the CPU", total("off_ns"), theirs.wait_ns, 0, floor))
    if knows_wakeups(theirs, tasks):
        problems += checks.within(f"{what}: for a CPU after a wakeup", total("runq_ns"),
                                  theirs.delay_ns, 0, floor + WAKEUP_NS * total("wakeups"))
    return problems


def knows_wakeups(theirs, tasks):
    """perf loses wakeups as it loses switches; one in a thousand is lost in the bound."""
    return theirs.delays >= 0.999 * sum(t.wakeups for t in tasks)


def too_many_lost(theirs, tasks):
    """One loss is as much as a slice and a wait: one in a thousand is lost in the bound. A thread
    has a slice more than switches, its last one ends with its death; that ours are as many as the
    kernel counts is tested elsewhere."""
    absent = abs(theirs.slices - sum(t.switches for t in tasks) - 1)
    return max(theirs.lost, absent) * 1000 > theirs.slices


def run_both(env, mode, argv, stdin):
    """A run, perf's sums, and the lives to compare: (run, theirs, lives, what to say of it)."""
    data = os.path.join(env.scratch, "perf.data")
    prefix = ["perf", "sched", "record", "-a", "-q", "-k", "CLOCK_MONOTONIC", "-o", data, "--"]
    with BusyCpus():
        run = record_command(env, argv, mode, stdin, prefix)
    theirs = timehist.read(data)
    lost = timehist.lost_events(data)
    os.unlink(data)
    ours = lives(run.recording)
    # the command itself was born before perf and coldspot agree on what it is
    root = min(ours, default=None)
    sound = {tid: tasks for tid, tasks in ours.items()
             if tid != root and not (tid in theirs and too_many_lost(theirs[tid], tasks))}
    queued = sum(tid in theirs and knows_wakeups(theirs[tid], ts) for tid, ts in sound.items())
    note = (f"{len(sound)} of {len(ours) - 1} threads compared, run-queue delay of {queued}, "
            f"{sum(t.switches for ts in sound.values() for t in ts)} switches")
    enough = not lost and len(sound) * 2 >= len(ours) - 1 > 0
    return run, theirs, sound if enough else {}, note


def compare(env, tap, name, mode, argv, stdin):
    for _ in range(TRIES):
        run, theirs, sound, note = run_both(env, mode, argv, stdin)
        if sound:
            break
    if sound:
        tap.report(f"oracle/{name}", [p for tid, tasks in sound.items()
                                      for p in judge_life(tid, tasks, theirs.get(tid))])
    else:
        tap.skip(f"oracle/{name}", f"perf lost switches in {TRIES} runs: {note}")
    tap.note(note)
    always.report(tap, f"oracle/{name}", run)


@case("oracle", ("default", "waking"))
def oracle(env, tap, mode):
    """perf sched timehist on the same run, thread by thread. The whole list in the default mode."""
    if not shutil.which("perf"):
        tap.skip("oracle", "no perf here: install linux-perf")
        return
    for name, kinds in WORKLOADS.items():
        if mode == "default" or name == "pingpong":
            compare(env, tap, name, mode, [env.waits, *kinds], GO)
    if not postgres.bin_dir():
        tap.skip("oracle/pgbench", "no PostgreSQL here: install postgresql")
    elif mode == "default":
        try:
            cluster = postgres.Cluster(env.scratch)
        except subprocess.CalledProcessError as e:
            tap.report("oracle/pgbench", [f"cannot make a cluster: {e}"])
            return
        compare(env, tap, "pgbench", mode, cluster.bench_command(3), "")
