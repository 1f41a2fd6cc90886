#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The program on kernels that this machine does not run. Prints TAP; needs root.

Each kernel boots once, runs guest/smoke.sh, and what that leaves is judged here. A kernel that
cannot be had, or no qemu, is a skip that says why. VM_KERNELS="6.1 6.12" chooses; VM_KEEP=DIR keeps
what the guests leave.

The guest is emulated and the machine may be busy, so times have 5 %, where the truth tests have
0.5 %: what is looked for is a program that is refused, a hook that does not come, a field that is
another one.
"""
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "truth"))

import checks  # noqa: E402
from recording import Recording  # noqa: E402
from tap import Tap  # noqa: E402

KERNELS = os.environ.get("VM_KERNELS", "6.1 6.12 6.1-rt 6.12-rt").split()
BOOT_SECONDS = 600
TIME_SHARE, AROUND_SHARE = 0.05, 0.2
SLEEP = {"do_nanosleep", "hrtimer_nanosleep"}
FUTEX = {"futex_wait", "futex_wait_queue", "futex_wait_queue_me", "__futex_wait"}
PIPE = {"pipe_read", "anon_pipe_read"}
HOOK_WORDS = {"auto": "kprobe on finish_task_switch", "kprobe": "kprobe on finish_task_switch",
              "switch": "at sched_switch"}
SPLIT_WORDS = {"sched_info": "split by sched_info", "waking": "split by sched_waking"}
WARNING = ("WARNING:", "BUG:", "stall")


class Guest:
    """What a guest left in a directory."""

    def __init__(self, directory):
        self.directory = directory

    def text(self, name):
        try:
            with open(os.path.join(self.directory, name), encoding="utf-8", errors="replace") as f:
                return f.read()
        except FileNotFoundError:
            return ""

    def status(self, case, wanted):
        status = self.text(case + ".status").strip()
        if status == str(wanted):
            return []
        said = (self.text(case + ".err") or self.text(case + ".out")).splitlines()
        return [f"exit status {status or 'unknown'}, not {wanted}"] + said[-10:]

    def recording(self, case):
        """The recording, or None, and what is wrong with it."""
        problems = self.status(case, 0)
        if problems:
            return None, problems
        try:
            return Recording.load(os.path.join(self.directory, case + ".json")), []
        except (OSError, ValueError, KeyError) as e:
            return None, [f"{case}.json: {e!r}"]


def sound(recording, allowed=()):
    """What holds of every recording."""
    problems = checks.no_losses(recording, allowed)
    for task in recording.tasks:
        problems += checks.identity(task)
        problems += checks.listed_is_total(task)
        if task.unaccounted_ns:
            problems.append(f"{task}: {task.unaccounted_ns} ns unaccounted")
    for wait in recording.waits:
        problems += checks.wait_is_sound(wait)
    return problems


def waits_of(recording, tid):
    return [w for t in recording.tasks_of(tid) for w in t.waits]


def known_waits(recording, said, body, frames):
    """Waits of a thread against its own account of their number and length. The wait for another
    one of its kind, when it begins, is told apart by the function that the stack must have."""
    tid, count, ns = said.get(body, (0, 0, 0))
    waits = [w for w in waits_of(recording, tid) if w.has_frame(body) and frames & set(w.kernel)]
    slept = sum(w.count for w in waits if w.state == "S")
    # One that is preempted on its way to sleep, and by then need not, is in state R.
    seen = sum(w.count for w in waits)
    # Its own clock runs on while it is on its way in and out of the kernel, or preempted there.
    around = sum(t.on_ns + t.preempted_ns for t in recording.tasks_of(tid))
    problems = [] if count and slept <= count <= seen else [
        f"{body}: {slept} waits, {seen} with preempted ones, truth {count}"]
    problems += checks.within(body, sum(w.off_ns for w in waits), ns, TIME_SHARE,
                              min(around, ns * AROUND_SHARE))
    if problems:
        problems += [str(w) for w in waits_of(recording, tid)]
    return problems


def ping_pong(recording, said):
    """In each round one of the two waits for the other at least once, and each once at most."""
    problems, both, rounds = [], 0, 0
    for body in ("pings", "pongs"):
        tid, rounds, _ns = said.get(body, (0, 0, 0))
        seen = sum(w.count for w in waits_of(recording, tid) if w.state == "S" and
                   w.has_frame(body) and PIPE & set(w.kernel))
        problems += checks.between(f"{body}: waits in {rounds} rounds", seen, 0, rounds)
        both += seen
    return problems + checks.between("both", both, rounds * 9 // 10, 2 * rounds)


def read_said(text):
    lines = [line.split() for line in text.splitlines()]
    return {line[0]: tuple(map(int, line[1:])) for line in lines if len(line) == 4}


def judge_waits(tap, guest, name, hook, split):
    case = f"waits-{hook}-{split}"
    title = f"{name}: --resume-hook {hook} --split {split}: "
    recording, problems = guest.recording(case)
    if not recording:
        tap.report(title + "records", problems)
        return
    said = read_said(guest.text(case + ".said"))
    for words in (HOOK_WORDS[hook], SPLIT_WORDS[split]):
        if words not in recording.header["hooks"]:
            problems.append(f"hooks: {recording.header['hooks']}")
    tap.report(title + "records by these", problems)
    tap.report(title + "nothing lost, all adds up", sound(recording, checks.UNNAMED))
    tap.report(title + "sleeps", known_waits(recording, said, "sleeps", SLEEP))
    tap.report(title + "mutex", known_waits(recording, said, "locks", FUTEX))
    tap.report(title + "pipes", ping_pong(recording, said))


def sleeps_of(recording):
    return [w for w in recording.waits if w.task and w.task.comm == "sleep" and
            SLEEP & set(w.kernel)]


def judge_command(tap, guest, name, case):
    """A recording of `sleep 0.3`, whose process is gone before all its mappings were read."""
    recording, problems = guest.recording(case)
    if recording:
        problems = sound(recording, checks.UNNAMED)
        slept = sum(w.off_ns for w in sleeps_of(recording))
        problems += checks.within("sleep 0.3", slept, 300_000_000, 0, 50_000_000)
    tap.report(f"{name}: {case}", problems)


def judge_exit_tp(tap, guest, name):
    problems = guest.status("exit_tp", 1)
    said = guest.text("exit_tp.err").splitlines()
    if len(said) != 1 or "sched_exit_tp" not in said[0]:
        problems.append(f"not one sentence on sched_exit_tp: {said}")
    tap.report(f"{name}: --resume-hook sched_exit is refused in one sentence", problems)


def judge_doctor(tap, guest, name):
    problems = guest.status("doctor", 0)
    for words in (f"on Linux {name.split('-')[0]}.", "Recording will work.", "finish_task_switch"):
        if words not in guest.text("doctor.out"):
            problems.append(f"does not say '{words}'")
    tap.report(f"{name}: doctor", problems)


def judge_all(tap, guest, name):
    recording, problems = guest.recording("all")
    if recording:
        problems = sound(recording, checks.UNNAMED)
        kinds = {"kthread" in t.flags for t in recording.tasks}
        if kinds != {True, False}:
            problems.append("not both kernel threads and others")
    tap.report(f"{name}: all threads of the machine", problems)


def judge_verifier(tap, guest, name):
    title = f"{name}: what the verifier walks"
    tap_text = guest.text("verifier.out")
    if not guest.text("verifier.status"):
        tap.skip(title, "there is no verifier_counts: make verifier")
    elif "# SKIP" in tap_text:
        tap.skip(title, tap_text.split("# SKIP")[1].strip())
    else:
        tap.report(title, guest.status("verifier", 0) +
                   [line for line in tap_text.splitlines() if line.startswith("not ok")])


def judge(tap, guest, name, console):
    judge_doctor(tap, guest, name)
    for case in ("command", "comm", "cgroup", "pidns"):
        judge_command(tap, guest, name, case)
    judge_all(tap, guest, name)
    judge_exit_tp(tap, guest, name)
    for hook in HOOK_WORDS:
        for split in SPLIT_WORDS:
            judge_waits(tap, guest, name, hook, split)
    judge_verifier(tap, guest, name)
    tap.report(f"{name}: the kernel does not complain",
               [line for line in console.splitlines() if any(w in line for w in WARNING)])


def fill(directory, coldspot, build):
    """What the guest needs, where it can see it: its own /tmp hides ours."""
    shutil.copy(coldspot, os.path.join(directory, "coldspot"))
    shutil.copy(os.path.join(HERE, "guest", "smoke.sh"), directory)
    subprocess.run([os.environ.get("CC", "cc"), "-O1", "-g", "-Wall", "-fno-omit-frame-pointer",
                    "-fno-optimize-sibling-calls", "-pthread", "-o",
                    os.path.join(directory, "waiter"), os.path.join(HERE, "guest", "waiter.c")],
                   check=True)
    counter = os.path.join(build, "tests", "bpf", "verifier_counts")
    if os.access(counter, os.X_OK):
        shutil.copy(counter, directory)
        for path in ("scripts/verifier-counts", "tests/bpf/verifier-counts.txt"):
            if os.path.exists(os.path.join(ROOT, path)):
                os.makedirs(os.path.join(directory, os.path.dirname(path)), exist_ok=True)
                shutil.copy(os.path.join(ROOT, path), os.path.join(directory, path))


def boot(tap, name, coldspot, build):
    run = os.path.join(HERE, "run")
    ready = subprocess.run([run, "-n", name], capture_output=True, text=True)
    if ready.returncode:
        tap.skip(f"{name}: ALL OF IT", ready.stderr.strip().replace("\n", "; "))
        return
    keep = os.environ.get("VM_KEEP")
    with tempfile.TemporaryDirectory(prefix="vm.") as directory:
        fill(directory, coldspot, build)
        guest = subprocess.run([run, "-t", str(BOOT_SECONDS), "-d", directory, name,
                                "sh", "./smoke.sh"], capture_output=True, text=True)
        tap.report(f"{name}: boots and runs to the end",
                   [] if guest.returncode == 0 else [f"exit status {guest.returncode}"] +
                   (guest.stdout + guest.stderr).splitlines()[-40:])
        judge(tap, Guest(directory), name, guest.stderr)
        if keep:
            shutil.copytree(directory, os.path.join(keep, name), dirs_exist_ok=True)


def main():
    coldspot = os.environ.get("COLDSPOT", os.path.join(ROOT, "build", "coldspot"))
    build = os.environ.get("COLDSPOT_BUILD", os.path.dirname(coldspot))
    if os.geteuid() != 0:
        print("1..0 # SKIP the virtual machines need root: no other kernel was tried")
        return 0
    if not os.access(coldspot, os.X_OK):
        print(f"Bail out! no program '{coldspot}'")
        return 1
    tap = Tap()
    for name in KERNELS:
        boot(tap, name, coldspot, build)
    tap.plan()
    return 1 if tap.failed else 0


sys.exit(main())
