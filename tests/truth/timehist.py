# SPDX-License-Identifier: Apache-2.0
"""Sums of `perf sched timehist -n -w`, thread by thread.

A line is one stay on a CPU and the wait before it, in ms with three decimals that are cut off, not
rounded: half a microsecond is added to each run and delay. `wait time` goes from switch to switch,
so it contains `sch delay`; it is not added up, for what is cut off each adds up as well, but taken
from the times of the first and the last line. Before its first slice a thread has only the delay.

Two things are put right here:
- perf forgets a thread at its exit event, which comes before its last slice. That slice has no
  number ("-1") and no delay. Whose it is, is known from the line before on that CPU; its delay from
  the times of the lines.
- perf loses switches on some machines. A thread that leaves a CPU on which another one was switched
  to had such a loss just before: it is marked, for its numbers are not its own.
"""
import re
import subprocess

OUT = re.compile(r"^\s*(\d+)\.(\d{6})\s+\[(\d+)\]\s+(\S.*?)\s+"
                 r"(\d+)\.(\d{3})\s+(\d+)\.(\d{3})\s+(\d+)\.(\d{3})\s(?:.*\bnext: (\S.*))?")
WAKE = re.compile(r"^\s*(\d+)\.(\d{6})\s+\[\d+\]\s.*\bawakened: (\S.*)")
NAME = re.compile(r"^(.*)\[(-?\d+)(?:/-?\d+)?\]\s*$")
CUT_NS = 500
IDLE = 0
FORGOTTEN = -1


class Sums:
    def __init__(self, comm):
        self.comm = comm
        self.slices = 0
        self.run_ns = 0
        self.delay_ns = 0
        self.delays = 0
        self.lost = 0  # switches to it that perf did not see
        self.born_ns = 0
        self.last_out_ns = 0
        self.woken_ns = None

    @property
    def wait_ns(self):
        return self.last_out_ns - self.born_ns - self.run_ns

    def add(self, out_ns, delay_ns, run_ns, forgotten):
        came_ns = out_ns - run_ns
        if forgotten and self.woken_ns:
            delay_ns = came_ns - self.woken_ns
        if not self.slices:
            self.born_ns = came_ns - delay_ns
        self.run_ns += run_ns + CUT_NS
        self.delay_ns += delay_ns + (CUT_NS if delay_ns else 0)
        self.delays += delay_ns > 0
        self.slices += 1
        self.last_out_ns = out_ns
        self.woken_ns = None


def split_name(text):
    """("comm", tid) of "comm[tid/pid]"; the idle task has no number."""
    match = NAME.match(text)
    if not match:
        return text.strip(), IDLE
    comm, tid = match.groups()
    return comm, IDLE if comm.startswith("swapper/") else int(tid)


def parse(text):
    """Sums by tid."""
    sums, on_cpu = {}, {}
    for line in text.splitlines():
        match = WAKE.match(line)
        if match:
            tid = split_name(match[3])[1]
            if tid in sums and not sums[tid].woken_ns:
                sums[tid].woken_ns = int(match[1]) * 10**9 + int(match[2]) * 1000
            continue
        match = OUT.match(line)
        if not match:
            continue
        comm, tid = split_name(match[4])
        cpu, forgotten = match[3], tid == FORGOTTEN
        expected = on_cpu.get(cpu)
        if forgotten:
            tid = expected
        on_cpu[cpu] = split_name(match[11])[1] if match[11] else None
        if tid in (IDLE, None):
            continue
        mine = sums.setdefault(tid, Sums(comm))
        mine.lost += expected not in (tid, None)
        delay, run = (int(match[i]) * 10**6 + int(match[i + 1]) * 1000 for i in (7, 9))
        mine.add(int(match[1]) * 10**9 + int(match[2]) * 1000, delay, run, forgotten)
    return sums


def read(path):
    out = subprocess.run(["perf", "sched", "timehist", "-n", "-w", "-i", path], check=True,
                         timeout=120, capture_output=True, text=True, errors="replace")
    return parse(out.stdout)


def lost_events(path):
    """Events that perf itself knows it lost."""
    out = subprocess.run(["perf", "report", "--stats", "-i", path], check=False, timeout=120,
                         capture_output=True, text=True, errors="replace").stdout
    return sum(int(n) for n in re.findall(r"^\s*LOST\S* events:\s+(\d+)", out, re.MULTILINE))
