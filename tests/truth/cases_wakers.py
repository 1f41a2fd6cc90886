# SPDX-License-Identifier: Apache-2.0
"""Who ends waits, the chain behind them, and what the wakers did meanwhile (record --wakers)."""
import always
import checks
from cases import case
from session import record

# What the kernel does for a thread that wakes another one so.
KINDS = {"futex": "futex_wake", "pipe": "pipe_write", "eventfd": "eventfd_write",
         "tcp": "tcp_sendmsg", "signal": "do_send_sig_info"}
DEPTHS = (1, 3, 8)
ROUNDS = 20
LINKS = 8  # that a chain shows
WAKERS = ("--wakers", "--exact")
# Of the wakeups of a wait, those that must be by the right waker. The host hides some, and they are
# counted; a thread that a signal or a full pipe delays finds its word when it comes.
MOST = 0.95
BLAME_SHARE, BLAME_EACH_NS = 0.01, 100_000
SLEEP_NS, LOCK_NS = 8_000_000, 9_500_000  # of each round, as the workload has it


def waits_in(run, tid, frame):
    return [w for w in run.recording.waits
            if w.task and w.task.tid == tid and w.state != "R" and w.has_frame(frame) and
            "open" not in w.flags]


def by_waker(waits):
    """Waits by the TID that ended them; the context for an interrupt."""
    counts = {}
    for wake in (k for w in waits for k in w.wakes):
        who = wake.waker.tid if wake.waker.context == "thread" else wake.waker.context
        counts[who] = counts.get(who, 0) + wake.count
    return counts


def judge_share(what, counts, total, right):
    if total and counts.get(right, 0) >= total * MOST:
        return []
    return [f"{what}: woken by {counts}, and not by {right} in {MOST:.0%} of {total}"]


def chain_of(waker):
    links = []
    while waker:
        links.append(waker)
        waker = waker.next
    return links


def judge_chain(run, tids, waits):
    """The chains that ended thread 0's waits go through the others in their order, most of them
    through all, to a timer. A thread that comes back to its wait too late ends one early."""
    want = (tids[1:] + ["hardirq"])[:LINKS]
    end = "depth" if len(tids) > LINKS else "interrupt"
    problems, total, whole = [], 0, 0
    for wake in (k for w in waits for k in w.wakes if k.doing == "woken"):
        links = chain_of(wake.waker)
        met = [k.tid if k.context == "thread" else k.context for k in links]
        total += wake.count
        whole += wake.count if met == want and links[-1].end == end else 0
        if met[0] == tids[1] and met != want[:len(met)]:
            problems.append(f"chain {met}, and not the first of {want}")
    if whole < run.rounds * 0.5:
        problems.append(checks.Timing(f"only {whole} of {total} chains are {want}, {end}"))
    return problems


def judge_sums(run):
    """What wakers ended is at most the wait, row by row, and what is missing is counted."""
    problems, woken, missing = [], 0, 0
    for wait in run.recording.waits:
        count = sum(k.count for k in wait.wakes)
        after = sum(k.ns for k in wait.wakes if k.doing == "woken")
        before = sum(k.ns for k in wait.wakes if k.doing != "woken")
        if wait.state == "R" or "open" in wait.flags or "new" in wait.flags:
            problems += [f"somebody woke {wait}"] if count else []
            continue
        woken += wait.count
        missing += wait.count - count
        whole = after == wait.runq_ns and before == wait.blocked_ns
        if count > wait.count or (count == wait.count and not whole):
            problems.append(f"{count} wakeups, {before} + {after} ns of {wait}")
    lost = run.recording.events_lost("wakers_missed")
    if missing != lost:
        problems.append(f"{missing} of {woken} without a waker, {lost} are said to be")
    if lost > max(checks.FEW, woken * checks.FEW_SHARE):
        problems.append(f"{lost} of {woken} wakeups not seen")
    return problems


def report(tap, name, run):
    tap.report(f"{name}/sums", judge_sums(run))
    always.report_identity(tap, name, run.recording)
    tap.report(f"{name}/no-losses", checks.no_losses(run.recording, ("wakers_missed",)))


def judge_kernel(run, tids, function):
    """The kernel stacks of the wakers, of which most are known by a fingerprint."""
    wakers = [k.waker for i, tid in enumerate(tids[:-1]) for w in waits_in(run, tid, "relay_wait")
              for k in w.wakes if k.waker.tid == tids[i + 1]]
    problems = [f"{function} is not in {w.kernel}" for w in wakers
                if not any(function in frame for frame in w.kernel)]
    return problems[:5]


def judge_relay(run, tids):
    problems = []
    for i, tid in enumerate(tids[:-1]):
        waits = waits_in(run, tid, "relay_wait")
        total = sum(w.count for w in waits)
        problems += judge_share(f"relay{i}", by_waker(waits), total, tids[i + 1])
        problems += [f"relay{i}: {k.waker.user} is not in relay_wake" for w in waits
                     for k in w.wakes if k.waker.tid == tids[i + 1] and
                     "relay_wake" not in k.waker.user]
    slept = waits_in(run, tids[-1], "relay_sleep")
    counts = by_waker(slept)
    return problems + judge_share("the head", counts, sum(w.count for w in slept), "hardirq")


@case("wakers-relay", tuple(KINDS))
def relay(env, tap, mode):
    """A wakes B wakes C, and so on, over futexes, pipes, eventfds, TCP and signals."""
    for depth in DEPTHS:
        name = f"wakers-relay/{depth}"
        run = record(env, [env.wakers, "relay", mode, str(depth), str(ROUNDS)],
                     options=WAKERS)
        run.rounds = ROUNDS
        tids = [e["tid"] for e in sorted(run.of("waker"), key=lambda e: e["index"])]
        tap.report(f"{name}/who", judge_relay(run, tids))
        tap.report(f"{name}/kernel", judge_kernel(run, tids, KINDS[mode]))
        tap.report(f"{name}/chain", judge_chain(run, tids,
                                                waits_in(run, tids[0], "relay_wait")))
        report(tap, name, run)


@case("wakers-queue")
def queue(env, tap, _mode):
    """The same if each waker waits already when the one whom it wakes begins to wait."""
    run = record(env, [env.wakers, "queue", "3", str(ROUNDS)], options=WAKERS)
    run.rounds = ROUNDS
    tids = [e["tid"] for e in sorted(run.of("waker"), key=lambda e: e["index"])]
    tap.report("wakers-queue/who", judge_relay(run, tids))
    tap.report("wakers-queue/chain", judge_chain(run, tids,
                                                 waits_in(run, tids[0], "relay_wait")))
    report(tap, "wakers-queue", run)


def judge_blame(run):
    """The shares of what the waker did, against its own log. It also waits for the round to begin
    and for the lock to be taken, in frames of neither."""
    tids = {e["index"]: e["tid"] for e in run.of("waker")}
    did = {e["what"]: e for e in run.of("did")}
    wakes = [k for w in waits_in(run, tids[0], "relay_wait") for k in w.wakes
             if k.waker.tid == tids[1]]
    slept = sum(k.ns for k in wakes if k.did_has("blame_sleep"))
    locked = sum(k.ns for k in wakes if k.did_has("blame_lock"))
    ran = sum(k.ns for k in wakes if k.doing == "running")
    problems = []
    # Its own clocks cannot tell waiting for a CPU from what it waited for before.
    off = {what: d["mono_ns"] - d["cpu_ns"] for what, d in did.items()}
    for what, got, low, high in (
            ("running", ran, sum(d["cpu_ns"] for d in did.values()),
             sum(d["cpu_ns"] for d in did.values())),
            ("sleeping", slept, run.rounds * SLEEP_NS, off["sleeps"]),
            ("waiting for the lock", locked, run.rounds * LOCK_NS, off["locks"])):
        room = high * BLAME_SHARE + run.rounds * BLAME_EACH_NS
        if not low - room <= got <= high + room:
            problems.append(checks.Timing(f"{what}: {got} ns, its own log says {low} to {high}"))
    unknown = sum(k.ns for k in wakes if k.doing in ("unknown", "unborn"))
    total = sum(k.ns for k in wakes)
    if unknown > total * 0.01:
        problems.append(f"{unknown} of {total} ns: not known what the waker did")
    return problems


@case("wakers-blame")
def blame(env, tap, _mode):
    """A waker that computes, sleeps and waits for a lock in turn."""
    run = record(env, [env.wakers, "blame", str(ROUNDS)], options=WAKERS)
    run.rounds = ROUNDS
    tap.report("wakers-blame/shares", judge_blame(run))
    report(tap, "wakers-blame", run)


@case("wakers-herd")
def herd(env, tap, _mode):
    """32 threads woken by one notify_all; those that then meet at the mutex wake each other."""
    run = record(env, [env.wakers, "herd", "32", str(ROUNDS)], options=WAKERS)
    tids = {e["index"]: e["tid"] for e in run.of("waker")}
    herd_tids = set(tids.values())
    problems = []
    for index in range(1, 33):
        waits = waits_in(run, tids[index], "herd_wait")
        counts = by_waker(waits)
        problems += [f"herd{index}: woken by {who}" for who in counts if who not in herd_tids]
        if not counts.get(tids[0]):
            problems.append(f"herd{index}: never woken by the one that notifies: {counts}")
    tap.report("wakers-herd/who", problems)
    report(tap, "wakers-herd", run)
