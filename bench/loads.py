# SPDX-License-Identifier: Apache-2.0
"""Workloads that wait behind a gate until the tracer is there, so that a sample holds all of their
work and nothing else. Each counts CPU time and context switches of its own processes only."""
import glob
import os
import shutil
import subprocess
import tempfile
import time

from child import Child, ChildError

SECONDS_AT_MOST = 120
DEPTH = 16


class Work:
    """What one run of a workload took. `waits`: how often traced threads left the CPU. `answers`:
    a workload's own account of its requests; `steady_ns`: what CPU time it had for each wait at
    most times. None where it gives none."""

    def __init__(self, cpu_s, wall_s, waits, switches, answers=None, steady_ns=None):
        self.cpu_s = cpu_s
        self.wall_s = wall_s
        self.waits = waits
        self.switches = switches
        self.answers = answers
        self.steady_ns = steady_ns


class Gated:
    """One process (with threads) that starts its program when the gate opens. `waits_a_trip`: it
    prints the ns of a trip, which has so many waits; None: what it prints is not looked at."""

    def __init__(self, argv, waits_a_trip=None):
        self.waits_a_trip = waits_a_trip
        self.child = Child(["sh", "-c", 'read -r gate && exec "$@"', "sh", *argv],
                           stdout=subprocess.PIPE if waits_a_trip else subprocess.DEVNULL)
        self.pid = self.child.pid

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.child.__exit__(*exc)

    def run(self):
        begin = time.monotonic()
        self.child.process.stdin.write(b"\n")
        self.child.process.stdin.close()
        usage = self.child.wait(SECONDS_AT_MOST)
        wall = time.monotonic() - begin
        if self.child.status:
            raise ChildError(f"the workload failed: exit {self.child.status}")
        waits = usage.ru_nvcsw + usage.ru_nivcsw
        return Work(usage.ru_utime + usage.ru_stime, wall, waits, waits,
                    steady_ns=self._steady_ns())

    def _steady_ns(self):
        if not self.waits_a_trip:
            return None
        return int(self.child.read_to_end(5)[0]) / self.waits_a_trip


class Program:
    """Of threads, not processes: libbpf-tools offcputime traces one process. `period`, of every
    load: see period.py."""
    period = "0"

    def __init__(self, name, about, argv, cpu, waits_a_trip=None):
        self.name = name
        self.about = about
        # On one CPU there is no idle thread that the cost could be charged to.
        self.argv = ["taskset", "-c", str(cpu), *argv]
        self.waits_a_trip = waits_a_trip

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        pass

    def start(self):
        return Gated(self.argv, self.waits_a_trip)


class InDirectory:
    """A load with a directory of its own, for as long as the block lasts. prepare() fills it; the
    processes in `children` end before it goes, the last one first."""
    period = "0"

    def __init__(self):
        self.dir = None
        self.children = []

    def prepare(self):
        raise NotImplementedError

    def __enter__(self):
        self.dir = tempfile.mkdtemp(prefix="coldspot-bench.")
        try:
            self.prepare()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exc):
        for child in reversed(self.children):
            child.__exit__(*exc)
        shutil.rmtree(self.dir, ignore_errors=True)

    def await_answer(self, argv, what):
        """Until the command succeeds, which asks a server of ours."""
        end = time.monotonic() + 30
        while subprocess.run(argv, check=False, stderr=subprocess.DEVNULL).returncode:
            if time.monotonic() > end or any(child.ended() for child in self.children):
                raise ChildError(f"{what} did not start")
            time.sleep(0.1)

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="ascii") as f:
            f.write(text)


def pipe(cpu, loops):
    return Program("sched pipe", f"two threads, {loops} round trips, one CPU",
                     ["perf", "bench", "sched", "pipe", "-T", "-l", str(loops)], cpu)


def messaging(cpu, loops):
    return Program("sched messaging", f"40 threads over socket pairs, {loops} rounds, one CPU",
                     ["perf", "bench", "sched", "messaging", "-t", "-g", "1", "-l", str(loops)],
                     cpu)


def deep(build, cpu, trips):
    return Program("deep ping-pong",
                   f"two threads below {DEPTH} calls, {trips} round trips, one CPU",
                   [os.path.join(build, "bench", "pingpong"), str(DEPTH), str(trips)], cpu, 2)


def thread_sums(pid):
    """CPU seconds and switches of the living threads of a process."""
    cpu_ns = switches = 0
    for task in glob.glob(f"/proc/{pid}/task/*"):
        with open(f"{task}/schedstat", encoding="ascii") as f:
            cpu_ns += int(f.read().split()[0])
        with open(f"{task}/status", encoding="ascii") as f:
            switches += sum(int(line.split()[1]) for line in f if "ctxt_switches" in line)
    return cpu_ns / 1e9, switches


class Paths:
    """A thread that sleeps below many different call paths."""

    def __init__(self, build, stacks):
        self.argv = [os.path.join(build, "bench", "paths"), str(stacks)]
        self.child = None
        self.pid = None

    def __enter__(self):
        self.child = Child(self.argv)
        self.pid = self.child.pid
        return self

    def __exit__(self, *exc):
        self.child.__exit__(*exc)

    def go_all(self):
        """Returns when each path has been gone at least once since the call."""
        for _ in range(2):
            self.child.process.stdin.write(b"\n")
            self.child.process.stdin.flush()
            self.child.await_word(b"round\n", SECONDS_AT_MOST)
