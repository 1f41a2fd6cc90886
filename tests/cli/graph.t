#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""graph: who waits for whom, of two processes that throw a ball and a third that waits for one of
them. Prints TAP; needs root."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

from tap import PYTHON, Tap, check_files, need_root, run, until_whole


# Each sets its name, so that they are three groups. The thrower works while it has the ball.
PROGRAM = """
import os, time
ROUNDS = 30
def called(name):
    with open("/proc/self/comm", "w") as f:
        f.write(name)
def work():
    end = time.thread_time_ns() + 2_000_000
    while time.thread_time_ns() < end:
        pass
there, back, done = os.pipe(), os.pipe(), os.pipe()
if not os.fork():
    called("catcher")
    for _ in range(ROUNDS):
        os.read(there[0], 1)
        work()
        os.write(back[1], b"x")
    os._exit(0)
if not os.fork():
    called("thrower")
    for _ in range(ROUNDS):
        work()
        os.write(there[1], b"x")
        os.read(back[0], 1)
    os.write(done[1], b"x")
    os._exit(0)
called("viewer")
os.read(done[0], 1)
os.wait()
os.wait()
"""

tap = Tap()
ok, skip = tap.ok, tap.skip


def record(program, file):
    def once():
        if os.path.exists(file):
            os.unlink(file)
        run("record", "-q", "--events", "--wakers", "-o", file, "--", PYTHON, program)
        return file
    until_whole(once)


def edges_of(graph):
    return {(graph["nodes"][e["from"]]["name"].split(" ")[0],
             graph["nodes"][e["to"]]["name"].split(" ")[0]): e for e in graph["edges"]}


def sums(file, graph):
    """All blocked time is on an edge, to the ns."""
    tasks = json.loads(run("report", "-f", "json", file)[0])["tasks"]
    blocked = sum(sum(task["blocked_ns"].values()) for task in tasks)
    for what, ns in (("edges", sum(e["ns"] for e in graph["edges"])),
                     ("edges in full", sum(e["full_ns"] for e in graph["edges"])),
                     ("ends", sum(n["ended_ns"] for n in graph["nodes"])),
                     ("waits", sum(n["waited_ns"] or 0 for n in graph["nodes"])),
                     ("the sum", graph["blocked_ns"])):
        if ns != blocked:
            yield f"{what}: {ns}, not {blocked} ns"


def viewer_waits(edges):
    """The viewer waits for the thrower alone, and half of that is the catcher's."""
    direct = edges.get(("viewer", "thrower"))
    if not direct or direct["full_ns"] < 30 * 2 * 2e6:
        return f"viewer > thrower: {direct}"
    if ("viewer", "catcher") in edges and edges["viewer", "catcher"]["full_ns"] > 60e6:
        return "the viewer does not wait for the catcher"
    # the catcher may take the CPU from the thrower before that one waits
    if direct["ns"] - direct["runq_ns"] > direct["full_ns"] - 30 * 2e6:
        return f"nothing was passed on: {direct}"
    return None


def knot(graph):
    names = [sorted(graph["nodes"][i]["name"].split(" ")[0] for i in k["nodes"])
             for k in graph["knots"]]
    if names != [["catcher", "thrower"]]:
        return f"{names} {graph}"
    if not re.search(r"wait for each other .* one of them limits", graph["knots"][0]["sentence"]):
        return graph["knots"][0]["sentence"]
    return None


def forms(dir_, file):
    text = run("graph", file)[0]
    ok("the text has nodes, edges and the knot",
       (not re.search(r"^ .* viewer.* > thrower", text, re.M) or
        not re.search(r"^Knot 1: .* wait for each other", text, re.M)) and text)
    few = run("graph", "--top", "1", file)[0]
    ok("--top shortens the tables", len(few) >= len(text) and few)
    dot = run("graph", "-f", "dot", file)[0]
    if not shutil.which("dot"):
        skip("Graphviz reads it", "no dot")
        return
    with open(os.path.join(dir_, "a.dot"), "w", encoding="utf-8") as f:
        f.write(dot)
    done = subprocess.run(["dot", "-Tplain", f.name], stdout=subprocess.PIPE, check=False)
    ok("Graphviz reads it", (done.returncode or b"thrower" not in done.stdout) and dot)


def direct(dir_, program):
    file = os.path.join(dir_, "c.coldspot")
    run("record", "-q", "--wakers", "-o", file, "--", PYTHON, program)
    graph = json.loads(run("graph", "-f", "json", file)[0])
    waits = json.loads(run("report", "-f", "json", file)[0])["waits"]
    blocked = sum(w["blocked_ns"] for w in waits)
    edges = sum(e["ns"] for e in graph["edges"])
    ok("without instants, each wait is on the edge to who ended it",
       (graph["redistributed"] or edges != blocked or edges != graph["blocked_ns"]
        or any(e["ns"] != e["full_ns"] for e in graph["edges"])) and f"{blocked} {graph}")
    text = run("graph", file)[0]
    ok("the text says so", "no instants" not in text and text)


def refusals(dir_):
    file = os.path.join(dir_, "b.coldspot")
    run("record", "-q", "-o", file, "--", "true")
    _, err = run("graph", file, status=1)
    ok("a recording without wakers", "record with --wakers" not in err and err)
    _, err = run("graph", os.path.join(dir_, "none"), status=1)
    ok("a file that is not there", "none" not in err and err)


def main():
    need_root()
    with tempfile.TemporaryDirectory() as dir_:
        os.chmod(dir_, 0o755)
        program, file = os.path.join(dir_, "program.py"), os.path.join(dir_, "a.coldspot")
        with open(program, "w", encoding="ascii") as f:
            f.write(PROGRAM)
        record(program, file)
        direct(dir_, program)
        graph = json.loads(run("graph", "-f", "json", file)[0])
        ok("all blocked time is on edges", "\n".join(sums(file, graph)))
        ok("a wait is passed on to whom the waker waited for", viewer_waits(edges_of(graph)))
        ok("two that wait for each other are a knot", knot(graph))
        forms(dir_, file)
        check_files(tap, dir_, ["graph", file], ("text", "txt"), ("json", "json"), ("dot", "dot"))
        refusals(dir_)
    tap.done()


sys.dont_write_bytecode = True
main()
