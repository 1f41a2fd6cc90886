# SPDX-License-Identifier: Apache-2.0
"""The truth tests: what each kind of wait is called, and the times of the main ones. Bounds of
times are larger here, for an emulated system call takes a hundred times longer (--loose). What
takes the emulator minutes, or needs a disk or another profiler, is left out."""
import os
import shutil
import sys
import tempfile

import guest as vm

TRUTH = os.path.join(os.path.dirname(vm.HERE), "truth")
# Cases and their modes, arguments of tests/truth/run: on every kernel,
MAIN = """
kinds@default waits@default cpu@default exec@default tid-reuse@default command-tree@default
stacks-full@default windows-few@default
""".split()
# and, for time, each on one kernel of either age, there where it may be another matter.
MORE = {
    "6.1": "waits@plain waits@switch-sched-info throttled@default events@switch",
    "6.12": "waits@plain exec@switch tid-reuse@switch kernel-threads@default throttled@default "
            "events@default",
    "6.12-arm64": "waits@switch-sched-info pid-namespace@default",
    "6.1-arm64": "exec@switch tid-reuse@switch kernel-threads@default pid-namespace@default",
    "6.1-rt": "sigstop@default exit-while-blocked@default",
    "6.12-rt": "sigstop@default exit-while-blocked@default",
}


class Programs:
    """The workloads, built once for each architecture."""

    def __init__(self):
        self.directories = {}

    def of(self, arch):
        with vm.building:
            if arch not in self.directories:
                made = tempfile.TemporaryDirectory(prefix="vm-truth.")
                vm.must([sys.executable, os.path.join(TRUTH, "run"), "--build", made.name],
                        "workloads", CC=" ".join(vm.compiler(arch)))
                self.directories[arch] = made
            return self.directories[arch].name


PROGRAMS = Programs()


def prepare(directory, arch):
    shutil.copytree(TRUTH, os.path.join(directory, "truth"),
                    ignore=shutil.ignore_patterns("workload", "__pycache__"))
    shutil.copytree(PROGRAMS.of(arch), os.path.join(directory, "programs"))


def judge(tap, guest):
    """Every line of the guest's own TAP, under the name of the kernel."""
    results, planned, seen = guest.text("truth.out").splitlines(), None, 0
    for i, line in enumerate(results):
        if line.startswith("1.."):
            planned = int(line[3:])
        if not line.startswith(("ok ", "not ok ")):
            continue
        seen += 1
        name = f"{guest.name}: " + line.split(" - ", 1)[1]
        if " # SKIP " in name:
            tap.skip(*name.split(" # SKIP ", 1))
        elif line.startswith("ok "):
            tap.report(name, [])
        else:
            tap.report(name, notes_after(results, i) or ["it does not say what"])
    tap.report(f"{guest.name}: truth: all its results are here",
               [] if planned == seen and seen else
               [f"{seen} of {planned}", *guest.status("truth", 0)])


def notes_after(lines, i):
    notes = []
    for line in lines[i + 1:]:
        if not line.startswith("#"):
            break
        notes.append(line.lstrip("# "))
    return notes


def part(name):
    cases = MAIN + MORE.get(name, "").split()
    return vm.Part("truth", 240, "truth.sh", ["truth", "--only", ",".join(cases)])
