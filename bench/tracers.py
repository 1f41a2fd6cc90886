# SPDX-License-Identifier: Apache-2.0
"""What is compared: each a command line that traces one process, and a way to know that it does."""
import os
import shutil
import signal
import subprocess
import time

import bpf
from child import Child, ChildError

HERE = os.path.dirname(os.path.abspath(__file__))
LINKS = ("anon_inode:bpf_link", "anon_inode:bpf-link")
# libbpf-tools offcputime keeps 1024 stacks if not told otherwise, and drops the rest without a word
# on standard output; with this it holds what our workloads have.
STACK_STORAGE = "16384"


class Tracer:
    """`ready_word`: what it says when it traces; None: it says nothing."""

    def __init__(self, name, about, argv, ready_word):
        self.name = name
        self.about = about
        self.argv = argv
        self.empty = name.startswith("empty")
        self.ready_word = ready_word

    def command(self, pid):
        return [str(pid) if word is PID else word for word in self.argv]


PID = object()  # stands for the process that is traced, in an argv


class Running:
    """A tracer at work: ready when the block begins, gone when it ends."""

    def __init__(self, tracer, pid):
        self.tracer = tracer
        self.child = Child(tracer.command(pid), stderr=subprocess.STDOUT)

    def __enter__(self):
        try:
            self._await_ready()
        except BaseException:
            self.child.__exit__()
            raise
        return self

    def __exit__(self, *exc):
        self.child.process.stdin.close()
        try:
            self._interrupt()
        finally:
            self.child.__exit__(*exc)

    def _interrupt(self):
        """bpftrace 0.17 misses a SIGINT that comes while it prints, so it may take another one."""
        for seconds in (3, 3, 30):
            try:
                self.child.kill(signal.SIGINT)
                self.child.read_to_end(seconds)
                return self.child.wait(30)
            except ChildError as e:
                error = e
        raise error

    @property
    def pid(self):
        return self.child.pid

    def _await_ready(self):
        if self.tracer.ready_word:
            self.child.await_word(self.tracer.ready_word, 30)
        else:
            await_attached(self.child, 30)


def await_attached(child, seconds):
    """offcputime does not say that it has begun: it has when its program hangs on its hook."""
    end = time.monotonic() + seconds
    while not has_link(child.pid):
        if time.monotonic() > end or child.ended():
            raise ChildError(f"{child.name} did not attach in {seconds} s (exit {child.status})")
        time.sleep(0.001)


def has_link(pid):
    try:
        fds = os.listdir(f"/proc/{pid}/fd")
        return any(os.readlink(f"/proc/{pid}/fd/{fd}") in LINKS for fd in fds)
    except OSError:
        return False


def find(program):
    return shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def coldspot_at(name, about, program, *options):
    argv = [program, "record", "--announce", "-q", "-d", "0", "-p", PID, *options]
    return Tracer(name, about, argv, b"coldspot: recording")


def all_tracers(coldspot, build, others):
    """Every tracer there is, whether this machine can run it or not."""
    empty = os.path.join(build, "bench", "empty")
    return [
        Tracer("empty", "one empty program, tp_btf/sched_switch", [empty, "1"], b"ready"),
        Tracer("empty-2", "two of them, also tp_btf/sched_exit_tp", [empty, "2"], b"ready"),
        coldspot_at("coldspot", "as it comes", coldspot),
        coldspot_at("coldspot-switch", "--resume-hook switch", coldspot, "--resume-hook", "switch"),
        coldspot_at("coldspot-sched_info", "--split sched_info", coldspot, "--split", "sched_info"),
        *(coldspot_at(f"coldspot-{name}", path, path) for name, path in others),
        Tracer("offcputime", "libbpf-tools", [find("offcputime"), "--stack-storage-size",
                                              STACK_STORAGE, "-p", PID], None),
        Tracer("bpftrace", "bench/offcpu.bt", [find("bpftrace"), os.path.join(HERE, "offcpu.bt"),
                                               PID], b"ready"),
    ]


def why_absent(tracer):
    """Why it does not run here, found by trying; None if it does."""
    if tracer.argv[0] is None:
        return "not installed"
    try:
        with Child(["sleep", "60"]) as target, Running(tracer, target.pid) as running:
            return None if bpf.program_ids_of(running.pid) else "it loads no program"
    except (ChildError, OSError) as e:
        return str(e)
