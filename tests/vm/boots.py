# SPDX-License-Identifier: Apache-2.0
"""Boots side by side, and once more where something was wrong.

A guest is emulated on a machine that may be busy, and some hundred tests look at each: they would
have to be lucky all at once. So a kernel in which only durations are wrong (tap.Timing) boots once
more, for the parts that they are in, and the test is wrong when it is wrong in both, or not there
the second time; what was wrong once is printed all the same. All else is wrong if it was wrong
once, a boot that died and a fault of the kernel too.
Only so many kernels may boot again: a program that is wrong now and then uses them up.
"""
import collections
import concurrent.futures
import os

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


def forgive(told, before):
    """`told` is of the second boot."""
    for name, first in before.items():
        second = told.setdefault(name, Results())
        there = {text for what, text, _more in second.lines if what != "note"}
        kept = [line for line in first.lines if line[0] != "note" and line[1] not in there]
        second.forgive(first)
        second.lines = [line for line in second.lines
                        if line[0] != "report" or line[1] not in [k[1] for k in kept]] + kept


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
        """`before`: what was reported of the first boot, if this is the second one."""
        told = judged(boot, self.judge)
        if before and not boot.has_run():
            self.tap.note(f"{boot.name}: cannot boot again: {boot.why_skipped or boot.why_failed}")
            told = before
        elif before:
            forgive(told, before)
        else:
            wrong = wrong_parts(boot, told, self.tap)
            final = any(results.failed_for_good(self.tap) for results in told.values())
            if wrong and not final and boot.has_run() and self.again_left:
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
