# SPDX-License-Identifier: Apache-2.0
"""Judgements of what guest/waiter.c did, from outside of the guest.

The guest is emulated and the machine may be busy, so times have 5 %, where the truth tests have
0.5 %: what is looked for is a program that is refused, a hook that does not come, a field that is
another one.
"""
import checks

TIME_SHARE, AROUND_SHARE = 0.05, 0.2
UNKNOWN_SHARE, UNKNOWN_NS = 0.005, 2_000_000
SLEEP = {"do_nanosleep", "hrtimer_nanosleep"}
FUTEX = {"futex_wait", "futex_wait_queue", "futex_wait_queue_me", "__futex_wait"}
PIPE = {"pipe_read", "anon_pipe_read"}

checks.allow_late_losses()


def sound(recording, allowed=()):
    """What holds of every recording."""
    problems = checks.no_losses(recording, allowed)
    for task in recording.tasks:
        problems += checks.identity(task)
        problems += checks.listed_is_total(task)
        # A stopped guest hides a switch now and then; what is around it is counted as unknown.
        if task.unaccounted_ns > max(task.wall_ns * UNKNOWN_SHARE, UNKNOWN_NS):
            problems.append(f"{task}: {task.unaccounted_ns} ns unaccounted")
    for wait in recording.waits:
        problems += checks.wait_is_sound(wait)
    return problems


def waits_of(recording, tid):
    return [w for t in recording.tasks_of(tid) for w in t.waits]


def time_off(recording, said, body, waits):
    """The time of a thread's waits against its own account of it."""
    tid, _count, ns = said.get(body, (0, 0, 0))
    # Its own clock runs on while it is on its way in and out of the kernel, or preempted there.
    around = sum(t.on_ns + t.preempted_ns for t in recording.tasks_of(tid))
    return checks.within(body, sum(w.off_ns for w in waits), ns, TIME_SHARE,
                         min(around, ns * AROUND_SHARE))


def known_waits(recording, said, body, frames, late=0):
    """Waits of a thread against its own account of their number and length. The wait for another
    one of its kind, when it begins, is identified by the function that the stack must have. `late`:
    as many may have found, on a busy machine, that they need not wait any more."""
    tid, count, _ns = said.get(body, (0, 0, 0))
    waits = [w for w in waits_of(recording, tid) if w.has_frame(body) and frames & set(w.kernel)]
    slept = sum(w.count for w in waits if w.state == "S")
    # One that is preempted on its way to sleep, and by then need not, is in state R.
    seen = sum(w.count for w in waits)
    problems = [] if count and slept <= count <= seen + late else [
        f"{body}: {slept} waits, {seen} with preempted ones, truth {count}"]
    problems += time_off(recording, said, body, waits)
    if problems:
        problems += [str(w) for w in waits_of(recording, tid)]
    return problems


def mutex(recording, said):
    return known_waits(recording, said, "locks", FUTEX, late=3)


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


def kernel_leaf(recording):
    """Kernel stacks begin in the scheduler, and not in a program of ours or what called it. Those
    that were taken from outside of a sleeper, the kernel gives without it."""
    return checks.kernel_leaf([w for w in recording.waits if w.has_kernel and
                               not w.flags & {"no_resume", "lost", "pre", "open"}])[:8]


def whole(recording):
    """User stacks of threads that block reach their outermost function. One that is preempted may
    be where the tables do not hold: a thread in its first instructions has its parent's. So has
    one that blocks on its way out of fork, as PREEMPT_RT's locks do."""
    return [f"cut off: {w}" for w in recording.waits
            if w.state != "R" and w.user and w.user[-1].startswith("[truncated") and
            "ret_from_fork" not in w.kernel][:8]


def slept(actual_ns, said):
    """`sleep 0.3`, of which the program said how long it took, by the clock before and behind it:
    the wait is no longer than that. Nothing is said where the shell slept, or could not write."""
    if not said.strip():
        return checks.within("sleep 0.3", actual_ns, 300_000_000, 0, 150_000_000)
    most = sum(map(int, said.split()))
    return checks.between("sleep 0.3", actual_ns, 150_000_000, most + 1_000_000)
