# SPDX-License-Identifier: Apache-2.0
"""Processes of our own: started, waited for with a limit, ended by their id, reaped once."""
import os
import select
import signal
import subprocess
import time


class ChildError(Exception):
    pass


class Child:
    """A process in a session of its own; gone when the block ends."""

    def __init__(self, argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL):
        self.name = os.path.basename(argv[0])
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=stdout, stderr=stderr,
                                        start_new_session=True, cwd="/")
        self.pid = self.process.pid
        self.usage = None
        self.status = None

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        for stop in (signal.SIGTERM, signal.SIGKILL):
            if self.usage is None:
                self._signal_session(stop)
                self._poll(5)
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                try:
                    pipe.close()
                except BrokenPipeError:
                    pass

    def _signal_session(self, signo):
        try:
            os.killpg(self.pid, signo)
        except ProcessLookupError:
            pass

    def _poll(self, seconds):
        end = time.monotonic() + seconds
        while self.usage is None:
            pid, status, usage = os.wait4(self.pid, os.WNOHANG)
            if pid:
                self.usage = usage
                self.status = os.waitstatus_to_exitcode(status)
                self.process.returncode = self.status
            elif time.monotonic() > end:
                return False
            else:
                time.sleep(0.001)
        return True

    def ended(self):
        return self._poll(0)

    def wait(self, seconds):
        """Resource usage of the process and of the children that it waited for."""
        if not self._poll(seconds):
            raise ChildError(f"{self.name} did not end in {seconds} s")
        return self.usage

    def kill(self, signo):
        if self.usage is None:
            os.kill(self.pid, signo)

    def await_word(self, word, seconds):
        """Reads standard output until the word has come, and returns all that came."""
        pipe, end, got = self.process.stdout, time.monotonic() + seconds, b""
        while word not in got:
            left = end - time.monotonic()
            if left <= 0 or not select.select([pipe], [], [], left)[0]:
                raise ChildError(f"{self.name} did not say '{word.decode()}' in {seconds} s: "
                                 f"{got.decode(errors='replace').strip()[-300:]}")
            piece = os.read(pipe.fileno(), 65536)
            if not piece:
                self._poll(1)
                raise ChildError(f"{self.name} ended early (exit {self.status}): "
                                 f"{got.decode(errors='replace').strip()[-300:]}")
            got += piece
        return got

    def read_to_end(self, seconds):
        """What is still to come, and when its last byte came."""
        pipe, pieces, last = self.process.stdout, [], time.monotonic()
        end = last + seconds
        while True:
            left = end - time.monotonic()
            if left <= 0 or not select.select([pipe], [], [], left)[0]:
                raise ChildError(f"{self.name} did not end its output in {seconds} s")
            piece = os.read(pipe.fileno(), 1 << 20)
            if not piece:
                return b"".join(pieces), last
            pieces.append(piece)
            last = time.monotonic()
