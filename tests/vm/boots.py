# SPDX-License-Identifier: Apache-2.0
"""Boots side by side, and once more where something was wrong.

A guest is emulated on a machine that may be busy, and some hundred tests look at each: they would
have to be lucky all at once. So a kernel in which a test is wrong boots once more, for the parts
that it is in, and the test is wrong when it is wrong in both, or not there the second time; what
was wrong once is printed all the same. A fault of the kernel itself is wrong if it was there once.
Only so many kernels may boot again: a program that is wrong now and then uses them up.
"""
import collections
import concurrent.futures
import os

from guest import KERNEL_FAULT
from repeats import Results

MOST_AGAIN = 3
BOOT = "the boot itself"


def judged(boot, judge):
    """What there is to tell of a boot that has ended, and of each of its parts that ran."""
    told = {BOOT: Results()}
    guest, parts = boot.guest(told[BOOT])
    for part in parts:
        told[part.name] = Results()
        judge(part, told[part.name], guest)
    boot.done()
    return told


def wrong_parts(boot, told, tap):
    if told[BOOT].failed(tap):
        return boot.parts
    return [part for part in boot.parts if part.name in told and told[part.name].failed(tap)]


def forgive(told, before, tap):
    """`told` is of the second boot."""
    for name, first in before.items():
        second = told.setdefault(name, Results())
        there = {text for what, text, _more in second.lines if what != "note"}
        bad = first.failed(tap)
        kept = [line for line in first.lines if line[0] != "note" and
                (line[1] not in there or line[1] in bad and line[1].endswith(KERNEL_FAULT))]
        second.forgive(first)
        second.lines += kept


def tell(told, tap):
    for results in told.values():
        results.tell(tap, "")


class Boots:
    """Those that wait; the ones that boot once more come first."""

    def __init__(self, tap, boots, judge):
        self.tap = tap
        self.judge = judge
        self.waiting = collections.deque((boot, None) for boot in boots)
        self.again_left = MOST_AGAIN

    def ended(self, boot, before):
        """`before`: what was told of the first boot, if this is the second one."""
        told = judged(boot, self.judge)
        if before and not boot.has_run():
            self.tap.note(f"{boot.name}: cannot boot again: {boot.why_skipped or boot.why_failed}")
            told = before
        elif before:
            forgive(told, before, self.tap)
        else:
            wrong = wrong_parts(boot, told, self.tap)
            if wrong and boot.has_run() and self.again_left:
                self.again_left -= 1
                names = [BOOT, *(part.name for part in wrong)]
                held = {name: told.pop(name) for name in names if name in told}
                self.waiting.appendleft((boot.again(wrong), held))
        tell(told, self.tap)

    def run(self, jobs):
        running = {}
        with concurrent.futures.ThreadPoolExecutor(max_workers=jobs) as pool:
            while self.waiting or running:
                while self.waiting and len(running) < jobs:
                    boot, before = self.waiting.popleft()
                    running[pool.submit(boot.run)] = boot, before
                done, _running = concurrent.futures.wait(
                    running, return_when=concurrent.futures.FIRST_COMPLETED)
                for future in done:
                    boot, before = running.pop(future)
                    future.result()
                    self.ended(boot, before)


def run_all(tap, boots, judge):
    """`judge(part, tap, guest)` reports on a part. As many boots run at once as there are CPUs: the
    emulator mostly uses one."""
    Boots(tap, boots, judge).run(int(os.environ.get("VM_JOBS", os.cpu_count() or 1)))
