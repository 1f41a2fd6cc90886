# SPDX-License-Identifier: Apache-2.0
"""What must hold of every recording, whatever was recorded."""
import checks


def report(tap, case, run, lossy=()):
    """The tests that every case reports; `lossy`: losses that it allows by name."""
    rec = run.recording
    report_identity(tap, case, rec)
    tap.report(f"{case}/listed-waits-are-the-totals",
               [p for t in rec.tasks for p in checks.listed_is_total(t)] +
               [p for w in rec.waits if "lost" not in w.flags for p in checks.wait_is_sound(w)])
    tap.report(f"{case}/no-losses", checks.no_losses(rec, lossy))
    note_machine_losses(tap, rec)


def report_identity(tap, case, rec):
    tap.report(f"{case}/identity", [p for t in rec.tasks for p in checks.identity(t)] or
               ([] if rec.tasks else ["no task at all"]))
    tap.report(f"{case}/residual", checks.residual(rec.tasks, rec.ns_lost("missed_switch")))


def note_machine_losses(tap, rec):
    for name in checks.MACHINE_LOSSES:
        if rec.events_lost(name):
            tap.note(f"{name}: {rec.events_lost(name)} events, {rec.ns_lost(name)} ns")


def report_parked(tap, case, run):
    """For runs whose threads all outlive the window and are parked at both its ends: against the
    kernel's own counters, thread by thread."""
    rec = run.recording
    problems = {"window": [], "switch-counts": [], "schedstat": []}
    for tid, after in run.after.items():
        if tid not in run.before:
            continue
        tasks = rec.tasks_of(tid)
        if len(tasks) != 1:
            problems["window"].append(f"tid {tid}: {len(tasks)} records")
            continue
        delta = after - run.before[tid]
        problems["window"] += checks.whole_window(tasks[0], rec.window_ns)
        problems["switch-counts"] += checks.switch_counts(tasks[0], delta, run.missed)
        problems["schedstat"] += checks.schedstat(tasks[0], delta, run.by_sched_info,
                                                  run.stolen_ns)
    problems["window"] += checks.between_times("window", rec.window_ns, run.window_low_ns * 0.999,
                                               run.window_high_ns * 1.001)
    problems["window"] += checks.between("begin in CLOCK_MONOTONIC", rec.begin_mono_ns,
                                         run.begun_before_ns, run.begun_after_ns)
    for name, found in problems.items():
        tap.report(f"{case}/{name}", found)
