#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""record --tasks --task-events: waits of goroutines, against what a program knows of them itself
(tests/cli/task_events.go), with symbols, stripped and position-independent; who ended them; probes
that cost too much; what is refused. Prints TAP; needs root and Go."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

from tap import COLDSPOT, Tap, need_root, run
from task_program import Program

HERE = os.path.dirname(os.path.abspath(__file__))
GO = shutil.which("go") or "/usr/lib/go-1.19/bin/go"
# As in the program.
EACH, WAITS = 8, 40
# Of the least length: what lies between the program's clocks and the runtime's own steps.
NEAR = 0.1
# The word of the runtime, and a function of who ends the wait.
KINDS = {"channels": ("[chan receive]", "main.(*kind).one.func1"),
         "selects": ("[select]", "main.(*kind).one.func1"),
         "groups": ("[semacquire]", "main.(*kind).one.func1"),
         "conds": ("[sync.Cond.Wait]", "main.(*kind).one.func1"),
         "mutexes": ("[semacquire]", "main.(*kind).one.func1"),
         "sockets": ("[IO wait]", "[netpoll]"),
         "sleeps": ("[sleep]", "[timer]")}

tap = Tap()
ok = tap.ok


def build(directory, name, *flags):
    path = os.path.join(directory, name)
    env = {**os.environ, "GOFLAGS": "-mod=mod", "GO111MODULE": "off", "CGO_ENABLED": "0",
           "GOCACHE": os.path.join(directory, "cache")}
    subprocess.run([GO, "build", *flags, "-o", path, os.path.join(HERE, "task_events.go")],
                   check=True, env=env, stdout=subprocess.DEVNULL)
    return path


class Recorder:
    """A recording that ends with the block."""

    def __init__(self, pid, *options):
        self.process = subprocess.Popen(
            [COLDSPOT, "record", "--tasks", "--task-events", "--announce", "-q", "-p", pid,
             "-d", "60", *options], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.said = ""

    def __enter__(self):
        while "recording" not in self.said:
            line = self.process.stderr.readline()
            if not line:
                raise SystemExit(f"# it does not begin: {self.said}")
            self.said += line
        return self

    def __exit__(self, *exc):
        self.process.send_signal(signal.SIGINT)
        self.said += self.process.communicate(timeout=60)[1]


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def of_kind(doc, name):
    """Measured waits of one kind, without the one for the program to begin."""
    return [m for m in doc["measured"] if doc["tasks"][m["task"]]["comm"] == f"main.{name}" and
            ("main.(*kind).one" in m["user"] or "time.Sleep" in m["user"])]


def check_kind(doc, name, known):
    rows = of_kind(doc, name)
    word, waker = KINDS[name]
    count, total = sum(m["count"] for m in rows), sum(m["total_ns"] for m in rows)
    if known["Count"] != EACH * WAITS:
        yield f"the program waited {known['Count']} times"
    if not (1 - NEAR) * known["Count"] <= count <= known["Count"]:
        yield f"{count} waits, not {known['Count']}"
    if not (1 - NEAR) * known["Least"] <= total <= known["Felt"]:
        yield f"{total} ns, not between {known['Least']} and {known['Felt']}"
    for m in rows:
        if m["user"][0] != word or m["user"][-1] != f"main.{name}":
            yield f"the stack is {m['user']}"
        if waker not in m["waker_user"]:
            yield f"the waker is {m['waker_user']}"
        if sum(n for _, n in m["hist"]) != m["count"] or m["max_ns"] > m["total_ns"]:
            yield f"{m['hist']} and {m['max_ns']} do not fit {m['count']} and {m['total_ns']}"


def check_program(directory, path, what):
    file = os.path.join(directory, "waits.json")
    with Program(path) as program:
        with Recorder(program.pid, "--max-overhead", "50%", "-o", file):
            program.say("begin")
            known = json.loads(program.process.stdout.readline())
    doc = load(file)
    for name in KINDS:
        ok(f"{what}: {name} waited as often and as long as they know",
           "\n".join(check_kind(doc, name, known[name])))
    header = doc["header"]
    ok(f"{what}: probes were on all the time, and their cost is known",
       "" if header["measured_ns"] >= 0.9 * header["window_ns"] and
       header["measure_cost_ns"] > header["measure_hits"] > 0 else header)
    lost = [l for l in doc["losses"]
            if l["name"].startswith("measured_") and l["name"] != "measured_unbegun"]
    ok(f"{what}: nothing is lost", lost)
    return known


def check_recording(directory, path):
    """It comes back from a recording, window by window, and in the summary."""
    file = os.path.join(directory, "waits.coldspot")
    with Program(path) as program:
        with Recorder(program.pid, "--max-overhead", "50%", "--every", "200ms", "-o", file):
            program.say("begin")
            program.process.stdout.readline()
    doc = json.loads(run("report", "-f", "json", file)[0])
    counts = {name: sum(m["count"] for m in of_kind(doc, name)) for name in KINDS}
    ok("windows of a recording add up to all waits",
       "" if doc["merged"]["windows"] > 2 and
       all((1 - NEAR) * EACH * WAITS <= n <= EACH * WAITS for n in counts.values()) else counts)
    lines = [json.loads(l) for l in run("report", "-f", "ndjson", file)[0].splitlines()]
    rows = [(l["comm"], l["user"], l["waker_user"], l["count"], l["hist"]) for l in lines
            if l["type"] == "measured"]
    theirs = [(doc["tasks"][m["task"]]["comm"], m["user"], m["waker_user"], m["count"], m["hist"])
              for m in doc["measured"]]
    ok("NDJSON has the same rows, and their number",
       "" if rows == theirs and lines[-1]["measured"] == len(rows) > 7 else rows)
    text, _ = run("report", "--top", "30", file)
    missing = [words for words in ("Measured by probes, in ", "main.mutexes [semacquire]",
                                   "by [netpoll]", "by [timer]", "Probes: ")
               if words not in text]
    ok("the summary says what was measured, who ended it, and the cost", missing and text)
    doc = json.loads(run("report", "-f", "json", "--comm", "main.mutexes", file)[0])
    names = {doc["tasks"][m["task"]]["comm"] for m in doc["measured"]}
    ok("a selection keeps the waits of its tasks", "" if names == {"main.mutexes"} else names)
    doc = json.loads(run("report", "-f", "json", "--cause", "sleep", file)[0])
    ok("one of some waits has none, because they have no cause",
       "" if "measured" not in doc else doc["measured"])


def check_storm(directory, path):
    """More events than the budget allows."""
    file = os.path.join(directory, "storm.json")
    with Program(path, "storm", "8") as program:
        with Recorder(program.pid, "--max-overhead", "1%", "-o", file) as recorder:
            try:
                recorder.process.wait(timeout=4)
            except subprocess.TimeoutExpired:
                pass
    header = load(file)["header"]
    ok("probes that cost more than half of the budget are taken off",
       "" if 0 < header["measured_ns"] < header["window_ns"] / 2 else header)
    ok("and a line says so", "" if "waits are not measured any more: after " in recorder.said
       else recorder.said)
    text, _ = run("record", "--tasks", "--task-events", "-d", "2", "--",
                  "sh", "-c", f"sleep 1.5 | {path} storm 8")
    ok("so does the summary", "" if "Probes were off in " in text else text)


def check_brief(directory, path):
    """A command that is over before the recording, and one before other processes are."""
    for what, argv in (("a command", [path, "brief"]),
                       ("a program that is over", ["sh", "-c", f"{path} brief; sleep 1"])):
        file = os.path.join(directory, "brief.json")
        run("record", "--tasks", "--task-events", "-q", "--max-overhead", "50%", "-o", file,
            "--", *argv)
        doc = load(file)
        counts = {name: sum(m["count"] for m in of_kind(doc, name)) for name in KINDS}
        ok(f"{what} has all of its waits, by name",
           "" if all((1 - NEAR) * EACH * WAITS <= n <= EACH * WAITS for n in counts.values())
           else counts)


def check_refused(directory):
    script = os.path.join(HERE, "asyncio_tasks.py")
    with Program("/usr/bin/python3", script) as py:
        _, err = run("record", "--tasks", "--task-events", "-p", py.pid, "-d", "1", status=1)
    ok("asyncio is refused", "" if "runs tasks of asyncio: --task-events measures only waits of "
       "goroutines" in err else err)
    _, err = run("record", "--task-events", "-d", "1", "-p", str(os.getpid()), status=2)
    ok("--task-events needs --tasks", "" if "--task-events needs --tasks" in err else err)


def main():
    need_root()
    if not os.path.exists(GO):
        tap.skip("all of it", "needs Go")
        return tap.done()
    with tempfile.TemporaryDirectory() as directory:
        path = build(directory, "program")
        check_program(directory, path, "with symbols")
        check_program(directory, build(directory, "stripped", "-ldflags=-s -w"), "stripped")
        check_program(directory, build(directory, "pie", "-buildmode=pie"), "pie")
        check_recording(directory, path)
        check_brief(directory, path)
        check_storm(directory, path)
        check_refused(directory)
    return tap.done()


main()
