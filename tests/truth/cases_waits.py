# SPDX-License-Identifier: Apache-2.0
"""Each kind of wait: its time, count, state, system call and frames."""
import always
import checks
import expect
from cases import case
from session import record

MODES = ("default", "plain", "waking", "switch", "switch-sched-info", "kprobe")


def measured(task, want):
    """The waits of the brackets, as well as stacks tell them."""
    if not want.frame:
        return [w for w in task.waits if not w.has_frame(expect.GATE)]
    waits = task.waits_with(want.frame)
    if want.frame.startswith("run_"):
        waits = [w for w in waits if not w.has_frame("wl_pause")]
    return waits


def judge_numbers(run, want, task, waits, sure, truth):
    """Time and number of the brackets' waits. Where a function of the C library hides the bracket,
    only those of the right kind are surely in it."""
    inner = checks.inside(waits) if want.marks_bracket else sure
    outer = checks.around(waits, task)
    more_ns = run.unknown_to(task)
    if want.state == "R":
        return (checks.runnable_time(want.thread, sure, outer, truth, more_ns) +
                checks.preempt_count(want.thread, sure, outer, truth, run.missed))
    problems = checks.wait_time(want.thread, inner, outer, truth, run.each_wait_ns, more_ns)
    if want.marks_bracket:
        problems += checks.wait_longest(want.thread, waits, truth)
    return problems + checks.wait_count(want.thread, inner, outer, truth, run.missed)


def judge_kind(run, want):
    """All that is expected of one thread."""
    truth = run.truth(want.thread)
    task = run.task(truth["tid"])
    if not task:
        return [f"{want.thread}: not one record of tid {truth['tid']}"]
    waits = measured(task, want)
    sure = [w for w in waits if want.matches(w) and not w.flags & {"no_resume", "lost"}
            and not want.is_aside(w)]
    problems = judge_numbers(run, want, task, waits, sure, truth)
    # a round that was woken before it slept is no wait; the thread knows how many were
    if truth["blocked"] == want.rounds and \
            abs(sum(w.count for w in sure) - want.rounds) > \
            run.missed + want.rounds * checks.ROUNDS_SHARE:
        problems.append(f"{want.thread}: {sum(w.count for w in sure)} waits in state {want.state}"
                        f" and {want.call}, not {want.rounds}")
    strange = [w for w in waits if w.state not in ("R", want.state)
               and not want.is_aside(w)]
    problems += [f"{want.thread}: unexpected state: {w}" for w in strange]
    problems += [f"{want.thread}: {w.cause} and for a lock: {w}" for w in waits
                 if expect.is_for_rt_lock(w) and w.cause not in expect.RT_LOCK_CAUSES]
    if not sure:
        return problems + [f"{want.thread}: no wait in state {want.state} and {want.call}"]
    problems += checks.kernel_leaf(sure) + checks.user_frames(sure, want.user or ())
    problems += judge_flags(want, sure) + judge_cause(want, sure)
    if want.state != "R":
        problems += checks.kernel_frames(sure, want.kernel)
    elif not any(not checks.kernel_frames([w], want.kernel) for w in sure):
        problems += checks.kernel_frames(sure, want.kernel)
    if problems:
        problems += checks.evidence(sorted(task.waits, key=lambda w: -w.off_ns)[:12])
    return problems


def judge_cause(want, waits):
    """The right name, and none of them a wait for work."""
    name = expect.CAUSES.get(want.thread)
    if not name:
        return []
    return [f"{want.thread}: {w.cause}, {w.wait_class} instead of {name}, work: {w}" for w in waits
            if (w.cause, w.wait_class) != (name, "work")]


def judge_flags(want, waits):
    problems = []
    for wait in waits:
        if want.iowait and "iowait" not in wait.flags:
            problems.append(f"{want.thread}: not flagged iowait: {wait}")
        if want.killable and "killable" not in wait.flags:
            problems.append(f"{want.thread}: not flagged killable: {wait}")
    return problems


def report_kinds(tap, case_name, run, table):
    for kind, want in table.items():
        why = run.skipped(kind)
        if why:
            tap.skip(f"{case_name}/{kind}", f"this kind of wait is not available here: {why}")
        else:
            tap.report(f"{case_name}/{kind}", judge_kind(run, want))


def judge_gates(run):
    """Waits that began before the window, and those that were not over at its end."""
    rec, problems = run.recording, []
    for truth in run.of("thread"):
        task = run.task(truth["tid"])
        if not task or truth["kind"] == "span":
            continue
        # Whose resume event was missed has no stacks; no_losses() says how many of these may be.
        bare = [w for w in task.waits if {"pre", "no_resume"} <= w.flags]
        gate = task.waits_with(expect.GATE) + bare
        before = [w for w in gate if "pre" in w.flags]
        after = [w for w in gate if "open" in w.flags]
        what = f"{task}: at the gate"
        if [w.count for w in before] != [1] or [w.count for w in after] != [1]:
            problems.append(f"{what}: {len(before)} before and {len(after)} after the work")
            problems += checks.evidence(task.waits)
            continue
        problems += checks.within(f"{what} before the work",
                                  sum(w.off_ns for w in gate if "open" not in w.flags),
                                  truth["go_ns"] - rec.begin_mono_ns,
                                  checks.EDGE_SHARE, checks.EDGE_NS)
        problems += checks.within(f"{what} after the work", after[0].off_ns,
                                  rec.begin_mono_ns + rec.window_ns - truth["park_ns"],
                                  checks.EDGE_SHARE, checks.EDGE_NS)
        seen = [w for w in before + after if w not in bare]
        problems += checks.kernel_frames(seen, [expect.FUTEX])
        problems += checks.user_frames(seen, (expect.GATE, "thread_main"))
    return problems


def judge_span(run):
    """A wait that spans the whole window is in the list, with its stacks."""
    task = run.task(run.truth("span")["tid"])
    if not task:
        return ["span: not one record"]
    window_ns = run.recording.window_ns
    problems = []
    if task.blocked_by.get("S", 0) != window_ns or task.on_ns:
        problems.append(f"{task}: blocked {task.blocked_by}, on a CPU {task.on_ns}, "
                        f"window {window_ns}")
    if len(task.waits) != 1 or task.waits[0].count != 1:
        return (problems + [f"{task}: {len(task.waits)} waits"] +
                checks.evidence(task.waits))
    wait = task.waits[0]
    if not {"pre", "open"} <= wait.flags or wait.sysno != expect.sysno("read"):
        problems.append(f"flags or system call: {wait}")
    problems += checks.kernel_frames([wait], [expect.PIPE_READ])
    return problems + checks.user_frames([wait], ("block_span", "run_span", "thread_main"))


@case("waits", MODES)
def waits(env, tap, mode):
    """Every kind that blocks, all at once."""
    run = record(env, [env.waits, "-C", env.scratch, *expect.BLOCKING, "span"], mode)
    report_kinds(tap, "waits", run, expect.BLOCKING)
    tap.report("waits/span-of-the-window", judge_span(run))
    tap.report("waits/began-before-and-open-at-the-end", judge_gates(run))
    always.report_parked(tap, "waits", run)
    always.report(tap, "waits", run)


def judge_migrations(run):
    truth = run.truth("migrate")
    task = run.task(truth["tid"])
    if not task:
        return ["migrate: not one record"]
    delta = run.after[task.tid] - run.before[task.tid]
    return checks.migrations(task, truth["moved"], delta.migrations, run.missed)


@case("cpu", MODES)
def cpu(env, tap, mode):
    """Threads that wait for a CPU, one of which is migrated meanwhile."""
    run = record(env, [env.waits, *expect.FOR_A_CPU], mode)
    report_kinds(tap, "cpu", run, expect.FOR_A_CPU)
    why = run.skipped("migrate")
    problems = [] if why else judge_migrations(run)
    moved = 0 if why else run.truth("migrate")["moved"]
    if moved < checks.MOVES and not problems:
        tap.skip("cpu/migrations", why or f"the thread was moved {moved} times: a busy machine")
    else:
        tap.report("cpu/migrations", problems)
    always.report_parked(tap, "cpu", run)
    always.report(tap, "cpu", run)


def judge_moved(run):
    truth = run.truth("moved")
    task = run.task(truth["tid"])
    if not task:
        return ["moved: not one record"]
    sleeps = [w for w in task.waits_with("block_moved") if w.state == "S"]
    return checks.between_times(f"{task}: blocked ns of {truth['count']} sleeps of 20 ms",
                                sum(w.blocked_ns for w in sleeps), truth["count"] * 20_000_000,
                                truth["mono_ns"])


@case("moved-asleep", MODES)
def moved_asleep(env, tap, mode):
    """A thread that is migrated while it sleeps is asleep; since 6.12 sched_info says otherwise."""
    run = record(env, [env.waits, *expect.MOVED], mode)
    why = run.skipped("moved")
    if why:
        tap.skip("moved-asleep", why)
        return
    report_kinds(tap, "moved-asleep", run, expect.MOVED)
    # Up to a fifth of the sleeps are moved. The first few may be over before wakeups are watched.
    tap.report("moved-asleep/wakeups", checks.between_times(
        "waits whose wakeup was missed", run.recording.events_lost("split_missing"), 0, 4))
    tap.report("moved-asleep/blocked", judge_moved(run))
    always.report(tap, "moved-asleep", run)
