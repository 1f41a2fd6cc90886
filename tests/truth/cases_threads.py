# SPDX-License-Identifier: Apache-2.0
"""Many threads, threads that live for a moment, threads that die in their wait, tids used again."""
import always
import checks
import expect
from cases import case
from session import record

SHORT = 10000
MANY = 2000


@case("short-threads", ("default", "switch"))
def short_threads(env, tap, mode):
    """10,000 threads of a millisecond each."""
    run = record(env, [env.life, "threads", str(SHORT)], mode)
    rec, sums = run.recording, run.of("sums")[0]
    tasks = [t for t in rec.tasks if t.comm == "short"]
    waits = [w for t in tasks for w in t.waits_with("block_short")]
    tap.report("short-threads/all-there", [] if len(tasks) == SHORT else
               [f"{len(tasks)} threads of {SHORT}"])
    tap.report("short-threads/flags", [f"{t}: {sorted(t.flags)}" for t in tasks
                                       if not {"born", "exited"} <= t.flags])
    unknown = [w for t in tasks for w in t.waits if "no_resume" in w.flags]
    tap.report("short-threads/time", checks.wait_time(
        "all", checks.inside(waits), waits + unknown, sums, run.each_wait_ns,
        rec.ns_lost("missed_switch")))
    tap.report("short-threads/count", checks.wait_count(
        "all", checks.inside(waits), waits + unknown, sums, run.missed))
    sleeps = [w for w in waits if w.state == "S"]
    tap.report("short-threads/frames", checks.user_frames(
        sleeps, ("wl_pause", "block_short", "run_short", "short_main")))
    tap.report("short-threads/life", checks.lifetimes("all", sum(t.wall_ns for t in tasks),
                                                      sums["inner_ns"], sums["outer_ns"]))
    always.report(tap, "short-threads", run)


def judge_brackets(run, what, task, waits, truth):
    inner, outer = checks.inside(waits), checks.around(waits, task)
    more_ns = run.unknown_to(task)
    problems = (checks.wait_time(what, inner, outer, truth, run.each_wait_ns, more_ns) +
                checks.wait_count(what, inner, outer, truth, run.missed))
    return problems and problems + checks.evidence(task.waits)


def judge_many(run):
    """Each was blocked before, in the middle of and after the work."""
    problems = []
    for truth in run.of("thread"):
        task = run.task(truth["tid"])
        if not task:
            problems.append(f"tid {truth['tid']}: not one record")
            continue
        waits = task.waits_with("block_many")
        problems += judge_brackets(run, str(task), task, waits, truth)
        gates = [w for w in task.waits_with(expect.GATE) if w.state == "S"]
        if sum(w.count for w in gates) != 2:
            problems.append(f"{task}: {sum(w.count for w in gates)} waits at the gates, not 2")
        problems += checks.has_stacks(task.waits_with("run_many") + gates)
    return problems


@case("many-blocked", ("default", "switch"))
def many_blocked(env, tap, mode):
    """2,000 threads blocked at once, from before the window until after it."""
    run = record(env, [env.life, "blocked", str(MANY)], mode)
    known = {t.tid for t in run.recording.tasks if t.comm == "many"}
    tap.report("many-blocked/all-there", [] if len(known) == MANY else
               [f"{len(known)} threads of {MANY}"])
    tap.report("many-blocked/waits", judge_many(run)[:20])
    always.report_parked(tap, "many-blocked", run)
    always.report(tap, "many-blocked", run)


@case("exit-while-blocked", ("default", "waking", "switch"))
def exit_while_blocked(env, tap, mode):
    """exit_group() with eight threads blocked since before the window."""
    run = record(env, [env.life, "exit", "8"], mode, ends=True)
    rec, problems = run.recording, []
    life = run.of("exit")[0]["mono_ns"] - rec.begin_mono_ns
    tasks = [t for t in rec.tasks if t.comm == "forever"]
    if len(tasks) != 8:
        problems.append(f"{len(tasks)} threads of 8")
    for task in tasks:
        # the recording ends with the process, which may be before the last switch of a thread
        if "exited" not in task.flags and task.wall_ns != rec.window_ns or "born" in task.flags:
            problems.append(f"{task}: flags {sorted(task.flags)}")
        problems += checks.within(f"{task}: wall", task.wall_ns, life, checks.EDGE_SHARE,
                                  checks.DEATH_NS)
        # woken by the signal it may be preempted on its way out, which is a wait of its own
        waits = [w for w in task.waits_with("block_forever") if w.state == "S"]
        problems += checks.within(f"{task}: blocked", sum(w.blocked_ns for w in waits), life,
                                  checks.EDGE_SHARE, checks.DEATH_NS)
        problems += checks.kernel_frames(waits, [expect.PIPE_READ])
        problems += checks.user_frames(waits, ("block_forever", "run_forever", "thread_main"))
        if sum(w.count for w in waits) != 1 or not all("pre" in w.flags for w in waits):
            problems += [f"{task}: not one wait from before the window"]
            problems += checks.evidence(waits)
    tap.report("exit-while-blocked/threads", problems)
    always.report(tap, "exit-while-blocked", run)


def judge_lives(run, lives, tasks):
    if len(tasks) != len(lives):
        return [f"{len(tasks)} records of the tid, {len(lives)} lives"]
    problems = []
    if len({t.start_boottime_ns for t in tasks}) != len(tasks):
        problems.append("two lives have one start")
    for life, task in zip(lives, sorted(tasks, key=lambda t: t.begin_ns)):
        waits = task.waits_with("block_reuse")
        what = f"{task} begun {task.begin_ns}"
        problems += judge_brackets(run, what, task, waits, life)
        problems += checks.lifetimes(what, task.wall_ns, life["dying_ns"] - life["born_ns"],
                                     life["joined_ns"] - life["created_ns"])
    return problems


@case("tid-reuse", ("default", "switch"))
def tid_reuse(env, tap, mode):
    """Twenty threads one after the other, all with one tid."""
    run = record(env, [env.life, "reuse", "20"], mode)
    lives = run.of("life")
    if len(lives) < 3:
        tap.skip("tid-reuse/lives", "ns_last_pid cannot be set, or others are always quicker")
        return
    tasks = [t for t in run.recording.tasks if t.tid == lives[0]["tid"] and t.comm == "reuse"]
    tap.report("tid-reuse/lives", judge_lives(run, lives, tasks))
    always.report(tap, "tid-reuse", run)
