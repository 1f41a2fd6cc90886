# SPDX-License-Identifier: Apache-2.0
"""Each kind of wait a program can make: its cause, its object and its owner."""
import fnmatch
import subprocess

import always
import checks
from cases import case
from kinds import MOST, ONE, ROWS, SOME
from session import record

LONG_NS = 40_000_000  # of the workload's 60 ms; what is shorter is something else
MOST_SHARE = 0.9
PAUSE = "wl_pause"  # what the thread does before its wait, or between two
FORGET = "posix_fadvise"  # frees cached pages, and may wait for work on every CPU to do it


def blocked(run, tid):
    """The waits of a thread that are meant."""
    return [w for w in run.recording.waits if w.task and w.task.tid == tid and w.state != "R" and
            not (w.state == "S" and w.has_frame(PAUSE)) and not w.has_frame(FORGET)]


def meant(run, row, tid):
    """The row's waits, and what is wrong with their number or length."""
    if row.how == SOME:
        waits = [w for w in run.recording.waits
                 if w.task and w.task.tid == tid and w.cause in row.causes]
        return waits, [] if waits else ["none of these"]
    waits = blocked(run, tid)
    if row.how == ONE:
        waits = [w for w in waits if w.max_ns >= LONG_NS]
        return waits, [] if waits else ["no long wait"]
    total = sum(w.off_ns for w in waits)
    right = [w for w in waits if w.cause in row.causes]
    if total and sum(w.off_ns for w in right) >= total * MOST_SHARE:
        return right, []
    return right, [checks.Timing(f"{sum(w.off_ns for w in right)} of {total} ns")]


def judge_wait(row, said, wait):
    """Its name, its object, its owner."""
    problems = []
    if wait.cause not in row.causes or wait.wait_class != row.wait_class:
        problems.append(f"{wait.cause}, {wait.wait_class}, not {' or '.join(row.causes)}, "
                        f"{row.wait_class}")
    want = row.object and row.object.format(**said)
    known = wait.object is not None and want is not None and fnmatch.fnmatchcase(
        wait.object.replace("[", "<"), want.replace("[", "<"))
    if not known and wait.object != (None if row.may else want):
        problems.append(f"for '{wait.object}', not '{want}'")
    owners = (said["owner"],) if row.holds else (None, said["owner"]) if row.may else (None,)
    if wait.owner not in owners:
        problems.append(f"held by {wait.owner}, not {said['owner'] if row.holds else None}")
    return [f"{p}: {wait}" for p in problems]


def judge_kind(run, kind, row):
    said = next((e for e in run.of("wait") if e["kind"] == kind), None)
    problems = [f"ended with status {e['status']}" for e in run.of("failed") if e["kind"] == kind]
    if not said:
        return problems + ["it did not begin"]
    waits, wrong = meant(run, row, said["tid"])
    problems += wrong
    for wait in waits:
        problems += judge_wait(row, said, wait)
    if problems:
        problems += checks.evidence([w for w in run.recording.waits if w.task and
                                     w.task.tid == said["tid"]][:6])
    return problems


def listed(env):
    """The workload's own list."""
    said = subprocess.run([env.kinds, "-l"], check=True, timeout=60, capture_output=True, text=True)
    return said.stdout.split()


@case("kinds", ("default", "plain"))
def kinds(env, tap, mode):
    """Each kind of wait has the right cause, class, object and owner."""
    names = listed(env)
    tap.report("kinds/table", [f"without a row: {k}" for k in names if k not in ROWS])
    run = record(env, [env.kinds, env.scratch], mode, options=["--follow"])
    for name in names:
        why = run.skipped(name)
        if why:
            tap.skip(f"kinds/{name}", f"not available here: {why}")
        elif name in ROWS:
            tap.report(f"kinds/{name}", judge_kind(run, name, ROWS[name]))
    report_several(tap, run)
    always.report(tap, "kinds", run, ("owner_several",))


def report_several(tap, run):
    """One of the holders of a file lock is its owner, and only these waits are counted."""
    several = next((e for e in run.of("wait") if e["kind"] == "flock-readers"), None)
    if several:
        found = run.recording.ns_lost("owner_several")
        waited = sum(w.off_ns for w in blocked(run, several["tid"]) if w.owner)
        tap.report("kinds/owner-several", [] if 0 < found <= waited else
                   [f"{found} ns for locks with several holders, not {waited}"])
