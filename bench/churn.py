# SPDX-License-Identifier: Apache-2.0
"""A small load that never stays the same: programs that start and end, threads that come and go,
and files that nobody has mapped before. At the lowest priority, so that others have the machine."""
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

NICE = 19
# Of /usr/bin: copies of them are new files, with tables and names that are not known yet.
PROGRAMS = ("python3", "perl", "gdb", "clang-16", "bpftool", "sqlite3", "jq", "openssl", "git")


class Churn:
    """`new_files`: copies of programs that start in a second; `starts`: programs in all."""

    def __init__(self, work, new_files=1.0, starts=5.0, symbols=()):
        argv = [sys.executable, os.path.abspath(__file__), work, str(new_files), str(starts),
                *symbols]
        self.process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        start_new_session=True)

    @property
    def pid(self):
        return self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def start(argv):
    return subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)


def at_rate(per_s, act):
    """Calls it so often, until the process is killed."""
    n = 0
    while per_s:
        time.sleep(1 / per_s)
        act(n)
        n += 1


def start_copy(work, programs, n):
    """A file of its own: deleted when its program has ended."""
    path = os.path.join(work, f"program-{n}")
    # by a process of its own: a descriptor of ours that a child has would make the file busy
    start(["cp", programs[n % len(programs)], path]).wait()
    start([path, "--version"]).wait()
    os.unlink(path)


def hold_lock(lock, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with lock:
            time.sleep(0.005)
        time.sleep(0.005)


def start_threads(n):
    lock = threading.Lock()
    threads = [threading.Thread(target=hold_lock, args=(lock, 0.5)) for _ in range(n % 4 + 1)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def main():
    work, new_files, starts = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
    programs = [p for p in map(shutil.which, PROGRAMS) if p] + sys.argv[4:]
    os.nice(NICE)
    for per_s, act in ((new_files, lambda n: start_copy(work, programs, n)),
                       (starts, lambda n: start(["sh", "-c", "ls / | sort; sleep 0.1"]).wait()),
                       (1, start_threads)):
        threading.Thread(target=at_rate, args=(per_s, act), daemon=True).start()
    signal.pause()


if __name__ == "__main__":
    main()
