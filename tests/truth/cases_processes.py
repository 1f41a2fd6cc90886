# SPDX-License-Identifier: Apache-2.0
"""Children, programs that live for a moment, and exec."""
import json
import os
import tempfile

import always
import checks
import expect
from cases import case
from session import record, record_command

LEAVES = 200
# A program of one millisecond can be gone before its mappings were read, on a busy machine above
# all; its time is exact even so. Those of command-tree live long enough: all have names.
NAMED_SHARE = 0.5
FILES = 5
SLEEP = expect.sysno("clock_nanosleep")


def judge_leaf(run, leaf, child):
    """A process that was forked, called exec and died."""
    tasks = run.recording.tasks_of(leaf["pid"])
    what = f"process {leaf['pid']}"
    if not tasks:
        return [f"{what}: no record"]
    all_waits = [w for t in tasks if "exited" in t.flags for w in t.waits]
    sleeps = [w for w in all_waits if w.state == "S" and w.sysno == SLEEP]
    problems = checks.wait_time(what, sleeps, all_waits, leaf, run.each_wait_ns,
                                run.recording.ns_lost("missed_switch"))
    if not any("born" in t.flags for t in tasks) or not any("exited" in t.flags for t in tasks):
        problems.append(f"{what}: flags {[sorted(t.flags) for t in tasks]}")
    return problems + checks.lifetimes(what, sum(t.wall_ns for t in tasks),
                                       leaf["dying_ns"] - leaf["born_ns"],
                                       child["reaped_ns"] - child["forked_ns"])


def report_leaves(tap, case_name, run, events, want, named_share):
    leaves = {e["pid"]: e for e in events if e["event"] == "leaf"}
    children = {e["pid"]: e for e in events if e["event"] == "child"}
    tap.report(f"{case_name}/workload", [] if len(leaves) == want else
               [f"{len(leaves)} leaves of {want}: the test itself is broken"])
    tap.report(f"{case_name}/each-process",
               [p for pid in leaves for p in judge_leaf(run, leaves[pid], children[pid])][:20])
    sleeps = [w for t in run.recording.tasks if t.tid in leaves for w in t.waits
              if w.state == "S" and w.sysno == SLEEP]
    named = sum(w.count for w in sleeps if w.has_frame("block_leaf"))
    tap.note(f"{named} of {len(leaves)} sleeps have the name of their function")
    tap.report(f"{case_name}/names", [] if named >= named_share * len(leaves) else
               [f"only {named} of {len(leaves)} sleeps have the name of their function"])


@case("short-processes", ("default", "switch"))
def short_processes(env, tap, mode):
    """200 programs of a millisecond, children of the target."""
    run = record(env, [env.life, "procs", str(LEAVES), "1000000"], mode, options=["--follow"])
    report_leaves(tap, "short-processes", run, run.events, LEAVES, NAMED_SHARE)
    always.report(tap, "short-processes", run)


@case("command-tree", ("default", "switch"))
def command_tree(env, tap, mode):
    """A command, its child, and three programs below that: all followed, from birth to death."""
    path = os.path.join(env.scratch, "tree.events")
    run = record_command(env, [env.life, "tree", "30000000", path], mode)
    with open(path, encoding="utf-8") as f:
        events = [json.loads(line) for line in f]
    os.unlink(path)
    report_leaves(tap, "command-tree", run, events, 3, 1)
    processes = {t.tgid for t in run.recording.tasks}
    tap.report("command-tree/all-there", [] if len(processes) == 5 else
               [f"{len(processes)} processes, not 5: {[str(t) for t in run.recording.tasks]}"])
    always.report(tap, "command-tree", run)


def judge_exec(run):
    rec, problems = run.recording, []
    before, after = run.truth("execer"), run.of("after")[0]
    by_frame = {name: [w for w in rec.waits if w.has_frame(name)]
                for name in ("block_before_exec", "block_after_exec")}
    for name, truth in (("before", before), ("after", after)):
        waits = by_frame[f"block_{name}_exec"]
        problems += checks.wait_time(f"{name} exec", checks.inside(waits), waits, truth,
                                     run.each_wait_ns, rec.ns_lost("missed_switch"))
    for wait in by_frame["block_before_exec"]:
        if wait.task.tid != before["tid"]:
            problems.append(f"before exec, with tid {wait.task.tid}: {wait}")
    for wait in by_frame["block_after_exec"]:
        if wait.task.tid != run.pid:
            problems.append(f"after exec, with tid {wait.task.tid}: {wait}")
    # the group has a thread with its own number at every moment but that of the leader's death
    leaders = rec.tasks_of(run.pid)
    problems += checks.within("records of the leader's tid", sum(t.wall_ns for t in leaders),
                              rec.window_ns, checks.EDGE_SHARE, checks.LEADER_DEATH_NS)
    execed = [(t.tid, t.comm) for t in rec.tasks if "execed" in t.flags]
    if execed != [(before["tid"], "renamed")]:
        problems.append(f"what ends with an exec is {execed}")
    problems += [f"{t} has the name {t.comm}" for t in leaders
                 if t.comm != "life"]
    if len(leaders) < 2:
        problems.append(f"{len(leaders)} records of the leader's tid")
    return problems


@case("exec", ("default", "waking", "switch"))
def exec_by_a_thread(env, tap, mode):
    """A thread that is not the leader calls exec and becomes the leader."""
    run = record(env, [env.life, "exec"], mode)
    tap.report("exec/two-programs", judge_exec(run))
    always.report(tap, "exec", run)


def judge_files(run):
    """Each wait below a library that is new has all its callers, up to the root."""
    waits = [w for t in run.recording.tasks for w in t.waits if "block_below" in w.user]
    problems = checks.user_frames(waits, ("block_below", "inflateBack", "run_in_copy", "run_files",
                                          "main", "_start"))
    if sum(w.count for w in waits) < FILES:
        problems.append(f"{sum(w.count for w in waits)} waits of {FILES}")
    return problems


def judge_open(run):
    """A wait that is still open at the end has all its callers too."""
    waits = [w for t in run.recording.tasks for w in t.waits
             if "block_until_quit" in w.user and "inflateBack" in w.user]
    problems = checks.user_frames(waits, ("block_until_quit", "inflateBack", "run_in_copy",
                                          "run_to_the_end", "start_thread"))
    if [w.flags & {"open"} for w in waits] != [{"open"}]:
        problems += [f"{len(waits)} waits, not 1 that is open"] + checks.evidence(waits)
    return problems


@case("new-files", ("default", "plain"))
def new_files(env, tap, mode):
    """The first waits below files that have no unwind table by then."""
    with tempfile.TemporaryDirectory() as directory:
        run = record(env, [env.life, "files", str(FILES), directory], mode)
    tap.report("new-files/whole", judge_files(run))
    tap.report("new-files/open", judge_open(run))
    always.report(tap, "new-files", run)
