# SPDX-License-Identifier: Apache-2.0
"""Rounds of samples. In each round every load runs under every tracer, alternately forwards and
backwards, so that other activity on the machine affects all of them alike, and an interrupted run
has as many samples of each. The median over the rounds is reported."""
import contextlib
import statistics
import time

import bpf
from child import ChildError
from machine import Counter
from tracers import Running

TRIES = 3  # for a sample that somebody else's tracing programs got into
# Samples that are taken again in all: where others trace all the time, it would be most of them.
SPARE = 30
ATTACHED = 0.8  # a tracer's programs run at nearly every wait; less, and it was not there


# What a round measures. The kernel's statistics of programs cost time themselves, so CPU time is
# measured in rounds of its own, and there without any tracer too.
PROGRAMS, CPU, INSTRUCTIONS = "time of programs", "CPU time", "instructions"


# What the load without a tracer is called, and once more at the other end of the round: by how much
# two runs differ that nothing tells apart.
BARE, AGAIN = "bare", "bare again"
FLOOR = "empty"


class Sample:
    def __init__(self, work, programs, infos, count):
        self.work = work
        self.programs = programs  # {name of a program of the tracer: (ns, runs)}
        self.infos = infos
        self.count = count  # instructions of the load
        self.ns = sum(ns for ns, _ in programs.values())
        self.runs = sum(runs for _, runs in programs.values())

    @property
    def switches(self):
        """That the tracer saw, of all threads: the runs of its program for them."""
        return max((runs for name, (_, runs) in self.programs.items() if "switch" in name),
                   default=0)


class Set:
    """The samples of one load and one kind: by tracer, in the order of the rounds; None where one
    failed."""

    def __init__(self, load, kind, tracers):
        self.load = load
        self.kind = kind
        self.turns = [] if kind == PROGRAMS else [(None, BARE)]
        self.turns += [(t, t.name) for t in tracers]
        self.turns += [(None, AGAIN)] if kind == CPU else []
        self.disturbed = 0
        self.failures = {}
        self.samples = {name: [] for _, name in self.turns}

    def take_round(self, backwards, plan):
        for tracer, name in reversed(self.turns) if backwards else self.turns:
            sample = None
            try:
                sample = self._take(tracer, plan)
            except (ChildError, OSError) as e:
                self.failures[name] = str(e)
                plan.say(f"{self.load.name}, {name}: {e}")
            self.samples[name].append(sample)

    def _take(self, tracer, plan):
        for left in range(TRIES, 0, -1):
            sample, disturbed = _once(self.load, tracer, self.kind, plan.event)
            if not disturbed:
                return sample
            if left == 1 or not plan.spare:
                break
            plan.spare -= 1
            time.sleep(0.5)
        self.disturbed += 1
        return sample

    def of(self, name):
        return [s for s in self.samples.get(name, []) if s]

    def median(self, name, value):
        got = [value(s) for s in self.of(name)]
        return statistics.median(got) if got else None

    def pairs(self, name, base, value):
        """value(sample, sample of `base` in the same round), over the rounds that have both."""
        return [value(s, b) for s, b in zip(self.samples.get(name, []), self.samples.get(base, []))
                if s and b]


def ns_per_wait(s):
    return s.ns / s.work.waits


def _net_ns(s, empty, ns, runs):
    """Less what as many runs of the empty program took in the same round."""
    return ns - runs * empty.ns / empty.runs


def net_ns_per_wait(s, empty):
    return _net_ns(s, empty, s.ns, s.runs) / s.work.waits


def net_ns_per_switch(s, empty):
    """Of all switches that the tracer saw, also of threads that are not of the load."""
    return _net_ns(s, empty, s.ns, s.runs) / s.switches


def more_ns_per_wait(s, base):
    """With what the kernel takes to call more programs."""
    return ns_per_wait(s) - ns_per_wait(base)


def program_per_wait(name):
    """net_ns_per_wait of one program."""
    return lambda s, empty: _net_ns(s, empty, *s.programs[name]) / s.work.waits


def program_per_run(name):
    return lambda s, empty: _net_ns(s, empty, *s.programs[name]) / max(s.programs[name][1], 1)


def runs_per_wait(s):
    return s.runs / s.work.waits


def added_ns(s, bare):
    """By the waits of the bare run: where a tracer slows a load down, it may wait less often."""
    return (s.work.cpu_s - bare.work.cpu_s) / bare.work.waits * 1e9


def added_steady_ns(s, bare):
    """By the load's own account, without what comes seldom."""
    return s.work.steady_ns - bare.work.steady_ns


def added_count(s, bare):
    return (s.count - bare.count) / s.work.waits


def wall_ratio(s, bare):
    return s.work.wall_s / bare.work.wall_s


def p99_ms(s, bare):
    """By how much the 99th percentile of the answers came later."""
    return s.work.answers.p99_ms - bare.work.answers.p99_ms


def rate_ratio(s, bare):
    return s.work.answers.rate / bare.work.answers.rate


def _foreign(programs):
    own = {i.id for i in programs.infos()} if programs else set()
    return bpf.tracing_ids() - own


def _once(load, tracer, kind, event):
    """One run of the load. Returns the sample, and whether it was disturbed."""
    with contextlib.ExitStack() as stack:
        gated = stack.enter_context(load.start())
        programs = None
        if kind == PROGRAMS:
            stack.enter_context(bpf.Stats())
        if tracer:
            running = stack.enter_context(Running(tracer, gated.pid, load.period))
            programs = stack.enter_context(bpf.Programs(running.pid))
        counter = None
        if kind == INSTRUCTIONS:
            counter = stack.enter_context(Counter(gated.pid, event))
        before = programs.runs() if programs else {}
        disturbed = bool(_foreign(programs))
        work = gated.run()
        after = programs.runs() if programs else {}
        disturbed |= bool(_foreign(programs))
        ran = {name: tuple(a - b for a, b in zip(after[name], before[name])) for name in after}
        sample = Sample(work, ran, programs.infos() if programs else [],
                        counter.value() if counter else None)
        if kind == PROGRAMS and sample.runs < ATTACHED * work.waits:
            raise ChildError(f"{tracer.name}: {sample.runs} runs of its programs for "
                             f"{work.waits} waits")
        return sample, disturbed


class Plan:
    """How the rounds go: `say` takes a line of progress, `event` is what INSTRUCTIONS counts."""

    def __init__(self, rounds, deadline, say, event="instructions"):
        self.rounds = rounds
        self.deadline = deadline
        self.spare = SPARE
        self.say = say
        self.event = event


def take_rounds(sets, plan):
    """Until the rounds are done or the time is up."""
    for number in range(plan.rounds):
        for s in sets:
            if time.monotonic() > plan.deadline:
                return plan.say("the time is up")
            plan.say(f"round {number + 1} of {plan.rounds}: {s.load.name}, {s.kind}")
            s.take_round(number % 2 == 1, plan)
    return None
