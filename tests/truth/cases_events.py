# SPDX-License-Identifier: Apache-2.0
"""The instants of waits (record --events) beside the sums of the same recording."""
import collections
import os
import re
import subprocess
import tempfile

from cases import case
from cases_wakers import ROUNDS
from session import record

# Seconds, name, TID and what it did: docs/events.md.
LINE = re.compile(r"^ *(\d+\.\d{6})  (.*?) \((\d+)\)  (on a CPU|not known|blocked|waited)")


def lines_by_thread(narrative):
    """How many waits each thread had, and how many times are not known."""
    waits, unknown = collections.Counter(), collections.Counter()
    for line in narrative.split("\n\n")[0].splitlines():
        _, _, tid, did = LINE.match(line).groups()
        waits[int(tid)] += did in ("blocked", "waited")
        unknown[int(tid)] += did == "not known"
    return waits, unknown


def judge_lines(run, narrative):
    waits, unknown = lines_by_thread(narrative)
    problems = []
    for task in run.recording.tasks:
        listed = sum(w.count for w in task.waits if "lost" not in w.flags)
        if waits[task.tid] != listed:
            problems.append(f"{task.tid}: {waits[task.tid]} lines, {listed} waits")
        if unknown[task.tid] and not task.unaccounted_ns and \
                not any("lost" in w.flags for w in task.waits):
            problems.append(f"{task.tid}: {unknown[task.tid]} times are not known")
    return problems


@case("events", ("default", "switch", "kprobe"))
def events(env, tap, mode):
    """Each listed wait has an instant, and `check` compares them with the sums, to the ns."""
    with tempfile.TemporaryDirectory(prefix="truth.") as scratch:
        file = os.path.join(scratch, "x.coldspot")
        text = os.path.join(scratch, "x.narrative.txt")
        run = record(env, [env.wakers, "relay", "pipe", "3", str(ROUNDS)], mode=mode,
                     options=("--events", "-o", file, "-o", text))
        done = subprocess.run([env.coldspot, "check", file], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said = done.stdout.decode(errors="replace")
        tap.report("events/sums", [] if done.returncode == 0 and "sound" in said else [said])
        with open(text, encoding="utf-8") as f:
            tap.report("events/lines", judge_lines(run, f.read()))
        lost = run.recording.events_lost("events_lost")
        tap.report("events/no-losses", [f"{lost} lost"] if lost else [])
