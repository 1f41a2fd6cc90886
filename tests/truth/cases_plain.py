# SPDX-License-Identifier: Apache-2.0
"""The fast paths to a stack beside the plain ones: two recordings of one program at one time."""
import subprocess
import time

from cases import case
from recorder import Recorder
from workload import Workload, end_process

SECONDS = 3
SHARE = 0.03  # of a window: they do not begin and end together
LEAST = 0.05  # a stack of less may be in one window alone


def by_stack(recording):
    """The share of the window, by thread, state and frames."""
    sums = {}
    for task in recording.tasks:
        for wait in task.waits:
            key = (task.comm, wait.state, wait.sysno, tuple(wait.kernel), tuple(wait.user))
            sums[key] = sums.get(key, 0) + wait.off_ns / recording.window_ns
    return sums


def compare(fast, plain):
    problems = []
    for key in sorted(set(fast) | set(plain), key=str):
        one, other = fast.get(key, 0), plain.get(key, 0)
        if max(one, other) >= LEAST and abs(one - other) > SHARE:
            problems.append(f"{key}: {one:.3f} of the window, and {other:.3f} with --plain")
    return problems


@case("plain-beside")
def plain_beside(env, tap, _mode):
    """--plain and the fast paths at once: the same stacks with the same times."""
    with Workload([env.steady]) as workload:
        target = ["-p", str(workload.ready())]
        with Recorder(env.coldspot, target, "default") as fast, \
                Recorder(env.coldspot, target, "plain") as plain:
            time.sleep(SECONDS)
            fast_recording, plain_recording = fast.stop(), plain.stop()
        workload.tell("quit")
    stacks = by_stack(fast_recording)
    tap.report("plain-beside/stacks", compare(stacks, by_stack(plain_recording)))
    tap.report("plain-beside/some", [] if len(stacks) >= 4 else [f"only {len(stacks)} stacks"])


@case("second-profiler")
def second_profiler(env, tap, _mode):
    """Another tracer that attaches and detaches changes the frames between the scheduler and us."""
    pipes = ["perf", "bench", "sched", "pipe", "-T", "-l", "1000000"]
    with subprocess.Popen(pipes, stdout=subprocess.DEVNULL) as bench:
        try:
            target = ["-p", str(bench.pid)]
            with Recorder(env.coldspot, target, "default") as first:
                time.sleep(0.5)
                with Recorder(env.coldspot, target, "default") as second:
                    time.sleep(0.5)
                    second.stop()
                time.sleep(0.5)
                recording = first.stop()
        finally:
            end_process(bench)
    tap.report("second-profiler/stacks", ["a stack was not that of its fingerprint"]
               if recording.events_lost("stack_differs") else [])
