#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Python functions in stacks, against sys._getframe() of the threads that blocked. Prints TAP;
needs root.

usage: tests/stacks/python.t [--coldspot PATH] [--only GLOB] [--seconds N]

Threads of a Python program (python_chains.py) block at the end of random chains of calls and write
down each time where they are. Every wait that was recorded of them must have one of those chains,
and none may be there more often than it was written down. Each CPython of 3.8 to 3.13 that is
installed is tried, in each way to take stacks; those that are not are skipped.

In the cases "alike" there are few chains, which differ only in what a comparison of cached stacks
may miss.
"""
import argparse
import glob
import os
import subprocess
import sys
import tempfile
import time
import traceback

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "truth")]

from recorder import Recorder  # noqa: E402
from tap import Tap  # noqa: E402
from workload import end_when_told  # noqa: E402

MINORS = range(8, 14)
TRIALS = (("default", "default", ()), ("switch", "switch", ()), ("alike", "default", ("alike",)))
RIGHT = 0.999
ENOUGH = 500  # on a machine with much else to do
LOOP = "_PyEval_EvalFrameDefault"
FUTEX = 202 if os.uname().machine == "x86_64" else 98


def pythons(minor):
    """Debian's, and those of pyenv."""
    home = os.path.expanduser("~/.pyenv/versions")
    found = glob.glob(f"/usr/bin/python3.{minor}")
    found += sorted(glob.glob(f"{home}/3.{minor}.*/bin/python3.{minor}"))
    return [p for p in found if os.access(p, os.X_OK)]


class Program:
    """python_chains.py, from when it is ready until it is stopped."""

    def __init__(self, python, directory, words):
        self.truth = os.path.join(directory, "truth")
        self.process = subprocess.Popen(
            [python, os.path.join(HERE, "python_chains.py"), self.truth, "3", *words],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self):
        assert self.process.stdout.readline() == b"ready\n"
        return self

    def __exit__(self, *_exc):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def next(self):
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def stop(self):
        """After this no thread waits any more, except the main thread."""
        self.next()
        assert self.process.stdout.readline() == b"done\n"

    def end(self):
        """The chains, and how often each was."""
        self.process.stdin.close()
        self.process.wait(timeout=60)
        with open(self.truth, encoding="utf-8") as f:
            rows = [line.rstrip("\n").rsplit(" ", 1) for line in f]
        return {chain: int(count) for chain, count in rows}


def is_function(name):
    """file:function:line; names of C have no colon followed by digits at their end."""
    return ":" in name and name.rsplit(":", 1)[1].isdigit() and "::" not in name


def chain_of(wait):
    return ";".join(name for name in reversed(wait.user) if is_function(name))


def out_of_order(wait):
    """Between the functions that run and their C callers is the interpreter loop, once. Where the
    loop was cut in two and the file is stripped, one half has no name."""
    user = wait.user
    for i, name in enumerate(user[1:], 1):
        if name == LOOP and not is_function(user[i - 1]):
            return True
        if is_function(user[i - 1]) and not is_function(name) and name != LOOP and \
                not name.startswith("["):
            return True
    return False


def judge(recording, truth):
    """Waits seen; how many have a stack that is cut off, and how many another one than was written
    down; and what is wrong with some of them."""
    seen = {}
    wrong, bad, cut, total = [], 0, 0, 0
    for wait in recording.waits:
        if not wait.task or wait.task.tid == wait.task.tgid or wait.state != "S" or \
                wait.sysno in (FUTEX, -1, None):
            continue
        total += wait.count
        cut += wait.count if wait.user and wait.user[-1].startswith("[truncated") else 0
        chain = chain_of(wait)
        seen[chain] = seen.get(chain, 0) + wait.count
        if out_of_order(wait):
            bad += wait.count
            wrong.append("out of order: " + " < ".join(wait.user))
    for chain, count in seen.items():
        excess = count - truth.get(chain, 0)
        if excess > 0:
            bad += excess
            wrong.append(f"{excess} more than there were: {chain}")
    return total, cut, bad, wrong


def check_main(recording):
    """The main thread slept all the time: its stack was read in its sleep."""
    mains = {chain_of(w) for w in recording.waits if w.task and w.task.tid == w.task.tgid}
    return [f"the main thread is in: {m}" for m in mains
            if not m.startswith("stacks/python_chains.py:<module>:") or
            ";stacks/python_chains.py:main:" not in m] or \
        ([] if mains else ["the main thread has no wait"])


def trial(coldspot, python, mode, words, seconds, tap):
    with tempfile.TemporaryDirectory() as directory, Program(python, directory, words) as program:
        options = ["-p", str(program.process.pid), "-d", "0", "-q", "--stack-depth", "254",
                   "--max-memory", "512M"]  # each chain is a stack of its own
        with Recorder(coldspot, options, mode) as recorder:
            program.next()
            time.sleep(seconds)
            program.stop()
            recording = recorder.stop()
            truth = program.end()
    total, cut, bad, wrong = judge(recording, truth)
    problems = check_main(recording)
    if total < ENOUGH:
        problems.append(f"only {total} stacks")
    if bad > total * (1 - RIGHT):
        problems += [f"{bad} of {total} stacks are wrong:"] + wrong[:5]
    # A page of the interpreter may be away for a moment; that is seldom, and counted.
    for name, most in (("python_unread", total // 200), ("code_lost", 0)):
        if recording.events_lost(name) > most:
            problems.append(f"{name}: {recording.events_lost(name)}")
    tap.note(f"{total - bad} of {total} stacks are right, {cut} cut off, {len(truth)} chains")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--coldspot", default=os.environ.get("COLDSPOT", "build/coldspot"))
    parser.add_argument("--only", default="*", metavar="GLOB")
    parser.add_argument("--seconds", type=float, default=2)
    args = parser.parse_args()
    if os.geteuid():
        print("1..0 # SKIP needs root")
        return 0
    end_when_told()
    tap = Tap(args.only)
    for minor in MINORS:
        case = f"python3.{minor}"
        if not tap.wants_case(case):
            continue
        found = pythons(minor)
        if not found:
            tap.skip(case, f"CPython 3.{minor} is not installed")
        for python in found:
            for trial_name, mode, words in TRIALS:
                name = f"{case}/{trial_name} {python}"
                if not tap.wants(f"{case}/{trial_name}"):
                    continue
                try:
                    problems = trial(args.coldspot, python, mode, words, args.seconds, tap)
                except Exception:  # one version must not take the others with it
                    problems = [traceback.format_exc()]
                tap.report(name, problems)
    tap.plan()
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main())
