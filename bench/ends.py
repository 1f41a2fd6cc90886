# SPDX-License-Identifier: Apache-2.0
"""How long a tracer takes to begin, and from Ctrl-C to the last byte of its answer."""
import os
import re
import signal
import statistics
import subprocess
import tempfile
import time

import bpf
from child import Child, ChildError
from loads import Paths
from tracers import PID, STACK_STORAGE, Running, find

# A stack in the text form ends in a line of "-", the thread's name and its number.
STACK_END = re.compile(rb"^ +- +\S.* \(\d+\)$", re.M)


class Way:
    """One way to run a tracer to an answer. `counts`: its answer lists every stack."""

    def __init__(self, name, argv, counts):
        self.name = name
        self.argv = argv
        self.counts = counts

    def command(self, pid, directory):
        words = [str(pid) if word is PID else word for word in self.argv]
        return [word.replace("DIR", directory) for word in words]


def ways(coldspot):
    record = [coldspot, "record", "-d", "0", "-p", PID]
    found = [
        Way("coldspot, summary", record, False),
        Way("coldspot, text", [*record, "-f", "txt"], True),
        Way("coldspot, summary and SVG", [*record, "-o", "DIR/x.svg"], False),
    ]
    if find("offcputime"):
        found.append(Way("offcputime, text", [find("offcputime"), "--stack-storage-size",
                                              STACK_STORAGE, "-p", PID], True))
    return found


class Start:
    """One start of a tracer, which was ended as soon as it traced."""

    def __init__(self, seconds, verified, usage):
        self.seconds = seconds  # from exec to tracing
        self.verified = verified  # instructions that the verifier walked until then
        self.user_s = usage.ru_utime  # of the whole run: what begins meanwhile ends with it
        self.system_s = usage.ru_stime


def start(tracer):
    """When it traces is what the tracer says, or else what its link says."""
    with Child(["sleep", "60"]) as target:
        begin = time.monotonic()
        running = Running(tracer, target.pid)
        with running:
            seconds = time.monotonic() - begin
            with bpf.Programs(running.pid) as programs:
                verified = sum(i.verified_insns for i in programs.infos())
        return Start(seconds, verified, running.child.usage)


def second_s(argv):
    """What a run of one second takes beyond the second."""
    with Child(["sleep", "60"]) as target:
        command = [str(target.pid) if word is PID else word for word in argv]
        begin = time.monotonic()
        with Child(command, stderr=subprocess.STDOUT) as child:
            child.read_to_end(30)
            child.wait(30)
        return time.monotonic() - begin - 1


def end_s(way, build, stacks):
    """From SIGINT to the last byte, and the stacks that were listed (None: not countable)."""
    with tempfile.TemporaryDirectory(prefix="coldspot-bench.") as directory, \
            Paths(build, stacks) as paths:
        with Child(way.command(paths.pid, directory)) as child:
            # Both tracers are ready well before this; go_all() then makes sure of the stacks.
            time.sleep(0.6)
            paths.go_all()
            begin = time.monotonic()
            child.kill(signal.SIGINT)
            text, last = child.read_to_end(60)
            child.wait(60)
            ended = time.monotonic()
        if not text:
            raise ChildError(f"{way.name}: no answer")
        if any(not os.path.getsize(os.path.join(directory, f)) for f in os.listdir(directory)):
            raise ChildError(f"{way.name}: an empty file")
        # A file may be written after the last word.
        seconds = ended - begin if os.listdir(directory) else last - begin
        return seconds, len(STACK_END.findall(text)) if way.counts else None


def _medians(names, measure, plan):
    """{name: [values]}: every name in every round, alternately forwards and backwards."""
    got = {name: [] for name in names}
    for number in range(plan.rounds):
        if time.monotonic() > plan.deadline:
            plan.say("the time is up")
            break
        for name in names if number % 2 == 0 else reversed(names):
            try:
                got[name].append(measure(name))
            except (ChildError, OSError) as e:
                plan.say(f"{name}: {e}")
    return got


def measure_starts(tracers, coldspot, plan):
    by_name = {t.name: t for t in tracers}
    seconds = {"coldspot": [coldspot, "record", "-d", "1", "-p", PID]}
    if "offcputime" in by_name:
        seconds["offcputime"] = [find("offcputime"), "-p", PID, "1"]
    plan.say("time from exec to tracing")
    first = _medians(list(by_name), lambda name: start(by_name[name]), plan)
    plan.say("what a run of one second takes")
    whole = _medians(list(seconds), lambda name: second_s(seconds[name]), plan)
    return first, whole


def measure_ends(coldspot, build, stacks, plan):
    """[(stacks, way, [seconds], median of the stacks listed)]"""
    rows = []
    by_name = {way.name: way for way in ways(coldspot)}
    for cnt in stacks:
        plan.say(f"time from SIGINT to the last byte, {cnt} stacks")
        got = _medians(list(by_name), lambda name, cnt=cnt: end_s(by_name[name], build, cnt),
                       plan)
        for name, values in got.items():
            listed = [v[1] for v in values if v[1] is not None]
            rows.append((cnt, name, [v[0] for v in values],
                         statistics.median(listed) if listed else None))
    return rows
