# SPDX-License-Identifier: Apache-2.0
"""Results in the Test Anything Protocol. A test is a name and a list of problems; an empty list is
a pass."""
import fnmatch
import sys


class Timing(str):
    """A problem with a measured duration, which the host can disturb. Every other problem is a
    plain string and fails at once: identities, sums, names, losses, crashes."""


class Evidence(str):
    """A line that shows the problem it follows, such as a wait of the thread; no problem itself."""


def is_timing(problems):
    """Is nothing wrong but durations?"""
    wrong = [p for p in problems if not isinstance(p, Evidence)]
    return all(isinstance(p, Timing) for p in wrong) and bool(wrong) == bool(problems)


def worst_first(problems):
    """What no other run can make right, then durations, then evidence."""
    return sorted(problems, key=lambda p: 2 if isinstance(p, Evidence) else is_timing([p]))


class Tap:
    def __init__(self, only="*", out=sys.stdout):
        self.only = only.split(",")
        self.out = out
        self.count = 0
        self.failed = 0

    def wants_case(self, case):
        """May a test of this case have a name that is asked for?"""
        return any(fnmatch.fnmatchcase(case, glob.split("/")[0]) for glob in self.only)

    def wants(self, name):
        return any("/" not in glob or fnmatch.fnmatchcase(name, glob) for glob in self.only)

    def report(self, name, problems):
        self.count += 1
        if problems:
            self.failed += 1
        self._line(f"{'not ok' if problems else 'ok'} {self.count} - {name}"
                   f"{' # timing' if problems and is_timing(problems) else ''}")
        for problem in problems:
            self.note(problem)

    def skip(self, name, why):
        self.count += 1
        self._line(f"ok {self.count} - {name} # SKIP {why}")

    def note(self, text):
        for line in str(text).splitlines():
            self._line(f"#   {line}")

    def plan(self):
        self._line(f"1..{self.count}")

    def _line(self, text):
        self.out.write(text + "\n")
        self.out.flush()
