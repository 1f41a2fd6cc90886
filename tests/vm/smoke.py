# SPDX-License-Identifier: Apache-2.0
"""Every program set loads, and a workload of known waits is recorded right: guest/smoke.sh."""
import os
import shutil

import guest as vm
import checks
import judges

# Every choice of every option is tried on each kernel; on these, every one alone as well.
ALL = ("6.1", "6.12")
KPROBE, EARLY = "kprobe on finish_task_switch", "at sched_switch"
TABLES, FROM_PROC = "unwind tables", "unwind tables with mappings from /proc"
# The case, its options, what the header says of them.
WAITS = {
    "waits-auto": ("the default", (KPROBE, "sched_info", TABLES)),
    "waits-kprobe-waking-fp": ("--resume-hook kprobe --split waking --unwind fp",
                               (KPROBE, "sched_waking", "frame pointer")),
    "waits-switch-sched_info-proc": ("--resume-hook switch --split sched_info --mappings proc",
                                     (EARLY, "sched_info", FROM_PROC)),
    "waits-switch-waking": ("--resume-hook switch --split waking", (EARLY, "sched_waking", TABLES)),
}
MORE_WAITS = {
    "waits-kprobe-sched_info": ("--resume-hook kprobe --split sched_info", (KPROBE, "sched_info")),
    "waits-kprobe-waking": ("--resume-hook kprobe --split waking", (KPROBE, "sched_waking")),
    "waits-switch-sched_info": ("--resume-hook switch --split sched_info", (EARLY, "sched_info")),
    "waits-fp": ("--unwind fp", (KPROBE, "frame pointer")),
    "waits-proc": ("--mappings proc", (KPROBE, FROM_PROC)),
}


def judge_waits(tap, guest, case, options, words):
    title = f"{guest.name}: {options}: "
    recording, problems = guest.recording(case)
    if not recording:
        tap.report(title + "records", problems)
        return
    said = guest.said(case)
    problems += [f"hooks: {recording.header['hooks']}"
                 for word in words if word not in recording.header["hooks"]]
    tap.report(title + "records by these", problems)
    tap.report(title + "nothing lost, all adds up", judges.sound(recording, checks.UNNAMED))
    tap.report(title + "sleeps", judges.known_waits(recording, said, "sleeps", judges.SLEEP))
    tap.report(title + "mutex", judges.mutex(recording, said))
    tap.report(title + "pipes", judges.ping_pong(recording, said))
    tap.report(title + "kernel stacks begin in the scheduler", judges.kernel_leaf(recording))
    if "fp" not in case:
        tap.report(title + "user stacks are whole", judges.whole(recording))


def sleeps_of(recording):
    return [w for w in recording.waits if w.task and w.task.comm == "sleep" and
            judges.SLEEP & set(w.kernel)]


def judge_command(tap, guest, case):
    """A recording of `sleep 0.3`, whose process is gone before all its mappings were read."""
    recording, problems = guest.recording(case)
    if recording:
        problems = judges.sound(recording, checks.UNNAMED)
        slept = sum(w.off_ns for w in sleeps_of(recording))
        problems += judges.slept(slept, guest.text(case + ".slept"))
        cgroups = {t.cgroup for t in recording.tasks if t.comm == "sleep"}
        if cgroups != {"/smoke" if case in ("filters", "cgroup") else "/"}:
            problems.append(f"in the cgroups {cgroups}")
    tap.report(f"{guest.name}: {case}", problems)


def judge_doctor(tap, guest):
    problems = guest.status("doctor", 0)
    for words in (f"on Linux {guest.name.split('-')[0]}.", "Recording will work.",
                  "finish_task_switch"):
        if words not in guest.text("doctor.out"):
            problems.append(f"does not say '{words}'")
    tap.report(f"{guest.name}: doctor", problems)


def judge_all(tap, guest):
    recording, problems = guest.recording("all")
    if recording:
        problems = judges.sound(recording, checks.UNNAMED)
        kinds = {"kthread" in t.flags for t in recording.tasks}
        if kinds != {True, False}:
            problems.append("not both kernel threads and others")
    tap.report(f"{guest.name}: all threads of the machine", problems)


def judge_verifier(tap, guest):
    title = f"{guest.name}: what the verifier walks"
    tap_text = guest.text("verifier.out")
    if not guest.text("verifier.status"):
        tap.skip(title, "there is no verifier_counts for it: make verifier")
    elif "# SKIP" in tap_text:
        tap.skip(title, tap_text.split("# SKIP")[1].strip())
    else:
        tap.report(title, guest.status("verifier", 0) +
                   [line for line in tap_text.splitlines() if line.startswith("not ok")])
        for line in tap_text.splitlines():
            if line.startswith("# NOTE"):
                tap.note(line.lstrip("# "))


def judge(tap, guest):
    judge_doctor(tap, guest)
    judge_command(tap, guest, "command")
    judge_command(tap, guest, "filters")
    judge_all(tap, guest)
    tap.report(f"{guest.name}: --resume-hook sched_exit is refused in one sentence",
               guest.refusal("exit_tp", 1, "sched_exit_tp"))
    for case, (options, words) in WAITS.items():
        judge_waits(tap, guest, case, options, words)
    if guest.name not in ALL:
        return
    for case, (options, words) in MORE_WAITS.items():
        judge_waits(tap, guest, case, options, words)
    for case in ("comm", "cgroup", "pidns"):
        judge_command(tap, guest, case)
    judge_verifier(tap, guest)


def prepare(directory, arch):
    counter = os.path.join(vm.BUILD, "tests", "bpf", "verifier_counts")
    if arch != "amd64" or not os.access(counter, os.X_OK):
        return
    shutil.copy(counter, directory)
    for path in ("scripts/verifier-counts", "tests/bpf/verifier-counts.txt"):
        if os.path.exists(os.path.join(vm.ROOT, path)):
            os.makedirs(os.path.join(directory, os.path.dirname(path)), exist_ok=True)
            shutil.copy(os.path.join(vm.ROOT, path), os.path.join(directory, path))


def part(name):
    if name in ALL:
        return vm.Part("smoke", 200, "smoke.sh", ["all"])
    return vm.Part("smoke", 110, "smoke.sh", ["few"])
