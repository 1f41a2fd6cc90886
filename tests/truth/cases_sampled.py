# SPDX-License-Identifier: Apache-2.0
"""Sampling: an exact and a sampled recording of the same waits at the same time. Totals are the
same, the list is as near as it says it is, and long waits are all there."""
import always
import checks
from cases import case
from recorder import Recorder
from session import Run
from workload import Workload

MS = 1_000_000
WORKLOAD = ["mixed", "paths", "nanosleep", "pipe-read"]


def record_twice(env, argv, mode, first, second):
    """Two runs with these options around the work of one workload."""
    outer, inner = Run(mode), Run(mode)
    with Workload(argv) as workload:
        pid = workload.ready()
        with Recorder(env.coldspot, ["-p", str(pid), *first], mode) as one, \
                Recorder(env.coldspot, ["-p", str(pid), *second], mode) as two:
            workload.tell("go")
            workload.until("done")
            inner.recording = two.stop()
            outer.recording = one.stop()
        workload.tell("quit")
        outer.events = inner.events = workload.events
        outer.pid = inner.pid = pid
    return outer, inner


def places(task):
    """Waits of the work by user stack, state and system call; not those that the windows cut."""
    found = {}
    for wait in task.waits:
        if not {"wl_gate", "wl_expect"} & set(wait.user) and \
                not wait.flags & {"lost", "no_resume"}:
            found.setdefault((tuple(wait.user), wait.state, wait.sysno), []).append(wait)
    return found


def pairs(exact, sampled):
    """The same thread in both; threads that live all the time."""
    for task in exact.recording.tasks:
        twin = sampled.task(task.tid)
        if twin:
            yield task, twin


def judge_stacks(exact, sampled):
    """What is listed of each stack, against the truth. One without a chosen short wait has no
    error to go by: those may be a few periods. Long ones are judge_long()'s."""
    period = sampled.recording.header["period_max_ns"]
    problems = []
    for task, twin in pairs(exact, sampled):
        theirs, ours = places(task), places(twin)
        for key in sorted(set(theirs) | set(ours), key=str):
            what = f"{task} {'<'.join(key[0][:3])} {key[1]}"
            waits, truth = ours.get(key, []), theirs.get(key, [])
            more = 0 if any(w.se_ns for w in waits) else 3 * period
            problems += checks.estimate(what, waits, truth, period + more)
    return problems


def judge_functions(exact, sampled, frames):
    """The same for all the waits under a function, in time and in number."""
    period = sampled.recording.header["period_max_ns"]
    problems = []
    for task, twin in pairs(exact, sampled):
        for frame in frames:
            truth, waits = task.waits_with(frame), twin.waits_with(frame)
            problems += checks.estimate(f"{task} {frame}", waits, truth, period)
    return problems


def judge_counts(exact, sampled, frame):
    """Waits of nearly one length: their estimated number is as right as their time, to a fifth
    more."""
    have = sum(w.count for t in sampled.recording.tasks for w in t.waits_with(frame))
    waits = [w for t in exact.recording.tasks for w in t.waits_with(frame)]
    truth, off_ns = sum(w.count for w in waits), sum(w.off_ns for w in waits)
    error = sum(w.se_ns ** 2 for t in sampled.recording.tasks
                for w in t.waits_with(frame)) ** 0.5 / off_ns
    return checks.within(f"number of {frame}", have, truth, 4 * error + 0.2, 1)


def judge_long(exact, sampled):
    """Waits as long as the period are all there, none of them is an estimate."""
    period = sampled.recording.header["period_max_ns"]
    problems = []
    for task, twin in pairs(exact, sampled):
        long_ones = {k: w for k, w in places(task).items()
                     if all(x.shortest_ns >= 1.1 * period for x in w)}
        for key, truth in long_ones.items():
            waits = places(twin).get(key, [])
            have, want = sum(w.count for w in waits), sum(w.count for w in truth)
            what = f"{task} {'<'.join(key[0][:3])}"
            if have != want or any(w.se_ns or w.samples != w.count for w in waits):
                problems.append(f"{what}: {have} of {want} long waits: {[str(w) for w in waits]}")
            problems += checks.estimate(what, waits, truth, 0)
    return problems


def turn_ns(rec):
    """How much later another recording sees a switch: when this one has looked at it, by what it
    measured of itself. A switch has two ends, of one thread and of the next."""
    return 2 * rec.header["prog_ns"] / rec.header["prog_runs"]


def judge_totals(exact, sampled):
    """Of the threads, in both: the window of the one is in that of the other, and at its edges all
    of them wait."""
    a, b = exact.recording, sampled.recording
    each = checks.SAME_EACH_NS + max(turn_ns(a), turn_ns(b))
    edges = a.window_ns - b.window_ns
    problems = []
    for task, twin in pairs(exact, sampled):
        bound = checks.SAME_NS + each * task.switches
        problems += checks.within(f"{task}: off", twin.off_ns, task.off_ns - edges, 0, bound)
        if abs(task.switches - twin.switches) > 4:
            problems.append(f"{task}: {task.switches} switches, sampled {twin.switches}")
    return problems


def judge_list(sampled):
    rec = sampled.recording
    problems = [p for t in rec.tasks for p in checks.listed_is_near_total(t, rec.header)]
    listed, total = sum(w.off_ns for w in rec.waits), sum(t.off_ns for t in rec.tasks)
    bound = rec.header["period_sum_ns"] * len(rec.tasks)
    problems += checks.within("all listed", listed, total, 0, bound)
    problems += [p for w in rec.waits if "lost" not in w.flags for p in checks.wait_is_sampled(w)]
    return problems


def judge_header(sampled, period_ns):
    header = sampled.recording.header
    have = [header[k] for k in ("period_ns", "period_min_ns", "period_max_ns", "period_sum_ns",
                                "period_changes")]
    chosen = sum(w.samples for w in sampled.recording.waits)
    problems = []
    # twice more: for the phase that a thread may bring, and for a wait that is open at the end
    if have != [period_ns] * 3 + [3 * period_ns, 0]:
        problems.append(f"periods {have}, asked for {period_ns}")
    # those that ended with a switch that was not reported are listed, but not counted
    if not 0 <= chosen - header["waits_chosen"] <= sampled.missed:
        problems.append(f"{header['waits_chosen']} waits chosen, {chosen} samples listed")
    return problems


def sampled_case(env, tap, mode, period_ms):
    name = f"sampled-{period_ms}ms"
    exact, sampled = record_twice(env, [env.waits, "-C", env.scratch, *WORKLOAD], mode,
                                  [], ["--period", f"{period_ms}ms"])
    always.report_identity(tap, name, sampled.recording)
    tap.report(f"{name}/header", judge_header(sampled, period_ms * MS))
    tap.report(f"{name}/totals-are-exact", judge_totals(exact, sampled))
    tap.report(f"{name}/list-is-near-the-totals", judge_list(sampled))
    tap.report(f"{name}/stacks", judge_stacks(exact, sampled))
    tap.report(f"{name}/functions", judge_functions(
        exact, sampled, ["block_mixed_tiny", "block_mixed_short", "block_mixed_middle",
                         "block_mixed_long", "run_paths", "run_nanosleep"]))
    tap.report(f"{name}/counts", judge_counts(exact, sampled, "run_paths") +
               judge_counts(exact, sampled, "block_mixed_short"))
    tap.report(f"{name}/long-waits-are-all-there", judge_long(exact, sampled))
    tap.report(f"{name}/no-losses", checks.no_losses(sampled.recording))
    tap.note(f"{sampled.recording.header['waits_chosen']} of "
             f"{exact.recording.header['waits_chosen']} waits chosen")


@case("sampled-1ms", ("default", "switch"))
def sampled_1ms(env, tap, mode):
    """Waits shorter than 1 ms are sampled."""
    sampled_case(env, tap, mode, 1)


@case("sampled-10ms", ("default", "switch"))
def sampled_10ms(env, tap, mode):
    """Most of the waits are."""
    sampled_case(env, tap, mode, 10)
