# SPDX-License-Identifier: Apache-2.0
"""Threads whose cgroup has used up its CPU quota, against the cgroup's own count."""
import time

import always
import checks
import procfs
from cases import case
from cgroup import CgroupError, QuotaGroup
from session import record

# Of the group's count. A wait is longer by what its thread waits for its CPU then, among others:
# without bounds here, so that it is the number of waits which says that none is called so wrongly.
LEAST_SHARE, LEAST_NS = 0.95, 5_000_000
SHARED_SHARE = 0.8  # of two threads that share a CPU, one runs on when the other has lost it
LEAST_PERIODS = 3


class Held:
    """One run of `kind` with a quota for all but the main thread, which looks now and then whether
    they are done: the waits of these threads, and what the group says."""

    def __init__(self, env, mode, kind, quota):
        def during(pid):
            tids = [t for t in procfs.threads_of(pid) if t != pid]
            quota.add(pid, tids)
            time.sleep(1.1)  # the threads run for a second
            # what is left of a period counts on when the group is empty
            self.periods, self.ns = quota.throttled()
            quota.release(tids)
        self.periods, self.ns = 0, 0
        self.run = record(env, [env.waits, kind], mode, during=during)
        tids = {e["tid"] for e in self.run.of("thread")}
        self.waits = [w for w in self.run.recording.waits if w.task and w.task.tid in tids]

    def of(self, cause):
        return [w for w in self.waits if w.cause == cause]

    def off_ns(self, cause):
        return sum(w.off_ns for w in self.of(cause))

    def count(self):
        return sum(w.count for w in self.of("cpu-throttled"))

    def describe(self):
        return (f"throttled {self.count()} times {self.off_ns('cpu-throttled')} ns, preempted "
                f"{self.off_ns('preempted')} ns; the group: {self.periods} periods {self.ns} ns")


def judge_marks(held):
    """A wait is throttled if and only if the scheduler said so, and then it could have run."""
    return [str(w) for w in held.waits
            if ("throttled" in w.flags) != (w.cause == "cpu-throttled") or
            ("throttled" in w.flags and (w.state != "R" or w.blocked_ns))]


# Enough is far more than there are CPUs: where a CPU stands still, its thread runs, to the kernel.
RUNS = (("alone", "spin", 0.2, False), ("shared", "preempt", 0.2, True),
        ("enough", "preempt", 50, False))


@case("throttled", ("default", "waking", "switch"))
def throttled(env, tap, mode):
    """One thread, two that share a CPU and a quota, and two that have enough."""
    for name, kind, share, nested in RUNS:
        try:
            with QuotaGroup(share, nested) as quota:
                held = Held(env, mode, kind, quota)
        except CgroupError as e:
            tap.skip(f"throttled/{name}", str(e))
            continue
        JUDGES[name](tap, held)
        tap.note(f"{name}: {held.describe()}")
        tap.report(f"throttled/{name}-marks", judge_marks(held))
        always.report(tap, f"throttled/{name}", held.run)


def judge_held(held, threads, share):
    """Both that share a CPU wait for the same part of the group, which counts once."""
    low = held.ns * threads * share - LEAST_NS
    problems = [] if held.periods >= LEAST_PERIODS else [f"throttled in {held.periods} periods"]
    problems += checks.between_times("throttled", held.off_ns("cpu-throttled"), low,
                                     1.2e9 * threads)
    problems += checks.between_times("times", held.count(), 1,
                                     threads * (1.2 * held.periods + 2))
    return problems + ([held.describe()] if problems else [])


def judge_alone(tap, held):
    tap.report("throttled/alone-is-what-the-cgroup-counts", judge_held(held, 1, LEAST_SHARE))


def judge_shared(tap, held):
    tap.report("throttled/shared-by-two-threads", judge_held(held, 2, SHARED_SHARE))


def judge_enough(tap, held):
    problems = [] if held.off_ns("preempted") > 200_000_000 else ["they were not preempted"]
    if held.count() or held.periods:
        problems.append("throttled")
    tap.report("throttled/not-who-has-quota-left",
               problems + ([held.describe()] if problems else []))


JUDGES = {"alone": judge_alone, "shared": judge_shared, "enough": judge_enough}
