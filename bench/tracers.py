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


# Words of an argv that stand for what is known later: the process that is traced, one that sleeps
# all the time, and the sampling period of the load.
PID, OTHER, PERIOD = object(), object(), object()
EVERY, SAMPLED, MIN, FILTER, HOOKS = "every", "sampled", "min", "filter", "hooks"
OPTIONS, WAKERS, WAKERS_SAMPLED = "options", "wakers", "wakers-sampled"
BUDGET = "1%"
MIN_US = "10000"


class Tracer:
    """`ready_word`: what it says when it traces; None: it says nothing. `mode`: of modes.py.
    `whole`: its argv for the whole machine; None: it cannot, or it would be another question."""

    def __init__(self, name, about, argv, ready_word, mode=EVERY, whole=None):
        self.name = name
        self.about = about
        self.argv = argv
        self.empty = name.startswith("empty")
        self.ours = name.startswith("coldspot")
        self.ready_word = ready_word
        self.mode = mode
        self.whole = whole

    def command(self, pid, other, period):
        """`pid`: who is traced; None: the whole machine."""
        words = {PID: str(pid), OTHER: str(other), PERIOD: period}
        return [words.get(word, word) for word in (self.argv if pid else self.whole)]


class Running:
    """A tracer at work: ready when the block begins, gone when it ends."""

    def __init__(self, tracer, pid, period="0"):
        self.tracer = tracer
        self.pid_traced = pid
        self.period = period
        self.other = None
        self.child = None

    def __enter__(self):
        try:
            if OTHER in self.tracer.argv:
                self.other = Child(["sleep", "1000"])
            other = self.other.pid if self.other else None
            self.child = Child(self.tracer.command(self.pid_traced, other, self.period),
                               stderr=subprocess.STDOUT)
            self._await_ready()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *exc):
        self.child.process.stdin.close()
        try:
            self._interrupt()
        finally:
            self._end()

    def _end(self):
        for child in (self.child, self.other):
            if child:
                child.__exit__()

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


def coldspot_at(name, about, program, *options, mode=EVERY, target=("-p", PID)):
    argv = [program, "record", "--announce", "-q", "-d", "0", *target, *options]
    whole = None
    if target == ("-p", PID):
        sampled = mode in (SAMPLED, WAKERS_SAMPLED) or "--max-overhead" in options
        every = [] if sampled else ["--exact"]
        whole = [program, "record", "--announce", "-q", "-d", "0", "-a", *every, *options]
    return Tracer(name, about, argv, b"coldspot: recording", mode, whole)


def coldspots(name, program):
    """Of one build, in every mode."""
    def way(suffix, about, *options, **more):
        return coldspot_at(name + suffix, about, program, *options, **more)

    return [
        way("", "as it comes" if name == "coldspot" else program),
        way("-budget", f"--max-overhead {BUDGET}, as with -a, from its start on",
            "--max-overhead", BUDGET, mode=SAMPLED),
        way("-period", "--period, what --max-overhead settles at", "--period", PERIOD,
            mode=SAMPLED),
        way("-min", "-m 10ms", "-m", "10ms", mode=MIN),
        way("-comm", "--comm nosuchname, which asks of every thread of the machine",
            mode=FILTER, target=("--comm", "nosuchname")),
        way("-other", "-p of a process that sleeps", mode=FILTER, target=("-p", OTHER)),
        way("-wakers", "--wakers", "--wakers", mode=WAKERS),
        way("-wakers-period", "--wakers --period, as coldspot-period", "--wakers", "--period",
            PERIOD, mode=WAKERS_SAMPLED),
        way("-no-objects", "--no-objects", "--no-objects", mode=OPTIONS),
        way("-no-user", "--no-objects, without user stacks", "--no-objects", "-K", mode=OPTIONS),
        way("-hist", "--hist", "--hist", mode=OPTIONS),
        way("-on-cpu", "--on-cpu", "--on-cpu", mode=OPTIONS),
        way("-plain", "--plain", "--plain", mode=HOOKS),
        way("-switch", "--resume-hook switch", "--resume-hook", "switch", mode=HOOKS),
        way("-waking", "--split waking", "--split", "waking", mode=HOOKS),
    ]


def offcputime_at(name, about, *options, mode=EVERY, target=PID):
    whole = [find("offcputime"), "--stack-storage-size", STACK_STORAGE, *options]
    return Tracer(name, about, [*whole, "-p", target], None, mode,
                  whole if target is PID else None)


def bpftrace_at(name, script, mode=EVERY):
    argv = [find("bpftrace"), os.path.join(HERE, script), PID]
    return Tracer(name, f"bench/{script}", argv, b"ready", mode)


def all_tracers(coldspot, build, others):
    """Every tracer there is, whether this machine can run it or not."""
    empty = os.path.join(build, "bench", "empty")
    return [
        Tracer("empty", "one empty program, tp_btf/sched_switch", [empty, "1"], b"ready",
               whole=[empty, "1"]),
        Tracer("empty-2", "two of them, also tp_btf/sched_exit_tp", [empty, "2"], b"ready", HOOKS),
        *coldspots("coldspot", coldspot),
        *(t for name, path in others for t in coldspots(f"coldspot-{name}", path)),
        offcputime_at("offcputime", "libbpf-tools"),
        offcputime_at("offcputime-min", f"libbpf-tools, -m {MIN_US}", "-m", MIN_US, mode=MIN),
        offcputime_at("offcputime-other", "libbpf-tools, -p of a process that sleeps",
                      mode=FILTER, target=OTHER),
        bpftrace_at("bpftrace", "offcpu.bt"),
        bpftrace_at("bpftrace-wakers", "offwake.bt", mode=WAKERS),
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
