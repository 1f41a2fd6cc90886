#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: push_server.py DIRECTORY

A server that push.t sends to, on a port of its own, which it writes to DIRECTORY/port. It holds
each request to the published rules of its API and decodes it: OTLP/HTTP and Pyroscope's push.v1 by
protoc, Parca's gateway and ClickHouse as JSON. What it took is a line of DIRECTORY/taken.

DIRECTORY/plan says what it does with the next requests, one word each: take, a status such as 400
or 429:1 (with Retry-After), drop (the connection, before an answer), half (of an answer),
twice (takes it, but the answer is lost), hang (until the end), partial (OTLP)."""
import base64
import gzip
import http.server
import json
import os
import re
import sys
import threading
import urllib.parse

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "formats"))
import otlp_read  # noqa: E402

DIR = sys.argv[1]
LOCK = threading.Lock()
GOOGLE = "/usr/share/gocode/src/github.com/google/pprof/proto"


def path(name):
    return os.path.join(DIR, name)


def next_word():
    with LOCK:
        try:
            with open(path("plan"), encoding="ascii") as f:
                words = f.read().split()
        except FileNotFoundError:
            return "take"
        with open(path("plan.new"), "w", encoding="ascii") as f:
            f.write(" ".join(words[1:]))
        os.rename(path("plan.new"), path("plan"))
        return words[0] if words else "take"


def record(name, item):
    with LOCK, open(path(name), "a", encoding="utf-8") as f:
        f.write(json.dumps(item) + "\n")


def sums_of_pprof(raw):
    text = otlp_read.text_of(gzip.decompress(raw), "perftools.profiles.Profile", "profile.proto",
                             GOOGLE)
    top = otlp_read.parse(text)
    strings = [otlp_read.unescape(s) for s in top["string_table"]]
    types = [strings[int(t["type"][0])] for t in top["sample_type"]]
    keys = {strings[int(label["key"][0])] for s in top.get("sample", [])
            for label in s.get("label", [])}
    values = [[int(v) for v in s["value"]] for s in top.get("sample", [])]
    sums = {t: sum(v[i] for v in values) for i, t in enumerate(types)}
    return {"ns": sums["off_cpu"], "count": sums["events"], "keys": sorted(keys),
            "at": int(top["time_nanos"][0])}


def otlp(body, headers, _query):
    assert headers["Content-Type"] == "application/x-protobuf", headers["Content-Type"]
    message = otlp_read.decode(body, otlp_read.REQUEST)
    sums = message.sums()
    return {"ns": sums["off_cpu/nanoseconds"], "count": sums["events/count"],
            "id": message.profiles[0].id, "at": message.profiles[0].time,
            "service": message.resource["service.name"]}


def pyroscope(body, headers, _query):
    assert headers["Content-Type"] == "application/proto", headers["Content-Type"]
    top = otlp_read.parse(otlp_read.text_of(body, "push.v1.PushRequest", "push.proto",
                                            os.path.join(HERE, "push")))
    series, = top["series"]
    labels = {label["name"][0]: label["value"][0] for label in series["labels"]}
    sample, = series["samples"]
    assert all(re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_]*", name) for name in labels), labels
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", sample["ID"][0]), sample
    return {**sums_of_pprof(otlp_read.bytes_of(sample["raw_profile"][0])), "labels": labels,
            "id": sample["ID"][0], "tenant": headers["X-Scope-OrgID"]}


def parca(body, headers, _query):
    assert headers["Content-Type"] == "application/json", headers["Content-Type"]
    request = json.loads(body)
    assert set(request) == {"series", "normalized"}, request.keys()
    series, = request["series"]
    assert set(series) == {"labels", "samples"}, series.keys()
    labels = {label["name"]: label["value"] for label in series["labels"]["labels"]}
    sample, = series["samples"]
    assert set(sample) == {"rawProfile"}, sample.keys()
    return {**sums_of_pprof(base64.b64decode(sample["rawProfile"], validate=True)),
            "labels": labels}


COLUMNS = {"offcpu_samples": {"ts": int, "host": str, "service": str, "cause": str, "class": str,
                              "state": str, "syscall": str, "cgroup": str, "thread": str,
                              "pid": int, "tid": int, "object": str, "owner": str,
                              "stack_id": int, "ns": int, "count": int, "begin_ns": int,
                              "window_ns": int, "wait": int, "runq_ns": int, "rows": int,
                              "sampled": int, "container": str},
           "offcpu_stacks": {"stack_id": int, "frames": list, "last_seen": str, "files": list,
                             "kernel": int}}


def clickhouse(body, _headers, query):
    table = re.fullmatch(r"INSERT INTO (\w+) FORMAT JSONEachRow", query["query"]).group(1)
    rows = [json.loads(line) for line in body.decode().splitlines()]
    assert rows, "an insert without rows"
    for row in rows:
        assert {k: type(v) for k, v in row.items()} == COLUMNS[table], row
    assert query.pop("input_format_skip_unknown_fields") == "1"
    token = query["insert_deduplication_token"]
    if table == "offcpu_stacks":
        ids = [row["stack_id"] for row in rows]
        assert len(ids) == len(set(ids)), "a stack twice"
        return {"stacks": ids, "token": token, "day": rows[0]["last_seen"]}
    return {"ns": sum(row["ns"] for row in rows), "count": sum(row["count"] for row in rows),
            "token": token, "at": rows[0]["ts"] * 10**9,
            "stack_ids": sorted({row["stack_id"] for row in rows}), "settings":
            {k: v for k, v in query.items()
             if k not in ("query", "insert_deduplication_token")}}


APIS = {"/v1development/profiles": otlp, "/push.v1.PusherService/Push": pyroscope,
        "/api/profiles/writeraw": parca, "/": clickhouse}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_args):
        pass

    def answer(self, status, body=b"", headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        try:
            self.end_headers()
            self.wfile.write(body)
        except ConnectionError:  # whoever asked was killed
            self.close_connection = True

    def take(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        where = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(where.query, strict_parsing=bool(where.query)))
        if self.headers["Content-Encoding"] == "gzip":
            body = gzip.decompress(body)
        return {"api": APIS[where.path].__name__, "authorization": self.headers["Authorization"],
                **APIS[where.path](body, self.headers, query)}

    def do_POST(self):
        word = next_word()
        record("seen", word)
        try:
            item = self.take()
        except Exception as e:  # whatever it is, the test shall see it
            record("wrong", f"{self.path}: {e!r}")
            self.answer(400, repr(e).encode())
            return
        if word in ("take", "twice", "half", "partial"):
            record("taken", item)
        if word == "take":
            self.answer(200)
        elif word == "partial":  # 3 rejected, "too old"
            self.answer(200, b"\x0a\x0b\x08\x03\x12\x07too old")
        elif word == "hang":
            threading.Event().wait()
        elif word == "half":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
            self.close_connection = True
        elif word in ("drop", "twice"):
            self.close_connection = True
        else:
            status, _, after = word.partition(":")
            self.answer(int(status), b"because\nsecond line",
                        [("Retry-After", after)] if after else ())


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True


server = Server(("127.0.0.1", 0), Handler)
with open(path("port.new"), "w", encoding="ascii") as out:
    out.write(str(server.server_address[1]))
os.rename(path("port.new"), path("port"))
server.serve_forever()
