# SPDX-License-Identifier: Apache-2.0
"""Histograms of threads: known lengths, sums that fit their buckets, and the drop-ins beside
libbpf-tools' cpudist and runqlat, on the same process at the same time."""
import re
import shutil
import subprocess
import time

import checks
from cases import case
from recorder import Recorder
from workload import Workload

MS = 1_000_000
SECONDS = 3
MODES = ("default", "plain", "waking", "switch", "switch-sched-info", "kprobe")
SLEEPS = (1, 10, 100)  # ms, as lengths.c has them
ROW = re.compile(r"^ +(\d+) -> (\d+) +: (\d+) +\|[* ]{40}\|$")


def next_edge(floor, unit):
    """The end of a bucket of docs/json.md."""
    if floor < unit:
        return unit
    power = unit
    while power * 2 <= floor:
        power *= 2
    return floor + power // 4


def judge_sums(task, unit):
    """Between the shortest and the longest that the counts allow lies the sum, and the totals are
    at least that."""
    problems = []
    totals = {"on": task.on_ns, "off": task.off_ns, "blocked": task.blocked_ns,
              "runq": task.runq_ns + task.preempted_ns}
    for kind, total in totals.items():
        hist, ns = task.hists[kind]["hist"], task.hists[kind]["ns"]
        low = sum(floor * n for floor, n in hist)
        high = sum((next_edge(floor, unit) - 1) * n for floor, n in hist)
        problems += checks.between(f"{task}: sum of {kind}", ns, low, high)
        problems += checks.between(f"{task}: {kind} of the histogram", ns, 0, total)
    return problems


def number(task, kind, low_ns=0, high_ns=1 << 62):
    return sum(n for floor, n in task.hists[kind]["hist"] if low_ns <= floor < high_ns)


def judge_counts(task, missed):
    """Every slice ends with a switch, every wait began with one; at each end of the window one is
    cut. A wait is blocked unless it was a preemption."""
    slices, waits = number(task, "on"), number(task, "off")
    return (checks.between(f"{task}: slices of {task.switches} switches", slices,
                           task.switches - 1 - missed, task.switches) +
            checks.between(f"{task}: waits of {task.switches} switches", waits,
                           task.switches - 1 - missed, task.switches) +
            checks.between(f"{task}: waits for a CPU", number(task, "runq"), waits, waits) +
            checks.between(f"{task}: blocked waits of {task.wakeups} wakeups",
                           number(task, "blocked"), task.wakeups - 1, task.wakeups + missed))


def judge_range(task, sleeps, low_ns, high_ns, missed):
    """A sleep is blocked for no less than was asked for, and no longer than it took: what of that
    was waiting for a CPU is apart. One wait beside them is that for the begin."""
    sure = sum(asked * MS >= low_ns and took < high_ns for asked, took in sleeps)
    may = sum(asked * MS < high_ns and took >= low_ns for asked, took in sleeps)
    return checks.between_times(f"{task}: waits of {low_ns / MS} to {high_ns / MS} ms",
                                number(task, "blocked", low_ns, high_ns), sure - missed, may + 1)


def judge_sleeps(task, sleeps, missed):
    """`sleeps`: what was asked for in ms, and how many ns it took."""
    problems = [] if len(sleeps) > 43 else ["the sleeper did nothing"]
    for ms in SLEEPS:
        problems += judge_range(task, sleeps, ms * MS * 0.7, ms * MS * 5, missed)
    return problems + judge_range(task, sleeps, 0.7 * MS, 1 << 62, missed)


def judge_spinner(task, other):
    """While one runs the other one waits, in slices of ms."""
    waited = task.hists["runq"]["ns"]
    return (checks.between_times(f"{task}: waited while {other} ran", waited,
                                 0.8 * other.hists["on"]["ns"], task.wall_ns) +
            checks.between_times(f"{task}: long waits of {number(task, 'runq')}",
                                 number(task, "runq", MS // 2), 50, 1 << 62))


def named(run, events, name):
    tid = next(e["tid"] for e in events if e["event"] == "thread" and e["name"] == name)
    return run.tasks_of(tid)[0]


@case("lengths", MODES)
def lengths(env, tap, mode):
    """Sleeps of 1, 10 and 100 ms, and two that want the same CPU."""
    with Workload([env.lengths]) as workload:
        pid = workload.ready()
        with Recorder(env.coldspot, ["-p", str(pid), "--hist"], mode) as recorder:
            workload.tell("go")
            time.sleep(SECONDS)
            workload.tell("stop")
            workload.until("done")
            run = recorder.stop()
        workload.tell("quit")
        events = workload.events
    sleeps = next(e["sleeps"] for e in events if e["event"] == "slept")
    missed = run.events_lost("missed_switch")
    unit = run.header["hist_unit_ns"]
    tap.report("lengths/sleeps", judge_sleeps(named(run, events, "sleeper"), sleeps, missed))
    one, two = named(run, events, "spinner-a"), named(run, events, "spinner-b")
    tap.report("lengths/run-queue", judge_spinner(one, two) + judge_spinner(two, one))
    tap.report("lengths/sums", [p for t in run.tasks for p in judge_sums(t, unit)])
    tap.report("lengths/counts", [p for t in run.tasks for p in judge_counts(t, missed)])


def theirs_path(tool):
    return shutil.which(tool, path="/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/sbin")


def read_rows(text):
    """Counts by the first number of their row; problems with the form."""
    rows, problems = {}, []
    for line in text.splitlines():
        row = ROW.match(line)
        if row:
            rows[int(row.group(1))] = int(row.group(3))
        elif line.strip() and not line.startswith("Tracing ") and \
                line != "     usecs               : count    distribution":
            problems.append(f"a line that bcc would not print: '{line}'")
    return rows, problems


def run_both(env, tool, flags):
    """Both at once, ours first: it is ready later. They do not begin at the same instant."""
    with Workload([env.lengths]) as workload:
        pid = str(workload.ready())
        workload.tell("go")
        both = [subprocess.Popen([*argv, *flags, "-p", pid, str(SECONDS), "1"],
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
                for argv in ([env.coldspot, tool], [theirs_path(tool)])]
        texts = [p.communicate(timeout=60)[0] for p in both]
        workload.tell("stop")
        workload.until("done")
        workload.tell("quit")
    return [read_rows(t) for t in texts]


def judge_beside(ours, theirs, what, share, floor):
    """From 64 us on: shorter waits depend on how long the probes of the other one take."""
    def long(rows):
        return {low: n for low, n in rows.items() if low >= 64}
    mine, other = long(ours), long(theirs)
    total = sum(other.values())
    problems = checks.within(f"{what}: all", sum(mine.values()), total, share, floor)
    apart = sum(abs(mine.get(low, 0) - other.get(low, 0)) for low in {*mine, *other})
    return problems + checks.between_times(f"{what}: rows that differ, of {total}", apart, 0,
                                           total * 2 * share + 2 * floor)


def beside(env, tap, tool, flags, name):
    if not theirs_path(tool):
        tap.skip(name, f"no {tool} here: install libbpf-tools")
        return
    (ours, form), (theirs, _) = run_both(env, tool, flags)
    tap.report(f"{name}/form", form + ([] if ours else ["nothing was printed"]))
    tap.report(f"{name}/rows", judge_beside(ours, theirs, name, 0.12, 15))


@case("cpudist")
def cpudist(env, tap, _mode):
    """The drop-in beside libbpf-tools' cpudist, off the CPU: on it, theirs leaves slices out."""
    beside(env, tap, "cpudist", ["-O"], "cpudist")


@case("runqlat")
def runqlat(env, tap, _mode):
    """The drop-in beside libbpf-tools' runqlat."""
    beside(env, tap, "runqlat", [], "runqlat")
