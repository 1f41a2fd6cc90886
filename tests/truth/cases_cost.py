# SPDX-License-Identifier: Apache-2.0
"""What a recording says that it costs, against what the kernel measures of its programs."""
import contextlib
import os

import checks
import procfs
from cases import case
from recorder import Recorder
from session import Run
from workload import Workload

STATISTICS = "/proc/sys/kernel/bpf_stats_enabled"
# 1,500 runs are measured, and some are long. The two clocks begin at different places.
LEAST, MOST = 0.8, 1.25


@contextlib.contextmanager
def statistics():
    """The kernel measures each run of a BPF program."""
    with open(STATISTICS, encoding="ascii") as f:
        before = f.read()
    try:
        with open(STATISTICS, "w", encoding="ascii") as f:
            f.write("1")
        yield
    finally:
        with open(STATISTICS, "w", encoding="ascii") as f:
            f.write(before)


def fields_of(pid, fd):
    """What fdinfo says of a program; nothing if it is another file."""
    try:
        with open(f"/proc/{pid}/fdinfo/{fd}", encoding="ascii") as f:
            lines = dict(line.split(":", 1) for line in f if ":" in line)
    except FileNotFoundError:
        return {}
    return {k: v.strip() for k, v in lines.items()} if "run_time_ns" in lines else {}


def ran_ns(pid):
    """Of all programs of a process, each once. The recording states those at switches and wakeups:
    no others run at the waits of two threads that share a pipe."""
    programs = {}
    for fd in os.listdir(f"/proc/{pid}/fd"):
        fields = fields_of(pid, fd)
        if fields:
            programs[fields["prog_id"]] = int(fields["run_time_ns"])
    return sum(programs.values())


def judge(recording, kernel_ns):
    ours_ns = recording.header["prog_ns"]
    if kernel_ns * LEAST <= ours_ns <= kernel_ns * MOST:
        return []
    return [checks.Timing(f"{ours_ns} ns of our programs, the kernel says {kernel_ns} ns")]


@case("cost-programs")
def cost(env, tap, _mode):
    """Two threads on one CPU: the program of a switch takes turns with that of what resumes, which
    without caches takes many times as long."""
    run = Run("default")
    with statistics(), Workload([env.storms, "ping-pong", "pipe", "25000"]) as workload:
        pid = workload.ready()
        os.sched_setaffinity(pid, {max(os.sched_getaffinity(0))})
        for tid in os.listdir(f"/proc/{pid}/task"):
            os.sched_setaffinity(int(tid), {max(os.sched_getaffinity(0))})
        procfs.settle(pid)
        with Recorder(env.coldspot, ["-p", str(pid), "--plain"]) as recorder:
            before_ns = ran_ns(recorder.process.pid)
            workload.tell("go")
            workload.until("done")
            kernel_ns = ran_ns(recorder.process.pid) - before_ns
            run.recording = recorder.stop()
        workload.tell("quit")
    tap.report("cost-programs/kernel", judge(run.recording, kernel_ns))
