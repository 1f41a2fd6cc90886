# SPDX-License-Identifier: Apache-2.0
"""When a case runs again, and what counts then.

Only measured durations (tap.Timing) get another run. Identities, sums, names, losses and crashes
fail at once, in whichever run they happen. A case in which only durations are wrong may run twice
more, and a test of it is wrong when it was wrong in each run; what was wrong in one is printed all
the same. A test that a later run does not report fails too. A case of a hundred tests, each of
which the host can disturb, would otherwise have to be lucky with all of them at once.
Only so many times may cases run again: a program that is wrong now and then uses them up. Where the
host says that it took the CPUs meanwhile, it is waited for a calm moment, and that does not count
among them; where it took a tenth of them or more in all three runs, a few cases are skipped, with
what was wrong as a note.
"""
import time

from host import wait_for_calm
from tap import is_timing, worst_first

MOST_RUNS = 3
MOST_REPEATS = 8  # beside about 130 runs of cases
# Beside those that the host disturbed, for so long in all.
DISTURBED_S = 240
# What is wrong in all runs of a case is not judged, a few times, where the host took so much.
MUCH_SHARE = 0.1
MOST_UNJUDGED = 6
BEFORE = "NOTE wrong in a run before:"  # tests/run shows it though all is right in the end
MOST_TOLD = 400


class Repeats:
    """The runs beside the first ones, of all cases."""

    def __init__(self, most=MOST_REPEATS, wait=wait_for_calm):
        self.most = most
        self.wait = wait
        self.taken = []
        self.disturbed = []
        self.left_s = DISTURBED_S
        self.unjudged = 0

    def take(self, name, runs, host):
        """May the case run again, which ran so often, the last time under such a host?"""
        if runs >= MOST_RUNS:
            return False
        took_s = (time.monotonic_ns() - host.begun) / 1e9
        if host.disturbs() and self.left_s > took_s:
            self.disturbed.append(f"{name} ({host.share():.1%})")
            self.left_s -= took_s + self.wait()
            return True
        if len(self.taken) >= self.most:
            return False
        self.taken.append(name)
        return True

    def judge(self, results, shares):
        """Nothing is known where the host took much of the CPUs in each of the runs, of which it
        took these shares; but few cases may say so."""
        if len(shares) < MOST_RUNS or min(shares) < MUCH_SHARE or self.unjudged >= MOST_UNJUDGED:
            return
        self.unjudged += 1
        results.unjudge("not judged: the host took " + ", ".join(f"{s:.0%}" for s in shares) +
                        " of the CPUs in its runs")


class Results:
    """What a case reports, in its order."""

    def __init__(self):
        self.lines = []  # (what, name or text, problems or reason)
        self.right = set()  # names of tests that were right in a run before

    def report(self, name, problems):
        # So that cutting the list cannot make it one of timings.
        self.lines.append(["report", name, worst_first(problems)[:20]])

    def skip(self, name, why):
        self.lines.append(["skip", name, why])

    def note(self, text):
        self.lines.append(["note", text, None])

    def failed(self, tap):
        return [name for what, name, problems in self.lines
                if what == "report" and problems and tap.wants(name)]

    def failed_for_good(self, tap):
        """Tests that no other run can make right."""
        return [name for what, name, problems in self.lines
                if what == "report" and not is_timing(problems) and tap.wants(name)]

    def forgive(self, before):
        """Durations that were right in an earlier run are right; what was wrong there becomes a
        note. Any other fault stays a fault, in whichever run it was."""
        there = {name for what, name, _more in self.lines if what != "note"}
        for what, name, problems in before.lines:
            if what == "report" and not is_timing(problems):
                self.lines = [line for line in self.lines if line[:2] != ["report", name]]
                self.lines.append([what, name, problems])
            elif what == "report" and name not in there:
                self.lines.append([what, name, ["a run before reported it, this one did not"]])
        self.right = before.right | {name for what, name, problems in before.lines
                                     if what == "report" and not problems}
        self.lines += [["note", f"{BEFORE} {name}: {problems}"[:MOST_TOLD], None]
                       for what, name, problems in before.lines if what == "report" and problems]
        self.lines += [["note", text, None] for what, text, _none in before.lines
                       if what == "note" and text.startswith(BEFORE)]
        for line in self.lines:
            if line[0] == "report" and is_timing(line[2]) and line[2] and line[1] in self.right:
                self.lines.append(["note", f"wrong, and right before: {line[1]}: {line[2]}", None])
                line[2] = []

    def unjudge(self, why):
        """Durations that are wrong are shown, but are no failure."""
        lines, self.lines = self.lines, []
        for what, name, problems in lines:
            if what == "report" and problems and is_timing(problems):
                self.note(f"{name}: {problems}")
                self.skip(name, why)
            else:
                self.lines.append([what, name, problems])

    def tell(self, tap, suffix):
        for what, text, more in self.lines:
            if what == "note":
                tap.note(text)
            elif tap.wants(text) and what == "skip":
                tap.skip(text + suffix, more)
            elif tap.wants(text):
                tap.report(text + suffix, more)
