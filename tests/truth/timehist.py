# SPDX-License-Identifier: Apache-2.0
"""Sums of `perf sched timehist`, thread by thread.

A line is one stay on a CPU and the wait before it, in ms with three decimals that are cut off, not
rounded: half a microsecond is added to each number that is not the first wait of a thread (which
is not known to perf and zero). `wait time` goes from switch to switch, so it contains `sch delay`;
only of a new thread the delay is all there is of the wait.
"""
import re
import subprocess

LINE = re.compile(r"^\s*\d+\.\d+\s+\[\d+\]\s+(\S.*?)\[(\d+)(?:/(\d+))?\]\s+"
                  r"(\d+\.\d{3})\s+(\d+\.\d{3})\s+(\d+\.\d{3})")
CUT_NS = 500


class Sums:
    def __init__(self, comm):
        self.comm = comm
        self.lines = 0
        self.run_ns = 0
        self.wait_ns = 0
        self.delay_ns = 0

    def add(self, wait_ms, delay_ms, run_ms):
        run, delay, wait = (round(float(ms) * 1e6) for ms in (run_ms, delay_ms, wait_ms))
        self.run_ns += run + CUT_NS
        self.delay_ns += delay + (CUT_NS if delay else 0)
        if self.lines:
            self.wait_ns += wait + CUT_NS
        else:
            self.wait_ns += delay + (CUT_NS if delay else 0)
        self.lines += 1


def parse(text):
    """Sums by tid."""
    sums = {}
    for line in text.splitlines():
        match = LINE.match(line)
        if match:
            comm, tid, _tgid, wait, delay, run = match.groups()
            sums.setdefault(int(tid), Sums(comm)).add(wait, delay, run)
    return sums


def read(path):
    out = subprocess.run(["perf", "sched", "timehist", "-i", path], check=True, timeout=120,
                         capture_output=True, text=True, errors="replace")
    return parse(out.stdout)


def lost_events(path):
    """Events that perf itself lost, as far as it knows."""
    out = subprocess.run(["perf", "report", "--stats", "-i", path], check=False, timeout=120,
                         capture_output=True, text=True, errors="replace").stdout
    return sum(int(n) for n in re.findall(r"^\s*LOST\S* events:\s+(\d+)", out, re.MULTILINE))
