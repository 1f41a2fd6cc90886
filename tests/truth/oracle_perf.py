# SPDX-License-Identifier: Apache-2.0
"""The outside oracle: perf sched on the same run.

perf records the whole machine (with -p its history is wrong), coldspot records a command and runs
under perf; so every thread that the command makes is born and dies inside both. For each of them
the sums of its life are compared: on the CPU, off the CPU, and waiting for one.

Bound: 0.5 % of the life of the thread, or 200 us if that is more. The run-queue delay has 10 us for
each wakeup besides: perf counts from the wakeup, the scheduler from the enqueueing that it causes.
"""
import os
import shutil
import subprocess

import always
import checks
import postgres
import timehist
from cases import case
from session import record_command

SHARE, FLOOR_NS, WAKEUP_NS = 0.005, 200_000, 10_000
GO = "go\nquit\n"
WORKLOADS = {
    "pipes": ["pipe-read", "pipe-write", "unix"],
    "mutex": ["mutex", "condvar", "semaphore"],
    "sleepers": ["nanosleep", "futex-time", "poll", "epoll"],
    "spinners": ["preempt", "yield"],
    "pingpong": ["pingpong"],
}


def lives(rec):
    """One object for each thread born and dead in the window: several records, one life."""
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
    floor = max(FLOOR_NS, SHARE * total("wall_ns"))
    delay_floor = floor + WAKEUP_NS * total("wakeups")
    return (checks.within(f"{what}: on a CPU", total("on_ns"), theirs.run_ns, 0, floor) +
            checks.within(f"{what}: off the CPU", total("off_ns"), theirs.wait_ns, 0, floor) +
            checks.within(f"{what}: for a CPU after a wakeup", total("runq_ns"), theirs.delay_ns,
                          0, delay_floor))


def compare(env, tap, name, mode, argv, stdin):
    data = os.path.join(env.scratch, "perf.data")
    prefix = ["perf", "sched", "record", "-a", "-q", "-o", data, "--"]
    run = record_command(env, argv, mode, stdin, prefix)
    lost = timehist.lost_events(data)
    theirs = timehist.read(data)
    os.unlink(data)
    if lost:
        tap.skip(f"oracle/{name}", f"perf lost {lost} events")
        return
    ours = lives(run.recording)
    # a new process is known to us from its exec on when it is the command itself
    root = min(ours) if ours else None
    problems = [p for tid, tasks in ours.items() if tid != root
                for p in judge_life(tid, tasks, theirs.get(tid))]
    tap.report(f"oracle/{name}", problems if len(ours) > 1 else ["no thread to compare"])
    tap.note(f"{len(ours)} threads, {sum(t.switches for ts in ours.values() for t in ts)} switches")
    always.report(tap, f"oracle/{name}", run)


@case("oracle", ("default", "ktime"))
def oracle(env, tap, mode):
    """perf sched timehist on the same run, thread by thread."""
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
