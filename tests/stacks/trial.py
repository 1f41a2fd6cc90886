# SPDX-License-Identifier: Apache-2.0
"""One program: recorded while the oracle stops it, in each of the ways stacks are taken, and
judged. Of a stop that ends inside the recording the stack is taken when the thread comes back, or,
in the mode `switch`, when it leaves; of one that is open at the end, when the sums are drained."""
import os
import shutil
import time

import judge
from oracle import Oracle, by_gdb
from recorded import Stacks
from recorder import Recorder

MODES = ("default", "switch")
OPTIONS = ["--state", "T,t", "-U", "-d", "0", "-q"]
MIN_US, MAX_US = 2000, 25000
ENOUGH = 50
IDENTICAL = 0.99
EXTRA = 0.01
LOOP_TIMEOUT_S = 60
GDB_STOPS = 3
# A process of few threads is stopped more often, for as many stacks, up to so many times as often.
STACKS_WANTED = 240
MORE_STOPS = 4


class Outcome:
    def __init__(self):
        self.verdict = judge.Verdict()
        self.gdb = judge.Verdict()
        self.ways = {}
        self.seconds = 0.0

    def add(self, way, verdict):
        self.verdict.add(verdict)
        self.ways.setdefault(way, judge.Verdict()).add(verdict)


def of_threads(stacks, recorded, is_open):
    """Those recorded of the same threads, open at the end or not."""
    threads = {s.tid for s in stacks}
    return [r for r in recorded if r.tid in threads and r.is_open == is_open]


def stops_for(pids, stops):
    threads = sum(len(os.listdir(f"/proc/{pid}/task")) for pid in pids)
    return min(max(stops, STACKS_WANTED * len(pids) // threads), MORE_STOPS * stops)


def ask_gdb(oracle, pids):
    """What both judges say of the same stops."""
    first, second = [], []
    for _ in range(GDB_STOPS):
        for pid in pids:
            first += oracle.hold(pid)
            second += by_gdb(pid)
            oracle.release(pid)
            time.sleep(0.05)
    return first, second


def record(job, mode, args, outcome):
    """One recording; False when the program has ended."""
    pids = job.pids()
    if not pids:
        return False
    second = []
    options = [*OPTIONS, "-p", ",".join(map(str, pids))]
    with Oracle(args.oracle, pids) as oracle:
        # what it has parsed once it knows
        oracle.loop(len(pids), 0, 1000, LOOP_TIMEOUT_S)
        with Recorder(args.coldspot, options, mode) as recorder:
            stops = stops_for(pids, job.more * args.stops)
            closed = oracle.loop(stops, MIN_US, MAX_US, LOOP_TIMEOUT_S)
            if job.gdb and shutil.which("gdb") and mode == MODES[0]:
                first, second = ask_gdb(oracle, pids)
                closed += first
            time.sleep(0.02)
            held = [s for pid in pids for s in oracle.hold(pid)]
            recorder.stop()
            stacks = Stacks(recorder.json)
            keep(recorder.json, job, mode)
        for pid in pids:
            oracle.release(pid)
    recorded = stacks.stopped()
    outcome.add(mode, judge.judge(closed, of_threads(closed, recorded, False), held))
    outcome.add("drain", judge.judge(held, of_threads(held, recorded, True)))
    outcome.gdb.add(judge.judge(second, of_threads(second, recorded, False)))
    return True


def keep(path, job, mode):
    """For whoever looks into a failure: STACKS_KEEP names a directory."""
    kept = os.environ.get("STACKS_KEEP")
    if kept:
        name = f"{type(job).__name__.lower()}-{mode}.json"
        with open(path, "rb") as f, open(os.path.join(kept, name), "wb") as out:
            out.write(f.read())


def run(name, job_type, scratch, args, tap):
    """Reports the tests of one program; its outcome for the table."""
    outcome, begun = Outcome(), time.monotonic()
    with job_type(scratch) as job:
        for _ in range(args.rounds):
            for mode in MODES:
                if not record(job, mode, args, outcome):
                    raise RuntimeError(f"{name} has ended: {job.said()}")
    outcome.seconds = time.monotonic() - begun
    report(name, job_type, outcome, tap)
    return outcome


def explain(verdict):
    for kind, count in verdict.classes.most_common():
        yield f"{count} x {kind}"
        yield from ("    " + line for line in judge.show(*verdict.samples[kind]))


def report(name, job_type, outcome, tap):
    v, problems = outcome.verdict, []
    if v.identical_share < IDENTICAL:
        problems.append(f"{v.identical} of {v.stacks} stacks are identical "
                        f"({v.identical_share:.2%})")
    if v.lost_wrong > (1 - IDENTICAL) * v.lost:
        problems.append(f"{v.lost_wrong} of {v.lost} stacks that the oracle could not finish do not"
                        " begin as it says")
    if v.extra_share > EXTRA:
        problems.append(f"{v.extra} of {v.recorded} recorded stacks are unknown to the oracle")
    if problems:
        problems += explain(v)
    else:
        # few, but each is one too many
        for line in explain(v):
            tap.note(line)
    if job_type.strict:
        tap.report(f"{name}/identical", problems)
        tap.report(f"{name}/complete", [] if v.complete_share >= job_type.complete else
                   [f"{v.complete} of {v.recorded} recorded stacks are whole",
                    *(f"{count} x {end}" for end, count in v.ends.most_common())])
    else:
        for line in problems:
            tap.note(line)
    few = v.stacks + v.lost < ENOUGH
    tap.report(f"{name}/enough", [f"only {v.stacks} stacks"] if few else [])
    g = outcome.gdb
    if job_type.gdb and not shutil.which("gdb"):
        tap.skip(f"{name}/gdb", "no gdb here")
    elif job_type.gdb:
        # gdb guesses in a prologue, so one stop of a few may differ
        tap.report(f"{name}/gdb", [] if g.stacks - g.identical <= max(1, g.stacks * (1 - IDENTICAL))
                   else [f"{g.identical} of {g.stacks} stacks are identical", *explain(g)])


HEAD = ("program", "stacks", "identical", "distinct", "so", "frames", "equal", "complete", "named",
        "lost", "resume", "switch", "drain", "gdb", "s")
ROW = "{:10} {:>7} {:>9} {:>8} {:>6} {:>7} {:>7} {:>8}" \
      " {:>7} {:>6} {:>7} {:>7} {:>7} {:>9} {:>5}"


def percent(share, of=1):
    return f"{share:.1%}" if of else "-"


def table(rows):
    """Lines for people. identical: stacks equal to the oracle's from the leaf to its end; so: of
    the distinct ones; equal: of the frames; complete: recorded stacks that reach the outermost
    frame; named: frames with a name; lost: stacks that the oracle could not finish, which are in no
    other column of its own; resume, switch, drain: identical, by where the stack was taken. The
    oracle guesses by frame pointers where there is no unwind information, as in code made by a JIT
    or Go's: there `complete` says more."""
    if not rows:
        return
    yield ROW.format(*HEAD)
    for name, o in rows:
        v = o.verdict
        ways = [o.ways[w] for w in (*MODES, "drain") if w in o.ways]
        yield ROW.format(
            name, v.stacks, percent(v.identical_share, v.stacks), len(v.distinct),
            percent(v.distinct_share), v.frames,
            percent(v.frames_share, v.frames), percent(v.complete_share, v.recorded),
            percent(v.named_share, v.recorded_frames), v.lost,
            *(percent(w.identical_share, w.stacks) for w in ways),
            f"{o.gdb.identical}/{o.gdb.stacks}" if o.gdb.stacks else "-", f"{o.seconds:.0f}")
