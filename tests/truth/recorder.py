# SPDX-License-Identifier: Apache-2.0
"""One run of `coldspot record`."""
import os
import select
import signal
import subprocess
import tempfile
import time

from recording import Recording
from workload import end_process

ANNOUNCEMENT = b"coldspot: recording"

# Ways to record that must all tell the same truth: name and options.
MODES = {
    "default": [],
    "plain": ["--plain"],
    "waking": ["--split", "waking"],
    "switch": ["--resume-hook", "switch", "--split", "waking"],
    "switch-sched-info": ["--resume-hook", "switch", "--split", "sched_info"],
    "kprobe": ["--resume-hook", "kprobe"],
    "wakers": ["--wakers", "--exact"],
}


class RecorderError(Exception):
    pass


def mono_ns():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


class Recorder:
    """Starts on entry and returns when the recording has begun; stop() ends it and reads it."""

    def __init__(self, coldspot, options, mode="default", prefix=(), command=(), stdin=""):
        self.dir = tempfile.mkdtemp(prefix="truth.")
        self.json = os.path.join(self.dir, "x.json")
        ends = [] if "-d" in options or command else ["-d", "0"]  # by a signal, however late
        self.argv = [*prefix, coldspot, "record", "--announce", *ends, *MODES[mode], *options,
                     "-o", self.json, *(["--", *command] if command else [])]
        self.stdin = stdin  # what the command reads
        self.process = None
        self.begun_before_ns = 0  # the window begins between these two
        self.begun_after_ns = 0
        self.ended_before_ns = 0  # and ends between these
        self.ended_after_ns = 0
        self.summary = ""
        self.stderr = b""

    def __enter__(self):
        try:
            self._begin()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _begin(self):
        with open(os.path.join(self.dir, "stdin"), "w+", encoding="utf-8") as stdin, \
                open(os.path.join(self.dir, "stdout"), "wb") as out:
            stdin.write(self.stdin)
            stdin.seek(0)
            self.begun_before_ns = mono_ns()
            self.process = subprocess.Popen(self.argv, stdin=stdin, stdout=out,
                                            stderr=subprocess.PIPE, start_new_session=True)
        self._await_announcement(time.monotonic() + 30)
        self.begun_after_ns = mono_ns()

    def __exit__(self, *_exc):
        if self.process:
            if self.process.poll() is None:
                # a command that it runs, and what that started, are in its group
                os.killpg(self.process.pid, signal.SIGKILL)
            end_process(self.process)
        for name in os.listdir(self.dir):
            os.unlink(os.path.join(self.dir, name))
        os.rmdir(self.dir)

    def stop(self, timeout_s=60):
        """Ctrl-C, then what it wrote."""
        self.ended_before_ns = mono_ns()
        target = last_descendant(self.process.pid)
        try:
            os.kill(target, signal.SIGINT)
        except ProcessLookupError:
            pass
        return self.finish(timeout_s)

    def finish(self, timeout_s=60):
        """Waits for its end without a signal, then what it wrote."""
        try:
            _out, rest = self.process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired as e:
            raise RecorderError(f"coldspot does not end: {self._said()}") from e
        self.ended_after_ns = mono_ns()
        self.stderr += rest
        with open(os.path.join(self.dir, "stdout"), encoding="utf-8", errors="replace") as f:
            self.summary = f.read()
        if self.process.returncode != 0:
            raise RecorderError(f"coldspot ended with {self.process.returncode}: {self._said()}")
        return Recording.load(self.json)

    def _said(self):
        return self.stderr.decode(errors="replace")[-2000:]

    def _await_announcement(self, deadline):
        fd = self.process.stderr.fileno()
        while ANNOUNCEMENT not in self.stderr:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([fd], [], [], left)[0]:
                end_process(self.process)
                raise RecorderError(f"coldspot does not begin: {self._said()}")
            chunk = os.read(fd, 65536)
            if not chunk:
                self.process.wait()
                raise RecorderError(
                    f"coldspot ended with {self.process.returncode}: {self._said()}")
            self.stderr += chunk


def last_descendant(pid):
    """The program behind nsenter and the like: signals go to it, not to the wrapper. Wrappers have
    one child; coldspot's own command is not looked for, for then it is not wrapped."""
    while True:
        try:
            with open(f"/proc/{pid}/comm", encoding="ascii", errors="replace") as f:
                if f.read().strip() not in ("nsenter", "unshare"):
                    return pid
            with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
                children = f.read().split()
        except OSError:
            return pid
        if not children:
            return pid
        pid = int(children[0])
