# SPDX-License-Identifier: Apache-2.0
"""What waits are for, and who holds it."""
import fnmatch

import always
import checks
from cases import case
from session import record

OWNERS = ("mutex", "timed", "pi", "robust", "read-lock", "write-lock", "join")
OWNER_SHARE = 0.99  # of the waits that a holder must be right for
KERNEL_OWNERS = ("kernel-mutex", "kernel-write-lock", "kernel-read-lock", "kernel-mmap-lock")
KERNEL_OWNER_SHARE = 0.95  # of the waited time
LONG_NS = 10_000_000  # the one wait that is meant; the pauses before it are far shorter


def fits(label, pattern):
    """A '*' in what is expected is any text; all else is itself."""
    return label is not None and fnmatch.fnmatchcase(
        label.replace("[", "<"), pattern.replace("[", "<"))


def judge_object(run, want):
    """The long wait of a thread must be for what it says."""
    waits = [w for w in run.recording.waits
             if w.task and w.task.tid == want["tid"] and w.max_ns >= LONG_NS and w.state != "R"]
    if not waits:
        return [f"{want['name']}: no wait of tid {want['tid']}"]
    return [f"{want['name']}: for '{w.object}', not '{want['label']}': {w}"
            for w in waits if not fits(w.object, want["label"])]


def judge_owner(run, kind):
    """So many waits were ended by each holder, says who waited."""
    wants = [e for e in run.of("owner") if e["kind"] == kind]
    total = right = 0
    seen = {}
    for want in wants:
        found = sum(w.count for w in run.recording.waits
                    if w.task and w.task.tid == want["tid"] and w.owner == want["holder"])
        seen[want["holder"]] = found
        total += want["count"]
        right += min(found, want["count"])
    if not total:
        return [f"{kind}: nobody waited"]
    if right < total * OWNER_SHARE - run.missed:
        return [f"{kind}: {right} of {total} waits have their holder: {seen}, not "
                f"{ {w['holder']: w['count'] for w in wants} }"]
    others = sum(w.count for w in run.recording.waits
                 if w.task and w.owner and w.task.tid in {x["tid"] for x in wants} and
                 w.owner not in seen)
    return [f"{kind}: {others} waits with a holder that is none"] if others else []


def readers_are_known():
    """Does this kernel take the name of a reader that leaves from a rwsem? Since 6.17, with
    CONFIG_DETECT_HUNG_TASK_BLOCKER."""
    with open("/proc/kallsyms", encoding="ascii", errors="replace") as f:
        return any(line.split()[1:3] == ["T", "rwsem_owner"] for line in f)


def time_by_owner(run, want):
    """Of the waits of a thread for the lock."""
    times = {}
    for w in run.recording.waits:
        if w.task and w.task.tid == want["tid"] and w.object == want["label"]:
            times[w.owner] = times.get(w.owner, 0) + w.off_ns
    return times


def judge_kernel_owner(run, kind):
    """Nearly all the time that a thread waited for the lock, its holder is right; the parts of the
    two holders are as its own clock says."""
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
    right = sum(times.get(w["holder"], 0) for w in wants)
    if kind == "kernel-read-lock" and not readers_are_known():
        return [f"{kind}: a reader is said to hold it: {times}"] if right else []
    if right < total * KERNEL_OWNER_SHARE:
        return [f"{kind}: {right} of {total} ns with their holder: {times}, not "
                f"{[w['holder'] for w in wants]}"]
    whole = sum(w["ns"] for w in wants)
    return [f"{kind}: {w['holder']} has {times.get(w['holder'], 0) / total:.3f} of the time, and "
            f"by the waiter's clock {w['ns'] / whole:.3f}" for w in wants
            if abs(times.get(w["holder"], 0) / total - w["ns"] / whole) > checks.HOLDER_PART]


@case("objects", ("default", "switch", "kprobe"))
def objects(env, tap, mode):
    """Each kind of object, by its name; each kind of lock, by its holder."""
    run = record(env, [env.objects, env.scratch], mode)
    for want in run.of("object"):
        tap.report(f"objects/{want['name']}", judge_object(run, want))
    for kind in OWNERS:
        tap.report(f"objects/owner-{kind}", judge_owner(run, kind))
    for kind in KERNEL_OWNERS:
        if run.skipped(kind):
            tap.skip(f"objects/owner-{kind}", run.skipped(kind))
        else:
            tap.report(f"objects/owner-{kind}", judge_kernel_owner(run, kind))
    always.report(tap, "objects", run, () if readers_are_known() else ("holder_unknown",))


@case("no-objects")
def no_objects(env, tap, _mode):
    """Without them there are none, and all else is as it was."""
    run = record(env, [env.objects, env.scratch], options=["--no-objects"])
    named = [w for w in run.recording.waits if w.object or w.owner]
    tap.report("no-objects/none", [f"an object: {w.object} {w.owner}" for w in named[:5]])
    always.report(tap, "no-objects", run)
