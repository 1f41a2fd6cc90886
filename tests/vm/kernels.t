#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The program on kernels and an architecture that this machine does not run: one boot of each
kernel, in which one part after the other runs. VM_PARTS="smoke truth faults" chooses parts. Where
time is short (VM_DEADLINE), every kernel is first tried in brief, and then boots once more for what
there is time for. Prints TAP; needs root."""
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import guest as vm  # noqa: E402
import faults  # noqa: E402
import smoke  # noqa: E402
import truth  # noqa: E402
from boots import run_all  # noqa: E402
from tap import Tap  # noqa: E402

# Those that differ most come first, for the last ones are those that have no time if there is none;
# and the two that run at once are not both of an architecture whose emulator takes two CPUs.
KERNELS = "6.1 6.12-arm64 6.12 6.1-arm64 6.12-rt 6.12-arm64-16k 6.1-rt"
# In this order: the last of the faults cannot be undone.
PARTS = {"smoke": smoke, "truth": truth, "faults": faults}
# In brief, smoke; and the truth on an old kernel and on another architecture.
BRIEF = {"6.1": ("smoke", "truth"), "6.12-arm64": ("smoke", "truth")}


def plan(names, wanted):
    """Kernels, in the order of their boots, with their parts."""
    if vm.DEADLINE == float("inf"):
        return [(name, wanted) for name in names]
    brief = [(name, [p for p in wanted if p in BRIEF.get(name, ("smoke",))]) for name in names]
    rest = [(name, [p for p in wanted if p not in parts]) for name, parts in brief]
    return [(name, parts) for name, parts in brief + rest if parts]


def boot_of(name, wanted):
    parts = [PARTS[part].part(name) for part in PARTS if part in wanted]

    def prepare(directory, arch):
        for part in wanted:
            PARTS[part].prepare(directory, arch)
    options = ["-s", "128"]
    # So that one theme of the faults has more CPUs than are there.
    if vm.architecture(name) == "amd64":
        options += ["-c", "2,maxcpus=4"]
    return vm.Boot(name, [part for part in parts if part], options, prepare)


def main():
    why = vm.why_not()
    if why:
        print(why)
        return 1 if why.startswith("Bail") else 0
    wanted = os.environ.get("VM_PARTS", " ".join(PARTS)).split()
    tap = Tap()
    boots = [boot_of(name, parts) for name, parts in plan(vm.kernels(KERNELS), wanted)]
    run_all(tap, boots, lambda part, told, guest: PARTS[part.name].judge(told, guest))
    tap.plan()
    return 1 if tap.failed else 0


sys.exit(main())
