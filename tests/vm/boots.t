#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which kernels boot once more, and what counts then: with boots that are made up."""
import io
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "truth"))

import boots  # noqa: E402
from guest import KERNEL_FAULT, Part  # noqa: E402
from tap import Tap, Timing  # noqa: E402

RUNS = []


class MadeUp:
    """`turns`: of each boot of the kernel, what each of its parts finds wrong with each test; or
    None, if it cannot boot."""

    def __init__(self, name, turns, parts=None):
        self.name, self.turns = name, turns
        names = [n for n in (turns[0] or {}) if n != boots.BOOT] or ["smoke"]
        self.parts = parts or [Part(n, 1, "", []) for n in names]
        self.why_skipped = self.why_failed = None

    def run(self):
        RUNS.append((self.name, [part.name for part in self.parts]))
        if self.turns[0] is None:
            self.why_skipped = "no time"

    def has_run(self):
        return self.turns[0] is not None

    def again(self, parts):
        return MadeUp(self.name, self.turns[1:], parts)

    def guest(self, told):
        if not self.has_run():
            told.skip(f"{self.name}: ALL OF IT", self.why_skipped)
            return None, []
        for test, problems in self.turns[0].get(boots.BOOT, {"boots": []}).items():
            told.report(f"{self.name}: {test}", problems)
        ran = [part for part in self.parts if self.turns[0].get(part.name) is not None]
        for part in self.parts:
            if part in ran:
                told.report(f"{self.name}: {part.name}: ends", [])
            elif part.name in self.turns[0]:
                told.skip(f"{self.name}: {part.name}: ALL OF IT", "late")
            else:
                told.report(f"{self.name}: {part.name}: ends", ["it did not begin"])
        return self, ran

    def done(self):
        pass


def judge(part, told, guest):
    for test, problems in guest.turns[0][part.name].items():
        told.report(f"{guest.name}: {test}", problems)


def run(*made):
    """The boots that there were, what is wrong in the end, and all that was said."""
    out = io.StringIO()
    tap = Tap(out=out)
    RUNS.clear()
    boots.Boots(tap, [MadeUp(*one) for one in made], judge).run(1)
    wrong = [line.split(" - ")[1].replace(" # timing", "") for line in out.getvalue().splitlines()
             if line.startswith("not ok")]
    return list(RUNS), wrong, out.getvalue()


def expect(tap, name, have, want):
    tap.report(name, [] if have == want else [f"{have}, not {want}"])


RIGHT = {"smoke": {"a": [], "b": []}, "truth": {"c": []}}
WRONG = {"smoke": {"a": [Timing("bad")], "b": []}, "truth": {"c": []}}


def main():
    tap = Tap()
    runs, wrong, _said = run(("k1", [RIGHT]), ("k2", [RIGHT]))
    expect(tap, "what is right boots once", (runs, wrong),
           ([("k1", ["smoke", "truth"]), ("k2", ["smoke", "truth"])], []))

    runs, wrong, said = run(("k1", [WRONG, {"smoke": {"a": [], "b": []}}]), ("k2", [RIGHT]))
    expect(tap, "wrong once is right, before the others boot, in its part alone", (runs, wrong),
           ([("k1", ["smoke", "truth"]), ("k1", ["smoke"]), ("k2", ["smoke", "truth"])], []))
    expect(tap, "and is reported", "NOTE wrong in a run before: k1: a: ['bad']" in said, True)
    expect(tap, "every test is listed once", [said.count(f" - k1: {t}\n") for t in ("a", "b", "c")],
           [1, 1, 1])

    _runs, wrong, _said = run(("k1", [WRONG, {"smoke": {"a": [Timing("worse")], "b": []}}]))
    expect(tap, "wrong twice is wrong", wrong, ["k1: a"])
    _runs, wrong, _said = run(("k1", [WRONG, {"smoke": {"a": [], "b": [Timing("new")]}}]))
    expect(tap, "another one each time is right", wrong, [])
    _runs, wrong, _said = run(("k1", [WRONG, {"smoke": {"b": []}}]))
    expect(tap, "not there the second time is wrong", wrong, ["k1: a"])
    _runs, wrong, _said = run(("k1", [WRONG, {boots.BOOT: {"boots": ["died"]}}]))
    expect(tap, "a second boot that dies leaves what was wrong", wrong,
           ["k1: boots", "k1: smoke: ends", "k1: a"])
    _runs, wrong, said = run(("k1", [WRONG, None]))
    expect(tap, "so does one that there is no time for", wrong, ["k1: a"])
    expect(tap, "and says so", "k1: cannot boot again: no time" in said, True)

    died = {boots.BOOT: {"boots": ["died"]}}
    runs, wrong, _said = run(("k1", [died, {"smoke": {"a": []}}]))
    expect(tap, "a boot that dies is not forgiven", (len(runs), wrong),
           (1, ["k1: boots", "k1: smoke: ends"]))
    exact = {"smoke": {"a": ["a sum is wrong"], "b": []}}
    runs, wrong, _said = run(("k1", [exact, RIGHT]))
    expect(tap, "what is no duration fails at once", (len(runs), wrong), (1, ["k1: a"]))
    _runs, wrong, _said = run(("k1", [WRONG, {"smoke": {"a": ["a sum is wrong"], "b": []}}]))
    expect(tap, "and in the second boot", wrong, ["k1: a"])
    _runs, wrong, said = run(("k1", [{"smoke": {"a": [Timing("bad")]}, "truth": None},
                                     {"smoke": {"a": []}}]))
    expect(tap, "what was late the first time is listed",
           (wrong, "truth: ALL OF IT # SKIP" in said),
           ([], True))
    bug = {boots.BOOT: {KERNEL_FAULT: ["BUG: it"]}, "smoke": {"a": []}}
    _runs, wrong, _said = run(("k1", [bug, {boots.BOOT: {KERNEL_FAULT: []},
                                            "smoke": {"a": []}}]))
    expect(tap, "a fault of the kernel is not forgiven", wrong, ["k1: " + KERNEL_FAULT])

    many = [(f"k{i}", [WRONG, RIGHT]) for i in range(boots.MOST_AGAIN + 1)]
    runs, wrong, _said = run(*many)
    expect(tap, "only so many boot again", (len(runs), wrong),
           (2 * boots.MOST_AGAIN + 1, [f"k{boots.MOST_AGAIN}: a"]))
    tap.plan()
    return 1 if tap.failed else 0


sys.exit(main())
