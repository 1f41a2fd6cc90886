# SPDX-License-Identifier: Apache-2.0
"""Threads that somebody else stops: by a signal, by a tracer."""
import os
import signal
import time

import always
import checks
import procfs
from cases import case
from recorder import mono_ns
from session import record

HELD_S = 0.3


def judge_held(what, ns, limits):
    """Between the times that are known to lie in it and those known to lie around it."""
    low, high = limits
    return checks.between_times(what, ns, low * (1 - checks.EDGE_SHARE) - checks.EDGE_NS,
                                high * (1 + checks.EDGE_SHARE) + checks.EDGE_NS)


def stop_for_a_while(pid):
    """The shortest and the longest time that a thread can have been stopped."""
    asked = mono_ns()
    os.kill(pid, signal.SIGSTOP)
    procfs.await_state(pid, "T")
    seen = mono_ns()
    time.sleep(HELD_S)
    released = mono_ns()
    os.kill(pid, signal.SIGCONT)
    return released - seen, mono_ns() - asked


@case("sigstop", ("default", "waking", "switch"))
def sigstop(env, tap, mode):
    """SIGSTOP and SIGCONT to a process with threads that sleep."""
    held = []

    def during(pid):
        time.sleep(0.2)
        held.extend(stop_for_a_while(pid))

    run = record(env, [env.waits, "nanosleep", "span"], mode, during=during)
    problems = []
    for name in ("nanosleep", "span"):
        task = run.task(run.truth(name)["tid"])
        if not task:
            problems.append(f"{name}: not one record")
            continue
        stopped = [w for w in task.waits if w.state == "T"]
        for what, ns in (("stopped", task.blocked_by.get("T", 0)),
                         ("stopped, in the list", sum(w.blocked_ns for w in stopped))):
            problems += judge_held(f"{task}: {what}", ns, held)
        problems += checks.kernel_frames(stopped, [("do_signal_stop", "get_signal")])
        problems += checks.user_frames(stopped, ("thread_main",))
    tap.report("sigstop/state-T", problems)
    always.report_parked(tap, "sigstop", run)
    always.report(tap, "sigstop", run)


@case("ptrace", ("default", "switch"))
def ptrace(env, tap, mode):
    """A thread that a tracer holds for a while."""
    run = record(env, [env.life, "ptrace"], mode)
    if run.of("skip"):
        tap.skip("ptrace/state-t", run.of("skip")[0]["why"])
        return
    held = run.of("held")[0]
    task = run.task(held["tid"])
    limits = (held["release_ns"] - held["seen_ns"], held["released_ns"] - held["ask_ns"])
    problems = [] if task else ["not one record of the thread"]
    if task:
        traced = [w for w in task.waits if w.state == "t"]
        problems += judge_held(f"{task}: held", task.blocked_by.get("t", 0), limits)
        problems += checks.kernel_frames(traced, [("ptrace_stop", "ptrace_do_notify",
                                                   "do_jobctl_trap")])
        problems += checks.user_frames(traced, ("block_traced", "run_traced", "thread_main"))
    tap.report("ptrace/state-t", problems)
    always.report_parked(tap, "ptrace", run)
    always.report(tap, "ptrace", run)
