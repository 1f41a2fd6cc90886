#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""record --tasks: goroutines, against what a program adds up itself (tests/cli/tasks.go), with
symbols and stripped; what is refused, and why. Prints TAP; needs no privileges, but Go."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

from tap import Tap, run
from task_program import Program, recorded, row_of, sums, waits_of

HERE = os.path.dirname(os.path.abspath(__file__))
GO = shutil.which("go") or "/usr/lib/go-1.19/bin/go"
SECONDS = 4
# Of the time of a kind; a wait that is over, and whose goroutine does not run yet, is "ready" here
# and still a wait there.
NEAR = 0.03
CAUSES = {"channels": "queue", "selects": "queue", "groups": "join", "conds": "cond",
          "mutexes": "lock", "sockets": "net-recv", "stacks": "queue"}
WORDS = {"channels": "[chan receive]", "selects": "[select]", "conds": "[sync.Cond.Wait]",
         "sockets": "[IO wait]", "stacks": "[chan receive]"}

tap = Tap()
ok = tap.ok


def build(directory, name, *flags, source="tasks.go"):
    path = os.path.join(directory, name)
    env = {**os.environ, "GOFLAGS": "-mod=mod", "GO111MODULE": "off", "CGO_ENABLED": "0",
           "GOCACHE": os.path.join(directory, "cache")}
    subprocess.run([GO, "build", *flags, "-o", path, os.path.join(HERE, source)], check=True,
                   env=env, stdout=subprocess.DEVNULL)
    return path


def check_kind(doc, name, known):
    """Problems of one kind: its number, its shares, its causes and words."""
    row = row_of(doc, f"main.{name}")
    if not row:
        return f"there is no row of {name}"
    waits = waits_of(doc, row)
    whole = row["wall_ns"]
    number = whole / doc["header"]["window_ns"]
    problems = []
    if abs(number - known["goroutines"]) > 0.01 * known["goroutines"]:
        problems.append(f"{number} goroutines, not {known['goroutines']}")
    ours = sum(w["blocked_ns"] for w in waits if w["cause"] == CAUSES[name]) / whole
    theirs = known["waited"] / (known["waited"] + known["slept"])
    if abs(ours - theirs) > NEAR:
        problems.append(f"{CAUSES[name]}: {ours:.3f} of its time, not {theirs:.3f}")
    slept = sum(w["blocked_ns"] for w in waits if w["cause"] == "sleep") / whole
    if abs(slept - (1 - theirs)) > NEAR:
        problems.append(f"sleep: {slept:.3f} of its time, not {1 - theirs:.3f}")
    for w in waits:
        stack = w["user"]
        if w["cause"] == CAUSES[name] and stack[0] != WORDS.get(name, stack[0]):
            problems.append(f"{stack[0]} is not {WORDS[name]}")
        # before Go 1.23, the stack of a system call is its leaf alone
        if stack[0] not in ("[torn]", "[system call]") and stack[-1] != f"main.{name}":
            problems.append(f"the outermost function is {stack[-1]}")
    return "\n".join(problems)


def check_program(directory, path, what):
    with Program(path) as program:
        known, doc = program.measured(lambda: recorded(directory, program.pid, SECONDS))
    for name, sum_of_kind in sorted(known.items()):
        ok(f"{what}: {name} have the time that they add up",
           check_kind(doc, name, sum_of_kind))
    ok(f"{what}: the parts of each row add up", "\n".join(sums(doc)))
    counts = {w["user"].count("main.deep") for w in doc["waits"]} - {0}
    ok(f"{what}: a stack deeper than 2 KiB is whole", "" if counts == {61} else counts)
    return doc


def check_recording(directory, path):
    """What a recording of tasks is for the commands that read it."""
    file = os.path.join(directory, "a.coldspot")
    run("record", "--tasks", "-q", "--every", "500ms", "-o", file, "--",
        "sh", "-c", f"sleep 1.5 | {path}")
    text, _ = run("report", "--top", "50", file)
    ok("report says that they are tasks",
       "" if "task time" in text and "tasks on average" in text else text)
    ok("a command of its own is recorded", "" if "main.mutexes" in text else text)
    _, err = run("check", file)
    threads = os.path.join(directory, "threads.coldspot")
    run("record", "--proc", "-q", "-d", "1", "-o", threads, "--", "sleep", "0.3")
    _, err = run("report", file, threads, status=1)
    ok("tasks and threads are not added up", "" if "have no sum" in err else err)
    _, err = run("diff", file, threads, status=1)
    ok("nor compared", "" if "cannot be compared" in err else err)


def check_mixed(directory, path):
    """Programs of both kinds, among all processes of the machine."""
    file = os.path.join(directory, "mixed.json")
    script = os.path.join(HERE, "asyncio_tasks.py")
    with Program(path) as go, Program("/usr/bin/python3", script) as py:
        run("record", "--tasks", "-a", "-q", "-d", "2", "--max-overhead", "20%", "-o", file)
        doctor = {pid: run("doctor", pid)[0] for pid in (go.pid, py.pid)}
    with open(file, encoding="utf-8") as f:
        doc = json.load(f)
    rows = {(str(t["tgid"]), t["comm"]) for t in doc["tasks"]}
    ok("-a records goroutines and tasks of asyncio at once",
       "" if {(go.pid, "main.mutexes"), (py.pid, "queues")} <= rows else rows)
    ok("-a: the parts of each row add up", "\n".join(sums(doc)))
    words = {go.pid: "its goroutines can be read", py.pid: "those of its asyncio can be read"}
    ok("doctor says of each that its tasks can be read",
       "\n".join(doctor[pid] for pid in words
                 if words[pid] not in " ".join(doctor[pid].split())))


def check_spin(directory):
    """Who runs while others are ready."""
    with Program(build(directory, "spin", source="tasks_spin.go")) as program:
        doc = recorded(directory, program.pid, 3)
    owners = {}
    for w in doc["waits"]:
        name = w["owner"]["comm"] if w["owner"] else None
        owners[name] = owners.get(name, 0) + w["runq_ns"]
    ok("a goroutine that runs is what others that are ready wait for",
       "" if max(owners, key=owners.get) == "main.spin" else owners)
    ran = row_of(doc, "main.spin")["on_ns"] / doc["header"]["window_ns"]
    ok("it runs as long as it does", "" if 0.2 < ran < 0.4 else f"{ran:.3f} of the window")


def check_refusals(path):
    with subprocess.Popen(["sleep", "60"]) as other:
        _, err = run("record", "--tasks", "-d", "1", "-p", str(other.pid), status=1)
        other.kill()
    ok("a program without tasks is refused",
       "" if "(sleep) has no tasks: it is neither a Go program nor a Python" in err else err)
    _, err = run("record", "--tasks", "--proc", "-d", "1", "-p", "1", status=2)
    ok("--tasks and --proc exclude each other", "" if "--proc" in err else err)
    if os.geteuid():
        return tap.skip("memory that we may not read", "needs root to start what others own")
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    with Program(path) as program:
        done = subprocess.run([*nobody, os.environ["COLDSPOT"], "record", "--tasks", "-d", "1",
                               "-p", program.pid], capture_output=True, text=True, check=False)
    ok("memory that we may not read",
       "" if done.returncode == 1 and "may not" in done.stderr else done.stderr)


def main():
    if not os.access(GO, os.X_OK):
        tap.skip("goroutines", "SKIP ALL OF IT: there is no Go")
        return tap.done()
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        whole = build(directory, "whole")
        check_program(directory, whole, "with symbols")
        check_program(directory, build(directory, "bare", "-ldflags=-s -w"), "stripped")
        check_recording(directory, whole)
        check_mixed(directory, whole)
        check_spin(directory)
        check_refusals(whole)
    tap.done()


main()
