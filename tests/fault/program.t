#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The whole program where things run out: memory, file descriptors, room on the disk.

Whatever fails, it ends by itself and in time, is not killed by a signal of its own making, and
either does its work or says one sentence and returns a status that is not 0. The allocations that
fail are those of the libraries too. Recording takes root and is skipped without.
"""
import os
import resource
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.environ.get("COLDSPOT", "build/coldspot")
RECORD = ["record", "-q", "-d", "50ms", "-p", "PID"]
LIMIT_S = 60
results = []


def report(name, faults=(), skip=None):
    results.append(not faults)
    print("%sok %d - %s%s" % ("not " if faults else "", len(results), name,
                              " # SKIP " + skip if skip else ""))
    for fault in faults:
        for line in str(fault).splitlines():
            print("# " + line)
    sys.stdout.flush()


def run(words, env=None, files=None, stdout=subprocess.PIPE):
    """Runs coldspot with these words; (status, what it said)."""
    def limit():
        if files:
            resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    words = [str(os.getpid()) if w == "PID" else w for w in words]
    done = subprocess.run([PROGRAM, *words], stdin=subprocess.DEVNULL, stdout=stdout,
                          stderr=subprocess.PIPE, env={**os.environ, **(env or {})},
                          preexec_fn=limit, timeout=LIMIT_S, check=False)
    # The doctor's answer to "will recording work?" is on stdout, whatever its status.
    said = done.stderr or (done.stdout or b"" if words[0] == "doctor" else b"")
    return done.returncode, said.decode("utf-8", "replace")


def faults_of(what, status, said):
    if status < 0:
        return ["%s: killed by %s" % (what, signal.Signals(-status).name), said[-1000:]]
    if status > 3:
        return ["%s: status %d" % (what, status), said[-1000:]]
    if status and "coldspot" not in said:
        return ["%s: status %d without a sentence: %r" % (what, status, said[-300:])]
    return []


def numbers(most):
    """1, 2, 3, ... and then further apart: early failures and late ones, not all of thousands."""
    n = 1
    while n <= most:
        yield n
        n += 1 + n // 8


def every_allocation(name, words, lib, directory):
    fired = os.path.join(directory, "fired")
    faults, tried = [], 0
    for n in numbers(1 << 20):
        if os.path.exists(fired):
            os.unlink(fired)
        status, said = run(words, {"LD_PRELOAD": lib, "FAIL_NTH": str(n), "FAIL_FILE": fired})
        if not os.path.exists(fired):
            break
        tried += 1
        faults += faults_of("allocation %d fails" % n, status, said)
        if len(faults) > 8:
            break
    if not tried:
        faults.append("no allocation could be made to fail")
    report("%s: %d allocations fail in turn" % (name, tried), faults)


def every_descriptor(name, words):
    faults = []
    for n in range(4, 24):  # with fewer not even its libraries are found
        status, said = run(words, files=n)
        faults += faults_of("%d file descriptors" % n, status, said)
    report("%s: few file descriptors" % name, faults)


def full_disk(directory):
    for ending in ("svg", "folded", "txt", "json"):
        link = os.path.join(directory, "full." + ending)
        os.symlink("/dev/full", link)
        status, said = run([*RECORD, "-o", link])
        wrong = [] if status == 1 and said.count("\n") == 1 and link in said else [
            "status %d, said %r" % (status, said)]
        report("a full disk under .%s is said in one line, with the name" % ending, wrong)
    with open("/dev/full", "w", encoding="ascii") as full:
        status, said = run(["help"], stdout=full)
    report("a full disk under standard output", [] if status == 1 and said else [
        "status %d, said %r" % (status, said)])


def build_preload(directory):
    lib = os.path.join(directory, "failmalloc.so")
    source = os.path.join(HERE, "preload", "failmalloc.c")
    subprocess.run([os.environ.get("CC", "cc"), "-O1", "-shared", "-fPIC", "-o", lib, source],
                   check=True)
    return lib


def path_commands(directory):
    """What follows waits from thread to thread, of a pipeline."""
    file = os.path.join(directory, "path.coldspot")
    status, said = run(["record", "-q", "--events", "--wakers", "-o", file, "--", "sh", "-c",
                        "seq 20000 | sort | tail -1"])
    report("a pipeline is recorded", ["status %d, said %r" % (status, said)] if status else [])
    return [(name, [*name.split(), file]) for name in (
        "report --critical-path", "report --critical-path -f json", "report --critical-path -f svg",
        "graph", "graph -f json", "graph -f dot", "whatif", "whatif -f json")]


def main():
    with open(PROGRAM, "rb") as f:
        sanitized = b"__asan_init" in f.read()
    commands = [("version", ["version"]), ("help record", ["help", "record"]),
                ("doctor", ["doctor"])]
    if os.geteuid() == 0:
        commands.append(("record", RECORD))
    with tempfile.TemporaryDirectory(prefix="coldspot-fault-") as directory:
        lib = None if sanitized else build_preload(directory)
        if os.geteuid() == 0:
            commands += path_commands(directory)
        for name, words in commands:
            if lib:
                every_allocation(name, words, lib, directory)
            else:
                report("%s: allocations fail" % name, skip="ASan brings its own malloc")
            every_descriptor(name, words)
        if os.geteuid() == 0:
            full_disk(directory)
        else:
            report("record under faults", skip="recording takes root")
    print("1..%d" % len(results))
    return 0 if all(results) else 1


sys.exit(main())
