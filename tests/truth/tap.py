# SPDX-License-Identifier: Apache-2.0
"""Results in the Test Anything Protocol. A test is a name and the list of what is wrong; a list
that is empty is a pass."""
import fnmatch
import sys


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
        self._line(f"{'not ok' if problems else 'ok'} {self.count} - {name}")
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
