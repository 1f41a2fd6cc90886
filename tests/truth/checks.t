#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The judgements of checks.py, timehist.py and the cases go red when they should, and a case
that is wrong does not run again endlessly. Needs no root."""
import os
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import cases_lengths  # noqa: E402
import cases_loss  # noqa: E402
import cases_sampled  # noqa: E402
import cases_threads  # noqa: E402
import cases_throttled  # noqa: E402
import cases_waits  # noqa: E402
import checks  # noqa: E402
import expect  # noqa: E402
import oracle_perf  # noqa: E402
import oracle_wakers  # noqa: E402
import procfs  # noqa: E402
import repeats  # noqa: E402
import timehist  # noqa: E402
import wakings  # noqa: E402
from recording import Recording  # noqa: E402
from repeats import Repeats, Results  # noqa: E402
from session import Run  # noqa: E402
from tap import Tap, Timing  # noqa: E402

MS = 1_000_000


def raw_task(**changes):
    task = {"tid": 7, "tgid": 7, "comm": "nanosleep", "flags": [], "cgroup": None,
            "start_boottime_ns": 1, "begin_ns": 0, "wall_ns": 1000 * MS, "on_ns": 99 * MS,
            "preempted_ns": 1 * MS, "runq_ns": 2 * MS, "blocked_ns": {"S": 898 * MS},
            "unaccounted_ns": 0, "switches": 41, "preemptions": 1, "wakeups": 40, "migrations": 3}
    return {**task, **changes}


def raw_wait(**changes):
    wait = {"task": 0, "state": "S", "sysno": expect.sysno("clock_nanosleep"), "flags": [],
            "cause": "sleep", "class": "work", "object_label": None, "owner": None,
            "blocked_ns": 898 * MS, "runq_ns": 2 * MS, "count": 40, "max_ns": 30 * MS,
            "samples": 40, "se_ns": 0, "hist": [[1 << 24, 40]], "user_stack": 0, "kernel_stack": 1,
            "user": ["block_nanosleep", "run_nanosleep", "thread_main", "start_thread"],
            "kernel": ["__schedule", "schedule", "do_nanosleep.isra.0", "do_syscall_64"]}
    return {**wait, **changes}


def preemption(**changes):
    return raw_wait(**{"state": "R", "cause": "preempted", "sysno": None, "blocked_ns": 0,
                       "runq_ns": 1 * MS, "count": 1, "samples": 1, "max_ns": MS,
                       "hist": [[1 << 20, 1]],
                       "kernel": ["__schedule", "irqentry_exit_to_user_mode"], **changes})


def recording(tasks=None, waits=None, losses=()):
    return Recording({
        "header": {"window_ns": 1000 * MS, "begin_mono_ns": 5000 * MS},
        "budget": {}, "losses": [{"name": n, "events": e, "ns": ns} for n, e, ns in losses],
        "tasks": [raw_task()] if tasks is None else tasks,
        "waits": [raw_wait(), preemption()] if waits is None else waits})


def truth(**changes):
    return {"event": "thread", "kind": "nanosleep", "name": "nanosleep", "tid": 7, "count": 40,
            "off_ns": 901 * MS, "mono_ns": 902 * MS, "max_mono_ns": 30 * MS, "blocked": 40,
            "preempted": 1, "moved": 2,
            "go_ns": 5100 * MS, "park_ns": 5900 * MS, **changes}


def delta(**changes):
    stat = {"exec_ns": 99 * MS, "run_delay_ns": 3 * MS, "voluntary": 40, "involuntary": 1,
            "migrations": 0, **changes}
    return procfs.ThreadStat(**stat)


def run_of(rec, *events):
    run = Run("default")
    run.recording = rec
    run.events = list(events) or [truth()]
    run.before = {7: delta(exec_ns=0, run_delay_ns=0, voluntary=0, involuntary=0, migrations=0)}
    run.after = {7: delta()}
    run.pid = 7
    return run


def task(**changes):
    return recording([raw_task(**changes)]).tasks[0]


def waits(**changes):
    return recording(waits=[raw_wait(**changes)]).waits


def kind(rec, want="nanosleep", **changes):
    return cases_waits.judge_kind(run_of(rec, truth(**changes)), expect.BLOCKING[want])


def gates(before=100 * MS, after=100 * MS, **changes):
    at_gate = {"sysno": expect.sysno("futex"), "count": 1, "runq_ns": 0, "hist": [[1, 1]],
               "user": ["wl_gate", "thread_main"], "kernel": ["__schedule", "futex_do_wait"]}
    rec = recording(waits=[
        raw_wait(**{**at_gate, "flags": ["pre"], "blocked_ns": before, "max_ns": before}),
        raw_wait(**{**at_gate, "flags": ["open"], "blocked_ns": after, "max_ns": after,
                    **changes})])
    return cases_waits.judge_gates(run_of(rec))


def bracket(frame, told, more_ns=0):
    some = waits(user=[frame, "run"])
    return checks.wait_time("x", checks.inside(some), some, told, checks.TIME_EACH_NS, more_ns)


def spin(off_ns):
    some = waits()
    return checks.runnable_time("x", some, some, truth(off_ns=off_ns), 0)


def life(**changes):
    theirs = timehist.Sums("nanosleep")
    theirs.run_ns, theirs.last_out_ns, theirs.delay_ns = 99 * MS, 1000 * MS, 2 * MS
    theirs.delays = 40
    return oracle_perf.judge_life(7, [task(**changes)], theirs)


def judge_wakers(ours, interrupts, theirs):
    agree = oracle_wakers.agreeing(ours, interrupts, theirs)
    return [] if agree == sum(ours.values()) + interrupts else [f"{agree} agree"]


def full(ns, rest=None):
    rec = recording(waits=[raw_wait(), preemption(flags=["lost"], count=0)],
                    losses=[("waits_full", 1, ns)] if ns else [])
    if rest is not None:
        rec.waits[1].runq_ns = rest
    return cases_loss.judge_full_waits(rec)


def held(periods=10, **changes):
    """One thread in a group that has used up its quota."""
    made = object.__new__(cases_throttled.Held)
    made.periods, made.ns = periods, 800 * MS
    made.waits = recording(waits=[preemption(**{
        "cause": "cpu-throttled", "flags": ["throttled"], "runq_ns": 800 * MS, "count": 10,
        **changes})]).waits
    return made


def throttled(**changes):
    return cases_throttled.judge_held(held(**changes), 1, cases_throttled.LEAST_SHARE)


def marks(**changes):
    return cases_throttled.judge_marks(held(**changes))


def lives_of(*begins, boot=True):
    tasks = [raw_task(begin_ns=b, start_boottime_ns=i if boot else 0, wall_ns=1000 * MS)
             for i, b in enumerate(begins)]
    rec = recording(tasks, [])
    for t in rec.tasks:
        t.waits = recording(waits=[raw_wait(user=["block_reuse"])]).waits
    told = {"off_ns": 900 * MS, "mono_ns": 901 * MS, "blocked": 40, "preempted": 0,
            "born_ns": 1, "dying_ns": 999 * MS, "created_ns": 0,
            "joined_ns": 1001 * MS}
    return cases_threads.judge_lives(run_of(rec), [told, told], rec.tasks)


def near(blocked_ns):
    some = recording(waits=[raw_wait(blocked_ns=blocked_ns), preemption()]).tasks[0]
    return checks.listed_is_near_total(some, {"period_sum_ns": MS})


def sampled_run(waits_of, **header):
    rec = recording(waits=waits_of)
    rec.header.update({"period_ns": MS, "period_min_ns": MS, "period_max_ns": MS,
                       "period_sum_ns": 3 * MS, "period_changes": 0, "waits_chosen": 41, **header})
    return run_of(rec)


def long_waits(**changes):
    return cases_sampled.judge_long(run_of(recording()),
                                    sampled_run([raw_wait(**changes), preemption()]))


def sampled_header(**header):
    return cases_sampled.judge_header(sampled_run([raw_wait(), preemption()], **header), MS)


R = recording
# name, what must pass, what must fail
TABLE = [
    ("within", lambda: checks.within("x", 100, 104, 0.05, 0),
     lambda: checks.within("x", 100, 106, 0.05, 0)),
    ("within counts both ways", lambda: checks.within("x", 108, 104, 0.05, 0),
     lambda: checks.within("x", 110, 104, 0.05, 0)),
    ("identity", lambda: checks.identity(task()), lambda: checks.identity(task(on_ns=99 * MS + 1))),
    ("residual", lambda: checks.residual([task(unaccounted_ns=MS)], 0),
     lambda: checks.residual([task(unaccounted_ns=MS + 1)], 0)),
    ("residual of a short life",
     lambda: checks.residual([task(wall_ns=0, unaccounted_ns=100_000)], 0),
     lambda: checks.residual([task(wall_ns=0, unaccounted_ns=100_001)], 0)),
    ("residual by missed switches", lambda: checks.residual([task(unaccounted_ns=2 * MS)], 2 * MS),
     lambda: checks.residual([task(unaccounted_ns=2 * MS)] * 2, 2 * MS)),
    ("residual below zero", lambda: checks.residual([task()], 0),
     lambda: checks.residual([task(unaccounted_ns=-1)], 2 * MS)),
    ("whole window: wall", lambda: checks.whole_window(task(), 1000 * MS),
     lambda: checks.whole_window(task(), 1000 * MS + 1)),
    ("whole window: begin", lambda: checks.whole_window(task(), 1000 * MS),
     lambda: checks.whole_window(task(begin_ns=1), 1000 * MS)),
    ("whole window: flags", lambda: checks.whole_window(task(), 1000 * MS),
     lambda: checks.whole_window(task(flags=["exited"]), 1000 * MS)),
    ("listed is total: blocked", lambda: checks.listed_is_total(R().tasks[0]),
     lambda: checks.listed_is_total(R([raw_task(blocked_ns={"S": 898 * MS + 1})]).tasks[0])),
    ("listed is total: run queue", lambda: checks.listed_is_total(R().tasks[0]),
     lambda: checks.listed_is_total(R([raw_task(preempted_ns=0)]).tasks[0])),
    ("histogram", lambda: checks.wait_is_sound(waits()[0]),
     lambda: checks.wait_is_sound(waits(hist=[[1, 39]])[0])),
    ("longest is a part", lambda: checks.wait_is_sound(waits()[0]),
     lambda: checks.wait_is_sound(waits(max_ns=901 * MS)[0])),
    ("longest is no less than the mean", lambda: checks.wait_is_sound(waits()[0]),
     lambda: checks.wait_is_sound(waits(max_ns=22 * MS)[0])),
    ("runnable is not blocked", lambda: checks.wait_is_sound(R().waits[1]),
     lambda: checks.wait_is_sound(R(waits=[preemption(blocked_ns=1)]).waits[0])),
    ("sampled list", lambda: near(899 * MS), lambda: near(899 * MS + 1)),
    ("sampled list: too short", lambda: near(897 * MS), lambda: near(897 * MS - 1)),
    ("sampled: histogram", lambda: checks.wait_is_sampled(waits()[0]),
     lambda: checks.wait_is_sampled(waits(hist=[[1, 39]])[0])),
    ("sampled: samples", lambda: checks.wait_is_sampled(waits(samples=1, se_ns=MS)[0]),
     lambda: checks.wait_is_sampled(waits(samples=41)[0])),
    ("sampled: longest is of the chosen",
     lambda: checks.wait_is_sampled(waits(samples=1, se_ns=MS, max_ns=MS)[0]),
     lambda: checks.wait_is_sampled(waits(max_ns=MS)[0])),
    ("estimate", lambda: checks.estimate("x", waits(blocked_ns=901 * MS, se_ns=MS // 2),
                                         waits(), 10),
     lambda: checks.estimate("x", waits(blocked_ns=903 * MS, se_ns=MS // 2), waits(), 10)),
    ("estimate: exact", lambda: checks.estimate("x", waits(blocked_ns=899 * MS), waits(), 10),
     lambda: checks.estimate("x", waits(blocked_ns=896 * MS), waits(), 10)),
    ("sampled: long waits", lambda: long_waits(), lambda: long_waits(count=39, samples=39)),
    ("sampled: long waits are no estimates", lambda: long_waits(),
     lambda: long_waits(se_ns=1)),
    ("sampled: header", lambda: sampled_header(), lambda: sampled_header(period_max_ns=2 * MS)),
    ("sampled: chosen", lambda: sampled_header(), lambda: sampled_header(waits_chosen=42)),
    ("losses", lambda: checks.no_losses(R(losses=[("missed_switch", 3, 5)])),
     lambda: checks.no_losses(R(losses=[("waits_full", 1, 5)]))),
    ("losses of the machine are few",
     lambda: checks.no_losses(R(losses=[("missed_switch", 50, 5)])),
     lambda: checks.no_losses(R(losses=[("missed_switch", 51, 5)]))),
    ("losses that are allowed",
     lambda: checks.no_losses(R(losses=[("stacks_full", 3, 5)]), {"stacks_full"}),
     lambda: checks.no_losses(R(losses=[("stacks_full", 3, 5)]))),
    ("losses: stacks of waits whose end was not reported",
     lambda: checks.no_losses(R(losses=[("missed_switch", 2, 5), ("stack_unread", 2, 5)])),
     lambda: checks.no_losses(R(losses=[("missed_switch", 2, 5), ("stack_unread", 3, 5)]))),
    ("switches", lambda: checks.switch_counts(task(), delta(), 0),
     lambda: checks.switch_counts(task(switches=42), delta(), 0)),
    ("preemptions", lambda: checks.switch_counts(task(), delta(), 0),
     lambda: checks.switch_counts(task(preemptions=0), delta(), 0)),
    ("wakeups", lambda: checks.switch_counts(task(), delta(), 0),
     lambda: checks.switch_counts(task(wakeups=41), delta(), 0)),
    ("missed switches make room", lambda: checks.switch_counts(task(switches=42), delta(), 1),
     lambda: checks.switch_counts(task(switches=43), delta(), 1)),
    ("run delay", lambda: checks.schedstat(task(), delta(), True, 0),
     lambda: checks.schedstat(task(), delta(run_delay_ns=6 * MS), True, 0)),
    ("on-CPU", lambda: checks.schedstat(task(), delta(exec_ns=98 * MS), True, 0),
     lambda: checks.schedstat(task(), delta(exec_ns=80 * MS), True, 0)),
    ("on-CPU: stolen", lambda: checks.schedstat(task(), delta(exec_ns=90 * MS), True, 4 * MS),
     lambda: checks.schedstat(task(), delta(exec_ns=113 * MS), True, 4 * MS)),
    ("on-CPU: stolen at a switch", lambda: checks.schedstat(task(), delta(exec_ns=120 * MS), True,
                                                            20 * MS),
     lambda: checks.schedstat(task(), delta(exec_ns=140 * MS), True, 20 * MS)),
    ("run delay: stolen at a switch",
     lambda: checks.schedstat(task(runq_ns=12 * MS), delta(), True, 20 * MS),
     lambda: checks.schedstat(task(runq_ns=12 * MS), delta(), True, 10 * MS)),
    ("migrations: seen", lambda: checks.migrations(task(), 3, 3, 0),
     lambda: checks.migrations(task(), 4, 9, 0)),
    ("migrations: told", lambda: checks.migrations(task(), 2, 5, 0),
     lambda: checks.migrations(task(), 1, 2, 0)),
    ("edges of a bracket are left out", lambda: bracket("truth__end", truth(off_ns=0, mono_ns=0)),
     lambda: bracket("block", truth(off_ns=0, mono_ns=0))),
    ("edges of a bracket are let in", lambda: bracket("truth__end", truth()),
     lambda: bracket("truth__end", truth(off_ns=950 * MS))),
    ("time not attributed", lambda: bracket("block", truth(off_ns=950 * MS), 60 * MS),
     lambda: bracket("block", truth(mono_ns=850 * MS), 60 * MS)),
    ("kernel frames", lambda: checks.kernel_frames(waits(), [("a", "do_nanosleep")]),
     lambda: checks.kernel_frames(waits(), [("a", "b")])),
    ("kernel leaf", lambda: checks.kernel_leaf(waits()),
     lambda: checks.kernel_leaf(waits(kernel=["bpf_prog_1_on_sched_exit", "__schedule"]))),
    ("no kernel stack", lambda: checks.kernel_leaf(waits()),
     lambda: checks.kernel_leaf(waits(kernel=[]))),
    ("user frames", lambda: checks.user_frames(waits(), ("block_nanosleep", "thread_main")),
     lambda: checks.user_frames(waits(), ("block_nanosleep", "main"))),
    ("user frames in order", lambda: checks.user_frames(waits(), ("block_nanosleep",)),
     lambda: checks.user_frames(waits(), ("thread_main", "block_nanosleep"))),
    ("stacks", lambda: checks.has_stacks(waits()),
     lambda: checks.has_stacks(waits(user_stack=None))),
    ("life: too short", lambda: checks.lifetimes("x", 100 * MS, 99 * MS, 101 * MS),
     lambda: checks.lifetimes("x", 98 * MS, 99 * MS, 101 * MS)),
    ("life: too long", lambda: checks.lifetimes("x", 100 * MS, 99 * MS, 101 * MS),
     lambda: checks.lifetimes("x", 103 * MS, 99 * MS, 101 * MS)),
    ("kind: time too long", lambda: kind(R()), lambda: kind(R(), mono_ns=890 * MS)),
    ("kind: time too short", lambda: kind(R()), lambda: kind(R(), off_ns=911 * MS)),
    ("runnable: too long", lambda: spin(901 * MS), lambda: spin(890 * MS)),
    ("runnable: too short", lambda: spin(901 * MS), lambda: spin(911 * MS)),
    ("kind: count", lambda: kind(R()), lambda: kind(R(), blocked=39)),
    ("kind: rounds", lambda: kind(R()),
     lambda: kind(R(waits=[raw_wait(count=39), preemption(),
                           raw_wait(count=1, sysno=1, blocked_ns=1, runq_ns=0, max_ns=1)]))),
    ("kind: state", lambda: kind(R()), lambda: kind(R(waits=[raw_wait(state="D"), preemption()]))),
    ("kind: system call", lambda: kind(R()), lambda: kind(R(waits=[raw_wait(sysno=1)]))),
    ("kind: longest", lambda: kind(R()), lambda: kind(R(), max_mono_ns=20 * MS)),
    ("kind: kernel frame", lambda: kind(R()),
     lambda: kind(R(waits=[raw_wait(kernel=["__schedule", "do_wait"]), preemption()]))),
    ("kind: user frame", lambda: kind(R()),
     lambda: kind(R(waits=[raw_wait(user=["block_nanosleep", "main"]), preemption()]))),
    ("kind: another wait in its place", lambda: kind(R()),
     lambda: kind(R(waits=[raw_wait(user=["wl_pause"]), preemption()]))),
    ("kind: two records of one thread", lambda: kind(R()),
     lambda: kind(R([raw_task(), raw_task()]))),
    ("gate: began before", lambda: gates(), lambda: gates(before=102 * MS)),
    ("gate: open at the end", lambda: gates(), lambda: gates(after=98 * MS)),
    ("gate: not flagged", lambda: gates(), lambda: gates(flags=[])),
    ("oracle: run", lambda: life(), lambda: life(on_ns=105 * MS)),
    ("oracle: wait", lambda: life(), lambda: life(blocked_ns={"S": 890 * MS})),
    ("oracle: delay", lambda: life(), lambda: life(runq_ns=8 * MS)),
    ("waits full: ns", lambda: full(MS), lambda: full(2 * MS)),
    ("waits full: nothing lost", lambda: full(MS), lambda: full(0)),
    ("waits full: the rest", lambda: full(MS), lambda: full(MS, rest=2 * MS)),
    ("reused tid: number", lambda: lives_of(0, 5), lambda: lives_of(0)),
    ("reused tid: one start for two", lambda: lives_of(0, 5), lambda: lives_of(0, 5, boot=False)),
]

def sleeps(took_ms=(1.1, 1.2), counted=44, missed=0):
    """44 sleeps of 1 ms, the last two of which took so long; so many are in the histogram."""
    hist = [[int(0.9 * MS), counted], [int(7.5 * MS), max(44 - counted, 0)]]
    slept = [[1, 1.1 * MS]] * 42 + [[1, ms * MS] for ms in took_ms]
    return cases_lengths.judge_sleeps(task(hists={"blocked": {"hist": hist}}), slept, missed)


TABLE += [
    ("sleeps: short", lambda: sleeps(), lambda: sleeps(counted=43)),
    ("sleeps: none too many", lambda: sleeps(counted=45), lambda: sleeps(counted=46)),
    ("sleeps: longer by their own word", lambda: sleeps((8, 9), counted=42),
     lambda: sleeps((8, 9), counted=41)),
    ("sleeps: a switch that was missed", lambda: sleeps(counted=43, missed=1),
     lambda: sleeps(counted=42, missed=1)),
    ("wakers: as many", lambda: judge_wakers({7: 5}, 0, {7: 5}),
     lambda: judge_wakers({7: 5}, 0, {7: 4})),
    ("wakers: an interrupt may be anybody", lambda: judge_wakers({7: 5}, 2, {7: 5, 8: 2}),
     lambda: judge_wakers({7: 5}, 2, {7: 5, 8: 1})),
    ("throttled: as long as the group", lambda: throttled(), lambda: throttled(runq_ns=700 * MS)),
    ("throttled: not more often", lambda: throttled(), lambda: throttled(count=20)),
    ("throttled: often enough", lambda: throttled(), lambda: throttled(periods=2)),
    ("throttled: marked", lambda: marks(), lambda: marks(flags=[])),
    ("throttled: called so", lambda: marks(), lambda: marks(cause="preempted")),
    ("throttled: could have run", lambda: marks(), lambda: marks(state="S")),
]

TIMEHIST = """
           time    cpu  task name                       wait time  sch delay   run time
    10.000100 [0000]  nano sleep[267/266]      0.000      0.052      0.051  next: swapper/0[0]
    10.000700 [0000]  <idle>      0.051      0.000      0.600  next: nano sleep[267]
    10.000750 [0000]  nano sleep[267/266]      0.600      0.186      0.050  next: migration/0[18]
    10.000760 [0000]  migration/0[18]      0.000      0.000      0.010  next: swapper/0[0]
    10.000800 [0001]  waits[266]     awakened: nano sleep[267/266]
    10.000850 [0000]  <idle>      0.010      0.000      0.090  next: nano sleep[267]
    10.000900 [0000]  :-1[-1/266]      0.000      0.000      0.050  next: swapper/0[0]
    10.001000 [0000]  other[300]      0.000      0.000      0.100  next: swapper/0[0]
"""


def test_timehist():
    sums = timehist.parse(TIMEHIST)
    want = {267: (152_500, 903_000 - 152_500, 289_500, 0), 18: (10_500, -500, 0, 0),
            300: (100_500, -500, 0, 1)}
    have = {tid: (s.run_ns, s.wait_ns, s.delay_ns, s.lost) for tid, s in sums.items()}
    return [] if have == want else [f"{have} is not {want}"]


def switch(prev, state, came):
    return (f" {prev} [000] 1.000001: sched:sched_switch: prev_comm=a b prev_pid={prev} "
            f"prev_prio=120 prev_state={state} ==> next_comm=c d next_pid={came} next_prio=120")


def waking(waker, sleeper):
    return f" {waker} [000] 1.000002: sched:sched_waking: comm=a b pid={sleeper} prio=120"


def test_wakings():
    """The last waking of a wait, also an early one; none of a thread that is preempted."""
    have = wakings.parse([switch(8, "S", 9), waking(9, 8), waking(7, 8), waking(6, 9),
                          switch(9, "D", 8), switch(8, "R+", 9), waking(9, 8),
                          switch(9, "S", 8)])
    want = {8: {7: 1}, 9: {6: 1}}
    return [] if have == want else [f"{have} is not {want}"]


class Host:
    """As host.Stolen, of a case that took a second."""

    def __init__(self, share):
        self.begun = time.monotonic_ns() - 1_000_000_000
        self.share = lambda: share
        self.disturbs = lambda: share > 0.005


def test_repeats():
    """Twice, and few; while the host disturbs, as long as there is time."""
    again = Repeats(3, lambda: 100)
    have = [again.take(name, runs, Host(share)) for name, runs, share in
            (("a", 1, 0), ("a", 2, 0), ("a", 3, 0), ("b", 1, 0), ("c", 1, 0),
             *[("d", 1, 0.07)] * 4)]
    want = [True, True, False, True, False, True, True, True, False]
    return [] if have == want else [f"{have} is not {want}"]


def results_of(*wrong):
    results = Results()
    for name in ("x/a", "x/b"):
        results.report(name, [Timing("off")] if name in wrong else [])
    return results


def broken():
    results = Results()
    results.report("x", ["no recording"])
    return results


def exact(wrong):
    """A sum and many durations are wrong."""
    results = results_of()
    results.lines = [line for line in results.lines if line[1] != wrong]
    results.report(wrong, [Timing("off")] * 30 + ["a sum"])
    return results


def test_final():
    """Only durations get another run."""
    have = [r.failed_for_good(Tap()) for r in (results_of("x/a"), exact("x/a"), broken())]
    return [] if have == [[], ["x/a"], ["x"]] else [f"{have}"]


def shown(*problems):
    """Problems with the waits that they are about."""
    results = Results()
    results.report("x", [*problems, *checks.evidence([1] * 30)])
    return results


def test_evidence():
    """The waits that a problem is about leave it what it is."""
    have = [r.failed_for_good(Tap()) for r in (shown(Timing("off")), shown("a sum"), shown())]
    first = shown("a sum", Timing("off")).lines[0][2][:2]
    return ([] if have == [[], ["x"], ["x"]] else [f"{have}"]) + (
        [] if first == ["a sum", "off"] else [f"{first}"])


def test_forgiven():
    """A duration is wrong that was wrong in each run; all else is wrong that was wrong in one."""
    problems = []
    for runs, want in (([results_of("x/a")], ["x/a"]),
                       ([results_of("x/a"), results_of("x/b")], []),
                       ([results_of("x/a"), results_of("x/a", "x/b")], ["x/a"]),
                       ([results_of("x/a"), results_of("x/b"), results_of("x/a", "x/b")], []),
                       ([results_of("x/a"), broken()], ["x", "x/a", "x/b"]),
                       ([broken(), results_of()], ["x"]),
                       ([exact("x/a"), results_of()], ["x/a"]),
                       ([results_of("x/b"), exact("x/a")], ["x/a"])):
        for before, run in zip(runs, runs[1:]):
            run.forgive(before)
        have = sorted(runs[-1].failed(Tap()))
        problems += [] if have == want else [f"{have} is not {want}"]
    return problems


def test_unjudged():
    """What is wrong is a failure, unless the host took much in each run, and few cases are so."""
    problems = []
    for shares, judged in (([0.2, 0.3, 0.4], False), ([0.2, 0.05, 0.4], True), ([0.2, 0.3], True)):
        results = results_of("x/b")
        Repeats().judge(results, shares)
        have = [what for what, _name, _more in results.lines]
        want = ["report", "report"] if judged else ["report", "note", "skip"]
        problems += [] if have == want else [f"{shares}: {have} is not {want}"]
    again = Repeats()
    for _ in range(repeats.MOST_UNJUDGED + 1):
        results = results_of("x/a")
        again.judge(results, [0.2] * repeats.MOST_RUNS)
    return problems + ([] if results.lines[0][0] == "report" else ["too many are not judged"])


def main():
    tap = Tap()
    for name, good, bad in TABLE:
        problems = [f"right data is called wrong: {p}" for p in good()]
        if not bad():
            problems.append("wrong data is not noticed")
        tap.report(name, problems)
    tap.report("timehist is read", test_timehist())
    tap.report("wakings are read", test_wakings())
    tap.report("a case runs again only so often", test_repeats())
    tap.report("what was right in one run is right", test_forgiven())
    tap.report("only durations get another run", test_final())
    tap.report("what shows a problem leaves it what it is", test_evidence())
    tap.report("what cannot be judged is a skip", test_unjudged())
    tap.plan()
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main())
