#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The formats that are rows or objects (CSV, JSON, NDJSON, denet's), opened by Python, sqlite3, jq
and a validator of JSON Schema. Prints TAP; what the machine lacks for a test skips it."""
import csv
import json
import os
import re
import shutil
import subprocess

from cases import ROOT, Report, all_ns, expected, hots, lines, load, off_ns, same, total

try:
    import jsonschema
except ImportError:
    jsonschema = None

NUMBERS = ("blocked_ns", "runq_ns", "count", "max_ns", "samples", "se_ns")


# What a row of NDJSON repeats of its thread; `container` only if it is known.
OF_TASK = ("tgid", "tid", "group_comm", "comm", "cgroup", "container")


def run(*command):
    done = subprocess.run(command, timeout=60, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def cgroup_of(case, wait):
    if wait["task"] is None:
        return ""
    task = load(case)["tasks"][wait["task"]]
    path = (task["cgroup"] or "").replace("\x1b", "?")
    return path or (f"cgroup {task['cgroup_id']}" if task["cgroup_id"] else "")


def ns_of_us(text):
    """Three decimals of a microsecond, without the error of a double."""
    us, _, rest = text.partition(".")
    return int(us) * 1000 + int(rest)


def chrome_traces_add_up(case, _):
    """By thread, slices follow each other and are its totals; arrows lead to slices."""
    if not os.path.exists(expected(case, "trace.json")):
        return
    with open(expected(case, "trace.json"), encoding="utf-8") as f:
        events = json.load(f, parse_float=ns_of_us)["traceEvents"]
    sums = {(t["tgid"], t["tid"]): t for t in load(case)["tasks"]}
    same({(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"}, set(sums), "threads")
    for key, task in sums.items():
        mine = [e for e in events if e["ph"] == "X" and (e["pid"], e["tid"]) == key]
        for before, e in zip(mine, mine[1:]):
            same(e["ts"], before["ts"] + before["dur"], "the next slice")
        by_name = {}
        for e in mine:
            by_name[e["name"]] = by_name.get(e["name"], 0) + e["dur"]
        totals_are(by_name, task)


def speedscope_timelines_add_up(case, _):
    """Frames open and close in order, and those at the root add up to the totals of a thread."""
    if not os.path.exists(expected(case, "timeline.speedscope.json")):
        return
    with open(expected(case, "timeline.speedscope.json"), encoding="utf-8") as f:
        file = json.load(f)
    tasks = load(case)["tasks"]
    same(len(file["profiles"]), len(tasks), "profiles")
    for profile, task in zip(file["profiles"], tasks):
        by_name, open_, last = {}, [], task["begin_ns"]
        for e in profile["events"]:
            same(e["at"] >= last, True, "the order of time")
            last = e["at"]
            if e["type"] == "O":
                open_.append((e["frame"], e["at"]))
                continue
            frame, begin = open_.pop()
            same(e["frame"], frame, "the frame that is closed")
            if not open_:
                name = file["shared"]["frames"][frame]["name"]
                by_name[name] = by_name.get(name, 0) + e["at"] - begin
        same(open_, [], "frames that stay open")
        totals_are(by_name, task)


def ns_of_ms(text):
    """Six decimals of a millisecond."""
    ms, _, rest = text.partition(".")
    return int(ms) * 1000000 + int(rest)


def firefox_timelines_add_up(case, _):
    """Markers of a thread follow each other and are its totals; samples are its waits, in order."""
    if not os.path.exists(expected(case, "timeline.firefox.json")):
        return
    with open(expected(case, "timeline.firefox.json"), encoding="utf-8") as f:
        file = json.load(f, parse_float=ns_of_ms)
    tasks, strings = load(case)["tasks"], file["shared"]["stringArray"]
    schemas = {schema["name"]: {f["key"] for f in schema["fields"]}
               for schema in file["meta"]["markerSchema"]}
    same(len(file["threads"]), len(tasks), "threads")
    for thread, task in zip(file["threads"], tasks):
        marks, samples = thread["markers"], thread["samples"]
        same({len(column) for column in marks.values() if isinstance(column, list)},
             {marks["length"]}, "rows of markers")
        by_name, last = {}, task["begin_ns"]
        for name, begin, end, phase, data in zip(*(marks[k] for k in (
                "name", "startTime", "endTime", "phase", "data"))):
            same(set(data) - {"type"} <= schemas[data["type"]], True, "fields of a marker")
            if phase == 0:
                continue
            same(begin, last, "the next marker")
            last = end
            by_name[strings[name]] = by_name.get(strings[name], 0) + end - begin
        waited = sum(ns for name, ns in by_name.items() if name not in ("on a CPU", "not known"))
        same(samples["time"], sorted(samples["time"]), "the order of time")
        same(sum(samples["weight"]), waited, "the time of samples")
        totals_are(by_name, task)


def totals_are(by_name, task):
    """The times of states are those of a thread, to the ns."""
    same(sum(by_name.values()), task["wall_ns"], "all of the thread")
    if "not known" in by_name:
        return
    same(by_name.pop("on a CPU", 0), task["on_ns"], "on a CPU")
    same(by_name.pop("waiting for a CPU", 0), task["preempted_ns"] + task["runq_ns"], "run queue")
    same(sum(by_name.values()), sum(task["blocked_ns"].values()), "blocked")


def csv_is_read_by_python(case, waits):
    with open(expected(case, "csv"), encoding="utf-8", newline="") as f:
        rows = list(csv.DictReader(f, strict=True))
    ran = rows[len(waits):]
    same(len(ran), len(hots(case)), "rows of time on a CPU")
    for row, hot in zip(ran, hots(case)):
        same([int(row[k]) for k in ("on_ns", "samples", "se_ns", "blocked_ns", "runq_ns", "count")],
             [hot["on_ns"], hot["samples"], hot["se_ns"], 0, 0, 0], "numbers")
        same([row["state"], row["cause"]], ["-", "on-cpu"], "words")
    for row, wait in zip(rows, waits):
        assert None not in row and None not in row.values(), f"a ragged row: {row}"
        # what an import does not tell is blank here, and null or 0 there
        same([int(row[k] or 0) for k in NUMBERS], [wait[k] or 0 for k in NUMBERS], "numbers")
        assert "summed" in wait["flags"] or all(row[k] for k in NUMBERS), "a blank"
        same([row["state"], row["cause"], row["class"], row["flags"].split()],
             [wait["state"], wait["cause"], wait["class"], wait["flags"]], "words")
        same(row["object"], wait["object_label"] or "", "objects")
        same(row["cgroup"], cgroup_of(case, wait), "cgroup")
        assert "python" in case or "[" in row["kernel_stack"] or \
            len(list(filter(None, row["kernel_stack"].split(";")))) == len(wait["kernel"]), row


def csv_is_read_by_sqlite(case, waits):
    status, out, errors = run(
        "sqlite3", ":memory:", "-cmd", f'.import --csv "{expected(case, "csv")}" waits',
        "select count(*), coalesce(sum(blocked_ns + runq_ns), 0), "
        "coalesce(sum(cast(count as integer)), 0) from waits")
    if not waits and "no such table" in errors:
        return
    assert status == 0 and not errors, errors
    same([int(n) for n in out.split("|")],
         [len(waits) + len(hots(case)), off_ns(waits), total(waits, "count")], "sums")
    if not hots(case):
        return
    status, out, errors = run(
        "sqlite3", ":memory:", "-cmd", f'.import --csv "{expected(case, "csv")}" waits',
        "select sum(blocked_ns + runq_ns + on_ns) from waits")
    same([status, int(out)], [0, all_ns(case, waits)], "all time")


def jq(case, ending, program, *options):
    status, out, errors = run("jq", "-c", *options, program, expected(case, ending))
    assert status == 0 and not errors, errors
    return json.loads(out)


def jq_adds_up(case, waits):
    same(jq(case, "json", "[.waits[] | .blocked_ns + .runq_ns] | add // 0"), off_ns(waits),
         "time in JSON")
    same(jq(case, "ndjson", 'map(select(.type == "wait") | .blocked_ns + .runq_ns) | add // 0',
            "-s"), off_ns(waits), "time in NDJSON")


def schema(name):
    with open(os.path.join(ROOT, "docs", name), encoding="utf-8") as f:
        parsed = json.load(f)
    jsonschema.Draft202012Validator.check_schema(parsed)
    return jsonschema.Draft202012Validator(parsed)


def valid(validator, value, what):
    for error in validator.iter_errors(value):
        raise AssertionError(f"{what}: {error.message} at {list(error.path)}")


def json_follows_its_schema(case, _waits):
    valid(schema("coldspot.schema.json"), load(case), "JSON")


def keys_are_all_documented(case, _waits):
    documented = set()
    for name in ("json.md", "formats.md"):
        with open(os.path.join(ROOT, "docs", name), encoding="utf-8") as f:
            text = f.read()
        documented.update(a or b for a, b in re.findall(r"`([a-z0-9_]+)`|\"([a-z0-9_]+)\"", text))

    def walk(value, path):
        if isinstance(value, dict):
            for key, inner in value.items():
                assert key in documented or re.fullmatch("[RSDTtXZPI]", key), path + key
                walk(inner, path + key + ".")
        elif isinstance(value, list):
            for inner in value:
                walk(inner, path)

    walk(load(case), "")
    walk(lines(case, "ndjson"), "")


def ndjson_follows_its_schema(case, _waits):
    validator = schema("coldspot-ndjson.schema.json")
    for number, line in enumerate(lines(case, "ndjson"), 1):
        valid(validator, line, f"line {number}")


def without_stacks(rows):
    """What a row has without the indexes of its stacks."""
    return [{k: v for k, v in row.items() if not k.endswith("_stack")} for row in rows]


def ndjson_says_what_the_json_says(case, waits):
    stream, whole = lines(case, "ndjson"), load(case)
    by_type = {}
    for line in stream:
        by_type.setdefault(line.pop("type"), []).append(line)
    assert stream and list(by_type)[0] == "header" and list(by_type)[-1] == "end"
    header = by_type["header"][0]
    same(header.pop("format"), "coldspot-ndjson", "format")
    header.pop("version")
    same(header, whole["header"], "header")
    same(by_type["budget"], [whole["budget"]], "budget")
    for key in ("merged", "selection"):
        same(by_type.get(key, [None])[0], whole.get(key), key)
    same(by_type.get("loss", []), whole["losses"], "losses")
    for index, task in enumerate(by_type.get("task", [])):
        same(task.pop("task"), index, "index of a task")
    same(by_type.get("task", []), whole["tasks"], "tasks")
    end = {"losses": len(whole["losses"]), "tasks": len(whole["tasks"]),
           "objects": len(whole["objects"]), "waits": len(waits)}
    for key in ("hots", "wakers", "wakes"):
        if key in whole:
            end[key] = len(whole[key])
    same(by_type["end"][0], end, "end")
    same(len(by_type.get("hot", [])), len(hots(case)), "hots")
    for line, hot in zip(by_type.get("hot", []), hots(case)):
        same([line[k] for k in ("on_ns", "samples", "user", "kernel")],
             [hot[k] for k in ("on_ns", "samples", "user", "kernel")], "hot")
    for index, waker in enumerate(by_type.get("waker", [])):
        same(waker.pop("waker"), index, "index of a waker")
    same(by_type.get("waker", []), without_stacks(whole.get("wakers", [])), "wakers")
    for line, wake in zip(by_type.get("wake", []), whole.get("wakes", [])):
        task = whole["tasks"][wake["task"]]
        same([line.pop(k, None) for k in OF_TASK], [task.get(k) for k in OF_TASK], "sleeper")
    same(by_type.get("wake", []), without_stacks(whole.get("wakes", [])), "wakes")
    same(len(by_type.get("wait", [])), len(waits), "waits")
    for line, wait in zip(by_type.get("wait", []), waits):
        task = whole["tasks"][wait["task"]] if wait["task"] is not None else None
        same([line.pop(k, None) for k in OF_TASK],
             [task.get(k) for k in OF_TASK] if task else [0, 0, "", "", None, None], "thread")
        for key in line:
            if "python" not in case or key not in ("user", "kernel"):
                same(line[key], wait[key], key)


# The names and types of denet 0.6's src/ebpf/metrics.rs: what it writes, and what its reader needs.
OFFCPU = {"total_time_ns": int, "total_events": int, "avg_time_ns": int, "max_time_ns": int,
          "min_time_ns": int, "thread_stats": dict, "top_blocking_threads": list,
          "bottlenecks": list, "stack_traces": list}
THREAD = {"tid": int, "total_time_ns": int, "count": int, "avg_time_ns": int,
          "max_time_ns": int, "min_time_ns": int}
TOP = {"tid": int, "pid": int, "time_ms": float, "percentage": float}
AGGREGATED = {"ts_ms": int, "cpu_usage": float, "mem_rss_kb": int, "mem_vms_kb": int,
              "disk_read_bytes": int, "disk_write_bytes": int, "sys_net_rx_bytes": int,
              "sys_net_tx_bytes": int, "thread_count": int, "process_count": int,
              "uptime_secs": int, "ebpf": dict}


def has_types(value, types, what, ours=()):
    same(sorted(k for k in value if k not in ours), sorted(types), "keys of " + what)
    for key, kind in types.items():
        assert type(value[key]) is kind, f"{what}.{key} is {value[key]!r}"


def denet_to_the_letter(case, waits):
    metadata, tree = lines(case, "denet.json")
    same(metadata["kind"], "metadata", "kind")
    has_types(metadata, {"kind": str, "pid": int, "cmd": list, "executable": str, "t0_ms": int},
              "metadata")
    has_types(tree, {"kind": str, "ts_ms": int, "parent": type(None), "children": list,
                     "aggregated": dict, "coldspot": dict}, "tree")
    has_types(tree["aggregated"], AGGREGATED, "aggregated")
    offcpu = tree["aggregated"]["ebpf"]["offcpu"]
    has_types(offcpu, OFFCPU, "offcpu", ours=("threshold_ns",))
    for key, thread in offcpu["thread_stats"].items():
        assert re.fullmatch(r"\d+:\d+", key), key
        has_types(thread, THREAD, "thread_stats")
        assert key.endswith(f":{thread['tid']}"), key
    for row in offcpu["top_blocking_threads"]:
        has_types(row, TOP, "top_blocking_threads")
    same(offcpu["threshold_ns"], load(case)["header"]["min_ns"], "threshold")
    same(tree["coldspot"]["threshold_ns"], offcpu["threshold_ns"], "threshold")


def denet_adds_up(case, waits):
    tree = lines(case, "denet.json")[1]
    offcpu = tree["aggregated"]["ebpf"]["offcpu"]
    threads = offcpu["thread_stats"]
    same([offcpu["total_time_ns"], offcpu["total_events"]],
         [off_ns(waits), total(waits, "count")], "sums")
    same([sum(t["total_time_ns"] for t in threads.values()),
          sum(t["count"] for t in threads.values())],
         [off_ns(waits), total(waits, "count")], "sums of threads")
    same(offcpu["max_time_ns"], max((w["max_ns"] or 0 for w in waits), default=0), "max")
    same(sum(tree["coldspot"]["time_by_cause_ns"].values()), off_ns(waits), "sum of causes")
    same(sum(tree["coldspot"]["time_by_class_ns"].values()), off_ns(waits), "sum of classes")
    # of lost waits nothing but their number and sum is known
    lost = any("lost" in w["flags"] for w in waits)
    for row in list(threads.values()) + [offcpu]:
        # where nothing is estimated, the longest wait is not shorter than the mean
        assert tree["coldspot"]["sampled"] or lost or \
            row["min_time_ns"] <= row["avg_time_ns"], row
    times = [row["time_ms"] for row in offcpu["top_blocking_threads"]]
    assert times == sorted(times, reverse=True) and len(times) == min(10, len(threads))
    for row in offcpu["top_blocking_threads"]:
        ns = threads[f"{row['pid']}:{row['tid']}"]["total_time_ns"]
        same(round(row["time_ms"] * 1e6), ns, "time_ms")
        assert abs(row["percentage"] - 100 * ns / (off_ns(waits) or 1)) < 0.0051, row


report = Report()
report.check("csv: Python reads the numbers of the JSON", csv_is_read_by_python)
report.check("csv: sqlite3 imports it", csv_is_read_by_sqlite, shutil.which("sqlite3"), "sqlite3")
report.check("json and ndjson: jq adds them up", jq_adds_up, shutil.which("jq"), "jq")
report.check("json: follows its schema", json_follows_its_schema, jsonschema,
             "python3-jsonschema")
report.check("json and ndjson: every key is documented", keys_are_all_documented)
report.check("ndjson: every line follows its schema", ndjson_follows_its_schema, jsonschema,
             "python3-jsonschema")
report.check("ndjson: says what the JSON says", ndjson_says_what_the_json_says)
report.check("denet: its fields to the letter", denet_to_the_letter)
report.check("denet: adds up", denet_adds_up)
report.check("chrome: slices follow each other, and add up to the totals of threads",
             chrome_traces_add_up)
report.check("firefox-timeline: markers follow each other, and add up to the totals of threads",
             firefox_timelines_add_up)
report.check("speedscope-timeline: frames nest, and add up to the totals of threads",
             speedscope_timelines_add_up)
report.end()
