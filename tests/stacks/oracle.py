# SPDX-License-Identifier: Apache-2.0
"""Talks to oracle.c, and to gdb: what the user stacks of stopped threads really are."""
import collections
import os
import re
import select
import subprocess
import time

from workload import end_process

HERE = os.path.dirname(os.path.abspath(__file__))
DELETED = " (deleted)"

# `frames`: (path or None, offset in the file or address), leaf first. `end`: "root", or why the
# walk stopped before it. `sure`: so many frames are no guess.
Stack = collections.namedtuple("Stack", "pid tid end frames sure")


class OracleError(Exception):
    pass


def file_name(path):
    return path[:-len(DELETED)] if path.endswith(DELETED) else path


class Oracle:
    """Stops processes and says what their stacks are; use as a context manager."""

    def __init__(self, program, pids):
        self.process = subprocess.Popen([program, *map(str, pids)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.buffer = b""
        self.names = {"-": None}
        self.skipped = []
        self.gone = set()

    def __enter__(self):
        return self

    def __exit__(self, *_exc):
        self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            pass
        end_process(self.process)

    def loop(self, times, min_us, max_us, timeout_s):
        return self._ask(f"loop {times} {min_us} {max_us}", timeout_s)

    def hold(self, pid, timeout_s=20):
        return self._ask(f"hold {pid}", timeout_s)

    def release(self, pid):
        self._ask(f"release {pid}", 5)

    def _ask(self, command, timeout_s):
        self.process.stdin.write(command.encode() + b"\n")
        self.process.stdin.flush()
        stacks, deadline = [], time.monotonic() + timeout_s
        while True:
            kind, *words = self._line(deadline).split(" ")
            if kind == "done":
                return stacks
            if kind == "module":
                self.names[words[0]] = file_name(" ".join(words[1:]))
            elif kind == "skip":
                self.skipped.append(words)
            elif kind == "gone":
                self.gone.add(int(words[0]))
            else:
                stacks.append(self._stack(words))

    def _stack(self, words):
        frames = words[3:]
        guessed = [i for i, w in enumerate(frames) if w.endswith("?")]
        return Stack(int(words[0]), int(words[1]), words[2],
                     tuple(self._frame(w.rstrip("?")) for w in frames),
                     guessed[0] + 1 if guessed else len(frames))

    def _frame(self, word):
        module, off = word.split(":")
        return self.names[module], int(off, 16)

    def _line(self, deadline):
        fd = self.process.stdout.fileno()
        while b"\n" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([fd], [], [], left)[0]:
                raise OracleError("the oracle is silent for too long")
            chunk = os.read(fd, 1 << 20)
            if not chunk:
                raise OracleError(f"the oracle ended with {self.process.wait()}")
            self.buffer += chunk
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line.decode(errors="replace")


MAP_LINE = re.compile(r"([0-9a-f]+)-([0-9a-f]+) ..x. ([0-9a-f]+) \S+ (\d+)\s*(.*)")


class Maps:
    """The executable mappings of a process."""

    def __init__(self, pid):
        self.list = []
        with open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as f:
            for line in f:
                m = MAP_LINE.match(line)
                if not m or not (int(m[4]) or m[5] == "[vdso]"):
                    continue
                off = int(m[3], 16) if int(m[4]) else 0
                self.list.append((int(m[1], 16), int(m[2], 16), off, file_name(m[5])))

    def frame(self, pc):
        for start, end, off, name in self.list:
            if start <= pc < end:
                return name, pc - start + off
        return None, pc


def by_gdb(pid, timeout_s=60):
    """The stacks of a process that is stopped by a signal, by gdb's unwinder: without the frames
    that gdb makes of inlined functions and tail calls."""
    maps, stacks = Maps(pid), []
    argv = ["gdb", "-nx", "-nh", "-q", "-batch", "-iex", "set debuginfod enabled off", "-p",
            str(pid), "-x", os.path.join(HERE, "gdb_stacks.py")]
    out = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, timeout=timeout_s, check=False).stdout
    for line in out.decode(errors="replace").splitlines():
        kind, *words = line.split(" ")
        if kind == "stack":
            frames = tuple(maps.frame(int(w, 16)) for w in words[2:])
            stacks.append(Stack(pid, int(words[0]), words[1], frames, len(frames)))
    return stacks
