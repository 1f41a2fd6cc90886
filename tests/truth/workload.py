# SPDX-License-Identifier: Apache-2.0
"""Building the workload programs and talking to them (see workload/wl.h)."""
import json
import os
import select
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
# Frame pointers everywhere and no call made a jump: a test can name the callers that it expects.
CFLAGS = ["-std=gnu11", "-D_GNU_SOURCE", "-O1", "-g", "-fno-omit-frame-pointer",
          "-fno-optimize-sibling-calls", "-Wl,-z,now", "-pthread", "-Wall", "-Wextra"]
GCC_FLAGS = ["-fno-ipa-icf"]
SHARED = {"waits": ("wl.c", "truth.c"), "life": ("wl.c", "truth.c"), "steady": (), "hotcold": (),
          "lengths": (), "visits": (), "ends": (),
          "objects": ("wl.c", "truth.c"), "reused": ("wl.c", "truth.c"),
          "kinds": ("wl.c", "truth.c"), "peers": ("wl.c", "truth.c"),
          **{name: ("wl.c", "truth.c", "crew.c") for name in ("wakers", "storms", "handover")}}


class WorkloadError(Exception):
    pass


def built(directory):
    """The programs that build() made there, a path by name."""
    return {program: os.path.join(os.path.abspath(directory), program) for program in SHARED}


def build(out_dir):
    """Compiles every program into out_dir; a path by name."""
    source = os.path.join(HERE, "workload")
    cc = os.environ.get("CC", "cc").split()
    version = subprocess.run([*cc, "--version"], check=True, timeout=20, capture_output=True)
    flags = CFLAGS + ([] if b"clang" in version.stdout else GCC_FLAGS)
    made = built(out_dir)
    for program in SHARED:
        mine = [f for f in sorted(os.listdir(source))
                if f.endswith(".c") and (f == program + ".c" or f.startswith(program + "_"))]
        files = [os.path.join(source, f) for f in mine + list(SHARED[program])]
        subprocess.run([*cc, *flags, "-o", made[program], *files], check=True, timeout=120)
    return made


def end_when_told():
    """A runner that gets SIGTERM ends what it began first, as with Ctrl-C."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


def end_process(process, grace_s=5):
    """Ends a process of ours, politely first, and reaps it."""
    for sig in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            break
        process.send_signal(sig)
        try:
            process.wait(timeout=grace_s)
        except subprocess.TimeoutExpired:
            continue
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe:
            pipe.close()


class Workload:
    """A running workload; use as a context manager."""

    def __init__(self, argv):
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.buffer = b""
        self.events = []
        self.pid = None

    def __enter__(self):
        return self

    def __exit__(self, *_exc):
        end_process(self.process)

    def tell(self, word):
        try:
            self.process.stdin.write(word.encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError as e:
            raise WorkloadError(f"workload is gone before '{word}'") from e

    def until(self, kind, timeout_s=60):
        """Reads events up to and including one of that kind; the event. None: it ended before.
        `timeout_s`: the longest time between two events."""
        while True:
            line = self._line(time.monotonic() + timeout_s)
            if line is None:
                return None
            event = json.loads(line)
            self.events.append(event)
            if event["event"] == kind:
                return event

    def ready(self):
        event = self.until("ready")
        if not event:
            raise WorkloadError("workload did not get ready")
        self.pid = event["pid"]
        return self.pid

    def of(self, kind):
        return [e for e in self.events if e["event"] == kind]

    def _line(self, deadline):
        fd = self.process.stdout.fileno()
        while b"\n" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([fd], [], [], left)[0]:
                last = self.events[-1] if self.events else "it was started"
                raise WorkloadError(f"workload is silent for too long, after {last}")
            chunk = os.read(fd, 65536)
            if not chunk:
                return None
            self.buffer += chunk
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line
