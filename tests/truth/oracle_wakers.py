# SPDX-License-Identifier: Apache-2.0
"""The outside oracle for wakers: the sched_waking records of perf sched on the same run.

Sleeper by sleeper, as many waits have to be ended by a thread as perf says; a wait that we give to
an interrupt may be anybody's with perf, which names the thread that was interrupted. All but one
in a thousand must agree. perf loses events, so a run in which it did is made again.
"""
import os
import shutil
import subprocess

import oracle_perf
import postgres
import timehist
import wakings
from cases import case
from session import record_command

DISAGREE, FEW = 0.001, 2
WORKLOADS = {name: oracle_perf.WORKLOADS[name] for name in ("pipes", "mutex", "sleepers")}


def our_wakers(rec, tid):
    """(waits by the TID of their waker, waits that an interrupt ended)."""
    threads, interrupts = {}, 0
    for wake in (k for w in rec.waits if w.task and w.task.tid == tid for k in w.wakes):
        if wake.waker.context == "thread":
            threads[wake.waker.tid] = threads.get(wake.waker.tid, 0) + wake.count
        else:
            interrupts += wake.count
    return threads, interrupts


def agreeing(ours, interrupts, theirs):
    by_thread = sum(min(n, theirs.get(waker, 0)) for waker, n in ours.items())
    others = sum(max(n - ours.get(waker, 0), 0) for waker, n in theirs.items())
    return by_thread + min(interrupts, others)


def judge(rec, theirs, tids):
    total, agree, different = 0, 0, []
    for tid in tids:
        ours, interrupts = our_wakers(rec, tid)
        count = sum(ours.values()) + interrupts
        same = agreeing(ours, interrupts, theirs.get(tid, {}))
        total += count
        agree += same
        if same < count:
            different.append(f"{tid}: {ours} and {interrupts} interrupts, perf: {theirs.get(tid)}")
    note = f"{agree} of {total} wakers are those of perf"
    return (different if total - agree > max(FEW, total * DISAGREE) else []), total, note


def run_both(env, argv, stdin):
    data = os.path.join(env.scratch, "perf.data")
    prefix = ["perf", "sched", "record", "-a", "-q", "-k", "CLOCK_MONOTONIC", "-o", data, "--"]
    with oracle_perf.BusyCpus():
        run = record_command(env, argv, "wakers", stdin, prefix)
    theirs, lost = wakings.read(data), timehist.lost_events(data)
    sums = timehist.read(data)
    os.unlink(data)
    lives = oracle_perf.lives(run.recording)
    tids = [tid for tid, tasks in lives.items()
            if tid in sums and not oracle_perf.too_many_lost(sums[tid], tasks)]
    return run.recording, theirs, [] if lost else tids


def compare(env, tap, name, argv, stdin=oracle_perf.GO):
    for _ in range(oracle_perf.TRIES):
        rec, theirs, tids = run_both(env, argv, stdin)
        problems, total, note = judge(rec, theirs, tids)
        if total:
            break
    if total:
        tap.report(f"oracle-wakers/{name}", problems)
    else:
        tap.skip(f"oracle-wakers/{name}", f"perf lost events in {oracle_perf.TRIES} runs")
    tap.note(f"{name}: {note}")


@case("oracle-wakers")
def oracle(env, tap, _mode):
    """The waker of every wait is the one that perf sched recorded."""
    if not shutil.which("perf"):
        tap.skip("oracle-wakers", "no perf here: install linux-perf")
        return
    for name, kinds in WORKLOADS.items():
        compare(env, tap, name, [env.waits, *kinds])
    if not postgres.bin_dir():
        tap.skip("oracle-wakers/pgbench", "no PostgreSQL here: install postgresql")
        return
    try:
        cluster = postgres.Cluster(env.scratch)
    except subprocess.CalledProcessError as e:
        tap.report("oracle-wakers/pgbench", [f"cannot make a cluster: {e}"])
        return
    compare(env, tap, "pgbench", cluster.bench_command(1), "")
