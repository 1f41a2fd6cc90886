#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which stacks count as whole. Prints TAP; needs root and a C compiler; musl-gcc for its cases.

usage: tests/stacks/roots.t [--coldspot PATH]

A program that sleeps at the end of a known chain of calls (sleepers.c) is built with and without
CFI and frame pointers. A stack that counts as whole must have every caller. One that lacks callers
must say so where they are missing.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "truth")]

from tap import Tap  # noqa: E402

CHAIN = ["inner", "outer", "entry"]
NO_CFI = ["-fno-asynchronous-unwind-tables", "-fno-unwind-tables"]
NO_FP, FP = "-fomit-frame-pointer", "-fno-omit-frame-pointer"
SLEEPS = 10

# name, compiler, flags, whole, the callers that must be seen behind each other
CASES = (
    ("cfi", "gcc", [], True, [*CHAIN, "start_thread", "clone3"]),
    ("frame-pointers", "gcc", [*NO_CFI, FP], True, [*CHAIN, "start_thread", "clone3"]),
    ("neither", "gcc", [*NO_CFI, NO_FP], False, ["inner"]),
    ("short", "gcc", ["-DWITH_SHORT"], False, ["inner", "relay"]),
    ("context", "gcc", ["-DWITH_CONTEXT"], True, [*CHAIN, "__start_context"]),
    ("context-stripped", "gcc", ["-DWITH_CONTEXT", "-s"], True, None),
    ("stripped", "gcc", ["-s"], True, None),
    ("static-stripped", "gcc", ["-s", "-static"], True, None),
    ("musl", "musl-gcc", ["-static"], False, None),
    ("musl-frame-pointers", "musl-gcc", ["-static", FP], False, None),
    ("musl-dynamic", "musl-gcc", [], False, None),
)


def build(directory, name, compiler, flags):
    path = os.path.join(directory, name)
    subprocess.run([compiler, "-O2", "-pthread", *flags, "-o", path,
                    os.path.join(HERE, "sleepers.c")], check=True)
    return path


def record(coldspot, directory, program):
    path = os.path.join(directory, "x.json")
    subprocess.run([coldspot, "record", "-o", path, "--", program], check=True, timeout=60,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def frames_of(raw, leaf):
    """(name, reason) of each frame, leaf first."""
    frames, node = [], leaf
    while node is not None:
        frame = raw["frames"][raw["stacks"][node]["frame"]]
        frames.append((frame["name"], frame["truncated"]))
        node = raw["stacks"][node]["parent"]
    return frames


def sleeps_of(raw):
    """The stacks of the sleeps: those of waits with more than a few ms."""
    return [frames_of(raw, w["user_stack"]) for w in raw["waits"]
            if w["user_stack"] is not None and w["count"] and
            w["blocked_ns"] / w["count"] > 5_000_000 and w["count"] >= SLEEPS // 2]


def skips_callers(frames):
    """Is a caller left out between two frames, and no frame says so?"""
    known = [*CHAIN, "start"]
    seen = [(i, known.index(name)) for i, (name, _) in enumerate(frames) if name in known]
    for (i, a), (j, b) in zip(seen, seen[1:]):
        if (b != a + 1 or j != i + 1) and not any(reason for _, reason in frames[i:j]):
            return True
    if seen and seen[0][1] > 0:  # inner is missing
        return not any(reason for _, reason in frames[:seen[0][0]])
    return False


def judge(raw, whole, chain):
    problems = []
    stacks = sleeps_of(raw)
    if not stacks:
        problems.append("no stack of a sleep")
    for frames in stacks:
        names = [name for name, _ in frames]
        if any(reason for _, reason in frames) == whole:
            problems.append(f"{'not whole' if whole else 'counted as whole'}: {names}")
        if chain and chain not in [names[i:i + len(chain)] for i in range(len(names))]:
            problems.append(f"not {chain}: {names}")
        if skips_callers(frames):
            problems.append(f"callers are missing without a word: {names}")
    return problems


def entry_problems(raw):
    """The first thread of a stripped program begins at the file's entry, which has a name."""
    firsts = [i for i, t in enumerate(raw["tasks"]) if t["tid"] == t["tgid"]]
    outermost = {frames_of(raw, w["user_stack"])[-1][0] for w in raw["waits"]
                 if w["user_stack"] is not None and w["task"] in firsts}
    return [f"a root without a name: {outermost}"] if None in outermost else []


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--coldspot", default=os.environ.get("COLDSPOT", "build/coldspot"))
    args = p.parse_args()
    tap = Tap()
    for name, compiler, flags, whole, chain in CASES:
        if os.geteuid() != 0 or not shutil.which(compiler):
            tap.skip(name, "needs root" if os.geteuid() else f"no {compiler}")
            continue
        with tempfile.TemporaryDirectory(prefix="roots.") as directory:
            program = build(directory, name, compiler, flags)
            raw = record(args.coldspot, directory, program)
            tap.report(name, judge(raw, whole, chain) + (entry_problems(raw) if "-s" in flags
                                                         else []))
    tap.plan()
    return tap.failed > 0


sys.exit(main())
