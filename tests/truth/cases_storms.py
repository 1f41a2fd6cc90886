# SPDX-License-Identifier: Apache-2.0
"""Patterns of wakeups in the summary of record --wakers: herds, convoys, ping-pong, and none of
them where threads have work to do."""
import checks
from cases import case
from session import record

WAKERS = ("--wakers", "--exact")
HERD, CONVOY, CONSUMERS = 32, 8, 4
MOST = 0.95  # of the wakeups; the host hides some, and a thread may come too late to be woken


def only(run, kind):
    """The pattern of this kind, which is the only one, and what is wrong with that."""
    found = [p for p in run.recording.patterns if p["matters"]]
    mine = [p for p in found if p["kind"] == kind]
    if len(mine) != 1:
        return None, [f"{named(found)}, and not one {kind}"]
    # Threads queue at a mutex too if its holder has no CPU for long.
    others = [p for p in found if p["kind"] != kind]
    queues = all(p["kind"] == "convoy" and "mutex" in (p["object"] or "") for p in others)
    problem = checks.Timing if queues else str
    return mine[0], [problem(f"{named(others)} beside the {kind}")] if others else []


def named(patterns):
    return [(p["kind"], p["who"], p["object"]) for p in patterns]


def tids_of(run):
    return {e["index"]: e["tid"] for e in run.of("waker")}


def judge_herd(run, rounds):
    herd, problems = only(run, "herd")
    if not herd:
        return problems
    waker = run.recording.wakers[herd["waker"]]
    if waker.tid != tids_of(run)[0] or "herd_wake" not in waker.user:
        problems.append(f"woken by {waker.tid} in {waker.user}, and not by herd_wake")
    if herd["sleepers"] != HERD or not HERD * rounds * MOST <= herd["wakes"] <= HERD * rounds:
        problems.append(f"{herd['wakes']} wakeups of {herd['sleepers']}, and not of {HERD} "
                        f"threads in {rounds} rounds")
    # A waker that loses its CPU for long begins another burst.
    if not rounds * MOST <= herd["bursts"] <= rounds * 2:
        problems.append(checks.Timing(f"{herd['bursts']} bursts in {rounds} rounds"))
    if "cond" not in (herd["object"] or "") or "mutex" not in (herd["then"] or ""):
        problems.append(f"from {herd['object']} to {herd['then']}, and not from cond to mutex")
    if "Herd: herd0-" not in run.summary:
        problems.append("the summary does not say so")
    return problems


@case("storms-herd")
def herd(env, tap, _mode):
    """One thread wakes 32 at once, and each needs a mutex that the others hold."""
    rounds = 60
    run = record(env, [env.storms, "herd", str(HERD), str(rounds)], options=WAKERS)
    tap.report("storms-herd/pattern", judge_herd(run, rounds))


def judge_convoy(run):
    convoy, problems = only(run, "convoy")
    if not convoy:
        return problems
    lock = [w for w in run.recording.waits if w.has_frame("convoy_pass") and w.state != "R"]
    total = sum(k.count for w in lock for k in w.wakes)
    wait_ns = sum(k.ns for w in lock for k in w.wakes)
    if convoy["sleepers"] != CONVOY or "mutex" not in convoy["object"]:
        problems.append(f"{convoy['sleepers']} threads at {convoy['object']}")
    if convoy["wakes"] != total or convoy["wait_ns"] != wait_ns:
        problems.append(f"{convoy['wakes']} wakeups and {convoy['wait_ns']} ns, but the wakes of "
                        f"its waits are {total} and {wait_ns}")
    if "convoy_pass" not in run.recording.wakers[convoy["waker"]].user:
        problems.append("not in convoy_pass")
    if f"Convoy: {CONVOY} threads hand lock mutex" not in run.summary:
        problems.append("the summary does not say so")
    return problems


@case("storms-convoy")
def convoy(env, tap, _mode):
    """8 threads that need one mutex most of the time."""
    run = record(env, [env.storms, "convoy", str(CONVOY), "200"], options=WAKERS)
    tap.report("storms-convoy/pattern", judge_convoy(run))


def slept_in_turn(run):
    """On two CPUs a ball may come back before its thread sleeps: then one of them waits less."""
    slept = [sum(w.count for t in run.recording.tasks_of(tid) for w in t.waits
                 if w.has_frame("ball_wait")) for tid in tids_of(run).values()]
    return min(slept) * 2 > max(slept)


def judge_ping_pong(run, kind):
    pair, problems = only(run, "ping-pong")
    if not pair and not slept_in_turn(run):
        return [checks.Timing(f"one slept much more often than the other: {problems}")]
    if not pair:
        return problems
    names = {f"ball{i}-{tid}" for i, tid in tids_of(run).items()}
    if {pair["who"], pair["whom"]} != names:
        problems.append(f"{pair['who']} and {pair['whom']}, and not {names}")
    balls = [k for w in run.recording.waits if w.has_frame("ball_wait") for k in w.wakes
             if k.waker.tid in tids_of(run).values()]
    if pair["wakes"] != sum(k.count for k in balls):
        problems.append(f"{kind}: {pair['wakes']} wakeups, and not all of ball_wait")
    if pair["again"] < pair["wakes"] * 0.5:
        problems.append(checks.Timing(f"{pair['again']} of {pair['wakes']} are brief"))
    return problems


@case("storms-ping-pong", ("pipe", "futex"))
def ping_pong(env, tap, mode):
    """Two threads that throw each other a ball."""
    run = record(env, [env.storms, "ping-pong", mode, "5000"], options=WAKERS)
    tap.report("storms-ping-pong/pattern", judge_ping_pong(run, mode))


@case("storms-none")
def none(env, tap, _mode):
    """A producer and consumers that have work to do: no pattern, whether it matters or not."""
    run = record(env, [env.storms, "queue", str(CONSUMERS), "200"], options=WAKERS)
    problems = [f"a {p['kind']} of {p['who']} in {p['site']}" for p in run.recording.patterns]
    tap.report("storms-none/pattern", problems)
