# SPDX-License-Identifier: Apache-2.0
"""Tables are too small on purpose: what is missing is counted, and the totals stay exact."""
import always
import checks
from cases import case
from session import record

SMALL = 32
MIB = 1 << 20


def listed(rec):
    return [w for w in rec.waits if "lost" not in w.flags]


def judge_full_waits(rec):
    """The time of unlisted waits is what the list lacks of the totals, to the ns."""
    events, ns = rec.losses.get("waits_full", (0, 0))
    have = sum(w.off_ns for w in listed(rec))
    total = sum(t.off_ns for t in rec.tasks)
    rest = sum(w.off_ns for w in rec.waits if "lost" in w.flags)
    problems = []
    if not events:
        problems.append("no wait was lost: the table was not too small")
    if have + ns != total:
        problems.append(f"listed {have} + lost {ns} ns is not the total of {total}")
    if rest != ns:
        problems.append(f"the rest is listed with {rest} ns, counted with {ns}")
    if len(listed(rec)) > SMALL:
        problems.append(f"{len(listed(rec))} waits in a table of {SMALL}")
    return problems


def judge_full_waits_count(run):
    """Every wait of the thread with the many stacks is listed or counted as lost."""
    rec, truth = run.recording, run.truth("paths")
    events = rec.events_lost("waits_full")
    have = sum(w.count for w in listed(rec))
    switches = sum(d.voluntary + d.involuntary
                   for d in (run.after[tid] - run.before[tid] for tid in run.after))
    # each thread has one wait more than switches: the one it was in when the window began
    want = switches + len(run.after)
    problems = []
    if abs(have + events - want) > run.missed:
        problems.append(f"{have} waits listed and {events} lost, the kernel counts {want}")
    if events < truth["blocked"] // 2:
        problems.append(f"{events} waits lost of {truth['blocked']} with different stacks each")
    return problems


@case("waits-full", ("default", "switch"))
def waits_full(env, tap, mode):
    """384 waits with 128 stacks in a table of 32."""
    run = record(env, [env.waits, "paths"], mode, options=["--max-waits", str(SMALL)])
    tap.report("waits-full/missing-ns-are-counted", judge_full_waits(run.recording))
    tap.report("waits-full/missing-events-are-counted", judge_full_waits_count(run))
    always.report_parked(tap, "waits-full", run)
    always.report(tap, "waits-full", run, {"waits_full"})


@case("stacks-full", ("default", "switch"))
def stacks_full(env, tap, mode):
    """The same with a table of 32 stacks: the waits stay, without what did not fit."""
    run = record(env, [env.waits, "paths"], mode, options=["--max-stacks", str(SMALL)])
    rec = run.recording
    events, ns = rec.losses.get("stacks_full", (0, 0))
    without = [w for w in rec.waits if not (w.has_user and w.has_kernel)]
    problems = [] if events else ["no stack was lost: the table was not too small"]
    if sum(w.off_ns for w in without) != ns:
        problems.append(f"waits without a stack have {sum(w.off_ns for w in without)} ns, "
                        f"the loss {ns}")
    if sum(w.count for w in without) > events:
        problems.append(f"{sum(w.count for w in without)} waits without a stack, {events} counted")
    truth = run.truth("paths")
    task = run.task(truth["tid"])
    sleeps = [w for w in task.waits if w.state == "S"] if task else []
    kept = {tuple(w.user) for w in sleeps if w.has_user}
    if len(kept) > SMALL:
        problems.append(f"{len(kept)} stacks in a table of {SMALL}")
    tap.report("stacks-full/missing-stacks-are-counted", problems)
    always.report_parked(tap, "stacks-full", run)
    always.report(tap, "stacks-full", run, {"stacks_full"})


def judge_both_full(rec):
    """A wait is listed or lost; a listed one without a stack is in one loss, a lost one in none of
    these. So listed and lost are the totals, in events and in ns."""
    full, full_ns = rec.losses.get("waits_full", (0, 0))
    bare, bare_ns = rec.losses.get("stacks_full", (0, 0))
    unread, unread_ns = rec.losses.get("stack_unread", (0, 0))
    have, lost = listed(rec), [w for w in rec.waits if "lost" in w.flags]
    # a new thread has no stack yet
    without = [w for w in have if not (w.has_user and w.has_kernel) and "new" not in w.flags]
    sums = [
        ("waits without a stack", sum(w.count for w in without), bare + unread),
        ("their ns", sum(w.off_ns for w in without), bare_ns + unread_ns),
        ("lost waits", sum(w.count for w in lost), full),
        ("their ns", sum(w.off_ns for w in lost), full_ns),
        ("ns in all", sum(w.off_ns for w in have) + full_ns, sum(t.off_ns for t in rec.tasks)),
    ]
    problems = [f"{what}: {rows} by the rows, {loss} by the losses"
                for what, rows, loss in sums if rows != loss]
    if not full or not bare:
        problems.append(f"{full} waits and {bare} stacks lost: a table was not too small")
    return problems


@case("both-full", ("default", "switch"))
def both_full(env, tap, mode):
    """Both tables too small for 400 threads, each with keys of its own: nothing is lost twice."""
    run = record(env, [env.life, "threads", "400"], mode,
                 options=["--max-waits", "600", "--max-stacks", "6"])
    tap.report("both-full/each-is-lost-once", judge_both_full(run.recording))
    always.report(tap, "both-full", run, {"waits_full", "stacks_full"})


@case("objects-full", ("default", "switch"))
def objects_full(env, tap, mode):
    """400 pipes with room for a few: the rest share one object, and are counted."""
    run = record(env, [env.waits, "pipes"], mode, options=["--max-memory", str(4 * MIB)])
    rec = run.recording
    events, ns = rec.losses.get("objects_full", (0, 0))
    others = [w for w in rec.waits if w.object == "other objects"]
    pipes = {w.object for w in rec.waits if w.object and w.object.startswith("pipe:")}
    problems = [] if events else ["no object was lost: the table was not too small"]
    if (sum(w.count for w in others), sum(w.off_ns for w in others)) != (events, ns):
        problems.append(f"{sum(w.count for w in others)} waits for others of "
                        f"{sum(w.off_ns for w in others)} ns, the loss says {events} and {ns}")
    have = sum(w.count for w in rec.waits if w.object in pipes) + sum(w.count for w in others)
    if not 40 <= len(pipes) <= 300 or abs(have - 400) > run.missed + 4:
        problems.append(f"{len(pipes)} pipes; {have} waits for them and others, not 400")
    tap.report("objects-full/missing-objects-are-counted", problems)
    always.report(tap, "objects-full", run, {"objects_full", "waits_full", "stacks_full", "peers",
                                             "tables_full", "code_lost"})


def judge_small_ring(run, threads):
    """Threads whose totals did not fit are counted, with their wall time."""
    rec, sums = run.recording, run.of("sums")[0]
    events, ns = rec.losses.get("task_record", (0, 0))
    have = [t for t in rec.tasks if t.comm == "short"]
    problems = [] if events else ["no record was lost: the buffer was not too small"]
    if len(have) + events != threads:
        problems.append(f"{len(have)} threads and {events} lost are not {threads}")
    problems += checks.lifetimes("all threads", sum(t.wall_ns for t in have) + ns,
                                 sums["inner_ns"], sums["outer_ns"])
    return problems


@case("ring-full", ("default", "switch"))
def ring_full(env, tap, mode):
    """3,000 short threads through a buffer of a page."""
    run = record(env, [env.life, "threads", "3000"], mode, options=["--ring-size", "4096"])
    tap.report("ring-full/missing-threads-are-counted", judge_small_ring(run, 3000))
    always.report_identity(tap, "ring-full", run.recording)
    tap.report("ring-full/no-other-losses", checks.no_losses(
        run.recording, {"task_record", "orphan_wait", "process_event", "modules_full"}))


# Of unwind tables: the files that a small program maps fit, and what --max-memory leaves for them.
TABLES = 16 * MIB


def judge_memory(run, limit, needed):
    used = run.recording.header["kernel_bytes"]
    problems = [] if used <= limit else [f"{used} bytes of kernel memory, {limit} were allowed"]
    if used < needed:
        problems.append(f"{used} bytes of kernel memory are too few to be all")
    return problems


@case("memory", ("default", "switch"))
def memory(env, tap, mode):
    """A recording of one process takes what it says, and no more than it may."""
    run = record(env, [env.waits, "paths"], mode)
    tap.report("memory/default-is-enough", checks.no_losses(run.recording, set()))
    tap.report("memory/default-is-small", judge_memory(
        run, (33 if "switch" in mode else 16) * MIB + TABLES, MIB))
    always.report(tap, "memory", run)


@case("memory-limit", ("default", "switch"))
def memory_limit(env, tap, mode):
    """4 MiB in all: the limit holds, and what found no room is counted."""
    limit = 4 * MIB
    run = record(env, [env.waits, "paths"], mode, options=["--max-memory", str(limit)])
    tap.report("memory-limit/holds", judge_memory(run, limit, MIB // 2))
    always.report(tap, "memory-limit", run,
                  {"waits_full", "stacks_full", "tables_full", "task_record", "code_lost"})


CROWD = 3000
WAVE_PAUSE_MS = 8
THREAD = 704  # bytes of the state of a thread, or more


def judge_crowd(run, limit):
    """Every child is there, or counted as left out for the one reason or the other."""
    rec = run.recording
    have = len({t.tgid for t in rec.tasks}) - 1
    unfollowed, unkept = rec.events_lost("targets_full"), rec.events_lost("task_storage")
    problems = []
    if have + unfollowed + unkept != CROWD:
        problems.append(f"{have} children, {unfollowed} not followed and {unkept} without memory "
                        f"are not {CROWD}")
    if not unfollowed or not unkept:
        problems.append(f"{unfollowed} not followed, {unkept} without memory: one has room left")
    if not 0 < have * THREAD <= limit // 16:
        problems.append(f"{have} children have their state in a 16th of {limit} bytes")
    return problems + judge_memory(run, limit, MIB // 2)


@case("crowd", ("default", "switch"))
def crowd(env, tap, mode):
    """3,000 children at the same time, in 6 MiB: neither their numbers nor their states fit."""
    limit = 6 * MIB
    run = record(env, [env.life, "crowd", str(CROWD)], mode,
                 options=["--follow", "--max-memory", str(limit)])
    tap.report("crowd/missing-children-are-counted", judge_crowd(run, limit))
    always.report(tap, "crowd", run, {
        "targets_full", "task_storage", "waits_full", "stacks_full", "tables_full", "task_record",
        "orphan_wait", "process_event", "code_lost", "modules_full"})


@case("generations", ("default", "switch"))
def generations(env, tap, mode):
    """3,000 short threads, a few at a time: the state of those that are gone has made room.

    The kernel frees it after a grace period of RCU, some tens of ms: hence the pauses.
    """
    limit = 5 * MIB
    run = record(env, [env.life, "threads", "3000", str(WAVE_PAUSE_MS)], mode,
                 options=["--max-memory", str(limit)])
    tap.report("generations/hold", judge_memory(run, limit, MIB // 2))
    always.report(tap, "generations", run,
                  {"waits_full", "stacks_full", "tables_full", "task_record", "code_lost",
                   "orphan_wait"})
