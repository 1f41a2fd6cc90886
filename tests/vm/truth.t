#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The truth tests on kernels and an architecture that this machine does not run. Prints TAP; needs
root.

Twice on each: in virtual time, where a busy machine cannot bend durations (6.1 does not come up in
it), and with CPUs that run at once as far as this qemu lets them, where races may show. The bounds
of times are larger in both, for an emulated system call takes a hundred times longer (--loose).
What takes the emulator minutes, or needs a disk or another profiler, is left out.

Before that, on more kernels, what each kind of wait is called: kernels differ most in their names.
"""
import os
import shutil
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import guest as vm  # noqa: E402
from tap import Tap  # noqa: E402

KERNELS = "6.1 6.12 6.12-arm64"
KIND_KERNELS = "6.1 6.12 6.1-rt 6.12-rt 6.12-arm64"
NO_ICOUNT = ("6.1", "6.1-rt", "6.1-arm64")
# Name of the boot, its kernels, options of tests/vm/run, arguments of tests/truth/run by run.
BOOTS = {
    "kinds": (KIND_KERNELS, (), (("--mode", "default", "--only", "kinds"),)),
    "durations": (KERNELS, ("-i",), (
        ("--mode", "default", "--only",
         "waits,cpu,exec,sigstop,exit-while-blocked,tid-reuse,stacks-full,kernel-threads"),
        ("--mode", "switch-sched-info", "--only", "waits"))),
    "races": (KERNELS, (), (
        ("--mode", "default", "--only",
         "waits,cpu,command-tree,pid-namespace,short-processes,throttled"),
        ("--mode", "plain", "--only", "waits"),
        ("--mode", "switch", "--only", "exec,tid-reuse"))),
}


def add_truth(directory, arch):
    source = os.path.join(os.path.dirname(HERE), "truth")
    shutil.copytree(source, os.path.join(directory, "truth"),
                    ignore=shutil.ignore_patterns("workload", "__pycache__"))
    programs = os.path.join(directory, "programs")
    os.mkdir(programs)
    vm.must([sys.executable, os.path.join(source, "run"), "--build", programs], "workloads",
            CC=" ".join(vm.compiler(arch)))


def pass_on(tap, guest, case):
    """Every line of the guest's own TAP, under the name of the kernel."""
    results, planned, seen = guest.text(case + ".out").splitlines(), None, 0
    for i, line in enumerate(results):
        if line.startswith("1.."):
            planned = int(line[3:])
        if not line.startswith(("ok ", "not ok ")):
            continue
        seen += 1
        name = f"{guest.name}: {case}: " + line.split(" - ", 1)[1]
        if " # SKIP " in name:
            tap.skip(*name.split(" # SKIP ", 1))
        elif line.startswith("ok "):
            tap.report(name, [])
        else:
            tap.report(name, notes_after(results, i) or ["it does not say what"])
    tap.report(f"{guest.name}: {case}: all its results are here",
               [] if planned == seen and seen else [f"{seen} of {planned}", *guest.status(case, 0)])


def notes_after(lines, i):
    notes = []
    for line in lines[i + 1:]:
        if not line.startswith("#"):
            break
        notes.append(line.lstrip("# "))
    return notes


def main():
    why = vm.why_not()
    if why:
        print(why)
        return 1 if why.startswith("Bail") else 0
    tap = Tap()
    boots = []
    for which, (names, options, runs) in BOOTS.items():
        commands = [("truth.sh", f"{which}-{i}", *runs[i]) for i in range(len(runs))]
        boots += [vm.Boot(name, commands, () if name in NO_ICOUNT else options, add_truth, which)
                  for name in vm.kernels(names)]
    for guest, which in vm.run_all(tap, boots):
        for i in range(len(BOOTS[which][2])):
            pass_on(tap, guest, f"{which}-{i}")
    tap.plan()
    return 1 if tap.failed else 0


sys.exit(main())
