#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""record --tasks: tasks of Tokio, against how many there are and what they do
(tests/causes/workload/tasks.tokio.rs), with debug information and without; what is refused, and
why. Prints TAP; needs no privileges, but cargo and Debian's sources of Tokio."""
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.join(HERE, "..", suite) for suite in ("cli", "stacks", "truth")]

from tap import Tap, run  # noqa: E402
from task_program import Program, recorded, row_of, sums, waits_of  # noqa: E402
from programs import Missing  # noqa: E402
from tokio_build import tokio_program  # noqa: E402

SECONDS = 4
KINDS = ("locks", "queues", "events", "children", "permits", "streams")
TYPES = {f"tasks::{name}" for name in (*KINDS, "hog", "nap", "worker", "blocks", "held")}
# With half of the children of `children`, which nap.
ALL = 8 * len(KINDS) + 4 + 1 + 1 + 1 + 3

tap = Tap()
ok = tap.ok


def number(doc, name, field="wall_ns"):
    """Tasks of a row on average, or those of them that run or are ready."""
    row = row_of(doc, f"tasks::{name}")
    return row[field] / doc["header"]["window_ns"] if row else 0


def check_numbers(doc, what):
    """How many tasks there are of each kind is known exactly."""
    wrong = [f"{number(doc, kind):.3f} {kind}, not 8" for kind in KINDS
             if abs(number(doc, kind) - 8) > 0.08]
    ok(f"{what}: tasks are as many as there are", "\n".join(wrong))
    whole = sum(t["wall_ns"] for t in doc["tasks"]) / doc["header"]["window_ns"]
    ok(f"{what}: tasks that begin and end all the time are counted",
       "" if abs(whole - ALL) < 0.4 else f"{whole:.3f} tasks on average, not {ALL}")
    # the compiler may have made one function of those of simple ones
    names = {t["comm"] for t in doc["tasks"]} - {"[unknown]"}
    ok(f"{what}: no type of a task is wrong", "" if names <= TYPES else names - TYPES)
    unread = sum(t["unaccounted_ns"] for t in doc["tasks"]) / doc["header"]["window_ns"]
    ok(f"{what}: all are read", "" if unread < 0.1 else f"{unread:.3f} are not")
    ok(f"{what}: the parts of each row add up", "\n".join(sums(doc)))


def check_states(known, doc, what):
    """A task that blocks the only worker of its runtime keeps three others from running."""
    window = doc["header"]["window_ns"]
    ready = sum(w["runq_ns"] for w in doc["waits"] if w["owner"] and
                w["owner"]["comm"] not in [f"tasks::{kind}" for kind in (*KINDS, "hog", "nap")])
    ok(f"{what}: three tasks are ready all the time, for which one that runs is the cause",
       "" if abs(ready / window - 3) < 0.03 else f"{ready / window:.3f} are")
    ran = number(doc, "hog", "on_ns")
    hog = known["hog"]
    share = hog["waited"] / (hog["waited"] + hog["slept"])
    # at 97 Hz, five standard errors of such a share in 4 s
    ok(f"{what}: a task runs as long as it does", "" if abs(ran - share) < 0.1 else
       f"{ran:.3f} of the window, not {share:.3f}")
    idle = number(doc, "worker") - number(doc, "worker", "on_ns")
    ok(f"{what}: a task that nobody wakes waits", "" if abs(idle - 1) < 0.01 else idle)
    words = {w["user"][0] for row in doc["tasks"] if row["comm"] == "tasks::worker"
             for w in waits_of(doc, row)}
    ok(f"{what}: it waits for a future", "" if words == {"[future]"} else words)


def check_program(directory, path, what):
    with Program(path) as program:
        known, doc = program.measured(lambda: recorded(directory, program.pid, SECONDS))
        doctor = " ".join(run("doctor", program.pid)[0].split())
    check_numbers(doc, what)
    check_states(known, doc, what)
    ok(f"{what}: doctor says that they can be read",
       "" if "those of its Tokio 1." in doctor and "can be read" in doctor else doctor)


def check_refusals(directory, path):
    bare = os.path.join(directory, "bare")
    subprocess.run(["strip", "-o", bare, path], check=True)
    with Program(bare) as program:
        _, err = run("record", "--tasks", "-d", "1", "-p", program.pid, status=1)
    ok("a program without symbols is refused", "" if "its symbols were removed" in err else err)
    with open(path, "rb") as f:
        data = f.read()
    other = os.path.join(directory, "other")
    with open(other, "wb") as f:
        f.write(data.replace(b"/tokio-1.24.", b"/tokio-1.99."))
    os.chmod(other, 0o755)
    with Program(other) as program:
        _, err = run("record", "--tasks", "-d", "1", "-p", program.pid, status=1)
    ok("another version is named and refused",
       "" if "tasks of Tokio 1.99." in err and "cannot be read" in err else err)


def main():
    if os.environ.get("COLDSPOT_BRIEF"):
        tap.skip("tasks of Tokio", "SKIP ALL OF IT: in brief, nothing is built by cargo")
        return tap.done()
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        try:
            path = tokio_program("tasks", os.path.join(directory, "cargo"))
        except Missing as why:
            tap.skip("tasks of Tokio", f"SKIP ALL OF IT: {why}".replace("\n", " "))
            return tap.done()
        check_program(directory, path, "with debug information")
        plain = os.path.join(directory, "plain")
        subprocess.run(["strip", "-g", "-o", plain, path], check=True)
        check_program(directory, plain, "without")
        check_refusals(directory, plain)
    return tap.done()


main()
