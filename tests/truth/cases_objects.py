# SPDX-License-Identifier: Apache-2.0
"""The objects of waits, and their owners."""
import fnmatch

import always
import checks
import rwsem
from cases import case
from session import record

OWNERS = ("mutex", "timed", "pi", "robust", "read-lock", "write-lock", "join",
          "early-mutex", "early-pi", "early-rwlock", "early-flock", "early-fcntl")
OWNER_SHARE = 0.99  # of the waits that an owner must be right for
DISK_SHARE = 0.9  # of the switches that a thread counts around what may wait for a disk
KERNEL_OWNERS = ("kernel-mutex", "kernel-write-lock", "kernel-read-lock", "kernel-mmap-lock")
KERNEL_OWNER_SHARE = 0.95  # of the waited time
LONG_NS = 10_000_000  # the one wait that is meant; the pauses before it are far shorter


def fits(label, pattern):
    """A '*' in the expected text matches any text."""
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


def tell_skipped(run, tap, name, kind):
    if run.skipped(kind):
        tap.skip(name, run.skipped(kind))


def report_disk(run, tap):
    """The file behind a page fault, and the file that was read in between."""
    tell_skipped(run, tap, "objects/disk", "disk")
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


def seen_owners(run, wants):
    """So many waits have each of the owners that there were."""
    return {want["owner"]: sum(w.count for w in run.recording.waits if w.task and
                                w.task.tid == want["tid"] and w.owner == want["owner"])
            for want in wants}


def report_owner(tap, run, kind):
    """The waiting threads say how many waits each owner ended: how many of them are known?"""
    wants = [e for e in run.of("owner") if e["kind"] == kind]
    seen = seen_owners(run, wants)
    total = sum(want["count"] for want in wants)
    right = sum(min(seen[want["owner"]], want["count"]) for want in wants)
    tap.report(f"objects/owner-{kind}", judge_owner(run, kind, wants, seen, right, total))
    tap.note(f"the owner is known and right of {right} of {total} waits: {kind}, "
             f"{right / max(total, 1):.1%}, {OWNER_SHARE:.0%} are asked for")


def judge_owner(run, kind, wants, seen, right, total):
    if not total:
        return [f"{kind}: nobody waited"]
    if right < total * OWNER_SHARE - run.missed:
        return [f"{kind}: {right} of {total} waits have their owner: {seen}, not "
                f"{ {w['owner']: w['count'] for w in wants} }"]
    others = sum(w.count for w in run.recording.waits
                 if w.task and w.owner and w.task.tid in {x["tid"] for x in wants} and
                 w.owner not in seen)
    return [f"{kind}: {others} waits with a wrong owner"] if others else []


def judge_again(run):
    """Services that came after one another at one place in memory are not one."""
    problems = []
    for want in run.of("again"):
        waits = [w for w in run.recording.waits if w.task and w.task.tid == want["tid"] and
                 w.object == want["label"] and w.max_ns >= LONG_NS]
        if sum(w.count for w in waits) != 1:
            problems.append(f"{sum(w.count for w in waits)} waits for {want['label']}")
    return problems


def time_by_owner(run, want):
    """Of the waits of a thread for the lock."""
    times = {}
    for w in run.recording.waits:
        if w.task and w.task.tid == want["tid"] and w.object == want["label"]:
            times[w.owner] = times.get(w.owner, 0) + w.off_ns
    return times


def judge_kernel_owner(run, kind):
    """Nearly all the time that a thread waited for the lock, its owner is right; the parts of the
    two owners are as its own clock says."""
    for bystander in (e for e in run.of("bystander") if e["kind"] == kind):
        waits = sum(w.count for w in run.recording.waits if w.object == bystander["label"] and
                    w.task and w.task.tid == bystander["tid"])
        if not 1 <= waits <= 2:  # it may be woken in vain
            return [f"{kind}: the bystander waited {waits} times for '{bystander['label']}'"]
    wants = [e for e in run.of("kernel-owner") if e["kind"] == kind]
    times = time_by_owner(run, wants[0])
    total = sum(times.values())
    if not total:
        return [f"{kind}: nobody waited for '{wants[0]['label']}'"]
    right = sum(times.get(w["owner"], 0) for w in wants)
    if kind == "kernel-read-lock" and not rwsem.readers_are_known():
        return [f"{kind}: a reader is said to hold it: {times}"] if right else []
    if right < total * KERNEL_OWNER_SHARE:
        return [f"{kind}: {right} of {total} ns with their owner: {times}, not "
                f"{[w['owner'] for w in wants]}"]
    whole = sum(w["ns"] for w in wants)
    return [f"{kind}: {w['owner']} has {times.get(w['owner'], 0) / total:.3f} of the time, and "
            f"by the waiter's clock {w['ns'] / whole:.3f}" for w in wants
            if abs(times.get(w["owner"], 0) / total - w["ns"] / whole) > checks.OWNER_PART]


@case("objects", ("default", "switch", "kprobe"))
def objects(env, tap, mode):
    """Each kind of object, by its name; each kind of lock, by its owner."""
    run = record(env, [env.objects, env.scratch], mode)
    for want in run.of("object"):
        label = want["early" if mode == "switch" else "label"]
        tap.report(f"objects/{want['name']}", judge_object(run, want, label))
    for kind in OWNERS:
        report_owner(tap, run, kind)
    for kind in KERNEL_OWNERS:
        if run.skipped(kind):
            tap.skip(f"objects/owner-{kind}", run.skipped(kind))
        else:
            tap.report(f"objects/owner-{kind}", judge_kernel_owner(run, kind))
    tap.report("objects/unix-again", judge_again(run))
    report_disk(run, tap)
    always.report(tap, "objects", run, rwsem.losses())


@case("objects-user-only")
def objects_user_only(env, tap, _mode):
    """Without kernel stacks a page fault has its file still, but only outside of a system call."""
    run = record(env, [env.objects, env.scratch], options=["-U"])
    tell_skipped(run, tap, "objects-user-only/fault", "disk")
    for want in run.of("disk"):
        faults = [w for w in run.recording.waits
                  if w.task and w.task.tid == want["tid"] and "iowait" in w.flags and
                  w.state != "R" and w.sysno is None]
        tap.report("objects-user-only/fault", judge_disk(
            run, faults, want["mapped"], want["faults"]))


@case("objects-reused", ("default", "plain"))
def objects_reused(env, tap, mode):
    """One descriptor is many things in turn, and each wait is for what it was then."""
    run = record(env, [env.reused], mode)
    done, pipes, sockets = run.of("done")[0], run.of("pipe"), run.of("socket")
    rounds, fd = done["rounds"], pipes[0]["fd"]
    mine = [w for w in run.recording.waits
            if w.task and w.task.tid == done["tid"] and w.object and w.state != "R"]
    counts = {label: sum(w.count for w in mine if w.object == label)
              for label in {w.object for w in mine}}
    tell_skipped(run, tap, "objects-reused/sockets", "socket")
    want = {p["label"]: 1 for p in pipes + sockets}
    want |= {f"{kind} fd {fd} of {run.pid}": rounds for kind in ("eventfd", "timerfd")}
    # Who was preempted before it could wait has not waited, so there may be fewer.
    wrong = [f"{counts[label]} waits for {label}, {n} were made"
             for label, n in want.items() if counts.get(label, 0) > n]
    tap.report("objects-reused/each", wrong)
    made = sum(want.values())
    right = sum(min(counts.get(label, 0), n) for label, n in want.items())
    tap.report("objects-reused/all", [] if right >= 0.9 * made - run.missed else
               [f"{right} of {made} waits have their object: {counts}"])
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
