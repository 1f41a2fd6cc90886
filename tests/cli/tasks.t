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
# Of the time of a kind, or six standard errors, which are larger on a busy machine.
NEAR = 0.03
CAUSES = {"channels": "queue", "selects": "queue", "groups": "join", "conds": "cond",
          "mutexes": "lock", "sockets": "net-recv", "stacks": "queue"}
WORDS = {"channels": "[chan receive]", "selects": "[select]", "conds": "[sync.Cond.Wait]",
         "sockets": "[IO wait]", "stacks": "[chan receive]"}
# Those that wait in system calls: what they call, and what that waits for.
CALLS = {"pipes": ("syscall.read", "pipe", "pipe"), "naps": ("syscall.Nanosleep", "sleep", None),
         "syncs": ("syscall.Fsync", "disk-sync", "file"),
         "locks": ("syscall.Flock", "file-lock", "file")}

tap = Tap()
ok = tap.ok


def build(directory, name, *flags, source="tasks.go"):
    path = os.path.join(directory, name)
    env = {**os.environ, "GOFLAGS": "-mod=mod", "GO111MODULE": "off", "CGO_ENABLED": "0",
           "GOCACHE": os.path.join(directory, "cache")}
    subprocess.run([GO, "build", *flags, "-o", path, os.path.join(HERE, source)], check=True,
                   env=env, stdout=subprocess.DEVNULL)
    return path


def is_over(wait):
    """A wait that is over, and whose goroutine does not run yet: it is ready, on the same stack,
    and still waits as it adds up itself."""
    return wait["runq_ns"] and len(wait["user"]) > 1 and "time.Sleep" not in wait["user"]


class Share(str):
    """A share that differs, which another run may mend; any other problem stays."""


def differs(what, rows, whole, share):
    """Whether waits and times on a CPU have another share of a row than the program adds up: what
    a busy machine does may change between what both measure."""
    ours = sum(r.get("blocked_ns", 0) + r.get("runq_ns", 0) + r.get("on_ns", 0)
               for r in rows) / whole
    error = sum(r["se_ns"] ** 2 for r in rows) ** 0.5 / whole
    if abs(ours - share) > max(NEAR, 6 * error):
        yield Share(f"{what}: {ours:.3f} ± {error:.3f} of its time, not {share:.3f}")


def in_function(rows, function):
    return [r for r in rows if function in r["user"]]


def check_kind(doc, name, known):
    """Problems of one kind: its number, its shares, its causes and words."""
    row = row_of(doc, f"main.{name}")
    if not row:
        return [f"there is no row of {name}"]
    waits = waits_of(doc, row)
    whole = row["wall_ns"]
    number = whole / doc["header"]["window_ns"]
    problems = []
    if abs(number - known["goroutines"]) > 0.01 * known["goroutines"]:
        problems.append(f"{number} goroutines, not {known['goroutines']}")
    theirs = known["waited"] / (known["waited"] + known["slept"])
    ours = [w for w in waits if w["cause"] == CAUSES[name] or is_over(w)]
    problems += differs(CAUSES[name], ours, whole, theirs)
    problems += differs("sleep", in_function(waits, "time.Sleep"), whole, 1 - theirs)
    for w in waits:
        stack = w["user"]
        if w["cause"] == CAUSES[name] and stack[0] != WORDS.get(name, stack[0]):
            problems.append(f"{stack[0]} is not {WORDS[name]}")
        if w["blocked_ns"] and stack[:1] != ["[torn]"] and stack[-1:] != [f"main.{name}"]:
            problems.append(f"the outermost function is {stack[-1:]}")
    return problems


def check_call(doc, name, known):
    """Problems of a kind that waits in a system call. One that is over, but whose thread has no
    CPU yet, has the same stack."""
    function, cause, kind = CALLS[name]
    row = row_of(doc, f"main.{name}")
    if not row:
        return [f"there is no row of {name}"]
    problems = []
    theirs = known["waited"] / (known["waited"] + known["slept"])
    rows = waits_of(doc, row) + [h for h in doc["hots"] if doc["tasks"][h["task"]] is row]
    for what, share in ((function, theirs), ("time.Sleep", 1 - theirs)):
        problems += differs(what, in_function(rows, what), row["wall_ns"], share)
    blocked = [w for w in in_function(waits_of(doc, row), function) if w["blocked_ns"]]
    whole = sum(w["blocked_ns"] for w in blocked)
    right = sum(w["blocked_ns"] for w in blocked
                if (w["cause"], kind_of(doc, w)) == (cause, kind))
    if right < 0.7 * whole:
        problems.append(f"{cause} of {kind}: {right} of {whole} ns")
    for w in blocked:
        if w["user"][0] != "[system call]" or w["user"][-1] != f"main.{name}":
            problems.append(f"the stack is {w['user']}")
    return problems


def kind_of(doc, wait):
    return doc["objects"][wait["object"]]["kind"] if wait["object"] else None


def check_program(directory, path, what):
    for attempt in range(3):
        with Program(path) as program:
            known, doc = program.measured(lambda: recorded(directory, program.pid, SECONDS))
        problems = {name: (check_call if name in CALLS else check_kind)(doc, name, known[name])
                    for name in known}
        found = sum(problems.values(), [])
        if not found or not all(isinstance(p, Share) for p in found):
            break
        if attempt < 2:
            print(f"# NOTE {what}: wrong in a run before: {problems}")
    for name, problem in sorted(problems.items()):
        ok(f"{what}: {name} have the time that they add up", "\n".join(problem))
    ok(f"{what}: the parts of each row add up", "\n".join(sums(doc)))
    counts = {w["user"].count("main.deep") for w in doc["waits"]} - {0}
    ok(f"{what}: a stack deeper than 2 KiB is whole", "" if counts == {61} else counts)
    counts = {w["user"].count("main.flush") for w in doc["waits"]
              if w["syscall"] == "fsync" and w["user"][0] == "[system call]"}
    ok(f"{what}: and one in a system call", "" if counts == {21} else counts)
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
        known, doc = program.measured(lambda: recorded(directory, program.pid, 3))
    owners = {}
    for w in doc["waits"]:
        name = w["owner"]["comm"] if w["owner"] else None
        owners[name] = owners.get(name, 0) + w["runq_ns"]
    ok("a goroutine that runs is what others that are ready wait for",
       "" if max(owners, key=owners.get) == "main.spin" else owners)
    row = row_of(doc, "main.spin")
    # ready is what preempts itself: the run time stops it after 10 ms
    ran = row["on_ns"] + without_cpu(doc, row) + \
        sum(w["runq_ns"] for w in waits_of(doc, row) if "main.spin" in w["user"])
    ok("it runs as long as it does",
       "" if abs(ran - known["spin"]) < 0.05 * doc["header"]["window_ns"] else f"{ran}, {known}")


def without_cpu(doc, row):
    """Time of goroutines that run, but whose thread waits for a CPU."""
    return sum(w["runq_ns"] for w in waits_of(doc, row) if w["user"] == ["[no CPU]"])


def check_threads(directory):
    """Goroutines that would run: on a CPU, without one, and on a thread that is blocked."""
    path = build(directory, "threads", source="tasks_threads.go")
    with Program("taskset", "-c", "0", path) as program:
        known, doc = program.measured(lambda: recorded(directory, program.pid, 6))
    window = doc["header"]["window_ns"]
    problems = []
    for name in ("spin0", "spin1"):
        row = row_of(doc, f"main.{name}")
        # chance decides of each look: six standard errors of 582 looks
        if abs(row["on_ns"] - known[name]) > 0.125 * window:
            problems.append(f"{name}: {row['on_ns']} ns on a CPU, not {known[name]}")
        if not without_cpu(doc, row):
            problems.append(f"{name}: {[w['user'] for w in waits_of(doc, row)]}")
    ok("what spins without a CPU is ready", "\n".join(problems))
    row = row_of(doc, "main.raws")
    waits = [w for w in waits_of(doc, row) if "syscall.RawSyscall" in w["user"]]
    ours = (sum(w["blocked_ns"] for w in waits) + without_cpu(doc, row)) / window
    words = {(w["user"][0], w["user"][-1], w["cause"]) for w in waits}
    ok("a goroutine that runs on a blocked thread is blocked",
       "" if words == {("[running]", "main.raws", "sleep")} else words)
    ok("for as long as its calls take",
       "" if abs(ours - known["raws"] / window) < 0.05 else f"{ours:.3f}, {known['raws']}")
    ok("threads: the parts of each row add up", "\n".join(sums(doc)))


def check_container(directory, path):
    """Threads have other numbers for themselves in a PID namespace of their own."""
    what = "threads are found in a PID namespace"
    if os.geteuid():
        return tap.skip(what, "needs root to make one")
    with Program("unshare", "--fork", "--pid", "--kill-child", path) as outer:
        children = f"/proc/{outer.pid}/task/{outer.pid}/children"
        with open(children, encoding="ascii") as f:
            doc = recorded(directory, f.read().strip(), 1)
    row = row_of(doc, "main.naps")
    calls = {w["syscall"] for w in waits_of(doc, row) if w["user"][0] == "[system call]"}
    return ok(what, "" if "nanosleep" in calls else calls)


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
        check_threads(directory)
        check_container(directory, whole)
        check_refusals(whole)
    tap.done()


main()
