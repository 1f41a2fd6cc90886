# SPDX-License-Identifier: Apache-2.0
"""Threads that somebody else stops: by a signal, by a tracer."""
import os
import signal
import time

import always
import checks
from cases import case
from recorder import mono_ns
from session import record

HELD_S = 0.3
# From the signal to the switch: a thread has to be woken and run to stop itself.
STOP_NS = 10_000_000


@case("sigstop", ("default", "sched-info", "switch"))
def sigstop(env, tap, mode):
    """SIGSTOP and SIGCONT to a process with threads that sleep."""
    held = []

    def during(pid):
        time.sleep(0.2)
        os.kill(pid, signal.SIGSTOP)
        begin = mono_ns()
        time.sleep(HELD_S)
        end = mono_ns()
        os.kill(pid, signal.SIGCONT)
        held.append(end - begin)

    run = record(env, [env.waits, "nanosleep", "span"], mode, during=during)
    problems = []
    for name in ("nanosleep", "span"):
        task = run.task(run.truth(name)["tid"])
        if not task:
            problems.append(f"{name}: not one record")
            continue
        stopped = [w for w in task.waits if w.state == "T"]
        problems += checks.within(f"{task}: stopped", task.blocked_by.get("T", 0), held[0], 0,
                                  STOP_NS)
        problems += checks.within(f"{task}: stopped, in the list",
                                  sum(w.blocked_ns for w in stopped), held[0], 0, STOP_NS)
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
    truth = held["end_ns"] - held["begin_ns"]
    problems = [] if task else ["not one record of the thread"]
    if task:
        traced = [w for w in task.waits if w.state == "t"]
        problems += checks.within(f"{task}: held", task.blocked_by.get("t", 0), truth, 0, STOP_NS)
        problems += checks.kernel_frames(traced, [("ptrace_stop", "ptrace_do_notify",
                                                   "do_jobctl_trap")])
        problems += checks.user_frames(traced, ("block_traced", "run_traced", "thread_main"))
    tap.report("ptrace/state-t", problems)
    always.report_parked(tap, "ptrace", run)
    always.report(tap, "ptrace", run)
