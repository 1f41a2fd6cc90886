# SPDX-License-Identifier: Apache-2.0
"""What was promised, and whether it holds: every tracer of ours in every mode, on every load."""
import statistics

from modes import mode_of
from redis import STEP_MS
from sample import (AGAIN, BARE, FLOOR, added_ns, added_steady_ns, more_ns_per_wait,
                    net_ns_per_switch, net_ns_per_wait, p99_ms, rate_ratio)
from table import median, number, ratio, rows, spread

MET, NOT_MET = "met", "**not met**"


def _verdict(values, limit):
    """`values` are pairs; where they lie on both sides of the limit, more of them may turn it."""
    word = MET if median(values) <= limit else NOT_MET
    return word if max(values) <= limit or min(values) > limit else word + ", unsure"


class Judged:
    """One measure of one tracer of ours on one load."""

    def __init__(self, mode, load, tracer, what, values, reference):
        self.mode = mode
        self.load = load
        self.tracer = tracer
        self.what = what
        self.values = values
        self.reference = reference  # the median of the mode's reference; None: it has none
        self.verdict = "-"
        if mode.over_ns is not None:
            self.verdict = _verdict(values, mode.over_ns)
        elif mode.share is not None and reference is not None:
            self.verdict = _verdict(values, mode.share * reference) if reference > 0 else \
                "-, the reference is in the noise"

    @property
    def bound(self):
        if self.mode.over_ns is not None:
            return f"{self.mode.over_ns} ns"
        return f"{number(self.mode.share, 3)}" if self.mode.share else "-"

    def row(self):
        beside = number(self.reference) if self.reference is not None else "-"
        share = ratio(median(self.values), self.reference, 3) if self.mode.share else "-"
        return [self.mode.name, self.load, self.tracer, self.what, spread(self.values), beside,
                share, self.bound, self.verdict]


def _judge(mode, s, tracer, what, value, base):
    values = s.pairs(tracer.name, base, value)
    if not values:
        return []
    reference = s.pairs(mode.reference, base, value) if mode.reference else []
    return [Judged(mode, s.load.name, tracer.name, what, values, median(reference))]


def _programs_of(mode):
    """(what, value of a pair, the other one of the pair)"""
    if mode.over_ns is None:
        return "programs", net_ns_per_wait, FLOOR
    if mode.base == FLOOR:
        return "programs, a switch", net_ns_per_switch, FLOOR
    return f"programs over {mode.base}", more_ns_per_wait, mode.base


def judge(program_sets, cpu_sets, tracers):
    found = []
    for tracer in tracers:
        if not tracer.ours:
            continue
        mode = mode_of(tracer)
        over = mode.over_ns is not None
        for s in cpu_sets:
            what, base = (f" over {mode.base}", mode.base) if over else ("", BARE)
            found += _judge(mode, s, tracer, "CPU time" + what, added_ns, base)
            if any(x.work.steady_ns for x in s.of(base)):
                found += _judge(mode, s, tracer, "steady" + what, added_steady_ns, base)
        for s in program_sets:
            found += _judge(mode, s, tracer, *_programs_of(mode))
    order = {s.load.name: i for i, s in enumerate(cpu_sets)}
    names = [t.name for t in tracers]
    return sorted(found, key=lambda j: (names.index(j.tracer), order[j.load]))


ABOUT = """\
CPU time: ns of CPU time that the load took more for each of its waits than the bare run of the \
same round, bpf_stats off. In the mode filter: more than with the empty program; in those of \
wakers: than without --wakers. \
steady: the same of the median of many blocks of its work, where the load tells it. \
programs: what the kernel says that the programs ran, less as many runs of the empty program, for \
each wait of the load; in the mode filter for each switch of the machine, and in those of wakers \
what they ran more than without --wakers, with the calls. \
beside: the same of offcputime with the same question, except that offcputime cannot sample. \
All are medians of pairs (min..max); unsure: pairs lie on both sides of the bound."""


def section(program_sets, cpu_sets, tracers):
    judged = judge(program_sets, cpu_sets, tracers)
    judged += [latency for s in cpu_sets for latency in judge_latency(s, tracers)]
    if not judged:
        return "Nothing was measured."
    bound = [j for j in judged if not j.verdict.startswith("-")]
    failed = [j for j in bound if j.verdict.startswith(NOT_MET)]
    summary = f"{len(bound) - len(failed)} of {len(bound)} are met."
    body = rows(["mode", "load", "tracer", "what", "ns: median (min..max)", "beside", "share",
                 "at most", "target"], [j.row() for j in judged])
    return f"{summary}\n\n{ABOUT}\n\n{body}"


def noise_ms(s):
    """Of the 99th percentile: three of four pairs of bare runs differ by no more."""
    differences = sorted(abs(d) for d in s.pairs(AGAIN, BARE, p99_ms))
    if len(differences) < 2:
        return None
    return max(statistics.quantiles(differences, n=4, method="inclusive")[2], STEP_MS)


class Latency:
    """The 99th percentile of one tracer of ours. It is met within the noise of bare runs."""

    def __init__(self, s, tracer, values, noise):
        self.load = s.load.name
        self.tracer = tracer.name
        self.mode = mode_of(tracer)
        self.values = values
        self.noise = noise
        self.verdict = _verdict(values, noise)
        self.reference = median(s.pairs(self.mode.reference, BARE, p99_ms))

    def row(self):
        return [self.mode.name, self.load, self.tracer, "p99 over bare, us",
                spread([v * 1000 for v in self.values]), number(self.reference and
                                                                self.reference * 1000), "-",
                f"{number(self.noise * 1000)} us", self.verdict]


def judge_latency(s, tracers):
    if not any(x.work.answers for x in s.of(BARE)):
        return
    noise = noise_ms(s)
    for t in tracers:
        values = s.pairs(t.name, BARE, p99_ms)
        if t.ours and values and noise is not None:
            yield Latency(s, t, values, noise)


LATENCY = """\
As redis-benchmark says it. Differences are of pairs with the bare run of the same round. The bare \
run is made twice in each round, at both ends of it: the noise is what three of four such pairs \
differ by at most, and at least the step of redis-benchmark's histogram."""


def latency_section(s, tracers):
    names = [BARE, AGAIN, *(t.name for t in tracers)]
    body = []
    for name in names:
        got = s.of(name)
        if not got:
            continue
        body.append([name, number(s.median(name, lambda x: x.work.answers.rate)),
                     spread(s.pairs(name, BARE, rate_ratio), 3) if name != BARE else "1",
                     number(s.median(name, lambda x: x.work.answers.p50_ms * 1000)),
                     number(s.median(name, lambda x: x.work.answers.p99_ms * 1000)),
                     spread([v * 1000 for v in s.pairs(name, BARE, p99_ms)])
                     if name != BARE else "-"])
    noise = noise_ms(s)
    said = f"Noise of the 99th percentile: {number(noise * 1000)} us." if noise is not None else ""
    return f"{LATENCY} {said}\n\n" + rows(
        ["tracer", "requests/s", "of bare: median of pairs (min..max)", "p50, us", "p99, us",
         "p99 over bare, us: median of pairs (min..max)"], body)
