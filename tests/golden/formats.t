#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The formats for other people's programs, opened by them: pprof by Go's, speedscope by its schema,
CSV by Python and sqlite3. Each has to add up to what the JSON of the same profile lists. Prints
TAP; what the machine lacks for a test skips it."""
import csv
import glob
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = sorted(os.path.dirname(p) for p in glob.glob(os.path.join(HERE, "*", "profile.lit")))
number = 0
failed = 0

# What https://github.com/jlfwong/speedscope/wiki/Importing-from-custom-sources documents, for
# profiles of kind "sampled". Stricter than it: no keys but those it names.
SPEEDSCOPE = {
    "type": "object",
    "required": ["$schema", "shared", "profiles"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"const": "https://www.speedscope.app/file-format-schema.json"},
        "name": {"type": "string"},
        "exporter": {"type": "string"},
        "activeProfileIndex": {"type": "integer", "minimum": 0},
        "shared": {
            "type": "object",
            "required": ["frames"],
            "additionalProperties": False,
            "properties": {"frames": {"type": "array", "items": {
                "type": "object",
                "required": ["name"],
                "additionalProperties": False,
                "properties": {
                    "name": {"type": "string", "minLength": 1},
                    "file": {"type": "string"},
                    "line": {"type": "integer"},
                    "col": {"type": "integer"},
                },
            }}},
        },
        "profiles": {"type": "array", "minItems": 1, "items": {
            "type": "object",
            "required": ["type", "name", "unit", "startValue", "endValue", "samples", "weights"],
            "additionalProperties": False,
            "properties": {
                "type": {"const": "sampled"},
                "name": {"type": "string"},
                "unit": {"enum": ["none", "nanoseconds", "microseconds", "milliseconds",
                                  "seconds", "bytes"]},
                "startValue": {"type": "integer"},
                "endValue": {"type": "integer"},
                "samples": {"type": "array", "items": {
                    "type": "array", "items": {"type": "integer", "minimum": 0}}},
                "weights": {"type": "array", "items": {"type": "integer", "minimum": 0}},
            },
        }},
    },
}


def report(name, problem=None, skip=None):
    global number, failed
    number += 1
    failed += problem is not None
    print(f"{'not ok' if problem is not None else 'ok'} {number} - {name}"
          f"{' # SKIP ' + skip if skip else ''}")
    if problem is not None:
        print("# " + str(problem).replace("\n", "\n# "))
    sys.stdout.flush()


def check(name, test):
    """`test` is called for each case with its directory and the waits of its JSON."""
    try:
        assert len(CASES) > 5, "too few cases"
        for case in CASES:
            with open(os.path.join(case, "expected.json"), encoding="utf-8") as f:
                test(case, json.load(f)["waits"])
        report(name)
    except AssertionError as e:
        report(name, f"{os.path.basename(case)}: {e}")
    except Exception as e:
        report(name, f"{os.path.basename(case)}: {e!r}")


def total(waits, *keys):
    return sum(w[k] for w in waits for k in keys)


def same(got, want, what):
    assert got == want, f"{what}: {got}, and {want} in the JSON"


def pprof_is_gzip(case, _waits):
    with gzip.open(os.path.join(case, "expected.pb.gz")) as f:
        assert f.read(), "nothing in it"


def pprof(go, case, *options):
    with tempfile.TemporaryDirectory() as home:
        env = {**os.environ, "HOME": home, "PPROF_TMPDIR": home, "PPROF_BINARY_PATH": home}
        done = subprocess.run([go, "tool", "pprof", "-symbolize=none", *options,
                               os.path.join(case, "expected.pb.gz")], env=env, timeout=60,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def pprof_raw_adds_up(go):
    def test(case, waits):
        raw = pprof(go, case, "-raw")
        rows = re.findall(r"^ *(\d+) +(\d+): ([\d ]*)$", raw, re.M)
        same(sum(int(ns) for ns, _, _ in rows), total(waits, "blocked_ns", "runq_ns"), "time")
        same(sum(int(count) for _, count, _ in rows), total(waits, "count"), "waits")
        assert all(stack.strip() for _, _, stack in rows), "a sample without a stack"
    return test


def pprof_top_adds_up(go):
    def test(case, waits):
        want = total(waits, "blocked_ns", "runq_ns")
        if not want:
            return
        top = pprof(go, case, "-top", "-unit=ns", "-nodefraction=0", "-nodecount=100000")
        shown = re.search(r"accounting for (\d+)ns, 100% of (\d+)ns total", top)
        assert shown, top
        same(int(shown.group(1)), want, "nodes")
        same(int(shown.group(2)), want, "total")
        flat = sum(int(ns) for ns in re.findall(r"^ *(\d+)ns +[\d.e-]+% +[\d.]+% ", top, re.M))
        same(flat, want, "sum of the column")
    return test


def pprof_labels_select(go):
    def test(case, waits):
        if os.path.basename(case) != "shop":
            return
        top = pprof(go, case, "-top", "-unit=ns", "-tagfocus=cause=futex")
        futex = [w for w in waits if w["cause"] == "futex"]
        shown = re.search(r"accounting for (\d+)ns", top)
        same(int(shown.group(1)), total(futex, "blocked_ns", "runq_ns"), "futex")
        raw = pprof(go, case, "-raw")
        assert re.search(r"^1: .* /opt/shop/bin/shop-api 8a1c0cc7b1f2a3d4 ", raw, re.M), raw
        assert re.search(r"libc\.so\.6 51657f818beb1ae70372216a99b7412b8a100a20 ", raw), raw
    return test


def speedscope_of(case):
    with open(os.path.join(case, "expected.speedscope.json"), encoding="utf-8") as f:
        return json.load(f)


def speedscope_follows_its_schema(case, _waits):
    import jsonschema
    jsonschema.Draft202012Validator.check_schema(SPEEDSCOPE)
    jsonschema.validate(speedscope_of(case), SPEEDSCOPE)


def speedscope_adds_up(case, waits):
    root = speedscope_of(case)
    assert root["activeProfileIndex"] < len(root["profiles"])
    for profile in root["profiles"]:
        assert len(profile["samples"]) == len(profile["weights"])
        assert all(i < len(root["shared"]["frames"]) for s in profile["samples"] for i in s)
        same(sum(profile["weights"]), total(waits, "blocked_ns", "runq_ns"), "weights")
        same(profile["endValue"], sum(profile["weights"]), "endValue")


def csv_is_read_by_python(case, waits):
    with open(os.path.join(case, "expected.csv"), encoding="utf-8", newline="") as f:
        rows = list(csv.DictReader(f, strict=True))
    same(len(rows), len(waits), "rows")
    for row, wait in zip(rows, waits):
        assert None not in row and None not in row.values(), f"a ragged row: {row}"
        same([int(row[k]) for k in ("blocked_ns", "runq_ns", "count", "max_ns", "samples",
                                    "se_ns")],
             [wait[k] for k in ("blocked_ns", "runq_ns", "count", "max_ns", "samples", "se_ns")],
             "numbers")
        same([row["state"], row["cause"], row["flags"].split()],
             [wait["state"], wait["cause"], wait["flags"]], "words")
        assert "python" in case or "[" in row["kernel_stack"] or \
            row["kernel_stack"].count(";") + 1 == len(wait["kernel"]), row


def csv_is_read_by_sqlite(case, waits):
    done = subprocess.run(
        ["sqlite3", ":memory:", "-cmd",
         f'.import --csv "{os.path.join(case, "expected.csv")}" waits',
         "select count(*), coalesce(sum(blocked_ns + runq_ns), 0), coalesce(sum(count), 0) "
         "from waits"], timeout=60, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, check=False)
    if not waits and b"no such table" in done.stderr:
        return
    assert done.returncode == 0 and not done.stderr, done.stderr.decode()
    same([int(n) for n in done.stdout.split(b"|")],
         [len(waits), total(waits, "blocked_ns", "runq_ns"), total(waits, "count")], "sums")


def find_go():
    places = sorted(glob.glob("/usr/lib/go*/bin/go"), reverse=True)
    return shutil.which("go") or next(iter(places), None)


def check_with(name, test, there, lacking):
    if there:
        check(name, test)
    else:
        report(name, skip=lacking + " is not installed")


def has_jsonschema():
    try:
        import jsonschema  # noqa: F401
        return True
    except ImportError:
        return False


go = find_go()
check("pprof: gzip that Python reads", pprof_is_gzip)
for name, test in (("-raw has every wait", pprof_raw_adds_up), ("-top adds up", pprof_top_adds_up),
                   ("labels and mappings are known", pprof_labels_select)):
    check_with(f"pprof: go tool pprof: {name}", test(go), go, "golang-1.19-go")
check_with("speedscope: follows the documented format", speedscope_follows_its_schema,
           has_jsonschema(), "python3-jsonschema")
check("speedscope: adds up", speedscope_adds_up)
check("csv: Python reads the numbers of the JSON", csv_is_read_by_python)
check_with("csv: sqlite3 imports it", csv_is_read_by_sqlite, shutil.which("sqlite3"), "sqlite3")
print(f"1..{number}")
sys.exit(1 if failed else 0)
