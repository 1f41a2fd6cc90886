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
KINDS = ("locks", "queues", "events", "children", "permits", "streams", "boxes", "limits")
TYPES = {f"tasks::{name}" for name in (*KINDS, "hog", "nap", "worker", "blocks", "held")}
# With half of the children of `children`, which nap.
ALL = 8 * len(KINDS) + 4 + 1 + 1 + 1 + 3

# What each kind waits for: the cause, the word, and the functions above it, with what the line of
# the program has in which they await.
WAIT = ("tasks::wait", "let out = what.await")
ACQUIRE = "[tokio::sync::batch_semaphore::Acquire]"
POLL = "[tokio::future::poll_fn::PollFn]"
NOTIFIED = "[tokio::sync::notify::Notified]"
AWAITS = {
    "locks": ("lock", ACQUIRE, ("tokio::sync::mutex::acquire", "tokio::sync::mutex::lock"), WAIT,
              ("tasks::locks", "wait(&LOCKS")),
    "queues": ("queue", POLL, ("tokio::sync::mpsc::unbounded::recv",), WAIT,
               ("tasks::queues", "wait(&QUEUES")),
    "events": ("cond", NOTIFIED, (), WAIT, ("tasks::events", "wait(&EVENTS")),
    "children": ("join", "[task tasks::nap]", (), WAIT, ("tasks::children", "wait(&CHILDREN")),
    "permits": ("semaphore", ACQUIRE, ("tokio::sync::semaphore::acquire",), WAIT,
                ("tasks::permits", "wait(&PERMITS")),
    "streams": ("net-recv",
                "[tokio::io::util::read_int::ReadU8<&mut tokio::net::tcp::stream::TcpStream>]", (),
                WAIT, ("tasks::streams", "wait(&STREAMS")),
    "boxes": ("cond", NOTIFIED, (), ("tasks::chosen::{async_block#0}", "event.notified().await"),
              WAIT, ("tasks::boxes", "wait(&BOXES")),
    "limits": ("queue", POLL, ("tokio::sync::mpsc::bounded::recv",), WAIT,
               ("tasks::limits", "wait(&LIMITS")),
}
SLEEP = ("sleep", "[tokio::time::sleep::Sleep]", (), ("tasks::nap", "sleep(length()).await"))
# Tasks that wait are some thousand observations, each of one state of two: six standard errors,
# and what was begun or not over at the ends of the window.
NEAR = 0.12

tap = Tap()
ok = tap.ok


def line_of(text):
    """The line of the program that has this; a call can be on the line of its await only."""
    with open(os.path.join(HERE, "workload", "tasks.tokio.rs"), encoding="utf-8") as f:
        found = [i for i, line in enumerate(f, 1) if text in line]
    assert len(found) == 1, (text, found)
    return found[0]


def stack_of(wait):
    """A cause and a stack, as it should be, leaf first; lines of Tokio's own files are left out."""
    cause, word, above, *own = wait
    return cause, (word, *above, *(f"{name} (tasks.tokio.rs:{line_of(text)})"
                                   for name, text in own))


def without_lines(stack):
    return tuple(f.split(" (")[0] if f.startswith("tokio::") else f for f in stack)


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


def check_no_awaits(known, doc, what):
    """Without debug information, the word is all that is known."""
    stacks = {tuple(w["user"]) for w in doc["waits"] if w["blocked_ns"]}
    ok(f"{what}: tasks wait for a future",
       "" if stacks - {("[torn]",)} == {("[future]",)} else stacks)
    idle = {w["class"] for w in doc["waits"]} - {"work"}
    ok(f"{what}: no wait is idle", "" if not idle else idle)


def share_of(doc, row, stack):
    """The share of a row that is in a stack, and then ready: the program measures both as one."""
    inner = stack[1:]
    return sum(w["blocked_ns"] + w["runq_ns"] for w in waits_of(doc, row)
               if without_lines(w["user"]) in (stack, inner)) / row["wall_ns"]


def wrong_of_kind(known, doc, name):
    """Stacks and causes that a kind cannot have, and shares that are not those it adds up."""
    row = row_of(doc, f"tasks::{name}")
    cause, stack = stack_of(AWAITS[name])
    rest = (("tasks::rest", "nap().await"), (f"tasks::{name}", f"rest(&{name.upper()})"))
    sleep, slept = stack_of((*SLEEP, *rest))
    for w in waits_of(doc, row):
        ours = (w["cause"], without_lines(w["user"]))
        if w["blocked_ns"] and w["user"][0] != "[torn]" and \
           ours not in ((cause, stack), (sleep, slept)):
            yield f"{name}: {ours}"
        if w["class"] != "work":
            yield f"{name}: {ours} is {w['class']}"
    whole = known[name]["waited"] + known[name]["slept"]
    for part, of in (("waited", stack), ("slept", slept)):
        theirs, share = known[name][part] / whole, share_of(doc, row, of)
        if abs(share - theirs) > NEAR:
            yield f"{name} {part}: {share:.3f} of its time, not {theirs:.3f}"


def check_awaits(known, doc, what):
    """Where tasks wait: functions, lines, causes, shares."""
    for name in KINDS:
        ok(f"{what}: {name} wait where they do, as long as they do",
           "\n".join(wrong_of_kind(known, doc, name)))
    worker = {(w["cause"], w["class"], *without_lines(w["user"]))
              for w in waits_of(doc, row_of(doc, "tasks::worker"))}
    want = ("queue", "idle", POLL, "tokio::sync::mpsc::unbounded::recv",
            f"tasks::worker (tasks.tokio.rs:{line_of('queue.recv().await')})")
    ok(f"{what}: a worker without work is idle", "" if worker == {want} else worker)
    whole = sum(w["blocked_ns"] for w in doc["waits"])
    torn = sum(w["blocked_ns"] for w in doc["waits"] if "[torn]" in w["user"])
    ok(f"{what}: few are torn", "" if torn < 0.01 * whole else f"{torn} of {whole} ns")


def check_program(directory, path, what, check, words):
    with Program(path) as program:
        known, doc = program.measured(lambda: recorded(directory, program.pid, SECONDS))
        doctor = " ".join(run("doctor", program.pid)[0].split())
    check_numbers(doc, what)
    check_states(known, doc, what)
    check(known, doc, what)
    ok(f"{what}: doctor says whether it is known where they wait",
       "" if words in doctor else doctor)
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
        check_program(directory, path, "with debug information", check_awaits,
                      "debug information says where its tasks wait")
        plain = os.path.join(directory, "plain")
        subprocess.run(["strip", "-g", "-o", plain, path], check=True)
        check_program(directory, plain, "without", check_no_awaits,
                      "it has no debug information, so what its tasks wait for is not known")
        check_refusals(directory, plain)
    return tap.done()


main()
