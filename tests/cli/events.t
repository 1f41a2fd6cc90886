#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""record --events: the instants of waits, as narrative and as a timeline, against what the program
that waited wrote down itself. Prints TAP; needs root."""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

from tap import PYTHON, Tap, run_bytes as run

HERE = os.path.dirname(os.path.abspath(__file__))

# Two threads that hand each other turns through pipes, and log when each wait began and ended.
PROGRAM = """
import json, os, sys, threading, time
ROUNDS = 40
there, back = os.pipe(), os.pipe()
log = {}
def waits(what):
    begin = time.monotonic_ns()
    what()
    return begin, time.monotonic_ns()
def asks():
    mine = log.setdefault(threading.get_native_id(), [])
    for _ in range(ROUNDS):
        mine.append(("sleep", *waits(lambda: time.sleep(0.004))))
        os.write(there[1], b"x")
        mine.append(("pipe", *waits(lambda: os.read(back[0], 1))))
def answers():
    mine = log.setdefault(threading.get_native_id(), [])
    for _ in range(ROUNDS):
        mine.append(("pipe", *waits(lambda: os.read(there[0], 1))))
        mine.append(("sleep", *waits(lambda: time.sleep(0.003))))
        os.write(back[1], b"x")
threads = [threading.Thread(target=f) for f in (asks, answers)]
[t.start() for t in threads]
[t.join() for t in threads]
json.dump(log, open(sys.argv[1], "w"))
"""
SLEEP_NS = 2_990_000  # its shorter sleep, as it is printed
SLACK_NS = 100_000
ROUNDED = 0.995  # three digits are printed
SECONDS = re.compile(r"^ *(\d+)\.(\d{6})  (.*?) \((\d+)\)  (.*)$")
TIME = re.compile(r"([\d.,]+) (ns|µs|ms|s)\b")
UNIT_NS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}

tap = Tap()
ok, skip = tap.ok, tap.skip


def ns_of(text):
    """The sum of all times in it; a place may have none."""
    return sum(float(number.replace(",", "")) * UNIT_NS[unit]
               for number, unit in TIME.findall(re.sub(r", at .*?(;|$)", r"\1", text)))


def lines_of(narrative):
    """(begin_ns, tid, text) of each line before the scope and the losses."""
    for line in narrative.split("\n\n")[0].splitlines():
        seconds, us, _, tid, text = SECONDS.match(line).groups()
        yield int(seconds) * 10**9 + int(us) * 1000, int(tid), text


def missing_waits(log, narrative, begin_mono_ns):
    """Each wait that the program logged has its lines, inside the time that it took. A sleep ends
    when it is due, however late the thread came to it (Python asks for an instant, not for a time);
    one that was cut by the end of a window is two lines."""
    found = [line for line in lines_of(narrative) if " in " in line[2]]
    empty = total = 0
    for tid, waits in log.items():
        mine = [(begin_mono_ns + at, text) for at, i, text in found if i == int(tid)]
        for cause, begin, end in waits:
            near = [(at, text) for at, text in mine if begin - 1000 <= at <= end and
                    f" in {cause}" in text]
            if any(at + ns_of(text) * ROUNDED > end + SLACK_NS for at, text in near):
                yield f"{tid}, {cause} until {end}: {near}"
            # of a part that the end of a window cut off, the stack may be missing
            all_ns = sum(ns_of(text) for at, text in mine if begin - 1000 <= at <= end)
            late_ns = min((at for at, _ in near), default=end) - begin
            if cause == "sleep" and late_ns + all_ns < SLEEP_NS:
                yield f"{tid} slept from {begin} to {end}: {near}"
            if end - begin > SLEEP_NS:
                total += 1
                empty += not near
    # what it asked for was there, and it lost the CPU
    if empty > total / 5:
        yield f"{empty} of {total} waits have no line"


def main_waits(dir_, *options):
    file, log = os.path.join(dir_, "a.coldspot"), os.path.join(dir_, "log")
    if os.path.exists(file):
        os.unlink(file)
    with open(os.path.join(dir_, "program.py"), "w", encoding="ascii") as f:
        f.write(PROGRAM)
    _, err = run("record", "-q", "--events", *options, "-o", file, "--", PYTHON, f.name, log)
    with open(log, encoding="ascii") as f:
        return file, json.load(f), err


def header_of(file):
    return json.loads(run("report", "-f", "json", file)[0])["header"]


def order(narrative):
    begins = [at for at, _, _ in lines_of(narrative)]
    return begins != sorted(begins) and "the lines are not in the order of time"


def whole(file, narrative):
    """The lines of a thread follow each other, and add up to its wall time."""
    tasks = json.loads(run("report", "-f", "json", file)[0])["tasks"]
    for task in tasks:
        lines = [(at, text) for at, tid, text in lines_of(narrative) if tid == task["tid"]]
        sum_ns = sum(ns_of(text) for _, text in lines)
        if abs(sum_ns - task["wall_ns"]) > task["wall_ns"] / 50 + 1e6:
            yield f"{task['tid']}: {sum_ns} of {task['wall_ns']} ns"
        if any("not known" in text for _, text in lines):
            yield f"{task['tid']}: a time is not known"


def slices_of(dir_, file):
    """(track, name, begin, end) of each slice, decoded by protoc; (source, target) of arrows."""
    raw = os.path.join(dir_, "a.perfetto")
    run("report", "-q", "-o", raw, file)
    with open(raw, "rb") as f:
        text = subprocess.run(["protoc", f"--proto_path={HERE}", "--decode=Trace",
                               os.path.join(HERE, "perfetto.proto")], stdin=f, check=True,
                              stdout=subprocess.PIPE).stdout.decode()
    if re.search(r"^ *\d+: ", text, re.M):
        raise AssertionError("unknown fields: " + re.search(r"^ *\d+: .*", text, re.M).group(0))
    tracks, slices, open_, sources, targets = {}, [], {}, {}, {}
    for packet in re.split(r"^packet \{$", text, flags=re.M)[1:]:
        def field(name, packet=packet):
            found = re.search(rf"^ *{name}: (.*)$", packet, re.M)
            return found and found.group(1).strip('"')
        if "track_descriptor" in packet:
            if "thread {" in packet:
                tracks[field("uuid")] = int(field("tid"))
            continue
        track, at, kind = field("track_uuid"), int(field("timestamp")), field("type")
        if kind == "TYPE_SLICE_BEGIN":
            names = re.findall(r'^    name: "(.*)"$', packet, re.M)
            if track in open_:
                raise AssertionError(f"a slice of {track} begins inside another one")
            open_[track] = (names[0], at)
        elif kind == "TYPE_SLICE_END":
            name, begin = open_.pop(track)
            slices.append((tracks[track], name, begin, at))
        if field("flow_ids"):
            sources[field("flow_ids")] = tracks[track], at
        if field("terminating_flow_ids"):
            targets[field("terminating_flow_ids")] = tracks[track], at
    return slices, [(sources[i], targets[i]) for i in targets]


def sums_differ(file, slices):
    """By thread: what the slices add up to against the totals."""
    for task in json.loads(run("report", "-f", "json", file)[0])["tasks"]:
        mine = [(name, end - begin) for tid, name, begin, end in slices if tid == task["tid"]]
        on = sum(ns for name, ns in mine if name == "on a CPU")
        runq = sum(ns for name, ns in mine if name == "waiting for a CPU")
        blocked = sum(ns for _, ns in mine) - on - runq
        want = task["on_ns"], task["preempted_ns"] + task["runq_ns"], \
            sum(task["blocked_ns"].values())
        if (on, runq, blocked) != want:
            yield f"{task['tid']}: on, run queue, blocked {on, runq, blocked}, not {want}"


def problems(found):
    return "\n".join(list(found)[:8])


def instants(dir_):
    file, log, _ = main_waits(dir_)
    narrative = run("report", "-f", "narrative", file)[0].decode()
    begin = header_of(file)["begin_mono_ns"]
    ok("each wait of the program is a line, at its time and as long as it was",
       problems(missing_waits(log, narrative, begin)))
    ok("lines are in the order of time", order(narrative))
    ok("the lines of a thread are all of its time", problems(whole(file, narrative)))
    tid = next(iter(log))
    alone = run("report", "--narrative", tid, file)[0].decode()
    ok("--narrative TID has the lines of that thread",
       [at for at, _, _ in lines_of(alone)] !=
       [at for at, i, _ in lines_of(narrative) if i == int(tid)] and
       alone[:400])
    waits = run("report", "-f", "narrative", "--cause", "pipe", file)[0].decode()
    ok("with a filter of waits, what is between them is not known",
       ("not known" not in waits or "on a CPU" in waits or "in sleep" in waits) and waits[:600])
    ok("the file is sound", b"sound" not in run("check", file)[0])
    slices, _ = slices_of(dir_, file)
    ok("the slices of the timeline add up to the totals, to the ns",
       problems(sums_differ(file, slices)))
    copy = os.path.join(dir_, "copy.coldspot")
    if os.path.exists(copy):
        os.unlink(copy)
    run("report", "-q", "-o", copy, file)
    ok("a copy says the same", run("report", "-f", "narrative", copy)[0].decode() != narrative)


def wakers(dir_):
    file, log, _ = main_waits(dir_, "--wakers")
    narrative = run("report", "-f", "narrative", file)[0].decode()
    asks, answers = (int(tid) for tid in sorted(log, key=int))
    woken = [text for _, tid, text in lines_of(narrative) if tid == asks and " in pipe" in text]
    right = sum(f"woken by python3-{answers}" in text for text in woken)
    ok("a line says who ended the wait", right < 0.9 * len(woken) and "\n".join(woken[:5]))
    _, arrows = slices_of(dir_, file)
    between = {asks, answers}
    right = sum({source[0], target[0]} == between and source[1] == target[1]
                for source, target in arrows)
    ok("arrows lead from the thread that woke, at that instant", right < 60 and arrows[:6])


def windows(dir_):
    file, log, _ = main_waits(dir_, "--every", "100ms")
    narrative = run("report", "-f", "narrative", file)[0].decode()
    begin = header_of(file)["begin_mono_ns"]
    ok("the same of several windows", problems(missing_waits(log, narrative, begin)))
    ok("which are sound", b"sound" not in run("check", file)[0])
    slices, _ = slices_of(dir_, file)
    ok("slices of windows that follow each other add up to the totals, to the ns",
       problems(sums_differ(file, slices)))


def losses(dir_):
    file, _, _ = main_waits(dir_, "--max-events", "20")
    p = json.loads(run("report", "-f", "json", file)[0])
    lost = [loss for loss in p["losses"] if loss["name"] == "events_lost"]
    narrative = run("report", "-f", "narrative", file)[0].decode()
    listed = sum(w["count"] for w in p["waits"] if "lost" not in w["flags"])
    told = sum("blocked" in text or "for a CPU" in text for _, _, text in lines_of(narrative))
    ok("what is beyond --max-events is counted",
       (not lost or lost[0]["events"] + told != listed) and f"{lost}, {told} of {listed}")
    ok("and times without instants are not known", "not known" not in narrative and narrative)


def refusals(dir_):
    file = os.path.join(dir_, "none.coldspot")
    run("record", "-q", "-o", file, "--", "true")
    _, err = run("report", "--narrative", "1", file, status=1)
    ok("a recording without events has no such thread", "matches none" not in err and err)
    _, err = run("report", "-f", "narrative", file, status=1)
    ok("nor instants", "record with --events" not in err and err)
    _, err = run("record", "--max-events", "5", "--", "true", status=2)
    ok("--max-events needs --events", "--max-events needs --events" not in err and err)
    _, err = run("record", "--events", "--period", "1ms", "--", "true", status=2)
    ok("--events chooses every wait", "--period" not in err and err)


def main():
    if os.geteuid():
        skip("all", "ALL OF IT: needs root")
    else:
        with tempfile.TemporaryDirectory() as dir_:
            os.chmod(dir_, 0o755)
            for test in (instants, wakers, windows, losses, refusals):
                test(dir_)
    tap.done()


sys.dont_write_bytecode = True
main()
