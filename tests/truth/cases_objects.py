# SPDX-License-Identifier: Apache-2.0
"""What waits are for, and who holds it."""
import fnmatch

import always
from cases import case
from session import record

OWNERS = ("mutex", "timed", "pi", "robust", "read-lock", "write-lock", "join",
          "early-mutex", "early-pi", "early-rwlock")
OWNER_SHARE = 0.99  # of the waits that a holder must be right for
DISK_SHARE = 0.9  # of the switches that a thread counts around what may wait for a disk
LONG_NS = 10_000_000  # the one wait that is meant; the pauses before it are far shorter


def fits(label, pattern):
    """A '*' in what is expected is any text; all else is itself."""
    return label is not None and fnmatch.fnmatchcase(
        label.replace("[", "<"), pattern.replace("[", "<"))


def judge_object(run, want, label):
    """The long wait of a thread must be for what it says."""
    waits = [w for w in run.recording.waits
             if w.task and w.task.tid == want["tid"] and w.max_ns >= LONG_NS and w.state != "R"]
    if not waits:
        return [f"{want['name']}: no wait of tid {want['tid']}"]
    return [f"{want['name']}: for '{w.object}', not '{label}': {w}"
            for w in waits if not fits(w.object, label)]


def judge_disk(run, waits, label, count):
    """Each for this file, and as many as the thread knows of."""
    found = sum(w.count for w in waits)
    problems = [f"for '{w.object}', not '{label}': {w}"
                for w in waits if not fits(w.object, label)]
    if not found or found < count * DISK_SHARE - run.missed:
        problems.append(f"{found} waits, not {count}")
    return problems


def report_disk(run, tap):
    """The file of a page that was not there, and the one that was read in between."""
    for want in run.of("disk"):
        waits = [w for w in run.recording.waits
                 if w.task and w.task.tid == want["tid"] and "iowait" in w.flags and
                 w.state != "R"]
        faults = [w for w in waits if w.cause == "page-fault"]
        tap.report("objects/fault", judge_disk(
            run, [w for w in faults if not w.sysno], want["mapped"], want["faults"]))
        tap.report("objects/fault-in-call", judge_disk(
            run, [w for w in faults if w.sysno], want["mapped"], want["faults_in_call"]))
        tap.report("objects/disk-read", judge_disk(
            run, [w for w in waits if w not in faults], want["read"], want["reads"]))


def seen_holders(run, wants):
    """So many waits have each of the holders that there were."""
    return {want["holder"]: sum(w.count for w in run.recording.waits if w.task and
                                w.task.tid == want["tid"] and w.owner == want["holder"])
            for want in wants}


def report_owner(tap, run, kind):
    """So many waits were ended by each holder, says who waited: how many are known to have been?"""
    wants = [e for e in run.of("owner") if e["kind"] == kind]
    seen = seen_holders(run, wants)
    total = sum(want["count"] for want in wants)
    right = sum(min(seen[want["holder"]], want["count"]) for want in wants)
    tap.report(f"objects/owner-{kind}", judge_owner(run, kind, wants, seen, right, total))
    tap.note(f"the holder is known and right of {right} of {total} waits: {kind}, "
             f"{right / max(total, 1):.1%}, {OWNER_SHARE:.0%} are asked for")


def judge_owner(run, kind, wants, seen, right, total):
    if not total:
        return [f"{kind}: nobody waited"]
    if right < total * OWNER_SHARE - run.missed:
        return [f"{kind}: {right} of {total} waits have their holder: {seen}, not "
                f"{ {w['holder']: w['count'] for w in wants} }"]
    others = sum(w.count for w in run.recording.waits
                 if w.task and w.owner and w.task.tid in {x["tid"] for x in wants} and
                 w.owner not in seen)
    return [f"{kind}: {others} waits with a holder that is none"] if others else []


def judge_again(run):
    """Services that came after one another at one place in memory are not one."""
    problems = []
    for want in run.of("again"):
        waits = [w for w in run.recording.waits if w.task and w.task.tid == want["tid"] and
                 w.object == want["label"] and w.max_ns >= LONG_NS]
        if sum(w.count for w in waits) != 1:
            problems.append(f"{sum(w.count for w in waits)} waits for {want['label']}")
    return problems


@case("objects", ("default", "switch", "kprobe"))
def objects(env, tap, mode):
    """Each kind of object, by its name; each kind of lock, by its holder."""
    run = record(env, [env.objects, env.scratch], mode)
    for want in run.of("object"):
        label = want["early" if mode == "switch" else "label"]
        tap.report(f"objects/{want['name']}", judge_object(run, want, label))
    for kind in OWNERS:
        report_owner(tap, run, kind)
    tap.report("objects/unix-again", judge_again(run))
    report_disk(run, tap)
    always.report(tap, "objects", run)


@case("objects-reused", ("default", "plain"))
def objects_reused(env, tap, mode):
    """One descriptor number is many things in turn, and each wait is for what it was then."""
    run = record(env, [env.reused], mode)
    done, pipes = run.of("done")[0], run.of("pipe")
    rounds, fd = done["rounds"], pipes[0]["fd"]
    mine = [w for w in run.recording.waits
            if w.task and w.task.tid == done["tid"] and w.object and w.state != "R"]
    counts = {label: sum(w.count for w in mine if w.object == label)
              for label in {w.object for w in mine}}
    want = {p["label"]: 1 for p in pipes}
    want |= {f"{kind} fd {fd} of {run.pid}": rounds for kind in ("eventfd", "timerfd")}
    # Who was preempted before it could wait has not waited, so there may be fewer.
    wrong = [f"{counts[label]} waits for {label}, {n} were made"
             for label, n in want.items() if counts.get(label, 0) > n]
    tap.report("objects-reused/each", wrong)
    right = sum(min(counts.get(label, 0), n) for label, n in want.items())
    tap.report("objects-reused/all", [] if right >= 0.9 * 3 * rounds - run.missed else
               [f"{right} of {3 * rounds} waits have their object: {counts}"])
    always.report(tap, "objects-reused", run)


@case("peers", ("default", "switch"))
def peers(env, tap, mode):
    """The process at the other end of a pipe, or of a connection that does not leave this host."""
    run = record(env, [env.peers, env.scratch], mode)
    for want in run.of("object"):
        tap.report(f"peers/{want['name']}", judge_object(run, want, want["label"]))
    always.report(tap, "peers", run)


@case("no-objects")
def no_objects(env, tap, _mode):
    """Without them there are none, and all else is as it was."""
    run = record(env, [env.objects, env.scratch], options=["--no-objects"])
    named = [w for w in run.recording.waits if w.object or w.owner]
    tap.report("no-objects/none", [f"an object: {w.object} {w.owner}" for w in named[:5]])
    always.report(tap, "no-objects", run)
