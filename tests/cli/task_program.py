# SPDX-License-Identifier: Apache-2.0
"""What the tests of record --tasks have in common: a program that adds up its own waits and answers
on a pipe, and recordings of tasks."""
import json
import os
import subprocess

from tap import run


class Program:
    """The program under test, which answers on a pipe."""

    def __init__(self, *argv):
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        self.process.stdout.readline()

    @property
    def pid(self):
        return str(self.process.pid)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.process.kill()
        self.process.wait()

    def say(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()

    def measured(self, record):
        """What it adds up meanwhile, and what `record` gives."""
        self.say("begin")
        recorded = record()
        self.say("end")
        return json.loads(self.process.stdout.readline()), recorded


def recorded(directory, pid, seconds):
    """A recording of its tasks, as JSON."""
    path = os.path.join(directory, "tasks.json")
    run("record", "--tasks", "-q", "-p", pid, "--hz", "97", "--max-overhead", "20%",
        "-d", str(seconds), "-o", path)
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def row_of(doc, name):
    found = [t for t in doc["tasks"] if t["comm"] == name]
    return found[0] if found else None


def waits_of(doc, row):
    return [w for w in doc["waits"] if doc["tasks"][w["task"]] is row]


def sums(doc):
    """By row: what the parts of its time differ by from the whole."""
    for t in doc["tasks"]:
        off = t["runq_ns"] + sum(t["blocked_ns"].values())
        parts = t["on_ns"] + off + t["unaccounted_ns"]
        listed = sum(w["blocked_ns"] + w["runq_ns"] for w in waits_of(doc, t))
        if parts != t["wall_ns"] or listed != off:
            yield f"{t['comm']}: {parts} and {listed} of {t['wall_ns']} ns"
