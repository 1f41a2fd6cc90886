#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""whatif: what programs would take without a wait, against the same programs without it. How near
the two are is a note, because a busy machine decides it. Prints TAP; needs root."""
import json
import os
import sys
import tempfile

sys.dont_write_bytecode = True

from tap import PYTHON, Tap, check_files, need_root, run


# A worker that sleeps between its items, and a main process that reads them.
SLEEPER = """
import os, sys, time
def work(ms):
    end = time.thread_time_ns() + ms * 1_000_000
    while time.thread_time_ns() < end:
        pass
r, w = os.pipe()
if not os.fork():
    for _ in range(20):
        work(2)
        if sys.argv[1] == "with":
            time.sleep(0.015)
        os.write(w, b"x")
    os._exit(0)
for _ in range(20):
    os.read(r, 1)
    work(1)
os.wait()
"""
SLEPT_NS = 20 * 15_000_000

# Processes that sleep while they hold a lock on one file.
LOCKED = """
import fcntl, os, sys, time
for _ in range(3):
    if not os.fork():
        with open(sys.argv[2], "w") as f:
            for _ in range(10):
                if sys.argv[1] == "with":
                    fcntl.flock(f, fcntl.LOCK_EX)
                time.sleep(0.01)
                fcntl.flock(f, fcntl.LOCK_UN)
        os._exit(0)
for _ in range(3):
    os.wait()
"""

tap = Tap()
ok = tap.ok


def whatif(file, *options):
    return json.loads(run("whatif", "-f", "json", *options, file)[0])


def record(dir_, text, *args):
    program, file = os.path.join(dir_, "program.py"), os.path.join(dir_, f"{args[0]}.coldspot")
    if os.path.exists(file):
        os.unlink(file)
    with open(program, "w", encoding="ascii") as f:
        f.write(text)
    run("record", "-q", "--events", "--wakers", "-o", file, "--", PYTHON, program, *args)
    return file


def row_of(w, cause):
    rows = [row for row in w["waits"] if row["cause"] == cause]
    return max(rows, key=lambda row: row["path_ns"]) if rows else None


def unsound(w):
    """What holds of any answer."""
    if w["forced"]:
        yield f"{w['forced']} waits had to be ended"
    if abs(w["replay_ns"] - w["measured_ns"]) > w["measured_ns"] / 4:
        yield f"the replay takes {w['replay_ns']} of {w['measured_ns']} ns"
    if not w["all_ns"] <= w["measured_ns"] * 1.02:
        yield f"without waits for a CPU it takes {w['all_ns']} ns"
    shares = [row["path_ns"] for row in w["waits"]]
    if shares != sorted(shares, reverse=True) or any(ns > w["measured_ns"] for ns in shares):
        yield f"shares {shares}"


def note(name, w, row, without):
    """What a busy machine made the threads wait for CPUs on the path is left out of both."""
    predicted, measured = row["predicted"][2]["ns"], without["measured_ns"]
    net = predicted - w["runq_ns"], measured - without["runq_ns"]
    whole = w["measured_ns"]
    print(f"# {name}: predicted {predicted / 1e6:.0f} ms, {measured / 1e6:.0f} ms when it was "
          f"taken away, {whole / 1e6:.0f} ms before")
    print(f"# {name}, without waits for a CPU: {net[0] / 1e6:.0f} and {net[1] / 1e6:.0f} ms, "
          f"{100 * (net[0] - net[1]) / whole:+.0f} % of what it took before")


def sleeper(dir_):
    file = record(dir_, SLEEPER, "with")
    w = whatif(file)
    ok("an answer about a worker that sleeps is sound", "\n".join(unsound(w)))
    row = row_of(w, "sleep")
    if not row:
        ok("its sleep is a candidate", w["waits"])
        return
    ok("its sleep is a candidate, with its share of the path",
       (row["waits"] != 20 or row["path_ns"] < 0.8 * SLEPT_NS) and row)
    times = [step["ns"] for step in row["predicted"]]
    ok("the shorter it is, the less time it takes",
       ([step["percent"] for step in row["predicted"]] != [25, 50, 100] or
        not w["measured_ns"] > times[0] > times[1] > times[2]) and row)
    ok("without it, most of its share is gone",
       not 0.5 * row["path_ns"] < w["measured_ns"] - times[2] < 1.2 * row["path_ns"] and
       f"{w['measured_ns']} {row}")
    ok("a wait for the worker itself is no candidate", row_of(w, "pipe"))
    note("a sleep", w, row, whatif(record(dir_, SLEEPER, "without")))
    texts(file, w)


def texts(file, w):
    text = run("whatif", file)[0]
    ok("the text says what it would take, and what that assumes",
       not all(word in text for word in ("python3-", "on path", "sleep, at ", "This assumes:")) and
       text)
    more = whatif(file, "--cpus", "64", "--top", "1")
    ok("--cpus and --top are used",
       (more["cpus"] != 64 or more["recorded_cpus"] != w["recorded_cpus"] or
        len(more["waits"]) != 1) and more)


def locked(dir_):
    lock = os.path.join(dir_, "lock")
    w = whatif(record(dir_, LOCKED, "with", lock))
    ok("an answer about a lock is sound", "\n".join(unsound(w)))
    row = row_of(w, "file-lock")
    ok("the lock is a candidate", not row and w["waits"])
    if row:
        ok("without it, processes sleep at the same time",
           row["predicted"][2]["ns"] > w["measured_ns"] - 100_000_000 and f"{w}")
        note("a lock", w, row, whatif(record(dir_, LOCKED, "without", lock)))


def refusals(dir_):
    file = os.path.join(dir_, "b.coldspot")
    run("record", "-q", "-o", file, "--", "true")
    _, err = run("whatif", file, status=1)
    ok("a recording without instants", "--events --wakers" not in err and err)
    _, err = run("whatif", "--tid", "1", os.path.join(dir_, "with.coldspot"), status=1)
    ok("a thread that is not there", "no thread 1" not in err and err)


def main():
    need_root()
    with tempfile.TemporaryDirectory() as dir_:
        os.chmod(dir_, 0o755)
        sleeper(dir_)
        locked(dir_)
        check_files(tap, dir_, ["whatif", os.path.join(dir_, "with.coldspot")],
                    ("text", "txt"), ("json", "json"))
        refusals(dir_)
    tap.done()


sys.dont_write_bytecode = True
main()
