#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One wait has one percentage: that of the time that is not idle. Rows of the summary, lines of the
tree and frames of the SVG against the waits of JSON and NDJSON. Prints TAP."""
import html
import os
import re

from cases import Report, expected, lines, load, off_ns

UNITS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}
ROW = re.compile(r" *([\d.]+) (ns|µs|ms|s)(?: ±\S+)? +([\d.]+)% .*?(\S+)(?: (\S+))? \((\w)\)")
TITLE = re.compile(r"<title>([^<]*) \(([\d,]+)(?: ±[\d,]+)? µs, (idle|[\d.]+%)[^<]*\)</title>")
TREE = re.compile(r" *(idle|[\d.]+%) +([\d.]+) (ns|µs|ms|s)(?: ±\S+)? +(\S.*)")


def read(case, ending):
    with open(expected(case, ending), encoding="utf-8", errors="replace") as f:
        return f.read()


def busy(waits):
    return [w for w in waits if w["class"] != "idle"]


def share(part, waits):
    return 100 * off_ns(busy(part)) / off_ns(busy(waits))


def ndjson(case):
    return [line for line in lines(case, "ndjson") if line["type"] == "wait"]


def is_off(case):
    """The SVG of all thread time has more in it than waits."""
    return ">Off-CPU time</text>" in read(case, "svg")


def states(case, waits):
    """Causes in the first table of the summary."""
    text = read(case, "summary").split("longest  why (state)\n")
    if len(text) < 2 or not off_ns(busy(waits)):
        return
    seen = 0
    for line in text[1].split("longest  where")[0].split("\n"):
        row = ROW.fullmatch(line)
        if not row:
            continue
        cause, call, state = row.group(4, 5, 6)
        if call is None and cause not in {w["cause"] for w in waits}:
            cause = None  # the call stands for an unknown one
        for of in (waits, ndjson(case)):
            part = [w for w in of if w["class"] != "idle" and w["state"] == state and
                    w["cause"] == cause and (call is None or w["syscall"] == call)]
            if part and abs(off_ns(part) / float(row.group(1)) / UNITS[row.group(2)] - 1) < 0.01:
                assert abs(share(part, of) - float(row.group(3))) <= 0.0501, line
                seen += 1
    assert seen or os.path.basename(case) in ("nasty", "lost", "empty"), "no row was compared"


def frames(case, _waits):
    """Frames whose name is on one path only."""
    of = ndjson(case)
    if not off_ns(busy(of)) or not is_off(case):
        return
    titles = [(html.unescape(n), v, s) for n, v, s in TITLE.findall(read(case, "svg"))]
    for name, value, shown in titles:
        part = [w for w in of if name in w["user"] + w["kernel"]]
        us = int(value.replace(",", ""))
        if [t[0] for t in titles].count(name) > 1 or abs(off_ns(part) / 1000 - us) > 1:
            continue
        if shown == "idle":
            assert part and not busy(part), name
        else:
            assert abs(share(part, of) - float(shown[:-1])) <= 0.00501, (name, shown)


def tree(case, _waits):
    """The same frames in the tree."""
    svg = {}
    if not is_off(case):
        return
    for name, _, shown in TITLE.findall(read(case, "svg")):
        svg.setdefault(html.unescape(name), []).append(shown)
    seen = 0
    for line in read(case, "tree.txt").split("\n"):
        row = TREE.fullmatch(line)
        if not row or len(svg.get(row.group(4), [])) != 1:
            continue
        shown, other = row.group(1), svg[row.group(4)][0]
        seen += 1
        assert shown == other or abs(float(shown[:-1]) - float(other[:-1])) <= 0.0551, line
    assert seen or not svg or os.path.basename(case) in ("nasty", "empty", "lost"), "no line"


def idle(case, _waits):
    """One number, and the parts of the budget add up."""
    data = load(case)
    budget, summary = data["budget"], data["summary"]
    if summary["idle_ns"] is None:
        return
    assert summary["runq_ns"] + summary["blocked_ns"] + summary["idle_ns"] == \
        (budget["preempted_ns"] or 0) + (budget["runq_ns"] or 0) + budget["blocked_ns"]
    listed = sum(off_ns([w]) for w in data["waits"] if w["class"] == "idle")
    exact = not budget.get("sampled") and budget["listed_blocked_ns"] == budget["blocked_ns"]
    assert not exact or summary["idle_ns"] == listed, (summary["idle_ns"], listed)


report = Report()
report.check("shares: summary, JSON and NDJSON", states)
report.check("shares: SVG and NDJSON", frames)
report.check("shares: tree and SVG", tree)
report.check("idle: budget, summary and waits", idle)
report.end()
