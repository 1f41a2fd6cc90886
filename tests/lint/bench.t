#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The judgement of bench/ can tell what is met from what is not. Nothing is measured here: samples
are made up."""
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "bench"), os.path.join(ROOT, "tests", "truth")]

import modes  # noqa: E402
import period  # noqa: E402
import sample  # noqa: E402
import targets  # noqa: E402
from loads import Work  # noqa: E402
from redis import Answers, STEP_MS  # noqa: E402
from tap import Tap  # noqa: E402
from tracers import FILTER, all_tracers  # noqa: E402

WAITS = 1000
TRACERS = {t.name: t for t in all_tracers("coldspot", "build", [])}


class Load:
    name = "made up"


def made_set(kind, samples):
    """Of {tracer: [sample]}."""
    names = [n for n in samples if n not in (sample.BARE, sample.AGAIN)]
    s = sample.Set(Load(), kind, [TRACERS[n] for n in names])
    s.samples.update(samples)
    return s


def cpu_samples(*ns_per_wait, p99_ms=None):
    found = []
    for i, ns in enumerate(ns_per_wait):
        answers = p99_ms and Answers({"rps": 1, "p50_latency_ms": 0, "p99_latency_ms": p99_ms[i]})
        found.append(sample.Sample(Work(ns * WAITS / 1e9, 1, WAITS, WAITS, answers), {}, [], None))
    return found


def ran(waits, **programs):
    return sample.Sample(Work(1, 1, waits, waits), programs, [], None)


def verdicts(**added):
    """Of the tracers' ns per wait beside a bare run of 1,000 ns."""
    samples = {name.replace("_", "-"): cpu_samples(*(1000 + ns for ns in values))
               for name, values in added.items()}
    samples[sample.BARE] = cpu_samples(*[1000] * 3)
    s = made_set(sample.CPU, samples)
    return {j.tracer: j.verdict for j in targets.judge([], [s], [TRACERS[n] for n in samples
                                                                 if n in TRACERS])}


def latency(*p99_ms):
    noise = (1.0, 1.02, 0.98, 1.01)
    s = made_set(sample.CPU, {
        sample.BARE: cpu_samples(1, 1, 1, 1, p99_ms=[1.0] * 4),
        sample.AGAIN: cpu_samples(1, 1, 1, 1, p99_ms=noise),
        "coldspot": cpu_samples(1, 1, 1, 1, p99_ms=p99_ms)})
    return [x.verdict for x in targets.judge_latency(s, [TRACERS["coldspot"]])]


def equal(tap, name, got, wanted):
    tap.report(name, [] if got == wanted else [f"{got!r}, not {wanted!r}"])


def test_verdicts(tap):
    got = verdicts(offcputime=[4000] * 3, coldspot=[499, 500, 400])
    equal(tap, "an eighth of offcputime is met", got["coldspot"], targets.MET)
    got = verdicts(offcputime=[4000] * 3, coldspot=[501, 510, 600])
    equal(tap, "more than an eighth is not", got["coldspot"], targets.NOT_MET)
    got = verdicts(offcputime=[4000] * 3, coldspot=[300, 600, 700])
    equal(tap, "pairs on both sides are unsure", got["coldspot"], targets.NOT_MET + ", unsure")
    got = verdicts(offcputime=[-10] * 3, coldspot=[1, 2, 3])
    equal(tap, "no verdict by a reference that costs nothing", got["coldspot"][:1], "-")
    got = verdicts(offcputime=[4000] * 3, coldspot_period=[499] * 3)
    equal(tap, "a sample is held to a twentieth", got["coldspot-period"], targets.NOT_MET)
    got = verdicts(offcputime=[9000] * 3, offcputime_min=[1000] * 3, coldspot_min=[51] * 3)
    equal(tap, "-m is held to offcputime -m", got["coldspot-min"], targets.NOT_MET)
    got = verdicts(empty=[100] * 3, offcputime_other=[9000] * 3, coldspot_other=[119] * 3,
                   coldspot_comm=[121] * 3)
    equal(tap, "a filter is held to the empty program",
          (got["coldspot-other"], got["coldspot-comm"]), (targets.MET, targets.NOT_MET))
    got = verdicts(empty=[100] * 3, coldspot=[500] * 3, coldspot_wakers=[801] * 3,
                   coldspot_period=[200] * 3, coldspot_wakers_period=[259] * 3)
    equal(tap, "wakers are held to the same recording without them",
          (got["coldspot-wakers"], got["coldspot-wakers-period"]),
          (targets.NOT_MET, targets.MET))


def test_latency(tap):
    equal(tap, "latency within the noise is met", latency(1.0, 1.01, 1.0, 1.01), [targets.MET])
    equal(tap, "latency beyond it is not", latency(1.1, 1.2, 1.1, 1.1), [targets.NOT_MET])
    s = made_set(sample.CPU, {name: cpu_samples(1, 1, 1, p99_ms=[1.0] * 3)
                              for name in (sample.BARE, sample.AGAIN)})
    equal(tap, "no noise is less than the histogram's step", targets.noise_ms(s), STEP_MS)


def test_net(tap):
    empty = ran(WAITS, on_switch=(50 * WAITS, WAITS))
    ours = ran(WAITS, on_sched_switch=(600 * WAITS, 2 * WAITS),
               on_sched_exit=(300 * WAITS, 2 * WAITS),
               on_sched_waking=(150 * WAITS, 3 * WAITS))
    equal(tap, "net is less an empty program's run for each run",
          sample.net_ns_per_wait(ours, empty), 700)
    equal(tap, "of one program", sample.program_per_wait("on_sched_exit")(ours, empty), 200)
    equal(tap, "by its runs", sample.program_per_run("on_sched_exit")(ours, empty), 100)
    equal(tap, "more than another way of ours is with the calls",
          sample.more_ns_per_wait(ours, empty), 1000)
    equal(tap, "the modes of wakers have a measure of programs",
          [targets._programs_of(m)[2] for m in modes.MODES if m.base != sample.FLOOR],
          ["coldspot", "coldspot-period"])
    equal(tap, "by all switches that it saw", sample.net_ns_per_switch(ours, empty), 350)


def test_added(tap):
    slow = sample.Sample(Work(3e-3, 1, WAITS // 2, WAITS // 2), {}, [], None)
    bare = sample.Sample(Work(1e-3, 1, WAITS, WAITS), {}, [], None)
    equal(tap, "what is added is by the waits of the bare run",
          round(sample.added_ns(slow, bare)), 2000)


def test_cells(tap):
    names = [t.name for t in modes.Cells(modes.NAMES, None).tracers("messaging", TRACERS.values())]
    equal(tap, "a load has the modes that can tell it apart", names,
          ["empty", "coldspot", "offcputime", "bpftrace"])
    cells = modes.Cells([FILTER], ["pgbench"])
    equal(tap, "what is asked for by name is taken",
          [t.name for t in cells.tracers("pgbench", TRACERS.values())],
          ["empty", "coldspot-comm", "coldspot-other", "offcputime-other"])
    equal(tap, "and nothing else", cells.loads(), ["pgbench"])
    missing = [t.name for t in TRACERS.values() if t.mode not in modes.NAMES]
    equal(tap, "every tracer has a mode", missing, [])


def main():
    tap = Tap()
    for test in (test_verdicts, test_latency, test_net, test_added, test_cells):
        test(tap)
    equal(tap, "periods have two digits",
          [period.rounded(ns) for ns in (7_000, 64_400, 746_000, 12_345_678)],
          ["7us", "64us", "750us", "12000us"])
    tap.plan()
    return 1 if tap.failed else 0


sys.exit(main())
