# SPDX-License-Identifier: Apache-2.0
"""What kernels, administrators and other programs do to a profiler: see guest/faults.sh."""
import os

import guest as vm
import checks
import judges


def words(text, *wanted):
    """Whatever the line breaks."""
    flat = " ".join(text.split())
    return [f"does not say '{word}'" for word in wanted if word not in flat]


def report(tap, guest, what, problems):
    tap.report(f"{guest.name}: {what}", problems)


def judge_recording(tap, guest, what, case, more, allowed=checks.UNNAMED):
    """It came about and is sound; `more(recording)` is what else must hold."""
    recording, problems = guest.recording(case)
    if recording:
        problems = judges.sound(recording, allowed) + more(recording)
    report(tap, guest, what, problems)


def sleeps(guest, case):
    def judge(recording):
        slept = sum(w.off_ns for w in recording.waits if w.task and w.task.comm == "sleep" and
                    w.state == "S" and judges.SLEEP & {checks.plain(f) for f in w.kernel})
        return judges.slept(slept, guest.text(case + ".slept"))
    return judge


def judge_sleep(tap, guest, what, case):
    judge_recording(tap, guest, what, case, sleeps(guest, case))


def known(guest, case):
    """The waiter's sleeps and its mutex."""
    said = guest.said(case)
    return lambda rec: (judges.known_waits(rec, said, "sleeps", judges.SLEEP) +
                        judges.mutex(rec, said))


def judge_cpus(tap, guest):
    possible, online = guest.text("cpus.possible").strip(), guest.text("cpus.online").strip()
    title = "more CPUs are possible than online"
    if possible == online:
        tap.skip(f"{guest.name}: {title}", f"this kernel takes {possible} of both")
    else:
        judge_recording(tap, guest, title, "cpus-plain", known(guest, "cpus-plain"))
    seen = guest.text("hotplug.seen").split()
    judge_recording(tap, guest, "a CPU goes offline and comes back", "hotplug",
                    lambda rec: known(guest, "hotplug")(rec) +
                    ([] if seen == ["0", "0-1"] else [f"online were {seen}"]))


def judge_limits(tap, guest):
    report(tap, guest, "perf_event_max_stack 16: doctor",
           guest.status("depth-doctor", 0) +
           words(guest.text("depth-doctor.out"), "stack depth: 16 frames",
                 "truncated at their root"))

    def cut(recording):
        deepest = max(len(w.kernel) for w in recording.waits)
        problems = checks.between("deepest kernel stack", deepest, 8, 16)
        if not recording.events_lost("stack_cut"):
            problems.append(f"nothing was cut: {recording.losses}")
        return problems + sleeps(guest, "depth")(recording)
    judge_recording(tap, guest, "perf_event_max_stack 16: recorded, with what was cut counted",
                    "depth", cut, checks.UNNAMED | {"stack_cut"})
    judge_sleep(tap, guest, "memory.max of 192 MiB", "memory-enough")
    for case in ("memory-16m", "memory-4m"):
        status = guest.text(case + ".status").strip()
        problems = []
        if status == "1":
            problems = guest.refusal(case, 1, "memory")
        elif status != "137":  # the kernel's doing
            judge_sleep(tap, guest, f"{case}: it is enough", case)
        report(tap, guest, f"{case}: a sentence or the kernel's axe: {status}", problems)
    judge_sleep(tap, guest, "the next run after that", "memory-after")


def judge_names(tap, guest):
    report(tap, guest, "no BTF: one sentence", guest.refusal("nobtf", 1, "no BTF"))
    report(tap, guest, "no BTF: doctor", guest.status("nobtf-doctor", 1) +
           words(guest.text("nobtf-doctor.out"), "Recording will not work", "BTF"))
    report(tap, guest, "kptr_restrict 2: doctor", guest.status("kptr-doctor", 0) +
           words(guest.text("kptr-doctor.out"), "kptr_restrict is 2", "Recording will work."))
    recording, problems = guest.recording("kptr")
    if recording:
        named = {f for w in recording.waits for f in w.kernel if not f.startswith("[")}
        problems = [f"kernel frames have names: {sorted(named)[:5]}"] if named else []
        problems += judges.sound(recording, checks.UNNAMED)
        problems += words(guest.text("kptr.out"), "kptr_restrict")
        if not any(w.has_kernel for w in recording.waits):
            problems.append("there are no kernel stacks")
    report(tap, guest, "kptr_restrict 2: kernel frames are without name, and it says so", problems)


# Without it: the status, what standard error or the summary has to say.
CAPABILITIES = {
    "bpf": (3, "CAP_BPF"),
    "perfmon": (3, "CAP_PERFMON"),
    "sys_ptrace": (0, None),
    "syslog": (0, "kptr_restrict"),
    "dac_read_search": (0, None),
    "checkpoint_restore": (0, None),
}


def judge_capability(tap, guest, missing, status, sentence):
    case = f"rights-no-{missing}"
    title = f"without CAP_{missing.upper()}"
    if status:
        report(tap, guest, title + ": refused in a sentence", guest.refusal(case, status, sentence))
        return

    def right(recording):
        blocked = sum(t.blocked_ns for t in recording.tasks)
        problems = [] if blocked == recording.window_ns else [f"{blocked} ns blocked"]
        said = guest.text(case + ".out")
        return problems + (words(said, sentence) if sentence else [])
    judge_recording(tap, guest, title + ": works, and says what is missing", case, right)


def judge_rights(tap, guest):
    judge_recording(tap, guest, "as nobody with the six capabilities", "rights-all",
                    lambda rec: [] if rec.tasks else ["no task"])
    for missing, (status, sentence) in CAPABILITIES.items():
        judge_capability(tap, guest, missing, status, sentence)
    report(tap, guest, "as nobody without capabilities",
           guest.refusal("rights-none", 3, "not permitted", "CAP_BPF"))
    report(tap, guest, "as root of a user namespace",
           guest.refusal("userns", 3, "not permitted", "user namespace"))
    judge_sleep(tap, guest, "in a PID namespace of a PID namespace", "nested-pidns")


# A thread obeys a signal or a freezer when it is about to leave the kernel the next time.
HELD_S = 0.2


def judge_stopped(tap, guest):
    def throttled(recording):
        task = recording.tasks[0]
        share = (task.preempted_ns + task.runq_ns) / task.wall_ns
        return [] if 0.5 < share and task.blocked_ns < task.wall_ns / 20 else [
            f"{task}: on {task.on_ns}, preempted {task.preempted_ns}, run queue {task.runq_ns}, "
            f"blocked {task.blocked_ns} of {task.wall_ns}"]

    def held(case, state, frames):
        def judge(recording):
            said = guest.text(case + ".held").split()
            if len(said) != 4:
                return ["the guest does not say when"]
            stops, stopped, goes, went = (float(word) for word in said)
            waits = [w for w in recording.waits if frames & {checks.plain(f) for f in w.kernel}]
            waited_s = sum(w.off_ns for w in waits) / 1e9
            problems = [] if goes - stopped - HELD_S <= waited_s <= went - stops + HELD_S else [
                f"waited: {waited_s} s, held for {goes - stopped} to {went - stops} s"]
            problems += [f"state: {w}" for w in waits if w.state != state and w.off_ns > 10 ** 8]
            return problems + ([str(w) for w in recording.waits] if problems else [])
        return judge
    judge_recording(tap, guest, "a cgroup that is throttled is not blocked", "throttled", throttled)
    judge_recording(tap, guest, "SIGSTOP", "stopped", held("stopped", "T", {"do_signal_stop"}))
    judge_recording(tap, guest, "a frozen cgroup", "frozen",
                    held("frozen", "S", {"do_freezer_trap", "get_signal"}))


def lives(recording):
    """Many, each with a number, and no two at once that have the same."""
    problems = [] if len(recording.tasks) > 500 else [f"{len(recording.tasks)} tasks only"]
    by_tid = {}
    for task in recording.tasks:
        by_tid.setdefault(task.tid, []).append((task.begin_ns, task.begin_ns + task.wall_ns))
    for tid, spans in by_tid.items():
        spans.sort()
        problems += [f"two at once with tid {tid}: {a} {b}" for a, b in zip(spans, spans[1:])
                     if a[1] > b[0]]
    if not any(len(spans) > 1 for spans in by_tid.values()):
        problems.append("no number came again")
    return problems[:8]


def judge_ends(tap, guest):
    report(tap, guest, "kill -9: it has programs before", [] if "on_sched_switch" in
           guest.text("killed.during") else [guest.text("killed.during")])
    report(tap, guest, "kill -9: nothing is left behind", guest.text("killed.after").splitlines())
    judge_recording(tap, guest, "kill -9: the next run", "after-killed",
                    known(guest, "after-killed"))
    for case in ("one", "other"):
        judge_recording(tap, guest, f"two at once: the {case}", case, known(guest, "both"))
    judge_recording(tap, guest, "numbers of processes that come again", "pids", lives)


def judge_lockdown(tap, guest):
    report(tap, guest, "lockdown=integrity: doctor", guest.status("integrity-doctor", 0) +
           words(guest.text("integrity-doctor.out"), "lockdown: integrity"))
    judge_sleep(tap, guest, "lockdown=integrity: works", "integrity")
    report(tap, guest, "lockdown=confidentiality: doctor",
           guest.status("confidentiality-doctor", 3) +
           words(guest.text("confidentiality-doctor.out"), "lockdown is confidentiality"))
    report(tap, guest, "lockdown=confidentiality: one sentence",
           guest.refusal("confidentiality", 3, "lockdown is confidentiality"))


THEMES = {"cpus": judge_cpus, "limits": judge_limits, "names": judge_names,
          "rights": judge_rights, "stopped": judge_stopped, "ends": judge_ends,
          "lockdown": judge_lockdown}


# The others, for time, have those that may be another matter there.
FEW = {"6.1-rt": "stopped", "6.12-rt": "stopped ends", "6.1-arm64": "cpus lockdown",
       "6.12-arm64": "rights ends", "6.12-arm64-16k": "limits names"}


def themes_of(name):
    return os.environ.get("VM_THEMES", FEW.get(name, " ".join(THEMES))).split()


def prepare(_directory, _arch):
    """It takes no more than every guest has."""


def part(name):
    return vm.Part("faults", 180, "faults.sh", themes_of(name))


def judge(tap, guest):
    for theme in themes_of(guest.name):
        THEMES[theme](tap, guest)
