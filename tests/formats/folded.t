#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Folded stacks by the rules of flamegraph.pl, and by the program itself where it is installed or
FLAMEGRAPH_PL names it (no package of Debian has it). Prints TAP."""
import os
import re
import shutil
import subprocess

from cases import Report, expected, off_ns

FLAMEGRAPH = os.environ.get("FLAMEGRAPH_PL") or shutil.which("flamegraph.pl")
# "stack value", as flamegraph.pl takes a line apart; other lines it counts and leaves out
LINE = re.compile(r"(.*)\s+?(\d+(?:\.\d*)?)")
ENDINGS = ("folded", "wide.folded")


def read(case, ending):
    with open(expected(case, ending), encoding="utf-8", errors="surrogateescape") as f:
        return f.read()


def close(us, waits, rows, what):
    """Each row is rounded once, and one of less than half a microsecond is not there."""
    assert abs(us - off_ns(waits) / 1000) <= (rows + len(waits)) / 2, \
        f"{what}: {us} us, and {off_ns(waits)} ns in the JSON"


def follows_the_rules(ending):
    def test(case, waits):
        # bcc writes names as they are: a newline in one breaks its own line
        if os.path.basename(case) == "nasty" and ending == "folded":
            return
        rows = [LINE.fullmatch(line) for line in read(case, ending).split("\n")[:-1]]
        assert all(rows), "a line that is no stack with a value"
        assert all(row.group(1) and "." not in row.group(2) for row in rows)
        close(sum(int(row.group(2)) for row in rows), waits, len(rows), ending)
    return test


def annotations_are_known(case, _waits):
    """What flamegraph.pl takes off a name before it draws it, and ours, which it leaves alone."""
    for line in read(case, "wide.folded").split("\n")[:-1]:
        for frame in LINE.fullmatch(line).group(1).split(";"):
            suffix = re.search(r"_\[(.)\]$", frame)
            assert not suffix or suffix.group(1) in "kwijp", frame


def is_drawn(case, waits):
    """Its sum is that of the picture's root; a profile without a wait it refuses to draw."""
    for ending in ENDINGS:
        done = subprocess.run(["perl", FLAMEGRAPH, "--countname=us", expected(case, ending)],
                              timeout=120, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
        if os.path.basename(case) == "nasty" and ending == "folded":
            continue
        text = done.stdout.decode(errors="replace")
        if not off_ns(waits) or "No stack counts found" in done.stderr.decode():
            assert off_ns(waits) < 1000 * (len(waits) + 1), done.stderr.decode()
            continue
        assert done.returncode == 0 and "Ignored" not in done.stderr.decode(), done.stderr
        shown = re.search(r"<title>all \(([\d,]+) us, 100%\)</title>", text)
        assert shown, "no root frame"
        close(int(shown.group(1).replace(",", "")), waits, len(waits), ending)


report = Report()
for ending in ENDINGS:
    report.check(f"{ending}: every line is a stack and a whole number, and they add up",
                 follows_the_rules(ending))
report.check("wide.folded: annotations are those of flamegraph.pl, and _[p]",
             annotations_are_known)
report.check("flamegraph.pl draws both", is_drawn, FLAMEGRAPH,
             "flamegraph.pl (set FLAMEGRAPH_PL)")
report.end()
