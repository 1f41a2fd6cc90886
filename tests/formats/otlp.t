#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""OTLP profiles, decoded by protoc with OpenTelemetry's own .proto files (tests/formats/otlp, of
opentelemetry-proto 1.11). Prints TAP; skipped without protoc."""
import shutil

from cases import Report, all_ns, expected, hots, load, off_ns, same, total
from otlp_read import ATTRIBUTES, decode

TABLES = ("mapping_table", "location_table", "function_table", "link_table", "string_table",
          "attribute_table", "stack_table")


def read(case, ending="otlp"):
    with open(expected(case, ending), "rb") as f:
        return decode(f.read())


def adds_up(case, waits):
    message = read(case)
    want = {"off_cpu/nanoseconds": off_ns(waits), "events/count": total(waits, "count")}
    if "hots" in load(case):
        want["on_cpu/nanoseconds"] = total(hots(case), "on_ns")
        want["samples/count"] = total(hots(case), "samples")
    same(message.sums(), want, "sums")
    same(sum(ns for type_, ns in message.sums().items() if type_.endswith("/nanoseconds")),
         all_ns(case, waits), "all time")


def tables_begin_with_zero(case, _waits):
    dictionary = read(case).dictionary
    for table in TABLES:
        assert dictionary[table], f"{table} is empty"
        want = {} if table not in ("string_table", "link_table") else \
            "" if table == "string_table" else \
            {"trace_id": ["\\000" * 16], "span_id": ["\\000" * 8]}
        same(dictionary[table][0], want, table + "[0]")
        items = [repr(item) for item in dictionary[table]]
        same(len(items), len(set(items)), table + ": distinct items")


def all_is_used(case, _waits):
    """Every index points to an item, and every item but the first is pointed to."""
    message = read(case)
    used = message.used()
    for table in TABLES:
        same(used[table], set(range(1, len(message.dictionary[table]))), table)


def samples_are_distinct(case, _waits):
    for profile in read(case).profiles:
        keys = [(s.stack, tuple(sorted(s.attributes))) for s in profile.samples]
        same(len(keys), len(set(keys)), "samples")


def attributes_are_those_of_rows(case, waits):
    """Off-CPU time by each attribute, as the rows of the JSON have it."""
    message, tasks = read(case), load(case)["tasks"]
    rows = [{**tasks[w["task"]], **w} for w in waits]
    for key, attribute in ATTRIBUTES.items():
        want = {}
        for row in rows:
            value = row.get(attribute) or ""
            want[str(value)] = want.get(str(value), 0) + off_ns([row])
        got = message.by_attribute(key)
        same({k: v for k, v in got.items() if v}, {k: v for k, v in want.items() if v}, key)


def receivers_know_the_types(case, _waits):
    """Pyroscope knows off_cpu without a period, and names others by the type of their period."""
    for profile in read(case).profiles:
        if profile.type == "off_cpu/nanoseconds":
            assert not profile.period and not profile.period_type, "off_cpu has a period"
        else:
            assert profile.period > 0 and profile.period_type, f"{profile.type} has no period"


def resources_are_named(case, _waits):
    resource = read(case).resource
    assert resource["service.name"] and resource["os.type"] == "linux", resource
    same(resource.get("host.name", ""), load(case)["header"]["host"] or "", "host")


there = shutil.which("protoc")
report = Report()
for name, test in (("every field is known, and values add up", adds_up),
                   ("tables begin with the zero value, and have nothing twice",
                    tables_begin_with_zero),
                   ("tables have what is referred to, and nothing else", all_is_used),
                   ("no two samples have the same stack and attributes", samples_are_distinct),
                   ("attributes select the same time as in JSON", attributes_are_those_of_rows),
                   ("types and periods are those that receivers know", receivers_know_the_types),
                   ("resources have their names", resources_are_named)):
    report.check("OTLP: " + name, test, there, "protobuf-compiler")
report.end()
