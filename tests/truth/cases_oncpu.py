# SPDX-License-Identifier: Apache-2.0
"""Threads on a CPU: samples say on what the time went, which is known exactly."""
import json
import os
import shutil
import subprocess
import tempfile

import always
import checks
from cases import case
from host import stolen_ns
from recorder import Recorder
from session import record
from workload import Workload, end_process

ROUNDS = 150  # of 18 ms, of which 10 on a CPU
HZ = 499
ERRORS = 4
EDGE_SHARE = 0.01  # of what it ran: reading of clocks, and calls


def sums_under(hots, frame):
    return sum(h["on_ns"] for h in hots if frame in h["user"])


def share_problems(hots, told, on_ns):
    """What the samples say of two functions, against the thread's own clock."""
    samples = sum(h["samples"] for h in hots)
    problems = [] if samples > HZ else [f"only {samples} samples"]
    for frame, truth in (("hot_seventy", told["seventy"]), ("hot_thirty", told["thirty"])):
        share = truth / on_ns
        error = (share * (1 - share) / max(samples, 1)) ** 0.5
        problems += checks.within(f"share of {frame}", sums_under(hots, frame) / on_ns, share, 0,
                                  ERRORS * error + EDGE_SHARE)
    return problems


def whole_problems(raw):
    """The rows of each thread add up to its wall time less unaccounted time."""
    problems = []
    for i, task in enumerate(raw["tasks"]):
        on_ns = sum(h["on_ns"] for h in raw["hots"] if h["task"] == i)
        off_ns = sum(w["blocked_ns"] + w["runq_ns"] for w in raw["waits"] if w["task"] == i)
        if on_ns != task["on_ns"]:
            problems.append(f"{task['comm']}: {on_ns} ns listed on a CPU, it was {task['on_ns']}")
        if on_ns + off_ns + task["unaccounted_ns"] != task["wall_ns"]:
            problems.append(f"{task['comm']}: {on_ns} on + {off_ns} off of {task['wall_ns']} ns")
    return problems


def nap_problems(raw, told, stolen_ns):
    naps = [w for w in raw["waits"] if "cold_nap" in w["user"]]
    off_ns = sum(w["blocked_ns"] + w["runq_ns"] for w in naps)
    slack = checks.TIME_EACH_NS * ROUNDS + checks.TIME_NS + stolen_ns
    problems = checks.between_times("nap", off_ns, told["off"] - slack, told["mono"] + slack)
    count = sum(w["count"] for w in naps if w["state"] == "S")
    return problems + ([] if count == ROUNDS else [f"{count} naps of {ROUNDS}"])


def loss_problems(raw):
    """No sample finds a table full."""
    lost = {x["name"]: x["events"] for x in raw["losses"]}
    problems = [f"{lost[name]}: {name}" for name in ("samples_lost", "samples_bare")
                if lost.get(name)]
    listed = sum(h["samples"] for h in raw["hots"])
    if listed + lost.get("samples_lost", 0) != raw["header"]["on_cpu_samples"]:
        problems.append(f"{listed} samples listed of {raw['header']['on_cpu_samples']}")
    return problems


def run(env, mode, options, argv=None):
    """A recording of a workload, as JSON, and what the workload says of itself."""
    stolen = stolen_ns()
    with Workload(argv or [env.hotcold, str(ROUNDS)]) as workload:
        pid = workload.ready()
        with Recorder(env.coldspot, ["-p", str(pid), *options], mode) as recorder:
            workload.tell("go")
            workload.until("done")
            recorder.stop()
            with open(recorder.json, encoding="utf-8") as f:
                raw = json.load(f)
        workload.tell("quit")
        told = workload.of("done")[0]
        told["stolen"] = stolen_ns() - stolen
        return raw, told


@case("on-cpu", modes=("default", "plain", "waking", "switch", "kprobe"))
def on_cpu(env, tap, mode):
    """70 % and 30 % of the on-CPU time; off-CPU time stays exact."""
    raw, told = run(env, mode, ["--on-cpu", "--hz", str(HZ)])
    on_ns = sum(t["on_ns"] for t in raw["tasks"])
    # The thread's own clock jumps where the host takes the CPU, and samples know nothing of it.
    if told["stolen"] > on_ns / 100:
        tap.skip("on-cpu/shares", f"the host took {told['stolen']} ns from the CPUs")
    else:
        tap.report("on-cpu/shares", share_problems(raw["hots"], told, on_ns))
    tap.report("on-cpu/whole", whole_problems(raw))
    tap.report("on-cpu/nap", nap_problems(raw, told, told["stolen"]))
    tap.report("on-cpu/lost", loss_problems(raw))


@case("on-cpu-switching", modes=("default", "plain"))
def switching(env, tap, mode):
    """Samples of a thread that only switches often hit our own programs: they have stacks too."""
    raw, _told = run(env, mode, ["--on-cpu", "--hz", "4999"], [env.waits, "pingpong"])
    tap.report("on-cpu-switching/whole", whole_problems(raw))
    tap.report("on-cpu-switching/lost", loss_problems(raw))
    problems = []
    for comm in ("ping", "pong"):
        hots = [h for h in raw["hots"] if raw["tasks"][h["task"]]["comm"] == comm]
        samples = sum(h["samples"] for h in hots)
        whole = sum(h["samples"] for h in hots if f"run_{comm}" in h["user"])
        if whole < samples * 0.98 or samples < 100:
            problems.append(f"{comm}: {whole} of {samples} samples have the whole user stack")
    tap.report("on-cpu-switching/stacks", problems)
    ours = sum(h["samples"] for h in raw["hots"] if any("bpf_prog" in f for f in h["kernel"]))
    tap.note(f"on-cpu-switching: {ours} of {raw['header']['on_cpu_samples']} samples hit "
             "programs of coldspot")


MOST_A_SECOND = "/proc/sys/kernel/perf_event_max_sample_rate"


@case("on-cpu-rate")
def rate(env, tap, mode):
    """More samples a second than the kernel's limit: most arrive, though it throttles some."""
    with open(MOST_A_SECOND, encoding="ascii") as f:
        before = f.read()
    try:
        with open(MOST_A_SECOND, "w", encoding="ascii") as f:
            f.write("100")
    except OSError as e:
        tap.skip("on-cpu-rate/samples", f"the limit cannot be set: {e}")
        return
    try:
        raw, _told = run(env, mode, ["--on-cpu", "--hz", "200"])
    finally:
        with open(MOST_A_SECOND, "w", encoding="ascii") as f:
            f.write(before)
    samples = raw["header"]["on_cpu_samples"]
    want = sum(t["on_ns"] for t in raw["tasks"]) * 200 / 1e9
    tap.report("on-cpu-rate/samples", checks.between_times("samples", samples, want / 8, want * 2))


@case("odd-call", modes=("default", "waking", "switch"))
def odd_call(env, tap, mode):
    """A program that makes system calls that do not exist is recorded."""
    recorded = record(env, [env.waits, "odd-call"], mode, ["--on-cpu", "--hz", str(HZ)])
    rec = recorded.recording
    mine = [w for w in rec.waits if w.user[:1] == ["run_odd_call"]]
    names = [w for w in mine if w.sysno is not None]
    tap.report("odd-call/no-call", [f"a system call: {w}" for w in names[:5]])
    tap.report("odd-call/preempted", [] if sum(w.count for w in mine) > 10 else
               [f"only {sum(w.count for w in mine)} waits of threads that share a CPU"])
    always.report(tap, "odd-call", recorded)


@case("on-cpu-not-asked")
def not_asked(env, tap, mode):
    """Nothing of it is there."""
    raw, _told = run(env, mode, [])
    problems = [key for key in ("hots",) if key in raw]
    problems += [key for key in raw["header"] if key.startswith("on_cpu")]
    tap.report("on-cpu-not-asked/nothing", problems)


def start_perf(pid, path):
    """perf's samples of the same clock, without stacks: it needs no counter of the CPU."""
    perf = ["perf", "record", "-q", "-e", "cpu-clock", "-F", str(HZ), "-p", str(pid), "-o", path]
    return subprocess.Popen(perf, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@case("on-cpu-perf")
def beside_perf(env, tap, mode):
    """perf and coldspot at once see the same two functions in the same proportion."""
    if not shutil.which("perf"):
        tap.skip("on-cpu-perf/share", "there is no perf")
        return
    with tempfile.TemporaryDirectory(prefix="truth.") as scratch, \
            Workload([env.hotcold, str(ROUNDS)]) as workload:
        pid = workload.ready()
        path = os.path.join(scratch, "perf.data")
        with Recorder(env.coldspot, ["-p", str(pid), "--on-cpu", "--hz", str(HZ)], mode) as rec:
            perf = start_perf(pid, path)
            workload.tell("go")
            workload.until("done")
            rec.stop()
            with open(rec.json, encoding="utf-8") as f:
                hots = json.load(f)["hots"]
        workload.tell("quit")
        end_process(perf)
        out = subprocess.run(["perf", "script", "-i", path, "-F", "ip,sym"], check=False,
                             capture_output=True, timeout=60).stdout.decode(errors="replace")
    names = [line.split()[-1] for line in out.splitlines() if line.strip()]
    theirs = [names.count("hot_seventy"), names.count("hot_thirty")]
    if sum(theirs) < HZ / 2:
        tap.skip("on-cpu-perf/share", f"perf has {len(names)} samples of cpu-clock")
        return
    ours = [sums_under(hots, "hot_seventy"), sums_under(hots, "hot_thirty")]
    share = theirs[0] / sum(theirs)
    error = (2 * share * (1 - share) / sum(theirs)) ** 0.5
    tap.report("on-cpu-perf/share", checks.within("hot_seventy of both", ours[0] / sum(ours),
                                                  share, 0, ERRORS * error + EDGE_SHARE))
