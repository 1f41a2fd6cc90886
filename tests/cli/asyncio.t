#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""record --tasks: tasks of asyncio, against what a program adds up itself
(tests/cli/asyncio_tasks.py); what is refused, and why. Prints TAP; needs no privileges. PYTHONS, a
list of interpreters, replaces Debian's."""
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

from tap import Tap, run
from task_program import Program, recorded, row_of, sums, waits_of

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHONS = os.environ.get("PYTHONS", "/usr/bin/python3").split()
SECONDS = 4
# Of the time of a kind.
NEAR = 0.03
CAUSES = {"locks": "lock", "queues": "queue", "events": "cond", "children": "join",
          "gathers": "join", "streams": "net-recv"}
WORDS = {"children": ("[task child]", "[task]"), "gathers": ("[gather]",)}  # [task]: it was over

tap = Tap()
ok = tap.ok


def function_of(frame):
    """The function of "locks (asyncio_tasks.py:47)" or "/srv/x.py:locks:47"."""
    return frame.split(" (")[0].split(":")[-2 if frame.count(":") > 1 else 0]


def share_of(doc, row, cause):
    """The share of a row that waits for a cause, and then for its turn: the program measures both
    as one, and on a busy machine the second is long."""
    waits = waits_of(doc, row)
    places = {tuple(w["user"][1:]) for w in waits if w["cause"] == cause}
    return sum(w["blocked_ns"] if w["cause"] == cause else w["runq_ns"] for w in waits
               if w["cause"] == cause or
               (w["cause"] == "runnable" and inner(w["user"]) in places)) / row["wall_ns"]


def inner(stack):
    """The coroutines of a stack, without a word for what it waits for."""
    return tuple(stack[stack[0].startswith("["):])


def late_of(doc, name, known):
    """Where the shares of a kind are not what the program adds up. Busy machines bend them."""
    row = row_of(doc, name)
    if not row:
        return
    theirs = known["waited"] / (known["waited"] + known["slept"])
    for cause, share in ((CAUSES[name], theirs), ("sleep", 1 - theirs)):
        ours = share_of(doc, row, cause)
        if abs(ours - share) > NEAR:
            yield f"{cause}: {ours:.3f} of its time, not {share:.3f}"


def held(doc, row):
    """Time in which tasks held their loop without a CPU."""
    return sum(w["blocked_ns"] + w["runq_ns"] for w in waits_of(doc, row)
               if w["user"][:1] in (["[running]"], ["[no CPU]"]))


def late_hog(doc, known):
    row = row_of(doc, "hog")
    # the kernel may have taken its CPU away meanwhile
    ran = row["on_ns"] + held(doc, row) if row else 0
    if abs(ran - known["hog"]["ran"]) >= NEAR * doc["header"]["window_ns"]:
        yield f"{ran} ns, not {known['hog']['ran']}"


def check_kind(doc, name, known):
    """Problems of one kind: its number, its causes and words."""
    row = row_of(doc, name)
    if not row:
        return f"there is no row of {name}: {[t['comm'] for t in doc['tasks']]}"
    waits = waits_of(doc, row)
    whole = row["wall_ns"]
    number = whole / doc["header"]["window_ns"]
    problems = []
    if abs(number - known["tasks"]) > 0.01 * known["tasks"]:
        problems.append(f"{number} tasks, not {known['tasks']}")
    for w in waits:
        stack = w["user"]
        if w["cause"] == CAUSES[name] and stack[0] not in WORDS.get(name, ("[future]",)):
            problems.append(f"{stack[0]} is not one of {WORDS.get(name)}")
        # what runs may not be readable, and chance says that its thread had no CPU
        if stack not in (["[torn]"], ["[no CPU]"]) and function_of(stack[-1]) != name:
            problems.append(f"the outermost function is {stack[-1]}")
    return "\n".join(problems)


def check_blocked(directory):
    """A task that blocks its loop in a call."""
    script = os.path.join(HERE, "asyncio_blocked.py")
    with Program(PYTHONS[0], script) as program:
        known, doc = program.measured(lambda: recorded(directory, program.pid, 4))
    row = row_of(doc, "blocker")
    waits = [w for w in waits_of(doc, row) if w["user"][0] == "[running]"]
    whole = sum(w["blocked_ns"] for w in waits)
    slept = [w for w in waits if w["cause"] == "sleep"]
    ok("a task in a call that blocks its loop is blocked, for as long as it adds up",
       "" if abs(whole + row["on_ns"] + sum(w["runq_ns"] for w in waits_of(doc, row)
                                            if w["user"][0] == "[no CPU]") - known["blocker"])
       < NEAR * doc["header"]["window_ns"] else f"{whole} and {row['on_ns']} ns, not {known}")
    ok("what it waits for is what its thread waits for",
       "" if sum(w["blocked_ns"] for w in slept) > 0.9 * whole else waits)
    stacks = {tuple(function_of(f) for f in w["user"]) for w in slept}
    ok("with the functions that it runs",
       "" if stacks == {("[running]", "block", "blocker")} else stacks)
    ok("and it is bad", "" if {w["class"] for w in slept} == {"bad"} else slept)
    owners = {w["owner"]["comm"] for w in doc["waits"] if w["owner"]}
    ok("others that are ready wait for it", "" if "blocker" in owners else owners)
    ok("blocked: the parts of each row add up", "\n".join(sums(doc)))


def check_hog(doc, what):
    """Where a task runs that holds its loop, and whom it keeps from running."""
    places = {}
    for h in doc["hots"]:
        if doc["tasks"][h["task"]]["comm"] == "hog":
            place = tuple(function_of(f) for f in h["user"])[-2:]
            places[place] = places.get(place, 0) + h["on_ns"]
    spun = places.get(("spin", "hog"), 0)
    ok(f"{what}: a task that holds its loop has the functions that it runs",
       "" if spun > 0.8 * sum(places.values()) else places)
    waits = {}
    for w in doc["waits"]:
        if w["owner"]:
            comm = w["owner"]["comm"]
            waits[comm] = waits.get(comm, 0) + w["runq_ns"]
    ok(f"{what}: it is what others that are ready wait for",
       "" if waits and max(waits, key=waits.get) == "hog" else waits)
    hints = {kind["hint"] for kind in doc["summary"]["kinds"]}
    ok(f"{what}: hints are about tasks", "" if any("others ran instead" in h for h in hints) and
       not any("thread" in h for h in hints) else hints)


def check_rest(doc, what):
    """Chains, names and idle workers."""
    # one that runs is still on its way down
    stacks = {tuple(function_of(f) for f in w["user"]) for w in doc["waits"]
              if w["user"][:1] not in (["[no CPU]"], ["[running]"])}
    deep = {s.count("deep") for s in stacks} - {0}
    ok(f"{what}: a chain of coroutines is whole", "" if deep == {31} else deep)
    ok(f"{what}: an asynchronous generator is in its chain",
       "" if any(s[-2:] == ("ticks", "generators") for s in stacks) else stacks)
    mail = row_of(doc, "mail-*")
    classes = {(w["cause"], w["class"]) for w in waits_of(doc, mail)} if mail else set()
    ok(f"{what}: tasks with a name have a row, and a worker without work is idle",
       "" if mail and round(mail["wall_ns"] / doc["header"]["window_ns"]) == 3 and
       classes == {("queue", "idle")} else f"{mail} {classes}")
    unread = sum(t["unaccounted_ns"] for t in doc["tasks"])
    ok(f"{what}: all is read", "" if not unread else f"{unread} ns are not")
    ok(f"{what}: the parts of each row add up", "\n".join(sums(doc)))


def check_program(directory, python, what, *args):
    """Only what is late may be measured again."""
    for attempt in range(3):
        with Program(python, os.path.join(HERE, "asyncio_tasks.py"), *args) as program:
            known, doc = program.measured(lambda: recorded(directory, program.pid, SECONDS))
        late = {name: list(late_of(doc, name, known[name])) for name in CAUSES}
        late["hog"] = list(late_hog(doc, known))
        problems = {name: check_kind(doc, name, known[name]) for name in CAUSES}
        if any(problems.values()) or not any(late.values()):
            break
        if attempt < 2:
            print(f"# NOTE {what}: wrong in a run before: "
                  f"{'; '.join(sum(late.values(), []))}")
    for name in CAUSES:
        ok(f"{what}: {name} have the time that they add up",
           "\n".join([problems[name]] * bool(problems[name]) + late[name]))
    ok(f"{what}: a task runs as long as it adds up", "\n".join(late["hog"]))
    check_hog(doc, what)
    check_rest(doc, what)


def check_many(directory, python):
    """The budget of many tasks, of which each pass reads a random part."""
    path = os.path.join(directory, "many.coldspot")
    with Program(python, os.path.join(HERE, "asyncio_many.py")) as program:
        run("record", "--tasks", "-q", "-p", program.pid, "-d", "8", "--every", "4s", "-o", path)
    # what a task costs is not known before the first reading
    doc = json.loads(run("report", "-f", "json", "--since", "6s", "--until", "6.1s", path)[0])
    head = doc["header"]
    cost = head["self_cpu_ns"] / head["window_ns"] / head["ncpu"]
    # 1% on a quiet machine, and more with sanitizers; all of the tasks would be half of a CPU
    ok("10,000 tasks are read in parts, to keep the budget",
       "" if cost < 0.05 and head["visits"] < 10001 * head["visit_passes"] / 4 else
       f"{cost:.2%}, {head['visits']} visits in {head['visit_passes']} rounds")
    may = not subprocess.run(["chrt", "-f", "1", "true"], capture_output=True,
                             check=False).returncode
    ok("tasks are read with real-time priority where that is allowed",
       "" if ("real-time priority" in head["hooks"]) == may else head["hooks"])
    whole = sum(t["wall_ns"] for t in doc["tasks"])
    ok("10,000 tasks: the sum is their number times the window",
       "" if whole == 10001 * head["window_ns"] else f"{whole / head['window_ns']} of 10001")
    part = {w["cause"]: w for w in doc["waits"]}
    ours, off = part["cond"]["blocked_ns"] / whole, part["cond"]["se_ns"] / whole
    ok("10,000 tasks: a quarter waits for an event",
       "" if abs(ours - 0.25) < min(5 * off, 0.25) else f"{ours:.3f} ± {off:.3f}")


def check_refusals(python):
    script = "import time; print(flush=True); time.sleep(60)"
    with subprocess.Popen([python, "-c", script], stdout=subprocess.PIPE) as other:
        other.stdout.readline()
        _, err = run("record", "--tasks", "-d", "0.5", "-p", str(other.pid))
        other.kill()
    ok("a Python without asyncio has no tasks, and a notice says why",
       "" if "it has not imported asyncio" in err else f"it says: {err}")
    script = ("import sys; sys.modules['_asyncio'] = None\n"
              "import asyncio; print(flush=True); asyncio.run(asyncio.sleep(60))")
    with subprocess.Popen([python, "-c", script], stdout=subprocess.PIPE) as other:
        other.stdout.readline()
        _, err = run("record", "--tasks", "-d", "0.5", "-p", str(other.pid))
        other.kill()
    ok("tasks that are not of the C module are refused",
       "" if "without the C module" in err else f"it says: {err}")


def main():
    with tempfile.TemporaryDirectory() as directory:
        for python in PYTHONS:
            version = subprocess.run([python, "-V"], capture_output=True, text=True, check=True)
            check_program(directory, python, version.stdout.strip())
        if subprocess.run([PYTHONS[0], "-c", "import uvloop"], capture_output=True,
                          check=False).returncode:
            tap.skip("uvloop", "it is not installed")
        else:
            check_program(directory, PYTHONS[0], "uvloop", "uvloop")
        check_blocked(directory)
        check_many(directory, PYTHONS[0])
        check_refusals(PYTHONS[0])
    tap.done()


main()
