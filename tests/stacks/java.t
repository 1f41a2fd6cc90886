#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Methods of Java in stacks, against what the JVM itself says. Prints TAP; needs root.

usage: tests/stacks/java.t [--coldspot PATH] [--only GLOB]

A thread for each thing that Java waits for (workload/Kinds.java) sleeps in it. Each thread must be
in the methods in which the JVM says it is, and what it waits for must be right. JVMs that are
installed are tried: asleep since before the recording began, and from their birth to their end;
with nothing compiled, where each method must be there, and as they come, where those that are
compiled may be missing. Then, classes that lie where others lay (workload/Reload.java) must not
have the names of those.
"""
import argparse
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import traceback

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "truth")]

from tap import Tap  # noqa: E402
from workload import end_when_told  # noqa: E402

JAVAS = {"17": ("/usr/lib/jvm/*17*/bin/java", "/usr/bin/java"),
         "25": ("/usr/lib/jvm/*25*/bin/java",)}
LIVES = ("asleep", "born")
OPTIONS = {"interpreted": ["-Xint"], "plain": []}
SECONDS = 1
# names that a slow machine may lose until their methods are seen again
RESENT = 3
LIMIT_S = 60
CLASSES = 150
# by name of the thread: what it waits for, and is that work
KINDS = {
    "sleep": "sleep", "lock": "lock", "rwlock": "rwlock", "stamped": "rwlock", "cond": "cond",
    "object-wait": "object-wait", "take": "queue", "put": "queue", "semaphore": "semaphore",
    "latch": "semaphore", "barrier": "barrier", "future": "future", "join": "join",
    "park": "park", "monitor": "monitor",
}
IDLE = ("timer", "pool", "Finalizer", "Common-Cleaner")


def find_java(version):
    for pattern in JAVAS[version]:
        for path in sorted(glob.glob(pattern)):
            said = subprocess.run([path, "-version"], check=False, capture_output=True, text=True,
                                  timeout=60).stderr
            if f'version "{version}' in said:
                return path
    return None


def method_of(name):
    """"void a.B.c(int)" is "a.B.c", as in a stack trace of Java."""
    return name.split("(")[0].rsplit(" ", 1)[-1]


class Jvm:
    """Kinds.java, from when all of its threads sleep."""

    def __init__(self, argv):
        self.process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        text=True)
        self.truth = {}

    def await_ready(self):
        limit = threading.Timer(LIMIT_S, self.process.kill)
        limit.start()
        try:
            for line in self.process.stdout:
                if line == "ready\n":
                    return
                name, methods = line.rstrip("\n").split("\t")
                self.truth[name] = [m for m in methods.split(";") if m]
        finally:
            limit.cancel()
        raise RuntimeError("it ended, or took too long, before it was ready")

    def __enter__(self):
        return self

    def __exit__(self, *_exc):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def export(coldspot, recording):
    text = subprocess.run([coldspot, "export", "json", recording], check=True, timeout=LIMIT_S,
                          stdin=subprocess.DEVNULL, capture_output=True).stdout
    return json.loads(text)


def compile_java(directory, *sources):
    subprocess.run(["javac", "-d", directory, *sources], check=True, timeout=120,
                   stdin=subprocess.DEVNULL)


def record(coldspot, directory, java, life):
    """What the JVM said, and the recording."""
    out = os.path.join(directory, "out.coldspot")
    options = ["record", "-q", "--exact", "-o", out]
    if life == "born":
        with Jvm([coldspot, *options, "--", *java, str(1000 * SECONDS)]) as jvm:
            jvm.await_ready()
            jvm.process.wait(timeout=60)
    else:
        with Jvm([*java, "100000"]) as jvm:
            jvm.await_ready()
            subprocess.run([coldspot, *options, "-d", f"{SECONDS}s", "-p", str(jvm.process.pid)],
                           check=True, timeout=60, stdin=subprocess.DEVNULL)
    return jvm.truth, export(coldspot, out)


def longest_waits(profile):
    """Of each thread, by name."""
    longest = {}
    for wait in profile["waits"]:
        comm = profile["tasks"][wait["task"]]["comm"]
        if wait["user"] and wait["blocked_ns"] > longest.get(comm, {"blocked_ns": 0})["blocked_ns"]:
            longest[comm] = wait
    return longest


def is_part(some, of):
    """All of the one list is in the other, in the same order."""
    rest = iter(of)
    return all(x in rest for x in some)


def judge_methods(name, wait, truth, whole):
    found = [method_of(f) for f in wait["user"] if f.split("(")[0].count(" ") == 1]
    if found == truth or (not whole and is_part(found, truth)):
        return []
    return [f"{name} is in {found}", f"and Java says {truth}"]


def judge(profile, truth, whole):
    longest = longest_waits(profile)
    wrong = []
    for name in [*KINDS, *IDLE]:
        wait = longest.get(name)
        if not wait or name not in truth:
            wrong.append(f"{name}: no wait, or Java does not know it")
            continue
        wrong += judge_methods(name, wait, truth[name], whole)
        kind, cls = KINDS.get(name), "idle" if name in IDLE else "work"
        if wait["class"] != cls or (kind and wait["cause"] != kind):
            wrong.append(f"{name} waits for {wait['cause']}, {wait['class']}: {wait['user']}")
        if wait["user"][-1].startswith("[truncated"):
            wrong.append(f"{name}: {wait['user']}")
    lost = {loss["name"]: loss["events"] for loss in profile["losses"]}
    # A name that found the ring buffer full is sent again when its method is next seen.
    for name, most in (("java_lost", RESENT), ("code_lost", 0)):
        if lost.get(name, 0) > most:
            wrong.append(f"{name}: {lost[name]}")
    return wrong


def trial(coldspot, java, life, options):
    with tempfile.TemporaryDirectory() as directory:
        compile_java(directory, os.path.join(HERE, "workload", "Kinds.java"))
        argv = [java, *OPTIONS[options], "-Xmx128m", "-cp", directory, "Kinds"]
        truth, profile = record(coldspot, directory, argv, life)
    return judge(profile, truth, options == "interpreted")


def reload_trial(coldspot, java):
    """Each thread has the name of the class that it runs."""
    with tempfile.TemporaryDirectory() as directory:
        source = os.path.join(directory, "classes.java")
        with open(source, "w", encoding="ascii") as f:
            for i in range(CLASSES):
                f.write(f"class C{i:03} implements Runnable {{ public C{i:03}() {{}} public void "
                        "run() { try { Thread.sleep(3); } catch (InterruptedException e) {} } }\n")
        classes = os.path.join(directory, "classes")
        compile_java(classes, source)
        compile_java(directory, os.path.join(HERE, "workload", "Reload.java"))
        out = os.path.join(directory, "out.coldspot")
        subprocess.run([coldspot, "record", "-q", "--exact", "-o", out, "--", java, "-Xint", "-cp",
                        directory, "Reload", classes, str(CLASSES)], check=True, timeout=LIMIT_S,
                       stdin=subprocess.DEVNULL)
        profile = export(coldspot, out)
    wrong, right = [], 0
    for wait in profile["waits"]:
        comm = profile["tasks"][wait["task"]]["comm"]
        run = [method_of(f) for f in wait["user"] or [] if method_of(f).endswith(".run")]
        if run and run[0][0] == "C" and run[0][1:4].isdigit():
            right += run[0] == f"{comm}.run"
            if run[0] != f"{comm}.run":
                wrong.append(f"{comm} is in {run[0]}")
    if right < CLASSES // 2:
        wrong.append(f"only {right} were seen")
    return wrong


def attempt(tap, name, trial_of, *args):
    try:
        problems = trial_of(*args)
    except Exception:  # one must not take the others with it
        problems = [traceback.format_exc()]
    tap.report(name, problems)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--coldspot", default=os.environ.get("COLDSPOT", "build/coldspot"))
    parser.add_argument("--only", default="*", metavar="GLOB")
    args = parser.parse_args()
    if os.geteuid():
        print("1..0 # SKIP needs root")
        return 0
    if not shutil.which("javac"):
        print("1..0 # SKIP no javac here")
        return 0
    end_when_told()
    tap = Tap(args.only)
    for version in JAVAS:
        java = find_java(version)
        for life in LIVES:
            for options in OPTIONS:
                name = f"java{version}/{life}/{options}"
                if not tap.wants(name):
                    continue
                if not java:
                    tap.skip(name, f"Java {version} is not installed")
                    continue
                attempt(tap, name, trial, args.coldspot, java, life, options)
        name = f"java{version}/reload"
        if tap.wants(name) and java:
            attempt(tap, name, reload_trial, args.coldspot, java)
        elif tap.wants(name):
            tap.skip(name, f"Java {version} is not installed")
    tap.plan()
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main())
