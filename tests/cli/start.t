#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which BPF programs each way to record loads: the verifier's time is nine tenths of a start, so a
mode loads none that it does not need. Prints TAP; needs root."""
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench"))

import bpf
from tap import COLDSPOT, Tap, need_root

# As the kernel cuts names. What a recording needs only with an option.
WAKERS, CPU, HISTS = "on_sched_waker", "on_cpu_sample", "on_task_hists"
CALLS, REQUESTS, VISITS = "on_sys_exit", "on_request", "on_task_visit"
SWITCH, RESUME, DRAIN = "on_sched_switch", "on_sched_exit", "on_task_drain"
LOCKS, FILES, WALKS = "on_contention_b", "on_task_file", "walk_postponed"
OPTIONAL = {WAKERS, CPU, HISTS, CALLS, REQUESTS, VISITS}
# mode: what it loads, and what it does not
MODES = (
    ([], {SWITCH}, OPTIONAL),
    (["--exact"], {SWITCH}, OPTIONAL),
    (["-m", "10ms"], {SWITCH}, OPTIONAL),
    (["--wakers"], {SWITCH, WAKERS}, OPTIONAL - {WAKERS}),
    (["--on-cpu"], {SWITCH, CPU}, OPTIONAL - {CPU}),
    (["--no-objects"], {SWITCH}, OPTIONAL | {LOCKS, FILES}),
    (["-K"], {SWITCH}, OPTIONAL | {WALKS}),
    (["--sample"], {VISITS}, OPTIONAL - {VISITS} | {SWITCH, RESUME, DRAIN, LOCKS}),
)
PATIENCE_S = 60


def names_of(pid):
    with bpf.Programs(pid) as programs:
        return {i.name.decode() for i in programs.infos() if i.verified_insns > 2}


def loaded(words, path):
    """Names of all programs that it holds before it ends, those for its end too."""
    names, quiet, said = set(), 0, b""
    argv = [COLDSPOT, "record", "--announce", "-p", str(os.getpid()), *words, "-o", path]
    with subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE) as p:
        while b"coldspot: recording" not in said and (line := p.stderr.readline()):
            said += line
        end = time.monotonic() + PATIENCE_S
        # A second without a new one.
        while time.monotonic() < end and p.poll() is None and quiet < 10:
            found = names_of(p.pid)
            quiet = quiet + 1 if found <= names else 0
            names |= found
            time.sleep(0.1)
        if p.poll() is None:
            p.send_signal(signal.SIGINT)
        said += p.stderr.read()
    return names, p.returncode, said.decode()


def main():
    need_root()
    tap = Tap()
    with tempfile.TemporaryDirectory() as dir_:
        for words, needed, not_needed in MODES:
            names, status, said = loaded(words, os.path.join(dir_, "x.coldspot"))
            what = " ".join(words) or "no option"
            if "cannot be used" in said or "cannot tell" in said:
                tap.skip(f"{what}: loads what it needs", said.strip()[:100])
                continue
            right = not status and needed <= names and not names & not_needed
            tap.ok(f"{what}: loads what it needs, and nothing of other options",
                   not right and f"status {status}, missing {sorted(needed - names)}, "
                   f"too many {sorted(names & not_needed)} {said[:200]}")
    tap.done()


main()
