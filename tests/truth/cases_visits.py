# SPDX-License-Identifier: Apache-2.0
"""`record --sample`: threads are visited, and no hook sees a switch. An exact recording of the same
work at the same time is the truth: totals are the same, the list is as near as it says it is."""
import contextlib
import os
import signal
import subprocess
import sys

import checks
import host
import procfs
from cases import case
from recorder import Recorder
from recording import Recording
from session import Run
from workload import Workload

MS = 1_000_000
# A normal error is beyond this once in two million times, and ours are rather overstated.
ERRORS = 5
# Counters are read soon after the ends of a window, and in between a total is divided by time.
ENDS_NS = 20 * MS
FRAMES = {"lockstep": ("block_quarter", "block_rest"), "ping": ("block_pipe",),
          "locker": ("block_mutex",), "breeder": ("breeder",),
          "turner": ("block_long", "block_short")}


def record_both(env, options, whom=None):
    exact, visited = Run("default"), Run("default")
    with Workload([env.visits]) as workload:
        pid = workload.ready()
        procfs.settle(pid)
        with Recorder(env.coldspot, ["-p", str(pid), "--exact"]) as one, \
                Recorder(env.coldspot, whom or ["-p", str(pid), "--sample", *options]) as two:
            visited.before = procfs.snapshot(pid)
            stolen = host.stolen_ns()
            workload.tell("go")
            workload.until("done")
            procfs.settle(pid)
            visited.after = procfs.snapshot(pid)
            visited.stolen_ns = host.stolen_ns() - stolen + host.TICK_NS
            visited.recording = two.stop()
            exact.recording = one.stop()
        visited.summary = two.summary + two.stderr.decode(errors="replace")
        workload.tell("quit")
        exact.events = visited.events = workload.events
    return exact, visited


def pairs(exact, visited):
    """The same thread in both; those that live all the time."""
    for event in visited.of("thread"):
        mine = [t for t in visited.recording.tasks if t.tid == event["tid"]]
        theirs = [t for t in exact.recording.tasks if t.tid == event["tid"]]
        yield event["name"], mine, theirs


def judge_identity(exact, visited):
    """Each thread once, and each short one in both."""
    problems = []
    for name, mine, theirs in pairs(exact, visited):
        if len(mine) != 1 or len(theirs) != 1:
            problems.append(f"{name}: {len(mine)} records, {len(theirs)} in the exact recording")
    born = {(t.tid, t.start_boottime_ns) for t in visited.recording.tasks if t.comm == "child"}
    truth = {(t.tid, t.start_boottime_ns) for t in exact.recording.tasks if t.comm == "child"}
    if born != truth or len(born) < 100:
        problems.append(f"{len(born)} short threads, {len(truth)} in the exact recording, "
                        f"{len(born & truth)} in both")
    for task in visited.recording.tasks:
        parts = task.on_ns + task.off_ns + task.unaccounted_ns
        if parts != task.wall_ns or task.preempted_ns:
            problems.append(f"{task}: {parts} ns in its parts, {task.wall_ns} ns in all")
    return problems


def judge_totals(exact, visited):
    """To the exact recording, whose window is a little longer at rest."""
    problems = []
    for name, mine, theirs in pairs(exact, visited):
        a, b = mine[0], theirs[0]
        bound = ENDS_NS + 20_000 * b.switches
        problems += checks.within(f"{name}: on a CPU", a.on_ns, b.on_ns, 0.001, bound)
        problems += checks.within(f"{name}: waiting for a CPU", a.runq_ns,
                                  b.runq_ns + b.preempted_ns, 0.001, bound)
        # Counts cannot be divided: they end when they are read, which is later on a busy machine.
        off = max(abs(a.switches - b.switches), abs(a.preemptions - b.preemptions))
        late = checks.Timing if off < b.switches / 20 else str
        if abs(a.switches - b.switches) > 20 or abs(a.preemptions - b.preemptions) > 20:
            problems.append(late(f"{name}: {a.switches} switches, {a.preemptions} of them "
                                 f"involuntary; exact {b.switches}, {b.preemptions}"))
        if abs(a.wakeups - b.wakeups) > 20:
            problems.append(f"{name}: {a.wakeups} wakeups, exact {b.wakeups}")
    return problems


def judge_procfs(visited):
    """To the kernel's own counters, read when all threads were at rest."""
    problems = []
    for event in visited.of("thread"):
        task = visited.task(event["tid"])
        counted = visited.after[task.tid] - visited.before[task.tid]
        # the kernel's run time lacks what was stolen, ours has it, as with hooks
        problems += checks.between_times(
            f"{task}: on a CPU", task.on_ns, counted.exec_ns * 0.999 - ENDS_NS,
            counted.exec_ns * 1.001 + ENDS_NS + visited.stolen_ns)
        problems += checks.within(f"{task}: waiting for a CPU", task.runq_ns,
                                  counted.run_delay_ns, 0.001, ENDS_NS)
        if not 0 <= counted.voluntary + counted.involuntary - task.switches + 4 <= 8:
            problems.append(f"{task}: {task.switches} switches, /proc has "
                            f"{counted.voluntary + counted.involuntary}")
    return problems


def near(what, waits, truth_ns, period_ns):
    have = sum(w.off_ns for w in waits)
    # few visits may have met none of it
    error = max(sum(w.se_ns ** 2 for w in waits) ** 0.5, (truth_ns * period_ns) ** 0.5 / 2)
    return checks.within(f"{what} +-{error:.0f}", have, truth_ns, 0, ERRORS * error + 3 * period_ns)


def judge_functions(exact, visited):
    """Time under functions: among them a thread whose pattern has the period of the visits."""
    period_ns = visited.recording.header["period_ns"]
    problems = []
    for name, mine, theirs in pairs(exact, visited):
        for frame in FRAMES.get(name, ()):
            truth = sum(w.off_ns for w in theirs[0].waits_with(frame))
            problems += near(f"{name} {frame}", mine[0].waits_with(frame), truth, period_ns)
    return problems


def judge_lockstep(exact, visited):
    """At a fixed distance, visits would see one of its two waits only. The time of the shorter one
    is a quarter."""
    _name, mine, _theirs = next(p for p in pairs(exact, visited) if p[0] == "lockstep")
    shares = [sum(w.off_ns for w in mine[0].waits_with(f)) / mine[0].wall_ns
              for f in ("block_quarter", "block_rest")]
    if not 0.05 < shares[0] < 0.45 or not 0.5 < shares[1] < 0.95:
        return [f"shares of the two waits {shares}"]
    return []


def judge_burner(visited):
    """A thread that always wants a CPU. The one that visits takes its CPU away for the time of a
    round, but must not find it waiting for that reason: it would count for the whole period."""
    event = next(e for e in visited.of("thread") if e["name"] == "burner")
    task = visited.task(event["tid"])
    runq = [w for w in task.waits if w.state == "R"]
    header = visited.recording.header
    least_ns = max(0, task.runq_ns - header["self_cpu_ns"])
    have = min(max(sum(w.off_ns for w in runq), least_ns), task.runq_ns)
    return near("burner: waiting for a CPU", runq, have, header["period_ns"])


def judge_births(exact, visited):
    """Threads that live for 4 ms, of which few are ever visited: their totals, and an estimate."""
    mine = [t for t in visited.recording.tasks if t.comm == "child"]
    theirs = [t for t in exact.recording.tasks if t.comm == "child"]
    period_ns = visited.recording.header["period_ns"]
    # from its exit on, a thread has no visits, but hooks see it until its last switch
    bound = 200_000 * len(theirs)
    problems = []
    for what in ("on_ns", "blocked_ns"):
        problems += checks.within(f"short threads: {what}", sum(getattr(t, what) for t in mine),
                                  sum(getattr(t, what) for t in theirs), 0.01, bound)
    waits = [w for t in mine for w in t.waits_with("block_child")]
    truth = sum(w.off_ns for t in theirs for w in t.waits_with("block_child"))
    return problems + near("short threads: block_child", waits, truth, period_ns)


def judge_header(visited, hz):
    header, problems = visited.recording.header, []
    passes = header["window_ns"] / (1e9 / hz)
    made = header["visit_passes"] + header["visit_passes_missed"]
    if header["visit_hz"] != hz or not passes - 2 <= made <= passes + 3:
        problems.append(f"{made} rounds of visits at {header['visit_hz']} Hz, due {passes:.0f}")
    if not 0 < header["visits_changed"] < header["visits"]:
        problems.append(f"{header['visits_changed']} of {header['visits']} visits changed")
    if any(w.count or w.hist_count or not w.samples for w in visited.recording.waits
           if "lost" not in w.flags):
        problems.append("a wait of a visited thread has a number")
    for text in ("visits cannot tell", "no hook at switches", "late by"):
        if text not in visited.summary:
            problems.append(f"the summary lacks '{text}'")
    return problems


def judge(tap, name, exact, visited, hz):
    tap.report(f"{name}/identity", judge_identity(exact, visited))
    tap.report(f"{name}/totals", judge_totals(exact, visited))
    tap.report(f"{name}/procfs", judge_procfs(visited))
    tap.report(f"{name}/functions", judge_functions(exact, visited))
    tap.report(f"{name}/lockstep", judge_lockstep(exact, visited))
    tap.report(f"{name}/burner", judge_burner(visited))
    tap.report(f"{name}/births", judge_births(exact, visited))
    tap.report(f"{name}/header", judge_header(visited, hz))
    tap.report(f"{name}/no-losses", checks.no_losses(visited.recording,
                                                     ("visits_missed", "stack_unread")))


@case("visits")
def visits(env, tap, _mode):
    """At the default rate."""
    judge(tap, "visits", *record_both(env, ["-v"]), 19)


@case("visits-100")
def visits_100(env, tap, _mode):
    """At a higher one."""
    judge(tap, "visits-100", *record_both(env, ["100", "-v"]), 100)


ENDS_S, ENDS_EVERY_NS = 4, 200 * MS


def judge_window(recording):
    """Half a gap between rounds may be too much at either end of a thread's life, but nothing of
    the window before."""
    header, problems = recording.header, []
    bound = 2 * max(header["period_max_ns"], header["visit_late_max_ns"])
    for task in recording.tasks:
        listed = sum(w.off_ns for w in task.waits)
        if listed > task.wall_ns + bound:
            problems.append(f"{task}: {listed} ns listed, it was there for {task.wall_ns} ns")
    return problems


@case("visits-ends")
def visits_ends(env, tap, _mode):
    """Threads that end between the end of a window and its reading."""
    path, window = (os.path.join(env.scratch, name) for name in ("x.coldspot", "x.json"))
    subprocess.run([env.coldspot, "record", "-q", "--sample", "100", "--every",
                    f"{ENDS_EVERY_NS}ns", "-o", path, "--", env.ends, str(ENDS_S)], check=True,
                   timeout=60)
    problems, ended = [], 0
    for at_ns in range(ENDS_EVERY_NS // 2, (ENDS_S - 1) * 1000 * MS, ENDS_EVERY_NS):
        subprocess.run([env.coldspot, "report", "-q", "--at", f"{at_ns}ns", "-o", window, path],
                       check=True, stderr=subprocess.DEVNULL, timeout=60)
        recording = Recording.load(window)
        os.unlink(window)
        ended += sum("exited" in t.flags for t in recording.tasks)
        problems += judge_window(recording)
    os.unlink(path)
    if ended < 500:
        problems.append(f"only {ended} threads ended")
    tap.report("visits-ends/listed", problems[:10])


def judge_change(visited):
    """It began with hooks, and says when it went on without."""
    header, merged = visited.recording.header, visited.recording.merged
    problems = []
    if merged["windows"] != 2 or merged["overlap_ns"]:
        problems.append(f"two parts are due, not {merged}")
    # some ns, unless this machine did not let coldspot run
    problems += checks.within("time between the parts", merged["gap_ns"], 0, 0, 1000)
    if header.get("visit_sources") != ["bpf"] or not header["switches_seen"] or \
            not header["visits"]:
        problems.append("hooks did not give way to visits")
    elif not 0 < header["visited_ns"] < header["window_ns"]:
        problems.append(f"{header['visited_ns']} ns of {header['window_ns']} ns with visits")
    for text in ("Changed: threads were visited for", "on threads were visited"):
        if text not in visited.summary:
            problems.append(f"the summary lacks '{text}'")
    return problems


def judge_whole(visited):
    """The parts of a thread are its time, which is that of both windows."""
    problems = []
    window_ns = visited.recording.header["window_ns"]
    for task in visited.recording.tasks:
        parts = task.on_ns + task.off_ns + task.unaccounted_ns
        if parts != task.wall_ns or task.preempted_ns:
            problems.append(f"{task}: {parts} ns in its parts, {task.wall_ns} ns in all")
        problems += checks.within(f"{task}: all its time", task.wall_ns, window_ns, 0, 1000)
    return problems


# Passes a byte between two processes until its standard input ends.
SWITCHES = """
import os, sys, threading
a, b = os.pipe(), os.pipe()
if not os.fork():
    while os.read(a[0], 1):
        os.write(b[1], b"x")
def play():
    while True:
        os.write(a[1], b"x")
        os.read(b[0], 1)
threading.Thread(target=play, daemon=True).start()
sys.stdin.read()
os.close(a[1])
os._exit(0)
"""


@contextlib.contextmanager
def many_switches():
    """Of others: hooks see them too."""
    load = subprocess.Popen([sys.executable, "-c", SWITCHES], stdin=subprocess.PIPE,
                            start_new_session=True)
    try:
        yield
    finally:
        os.killpg(load.pid, signal.SIGKILL)
        load.communicate()


@case("visits-change")
def visits_change(env, tap, _mode):
    """Hooks break any budget that is small enough, so visits go on in their place. Two threads
    that pass a byte, all the time."""
    whom = ["--comm", "ping", "--max-overhead", "0.01%", "-v"]
    with many_switches():
        exact, visited = record_both(env, [], whom)
    exact.events = visited.events = [e for e in exact.events if e.get("name") == "ping"]
    tap.report("visits-change/header", judge_change(visited))
    tap.report("visits-change/whole", judge_whole(visited))
    tap.report("visits-change/totals", judge_totals(exact, visited))
    tap.report("visits-change/functions", judge_functions(exact, visited))
    tap.report("visits-change/no-losses", checks.no_losses(visited.recording,
                                                           ("visits_missed", "stack_unread")))
