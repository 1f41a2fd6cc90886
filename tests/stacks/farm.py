# SPDX-License-Identifier: Apache-2.0
"""Names of exited processes: thousands of processes that live for a millisecond."""
import collections
import os
import subprocess
import tempfile
import time
import traceback

from programs import compiled, source
from recorded import Stacks
from recorder import Recorder

PROCESSES = 2000
FRESH = 200
AT_ONCE = 4
COMPLETE = 0.98
# Of files that are each seen once, for a millisecond: the first waits come before the table.
FRESH_COMPLETE = 0.9
# Where each process waits on purpose, leaf first, below the C library.
FRAMES = ("tiny_pause", "tiny_second", "tiny_first", "tiny_step", "main")
# Ends of complete stacks: a process inside execve, or not yet begun.
NO_STACK = ("exec", "no_code")


def build(d):
    cc = os.environ.get("CC", "cc")
    # no linkage table: its entries have no names
    flags = [cc, "-std=gnu11", "-D_GNU_SOURCE", "-O1", "-fomit-frame-pointer", "-fno-plt",
             "-fno-optimize-sibling-calls", "-Wl,-z,now"]
    compiled([*flags, "-o", f"{d}/farm", source("farm.c")])
    lib = [*flags, "-fPIC", "-shared", f"-L{d}", f"-Wl,-rpath,{d}"]
    compiled([*lib, "-o", f"{d}/libtinysecond.so", source("tiny_second.c")])
    compiled([*lib, "-o", f"{d}/libtinyfirst.so", source("tiny_first.c"), "-ltinysecond"])
    compiled([*flags, f"-L{d}", f"-Wl,-rpath,{d}", "-o", f"{d}/tiny", source("tiny.c"),
              "-ltinyfirst", "-ltinysecond"])


class Share:
    """Of waits that have a user stack: how many, and for how long."""

    def __init__(self):
        self.count = 0
        self.ns = 0

    def add(self, wait):
        self.count += wait["count"]
        self.ns += wait["blocked_ns"] + wait["runq_ns"]

    def of(self, whole):
        return (self.count / whole.count if whole.count else 0.0,
                self.ns / whole.ns if whole.ns else 0.0)


class Tally:
    def __init__(self, stacks, own_dir):
        self.stacks = stacks
        self.own_dir = own_dir
        self.all = Share()
        self.complete = Share()
        self.named = Share()
        self.none = Share()
        self.ends = collections.Counter()
        self.nameless = collections.Counter()
        self.sleeps = 0
        self.processes = set()
        for wait in stacks.raw["waits"]:
            self.see(wait)

    def see(self, wait):
        task = self.stacks.raw["tasks"][wait["task"]] if wait["task"] is not None else None
        if not task or not task["comm"].startswith("tiny"):
            return
        self.processes.add(task["tgid"])
        leaf = wait["user_stack"]
        if leaf is None:
            self.none.add(wait)
            return
        ids = self.stacks.ids(leaf)
        end = self.stacks.end_of(ids)
        if end in NO_STACK:
            self.none.add(wait)
            return
        self.all.add(wait)
        if end:
            self.ends[self.stacks.frames[ids[-1]]["label"]] += wait["count"]
            return
        self.complete.add(wait)
        if all(self.is_named(i) for i in ids):
            self.named.add(wait)
        names = [self.stacks.frames[i]["name"] for i in ids]
        if any(tuple(names[i:i + len(FRAMES[:2])]) == FRAMES[:2] for i in range(len(names))):
            self.sleeps += wait["count"]

    def is_named(self, i):
        """A name, or no symbol in a file that is there: stripped, which is not ours to mend."""
        frame, module = self.stacks.frames[i], self.stacks.module_of(i)
        if frame["name"] is not None:
            return True
        ours = module and module["path"].startswith(self.own_dir)
        if not ours and frame["reason"] and "symbol" in frame["reason"]:
            return True
        self.nameless[f"{frame['label']}: {frame['reason']}"] += 1
        return False

    def lines(self, what):
        complete, named = self.complete.of(self.all), self.named.of(self.complete)
        yield (f"{what}: {len(self.processes)} processes, {self.all.count} waits with a user stack,"
               f" {self.none.count} without; complete: {complete[0]:.2%} of them, "
               f"{complete[1]:.2%} of their time; of these named: {named[0]:.2%}, {named[1]:.2%} "
               "of the time")
        for end, count in self.ends.most_common(8):
            yield f"    {count} x {end}"
        for label, count in self.nameless.most_common(8):
            yield f"    {count} x {label}"


def record(args, d, command):
    with Recorder(args.coldspot, ["-q"], command=command) as recorder:
        recorder.finish(timeout_s=120)
        keep = os.environ.get("STACKS_KEEP")
        if keep:
            subprocess.run(["cp", recorder.json, f"{keep}/farm-{len(command)}.json"], check=True)
        return Tally(Stacks(recorder.json), d)


def judge(tap, name, tally, processes, least):
    complete, named = tally.complete.of(tally.all), tally.named.of(tally.complete)
    for line in tally.lines(name):
        tap.note(line)
    tap.report(f"{name}/all-there", [] if len(tally.processes) == processes else
               [f"{len(tally.processes)} of {processes} processes"])
    tap.report(f"{name}/complete", [f"{c:.2%} of the {of}" for c, of in
                                    zip(complete, ("waits", "time")) if c < least])
    tap.report(f"{name}/named", [f"{n:.2%} of the complete {of}" for n, of in
                                 zip(named, ("waits", "time")) if n < 1])
    # each of them sleeps four times
    tap.report(f"{name}/sleeps", [] if tally.sleeps >= 4 * processes * least else
               [f"{tally.sleeps} of {4 * processes} waits are below {'<'.join(FRAMES[:2])}"])


def run(args, tap):
    """2,000 processes of a millisecond, and 200 whose files are removed when they end."""
    with tempfile.TemporaryDirectory(prefix="stacks.", dir=os.environ.get("TMPDIR", "/var/tmp"),
                                     ignore_cleanup_errors=True) as d:
        try:
            build(d)
            begun = time.monotonic()
            tally = record(args, d, [f"{d}/farm", str(PROCESSES), str(AT_ONCE), f"{d}/tiny"])
            judge(tap, "farm", tally, PROCESSES, COMPLETE)
            os.mkdir(f"{d}/fresh")
            tally = record(args, d, [f"{d}/farm", str(FRESH), str(AT_ONCE), f"{d}/tiny", "fresh",
                                     f"{d}/fresh"])
            judge(tap, "farm-fresh", tally, FRESH, FRESH_COMPLETE)
            tap.note(f"farm: {time.monotonic() - begun:.0f} s")
        except Exception:  # pylint: disable=broad-except
            tap.report("farm", [traceback.format_exc()])
