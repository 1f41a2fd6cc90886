#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""report --critical-path: what the time of a thread went to, against what the processes of a relay
wrote down themselves. Prints TAP; needs root."""
import json
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True

from tap import PYTHON, Tap, need_root, run, until_whole

RUNNERS = 5

# Processes that each wait for a byte, sleep, and pass it on; each logs its sleep.
PROGRAM = """
import json, os, sys, time
RUNNERS = 5
pipes = [os.pipe() for _ in range(RUNNERS + 1)]
def sleep(seconds):
    begin = time.monotonic_ns()
    time.sleep(seconds)
    return os.getpid(), begin, time.monotonic_ns()
def log(*sleeps):
    with open(sys.argv[1], "a") as f:
        f.write("".join(json.dumps(one) + "\\n" for one in sleeps))
ready, runners = os.pipe(), []
for i in range(RUNNERS):
    runners.append(os.fork())
    if not runners[-1]:
        os.write(ready[1], b"x")
        os.read(pipes[i][0], 1)
        slept = sleep(0.01 * (i + 1))
        os.write(pipes[i + 1][1], b"x")
        log(slept)
        os._exit(0)
for pid in runners:
    os.read(ready[0], 1)
def waits(pid):
    with open(f"/proc/{pid}/stat") as f:
        return f.read().split(")")[1].split()[0] == "S"
while not all(map(waits, runners)):
    time.sleep(0.001)
first = sleep(0.02)
os.write(pipes[0][1], b"x")
os.read(pipes[RUNNERS][0], 1)
last = sleep(0.03)
log(first, last)
for i in range(RUNNERS):
    os.wait()
"""

tap = Tap()
ok = tap.ok


def path_of(file, *options):
    return json.loads(run("report", "--critical-path", "-f", "json", *options, file)[0])


def record(dir_, *options):
    return until_whole(lambda: record_once(dir_, *options), lambda found: found[0])


def record_once(dir_, *options):
    file, log = os.path.join(dir_, "a.coldspot"), os.path.join(dir_, "log")
    for path in (file, log):
        if os.path.exists(path):
            os.unlink(path)
    program = os.path.join(dir_, "program.py")
    with open(program, "w", encoding="ascii") as f:
        f.write(PROGRAM)
    run("record", "-q", *options, "-o", file, "--", PYTHON, program, log)
    with open(log, encoding="ascii") as f:
        return file, [json.loads(line) for line in f]


def not_whole(path):
    """The parts follow each other, are all of the range, and the rows add up to the same."""
    at = path["begin_ns"]
    for part in path["parts"]:
        if part["begin_ns"] != at:
            yield f"a part begins at {part['begin_ns']}, not at {at}"
        at += part["ns"]
    if at != path["end_ns"]:
        yield f"the parts end at {at}, not at {path['end_ns']}"
    if sum(row["ns"] for row in path["rows"]) != path["wall_ns"]:
        yield "the rows do not add up"
    for i, row in enumerate(path["rows"]):
        if sum(part["ns"] for part in path["parts"] if part["row"] == i) != row["ns"]:
            yield f"the parts of row {i} are not its time"


def slept(path, pid, begin, end):
    """How long the path was in a sleep of this process, in that time, or in a thread that was on
    a CPU or wanted one: the first one may not have begun to wait yet."""
    found = 0
    for part in path["parts"]:
        row = path["rows"][part["row"]]
        is_sleep = row["cause"] == "sleep" and row["kind"] == "interrupt"
        if (part["tid"] == pid and is_sleep) or row["kind"] in ("on-cpu", "run-queue"):
            found += max(0, min(end, part["begin_ns"] + part["ns"]) - max(begin, part["begin_ns"]))
    return found


def sleeps_missing(path, log, begin_ns):
    asked = [0.02, 0.03] + [0.01 * (i + 1) for i in range(RUNNERS)]
    log = sorted(log, key=lambda one: one[1])
    main = path["thread"]["tid"]
    mine = [one for one in log if one[0] == main]
    others = [one for one in log if one[0] != main]
    for (pid, begin, end), seconds in zip(mine + others, asked):
        found = slept(path, pid, begin - begin_ns, end - begin_ns)
        if not seconds * 1e9 <= found <= end - begin:
            yield f"{pid}: {found} ns of a sleep of {seconds} s"


def problems(found):
    return "\n".join(list(found)[:8])


def relay(file, log):
    path = path_of(file)
    begin_ns = json.loads(run("report", "-f", "json", file)[0])["header"]["begin_mono_ns"]
    ok("the default is the first thread of the command",
       path["thread"]["tid"] not in {one[0] for one in log} and path["thread"])
    ok("the parts are all of its time, to the ns", problems(not_whole(path)))
    ok("each runner's sleep is on the path, and the main thread's too",
       problems(sleeps_missing(path, log, begin_ns)))
    last = max(log, key=lambda one: one[1])
    runner = [one for one in log if one[0] != path["thread"]["tid"]][-1][0]
    chains = [part["waited"] for part in path["parts"] if part["tid"] == runner]
    ok("a part says who waited for it",
       not any(chain and chain[0] == path["thread"]["tid"] for chain in chains) and
       f"{runner} {chains[:3]} {last}")
    return path


def formats(file, path):
    text = run("report", "--critical-path", file)[0]
    ok("the table names the thread, and what it did",
       (not re.search(r"^Critical path of python3-\d+: ", text) or
        not re.search(r"python3-\d+: sleep, at .*; until \[timer interrupt\]", text)) and text)
    for form in "folded", "wide":
        lines = run("report", "--critical-path", "-f", form, file)[0].splitlines()
        sum_us = sum(int(line.rpartition(" ")[2]) for line in lines)
        ok(f"{form} adds up to the wall time",
           abs(sum_us - path["wall_ns"] / 1000) > len(path["parts"]) and f"{sum_us}")
    svg = run("report", "--critical-path", "-f", "svg", file)[0]
    ok("the flame graph has its title, and threads as frames",
       ("Critical path of python3-" not in svg or
        # as titles: what is drawn in a narrow frame is cut
        "<title>on a CPU (" not in svg or "<title>pipe, at " not in svg or
        "of the thread went to, also in" not in svg or
        re.search(r"<title>[^<]* waits", svg)) and svg[:400])

    # the same in files, and nothing beside them
    dir_ = os.path.dirname(file)
    for name, form in ("p.txt", "summary"), ("p.json", "json"), ("p.wide.folded", "wide"):
        to = os.path.join(dir_, name)
        out, err = run("report", "--critical-path", "-o", to, file)
        with open(to, encoding="utf-8") as f:
            ok(f"-o {name} has what -f {form} prints",
               (out != "" or f"wrote {to}" not in err or
                f.read() != run("report", "--critical-path", "-f", form, file)[0]) and out + err)


def ranges(file, log, path):
    pid = [one[0] for one in log if one[0] != path["thread"]["tid"]][0]
    own = path_of(file, "--tid", str(pid))
    ok("--tid TID is the path of that thread",
       (own["thread"]["tid"] != pid or problems(not_whole(own))) and own["thread"])
    begin, end = path["begin_ns"] + 30_000_001, path["begin_ns"] + 70_000_003
    span = "--since", f"{begin}ns", "--until", f"{end}ns"
    part = path_of(file, *span)
    ok("--since and --until cut it, to the ns",
       ((part["begin_ns"], part["end_ns"]) != (begin, end) or
        problems(not_whole(part))) and f"{part['begin_ns']} {part['end_ns']}")
    _, err = run("report", "--critical-path", *span, file)
    ok("without a word about windows", "not split" in err and err)


def refusals(dir_, file):
    _, err = run("report", "--critical-path", "--tid", "1", file, status=1)
    ok("a thread that is not there", "no thread 1" not in err and err)
    _, err = run("report", "--critical-path", "--tid", "1,2", file, status=2)
    ok("two threads", "takes one thread" not in err and err)
    _, err = run("report", "--critical-path", "-f", "csv", file, status=2)
    ok("a format that has no paths", "has the formats" not in err and err)
    _, err = run("report", "--critical-path", "-o", os.path.join(dir_, "p.csv"), file, status=2)
    ok("a file of such a format", "known extensions: .txt" not in err and err)
    _, err = run("report", "--critical-path", "--cause", "sleep", file, status=2)
    ok("a filter", "cannot be used together" not in err and err)
    other = os.path.join(dir_, "b.coldspot")
    run("record", "-q", "--events", "-o", other, "--", "true")
    _, err = run("report", "--critical-path", other, status=1)
    ok("a recording without wakers", "--events --wakers" not in err and err)


def main():
    need_root()
    with tempfile.TemporaryDirectory() as dir_:
        os.chmod(dir_, 0o755)
        file, log = record(dir_, "--events", "--wakers")
        path = relay(file, log)
        formats(file, path)
        ranges(file, log, path)
        refusals(dir_, file)
        file, log = record(dir_, "--events", "--wakers", "--every", "100ms")
        path = path_of(file)
        ok("a path over several windows is whole", problems(not_whole(path)))
        ok("and has the sleeps", problems(sleeps_missing(
            path, log, json.loads(run("report", "-f", "json", file)[0])["header"]["begin_mono_ns"]
        )))
    tap.done()


sys.dont_write_bytecode = True
main()
