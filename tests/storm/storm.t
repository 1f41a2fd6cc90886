#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A storm of switches, threads and stacks (storm.c), recorded in the ways that people record.

Whatever the storm does, the totals of every thread are whole, what is not listed is counted in
events and in ns, memory stays within its bounds, and the machine stays usable. How fast it was and
what it cost is printed; nothing here fails because a machine is slow, so bounds of time are far
from what is usual. Prints TAP; needs root. STORM_SECONDS: length of each recording, 60.
Arguments: only the recordings of these names.
"""
import os
import sys
import threading
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "truth"))

import checks  # noqa: E402
from recorder import Recorder, RecorderError  # noqa: E402
from tap import Tap  # noqa: E402
from workload import Workload, WorkloadError, end_when_told  # noqa: E402

THREADS = 10000
MIB = 1 << 20
TABLES = 64 * MIB
LATE_NS = 5_000_000_000
# Name, options ("PID" is the storm's), bytes of kernel memory and of coldspot's own at most.
RUNS = (
    ("process", ["-p", "PID"], 128 * MIB + TABLES, 1024 * MIB),
    ("process-8M", ["-p", "PID", "--max-memory", "8M"], 8 * MIB, 1024 * MIB),
    ("process-own-64M", ["-p", "PID", "--max-user-memory", "64M"], 128 * MIB + TABLES, 64 * MIB),
    ("machine", ["--comm", "storm*", "--max-overhead", "1%"], 192 * MIB + TABLES, 1024 * MIB),
    ("machine-16M", ["--comm", "storm*", "--max-overhead", "1%", "--max-memory", "16M"],
     16 * MIB, 1024 * MIB),
)
# What may find no room. Anything else that is lost is a fault.
FULL = {"waits_full", "stacks_full", "tables_full", "task_storage", "task_record", "orphan_wait",
        "process_event", "modules_full", "user_memory", "stack_unread", "peers"}


class Peak(threading.Thread):
    """What a process has in memory of its own at most, looked at now and then."""

    def __init__(self, pid):
        super().__init__()
        self.path = f"/proc/{pid}/status"
        self.kib = 0

    def run(self):
        while True:
            try:
                with open(self.path, encoding="ascii", errors="replace") as f:
                    found = [int(line.split()[1]) for line in f if line.startswith("RssAnon")]
            except OSError:
                return
            if not found:  # a zombie
                return
            self.kib = max(self.kib, found[0])
            time.sleep(0.02)


class Storm:
    """One recording of one storm."""

    def __init__(self, coldspot, program, options, seconds):
        with Workload([program, str(THREADS)]) as workload:
            pid = str(workload.ready())
            options = [pid if word == "PID" else word for word in options]
            with Recorder(coldspot, options) as recorder:
                peak = Peak(recorder.process.pid)
                peak.start()
                workload.tell("go")
                time.sleep(seconds)
                workload.tell("look")
                self.done = workload.until("done")
                # It goes on through the end of the window, but not all the time that it takes to
                # write a recording.
                threading.Timer(1, workload.tell, ["calm"]).start()
                self.rec = recorder.stop(timeout_s=300)
                self.seconds_to_end = (recorder.ended_after_ns - recorder.ended_before_ns) / 1e9
                peak.join()
                self.own_bytes = peak.kib * 1024
            workload.tell("quit")
            self.end = workload.until("end")
        self.begun = next(e for e in workload.events if e["event"] == "begun")
        self.pid = int(pid)


def judge_threads(storm):
    """All that lived through it are there, or were left out and counted."""
    rec = storm.rec
    alive = {t.tid for t in rec.tasks if "exited" not in t.flags and t.tgid == storm.pid}
    left_out = rec.events_lost("task_storage")
    if len(alive) + left_out >= THREADS:
        return []
    return [f"{len(alive)} threads at the end and {left_out} left out are not {THREADS}"]


def judge_switches(storm):
    """The kernel counts the switches of the process too, before and behind the window."""
    rec = storm.rec
    have, missed = sum(t.switches for t in rec.tasks), rec.events_lost("missed_switch")
    least = storm.done["switches"] - storm.begun["switches"]
    most = storm.end["switches"]
    if rec.events_lost("task_storage") or rec.events_lost("task_record"):
        least = 0
    if least - missed <= have <= most + missed:
        return []
    return [f"{have} switches in the recording, the kernel counts {least} in it and {most} in all"]


def judge_sums(rec):
    """Listed and lost are the totals: to the ns, or where it was sampled as near as chance lets
    them be."""
    total = sum(t.off_ns for t in rec.tasks)
    listed = sum(w.off_ns for w in rec.waits if "lost" not in w.flags)
    rest = sum(w.off_ns for w in rec.waits if "lost" in w.flags)
    lost = rec.ns_lost("waits_full") + rec.ns_lost("user_memory")
    if not rec.header["period_max_ns"]:
        problems = [] if listed + rest == total else [f"{listed} and {rest} ns are not {total}"]
        if rest != lost:
            problems.append(f"{rest} ns are the rest, {lost} ns are counted as lost")
        return problems
    near = rec.header["period_sum_ns"] * len(rec.tasks)
    return checks.within("listed and lost", listed + lost, total, 0, near)


def judge_stacks(rec):
    """A wait without a stack is counted; that of a new thread has none."""
    lost = rec.events_lost("stacks_full") + rec.events_lost("stack_unread")
    bare = sum(w.samples for w in rec.waits if not w.flags & {"lost", "new", "no_resume"}
               and not (w.has_user and w.has_kernel))
    return [] if bare <= lost else [f"{bare} waits without a stack, {lost} counted"]


def judge_memory(what, used, limit):
    return [] if MIB < used <= limit else [f"{used} bytes of {what}, may be {limit}"]


def report(tap, name, storm, limits):
    rec = storm.rec
    tap.report(f"{name}/identity", [p for t in rec.tasks for p in checks.identity(t)][:20])
    tap.report(f"{name}/residual",
               checks.residual(rec.tasks, rec.ns_lost("missed_switch"))[:20])
    tap.report(f"{name}/threads-are-there-or-counted", judge_threads(storm))
    tap.report(f"{name}/switches-are-the-kernel's", judge_switches(storm))
    tap.report(f"{name}/listed-and-lost-are-the-totals", judge_sums(rec))
    tap.report(f"{name}/stacks-are-there-or-counted", judge_stacks(rec))
    tap.report(f"{name}/no-other-losses", checks.no_losses(rec, FULL))
    tap.report(f"{name}/memory",
               judge_memory("kernel memory", rec.header["kernel_bytes"], limits[0]) +
               judge_memory("our own memory", storm.own_bytes, limits[1]))
    tap.report(f"{name}/responsive", [] if storm.done["late_most_ns"] < LATE_NS else
               [f"a timer was {storm.done['late_most_ns']} ns late"])


def note(tap, storm):
    rec, h = storm.rec, storm.rec.header
    seconds = (storm.done["mono_ns"] - storm.begun["mono_ns"]) / 1e9
    rate = (storm.done["switches"] - storm.begun["switches"]) / seconds
    stacks = len({tuple(w.user) for w in rec.waits})
    tap.note(f"{rate:,.0f} switches/s, {storm.done['paths']:,} paths, "
             f"{storm.done['births']:,} births; a timer was {storm.done['late_most_ns'] / 1e6:.1f} "
             f"ms late at most, {storm.done['late_sum_ns'] / storm.done['probes'] / 1e6:.1f} ms in "
             "the mean")
    tap.note(f"{h['waits_chosen']:,} of {h['switches_seen']:,} chosen, {stacks:,} user stacks, "
             f"{len(rec.waits):,} sums, {len(rec.tasks):,} threads; "
             f"{h['prog_ns'] / max(h['switches_seen'], 1):,.0f} ns a switch; "
             f"period {h['period_min_ns']:,}..{h['period_max_ns']:,} ns")
    tap.note(f"{h['kernel_bytes'] / MIB:.1f} MiB of kernel memory, "
             f"{storm.own_bytes / MIB:.0f} MiB of ours at most, "
             f"{h['self_cpu_ns'] / 1e9:.2f} s of CPU in the window, "
             f"{storm.seconds_to_end:.1f} s to its end")
    for loss, (events, ns) in rec.losses.items():
        tap.note(f"{loss}: {events:,} events, {ns:,} ns")


def main():
    if os.geteuid():
        print("1..0 # SKIP a storm takes root to be recorded")
        return 0
    end_when_told()
    tap = Tap()
    program = os.path.join(os.environ["COLDSPOT_BUILD"], "tests", "storm", "storm")
    seconds = float(os.environ.get("STORM_SECONDS", "60"))
    for name, options, *limits in RUNS:
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        try:
            storm = Storm(os.environ["COLDSPOT"], program, options, seconds)
        except (RecorderError, WorkloadError, OSError) as e:
            tap.report(name, [e])
            continue
        report(tap, name, storm, limits)
        note(tap, storm)
    tap.plan()
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main())
