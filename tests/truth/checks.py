# SPDX-License-Identifier: Apache-2.0
"""Pure judgements: each takes data and returns the list of what is wrong with it.

The bounds, and why they are what they are:

IDENTITY      none: on + preempted + run queue + blocked + unaccounted is the wall time to the ns.
RESIDUAL      0.1 % of the wall time or 100 us of a thread: what the issue asks for.
TIME          0.5 % + 20 us + 5 us for each wait. A thread's own clocks bracket a wait from outside,
              so entering and leaving the kernel, and time stolen by a host, is in the bracket.
              60 us for each preemption at its edges, between the two clocks. 30 us for each wait
              where stacks are taken when a thread leaves: that is after the clock was read. And
              25 us for each wait that the thread's own CPU clock may lack (see ON_CPU).
RUN_DELAY     0.5 % + 100 us + 50 us for each switch against the kernel's own run_delay, where the
              split is made from it, and for threads that were not moved: since 6.12 one that is
              moved while it sleeps but was left on the queue (delayed dequeue) counts there as
              waiting for a CPU. The scheduler's clock is not the trace's, see ON_CPU.
ON_CPU        5 % + 500 us + 100 us for each switch, and upwards the stolen time. The kernel's count
              leaves out stolen time, and ends before a CPU that runs out of work looks for some on
              the others; both are time on the CPU to a profiler. And its clock stands still from a
              wakeup that preempts to the switch it causes: what the one thread does in between,
              tens of us, is charged to the other. The sharp test of this is the perf oracle. What
              the host took between that clock and ours, where it was seen to take a tick at least,
              is run queue to us.
EDGE          1 ms + 0.1 %: an instant in CLOCK_MONOTONIC against one of the trace clock, which is
              not disciplined by NTP, and the way from a clock reading to the switch it describes.
SAMPLED       a thread's list: less than the sum of the periods that were set, see docs/json.md. A
              stack: 4 standard errors and a period against an exact recording of the same waits
              at the same time, and 1 ms and 20 us for each wait, by which the two may differ.
COUNT         none, except switches that the kernel did not report and the recording counts as
              such. A function below names its own bound where it has one.

An emulated machine takes ten to a hundred times longer for all that is between two clocks. There
the bounds of times are larger, see loosen(); the others are as they are.
"""
from host import TICK_NS
from tap import Evidence, Timing

RESIDUAL_SHARE, RESIDUAL_NS = 0.001, 100_000
TIME_SHARE, TIME_NS, TIME_EACH_NS, EDGE_EACH_NS = 0.005, 20_000, 5_000, 60_000
TIME_EACH_EARLY_NS = 30_000
SKEW_NS = 25_000
RUN_DELAY_SHARE, RUN_DELAY_NS, RUN_DELAY_EACH_NS = 0.005, 100_000, 50_000
ON_CPU_SHARE, ON_CPU_NS, ON_CPU_EACH_NS = 0.05, 500_000, 100_000
EDGE_SHARE, EDGE_NS = 0.001, 1_000_000
# From exit_group() to the last switch of eight threads, on a busy machine; the time in which
# nobody has the number of a leader.
DEATH_NS, LEADER_DEATH_NS = 20_000_000, 5_000_000
ROUNDS_SHARE = 0  # that found what they were to wait for when they came, being late
MOVES = 10  # that a thread which asks for them gets, or more
ERRORS, SAME_NS, SAME_EACH_NS = 4, 1_000_000, 20_000
# The same thread in two recorders: it can lose its CPU between them, and each reads its clock at
# each switch.
BOTH_NS, BOTH_EACH_NS = 2_000_000, 20_000

# Losses that are the machine's and not ours, some virtual machines do not report each switch and
# wakeup: they are counted, few, and the bounds make room for them. So are stacks that are cut off
# at the first sight of a file, before its unwind table is there, and locks of the kernel that had
# just been let go.
MACHINE_LOSSES = {"missed_switch", "split_missing", "truncated", "owner_unknown"}
LATE_LOSSES = set()  # with allow_late_losses(), so many
LATE = 2
FEW_SHARE, FEW = 0.01, 50
# Stock binaries are stripped of most names. Tests that know the frames look for their names.
UNNAMED = {"unnamed"}
# The part that one of two owners has of the time that a thread waited may be wrong by so much.
OWNER_PART = 0.1


def allow_late_losses():
    """As of emulated machines: a few, where a thing is not ready as soon as elsewhere."""
    LATE_LOSSES.update(("objects_full", "stacks_full", "stack_unread"))


def loosen():
    """Bounds of times for emulated machines: the shares ten times and the rest thirty, of deaths
    five; and of waits that a slow thread need not make any more. The kernel's allocator for BPF
    has a few elements ready on each CPU until an interrupt has fetched more, which takes long
    there; and a process may be seen for long between two programs."""
    for name in ("TIME", "RUN_DELAY", "ON_CPU", "EDGE"):
        globals()[name + "_SHARE"] *= 10
        globals()[name + "_NS"] *= 30
    allow_late_losses()
    global ROUNDS_SHARE, MOVES, OWNER_PART, FEW_SHARE  # pylint: disable=global-statement
    ROUNDS_SHARE = 0.1
    FEW_SHARE *= 5  # owners let go long before a slow machine looks; it is counted all the same
    OWNER_PART = 0.2
    MOVES = 1
    for name in ("DEATH_NS", "LEADER_DEATH_NS"):
        globals()[name] *= 5
    for name in ("TIME_EACH_NS", "TIME_EACH_EARLY_NS", "EDGE_EACH_NS", "RUN_DELAY_EACH_NS",
                 "ON_CPU_EACH_NS", "SKEW_NS", "BOTH_NS", "BOTH_EACH_NS"):
        globals()[name] *= 30


def within(what, actual, truth, share, floor_ns):
    """One problem, or none."""
    bound = truth * share + floor_ns
    if abs(actual - truth) <= bound:
        return []
    return [Timing(f"{what}: {actual} ns, truth {truth} ns, off by {actual - truth} "
                   f"(bound {bound:.0f})")]


def between(what, actual, low, high):
    if low <= actual <= high:
        return []
    return [f"{what}: {actual} is not in [{low}, {high}]"]


def between_times(what, actual, low, high):
    """between() of a measured duration."""
    return [Timing(p) for p in between(what, actual, low, high)]


def identity(task):
    total = task.on_ns + task.off_ns + task.unaccounted_ns
    if total == task.wall_ns:
        return []
    return [f"{task}: parts add up to {total} ns, wall is {task.wall_ns}"]


def residual_bound(task):
    return max(task.wall_ns * RESIDUAL_SHARE, RESIDUAL_NS)


def residual(tasks, missed_ns):
    """`missed_ns`: time of the switches that the kernel did not report, as the recording has it;
    only those can make the residual of a thread larger than the bound."""
    over = [t for t in tasks if not 0 <= t.unaccounted_ns <= residual_bound(t)]
    explained = sum(t.unaccounted_ns for t in over) <= missed_ns
    if explained and all(t.unaccounted_ns >= 0 for t in over):
        return []
    return [f"{t}: {t.unaccounted_ns} ns of {t.wall_ns} unaccounted "
            f"(bound {residual_bound(t):.0f})" for t in over]


def whole_window(task, window_ns):
    """A thread older than the window that outlives it."""
    problems = []
    if task.flags & {"born", "exited", "execed"}:
        problems.append(f"{task}: has flags {sorted(task.flags)} but lived all the time")
    if task.begin_ns != 0 or task.wall_ns != window_ns:
        problems.append(f"{task}: begin {task.begin_ns} wall {task.wall_ns}, window {window_ns}")
    return problems


def listed_is_total(task):
    """The waits of a thread add up to its totals, part by part."""
    blocked = sum(w.blocked_ns for w in task.waits)
    runq = sum(w.runq_ns for w in task.waits)
    problems = []
    if blocked != task.blocked_ns:
        problems.append(f"{task}: waits have {blocked} ns blocked, totals {task.blocked_ns}")
    if runq != task.runq_ns + task.preempted_ns:
        problems.append(f"{task}: waits have {runq} ns of run queue, totals "
                        f"{task.runq_ns} + {task.preempted_ns} preempted")
    return problems


def listed_is_near_total(task, header):
    """The same of a sampled recording: what is listed is off by less than sampling explains."""
    listed = sum(w.off_ns for w in task.waits)
    return within(f"{task}: listed", listed, task.off_ns, 0, header["period_sum_ns"])


def estimate(what, waits, exact, period_ns):
    """A sum of sampled waits against the same waits of an exact recording."""
    have, truth = sum(w.off_ns for w in waits), sum(w.off_ns for w in exact)
    error = sum(w.se_ns ** 2 for w in waits) ** 0.5
    count = sum(w.count for w in exact)
    short = period_ns if truth < count * period_ns else 0
    return within(what, have, truth, 0, ERRORS * error + short + SAME_NS + SAME_EACH_NS * count)


def wait_is_sound(wait):
    problems = []
    if wait.hist_count != wait.count:
        problems.append(f"histogram holds {wait.hist_count}: {wait}")
    if wait.count and not wait.off_ns >= wait.max_ns >= wait.off_ns // wait.count:
        problems.append(f"longest of {wait.max_ns} ns: {wait}")
    if wait.state == "R" and wait.blocked_ns:
        problems.append(f"runnable and blocked: {wait}")
    return problems


def wait_is_sampled(wait):
    """wait_is_sound() for estimates, whose longest is of those chosen."""
    problems = []
    if wait.hist_count != wait.count:
        problems.append(f"histogram holds {wait.hist_count}: {wait}")
    if not 0 < wait.samples <= wait.count or wait.off_ns < wait.max_ns:
        problems.append(f"{wait.samples} samples, longest {wait.max_ns} ns: {wait}")
    if wait.samples == wait.count and not wait.se_ns and \
            wait.max_ns < wait.off_ns // wait.count:
        problems.append(f"longest of {wait.max_ns} ns: {wait}")
    if wait.state == "R" and wait.blocked_ns:
        problems.append(f"runnable and blocked: {wait}")
    return problems


def no_losses(recording, allowed=()):
    """Nothing was lost, except what the test allows by name."""
    waits = sum(w.count for w in recording.waits)
    problems = []
    # A switch that the machine does not report leaves the wait that it ends without stacks.
    unread = recording.events_lost("missed_switch")
    for name, (events, ns) in sorted(recording.losses.items()):
        few = name in MACHINE_LOSSES and events <= FEW + FEW_SHARE * waits or \
            name in LATE_LOSSES and events <= LATE or \
            name == "stack_unread" and events <= unread
        if events and not few and name not in UNNAMED and name not in allowed:
            said = f"lost: {name}: {events} events, {ns} ns, of {waits} waits"
            # what the machine does to us varies from run to run, as times do
            problems.append(Timing(said) if name in MACHINE_LOSSES else said)
    return problems


def switch_counts(task, delta, missed):
    """Against the kernel's count for the thread; `missed`: switches it did not report to us."""
    problems = []
    switches = delta.voluntary + delta.involuntary
    if abs(task.switches - switches) > missed:
        problems.append(f"{task}: {task.switches} switches, the kernel counts {switches}")
    if abs(task.preemptions - delta.involuntary) > missed:
        problems.append(f"{task}: {task.preemptions} preemptions, the kernel counts "
                        f"{delta.involuntary}")
    if abs(task.wakeups - delta.voluntary) > missed:
        problems.append(f"{task}: {task.wakeups} wakeups, the kernel counts {delta.voluntary} "
                        "waits")
    return problems


def schedstat(task, delta, by_sched_info, stolen_ns):
    """Against the kernel's own sums for the thread, read around the window while it was parked.
    `stolen_ns`: at most that was, a tick of it unseen."""
    problems = []
    between_ns = stolen_ns if stolen_ns > TICK_NS else 0
    if by_sched_info and task.switches and not delta.migrations:
        problems += within(f"{task}: run queue against schedstat", task.preempted_ns + task.runq_ns,
                           delta.run_delay_ns, RUN_DELAY_SHARE,
                           RUN_DELAY_NS + RUN_DELAY_EACH_NS * task.switches + between_ns)
    bound = delta.exec_ns * ON_CPU_SHARE + ON_CPU_NS + ON_CPU_EACH_NS * task.switches
    return problems + between_times(f"{task}: on-CPU against schedstat", task.on_ns,
                                    delta.exec_ns - bound - task.unaccounted_ns - between_ns,
                                    delta.exec_ns + bound + stolen_ns)


def migrations(task, seen, told, missed):
    """At least what the thread saw, at most what the kernel counts, queued moves included."""
    high = told if told is not None else task.switches
    return between(f"{task}: migrations", task.migrations, seen - missed, high + missed)


def inside(waits):
    """Those that surely fell into a bracket. Of a preemption at its edge, in the code of the
    bracket itself, stacks do not tell on which side of the clock it was (see truth.c)."""
    return [w for w in waits if not w.has_frame("truth__begin") and not w.has_frame("truth__end")
            and not (w.state == "R" and w.sysno is None)]


def around(waits, task):
    """Those that may have: also waits without a known stack, and preemptions in user code, for
    in the first and last instructions of a function frame pointers do not tell who called it."""
    return waits + [w for w in task.waits if w not in waits and
                    ("no_resume" in w.flags or (w.state == "R" and w.sysno is None))]


def wait_time(what, sure, possible, truth, each_ns=None, more_ns=0):
    """The off-CPU time of a thread's brackets: what may be in them is no less than the time that
    the thread's clocks say was off the CPU, and what surely is no more than all of their time.
    `more_ns`: what its clocks may have besides, stolen time or time not attributed."""
    each_ns = TIME_EACH_NS if each_ns is None else each_ns
    low, high = sum(w.off_ns for w in sure), sum(w.off_ns for w in possible)
    edges = sum(w.count for w in possible) - sum(w.count for w in sure)
    bound = (truth["off_ns"] * TIME_SHARE + TIME_NS + EDGE_EACH_NS * edges +
             each_ns * (truth["blocked"] + truth["preempted"]))
    less_ns = more_ns + SKEW_NS * truth["blocked"]
    if low <= truth["mono_ns"] + bound and high >= truth["off_ns"] - bound - less_ns:
        return []
    return [Timing(f"{what}: off-CPU {low} to {high} ns, truth {truth['off_ns']} to "
                   f"{truth['mono_ns']} (bound {bound:.0f}, below it {less_ns} more)")]


def runnable_time(what, sure, possible, truth, more_ns):
    """The same for brackets that hold much time on the CPU: the clocks are all there is to go by,
    and the kernel's may be off by 100 us for each switch (see ON_CPU)."""
    low, high = sum(w.off_ns for w in sure), sum(w.off_ns for w in possible)
    bound = (truth["off_ns"] * TIME_SHARE + TIME_NS +
             ON_CPU_EACH_NS * (truth["blocked"] + truth["preempted"]))
    if low <= truth["off_ns"] + bound and high >= truth["off_ns"] - bound - more_ns:
        return []
    return [Timing(f"{what}: off-CPU {low} to {high} ns, truth {truth['off_ns']} "
                   f"(bound {bound:.0f} + {more_ns})")]


def wait_longest(what, waits, truth):
    longest = max((w.max_ns for w in inside(waits)), default=0)
    if longest <= truth["max_mono_ns"] + TIME_NS:
        return []
    return [Timing(f"{what}: longest wait {longest} ns, longest bracket {truth['max_mono_ns']}")]


def wait_count(what, sure, possible, truth, missed):
    low, high = (sum(w.count for w in some if w.state != "R") for some in (sure, possible))
    if low - missed <= truth["blocked"] <= high + missed:
        return []
    return [f"{what}: {low} to {high} waits, the thread counts {truth['blocked']}"]


def preempt_count(what, sure, possible, truth, missed):
    """1 % + 2: a preemption between reading the counters and their bracket is on one side only."""
    low, high = (sum(w.count for w in some if w.state == "R") for some in (sure, possible))
    bound = missed + 2 + truth["preempted"] // 100
    if low - bound <= truth["preempted"] <= high + bound:
        return []
    return [Timing(f"{what}: preempted {low} to {high} times, the thread counts "
                   f"{truth['preempted']}")]


def evidence(waits):
    """The waits that a problem is about, to print below it."""
    return [Evidence(f"  {w}") for w in waits]


def plain(frame):
    """A kernel function without what compilers put behind its name."""
    return frame.split(".", 1)[0]


def kernel_frames(waits, alternatives):
    """Every wait has one function of each group of alternatives."""
    problems = []
    for wait in waits:
        names = {plain(f) for f in wait.kernel}
        for group in alternatives:
            if not names & set(group):
                problems.append(f"none of {'/'.join(group)} in: {wait}")
    return problems


def kernel_leaf(waits):
    """The leaf is the scheduler's, not a program of ours and not what called it."""
    return [f"kernel stack does not begin in the scheduler: {w}" for w in waits
            if not w.kernel or plain(w.kernel[0]) not in
            ("__schedule", "schedule", "preempt_schedule_irq", "preempt_schedule_common",
             "schedule_idle", "preempt_schedule_notrace")]


def user_frames(waits, names):
    """Every wait has these functions, leaf side first, with nothing asked about those between."""
    problems = []
    for wait in waits:
        at = 0
        for name in names:
            if name not in wait.user[at:]:
                problems.append(f"no {name} in: {wait}")
                break
            at = wait.user.index(name, at) + 1
    return problems


def has_stacks(waits):
    return [f"no stack: {w}" for w in waits if not (w.has_user and w.has_kernel)]


def lifetimes(what, wall_ns, inner_ns, outer_ns):
    """Between what the thread saw of its own life and what its creator saw."""
    return between_times(f"{what}: life", wall_ns, inner_ns * (1 - EDGE_SHARE),
                   outer_ns * (1 + EDGE_SHARE) + EDGE_NS)
