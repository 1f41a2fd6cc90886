#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""record --request and report --requests: lengths and parts of requests, against what the program
wrote down itself. Prints TAP; needs root and a C compiler."""
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True

from tap import COLDSPOT, PYTHON, Tap, need_root, run

# 24 requests of 20 ms, and every eighth of 60 ms, of which 40 ms are in a place of its own; then
# a recursion. Each is timed around the call.
PROGRAM = """
#include <stdio.h>
#include <time.h>
#define CALL __attribute__((noinline))
static long long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}
CALL void nap(int ms)
{
	struct timespec t = { 0, ms * 1000000L };
	nanosleep(&t, 0);
	__asm__ volatile("");
}
CALL void slow_path(void)
{
	nap(40);
	__asm__ volatile("");
}
CALL void handle(int i)
{
	nap(20);
	if (i % 8 == 7)
		slow_path();
	__asm__ volatile("");
}
CALL int deep(int n)
{
	int r = n ? deep(n - 1) + 1 : 0;
	__asm__ volatile("");
	return r;
}
int main(int argc, char **argv)
{
	FILE *f = fopen(argv[argc - 1], "w");
	int i;
	for (i = 0; i < 24; i++) {
		long long begin = now();
		handle(i);
		fprintf(f, "%lld\\n", now() - begin);
	}
	deep(3);
	fclose(f);
	return 0;
}
"""

# Static probes as <sys/sdt.h> writes them, with a semaphore that the kernel must raise. Of six
# requests, the third has no end, as after an error, and the last ends with another probe.
PROBES = """
#include <stdio.h>
#include <time.h>
#define SEMAPHORE(name) \\
	__extension__ volatile unsigned short name __attribute__((section(".probes")))
#define PROBE(name, semaphore) \\
	do { \\
		if (semaphore) \\
			__asm__ volatile("990: nop\\n" \\
					 ".pushsection .note.stapsdt,\\"?\\",\\"note\\"\\n" \\
					 ".balign 4\\n.4byte 992f-991f, 994f-993f, 3\\n" \\
					 "991: .asciz \\"stapsdt\\"\\n992: .balign 4\\n" \\
					 "993: .8byte 990b\\n.8byte 0\\n.8byte " #semaphore "\\n" \\
					 ".asciz \\"shop\\"\\n.asciz \\"" name "\\"\\n" \\
					 ".asciz \\"\\"\\n994: .balign 4\\n.popsection\\n"); \\
	} while (0)
SEMAPHORE(at_start);
SEMAPHORE(at_done);
SEMAPHORE(at_failed);
int main(void)
{
	struct timespec nap = { 0, 20000000 };
	int i;
	for (i = 0; i < 6; i++) {
		PROBE("buy__start", at_start);
		nanosleep(&nap, 0);
		if (i == 5)
			PROBE("buy__failed", at_failed);
		else if (i != 2)
			PROBE("buy__done", at_done);
	}
	return 0;
}
"""

tap = Tap()
ok = tap.ok


def requests_of(file, *options):
    report = json.loads(run("report", "--requests", "-f", "json", *options, file)[0])
    return {one["class"]: one for one in report["classes"]}


def wrong_sums(one):
    """The parts of a class and of each request add up, to the nanosecond."""
    names = ("on_cpu_ns", "runq_ns", "idle_ns", "unknown_ns", "not_split_ns")
    parts = sum(one[name] for name in names) + sum(one["blocked_ns"].values())
    if parts != one["wall_ns"]:
        yield f"parts {parts}, wall {one['wall_ns']}"
    if sum(row["ns"] for row in one["rows"]) != one["wall_ns"]:
        yield "the rows do not add up"
    for request in one["slowest"]:
        if sum(part["ns"] for part in request["parts"]) != request["ns"]:
            yield f"the parts of the request at {request['begin_ns']} do not add up"


def wrong_lengths(one, log):
    """A request is inside of what the program timed; what it is shorter by is the two clocks, the
    probes, and on a busy machine time without a CPU."""
    found = sorted(request["ns"] for request in one["slowest"])
    logged = sorted(log)[-len(found):]
    for ns, own in zip(found, logged):
        if not own - 20000000 < ns <= own:
            yield f"{ns} ns, and the program says {own}"
    if one["wall_ns"] > sum(log):
        yield f"all took {one['wall_ns']}, and the program says {sum(log)}"


def check_recording(dir_, program):
    file, log = os.path.join(dir_, "a.coldspot"), os.path.join(dir_, "log")
    run("record", "-q", "--request", f"uprobe:{program}:handle", "--request",
        f"uprobe:{program}:deep", "--wakers", "-o", file, "--", program, log)
    with open(log, encoding="ascii") as f:
        logged = [int(line) for line in f]
    classes = requests_of(file)
    handle, deep = classes["server:handle"], classes["server:deep"]
    ok("every call is a request", None if (handle["count"], handle["open"],
       handle["began_before"]) == (24, 0, 0) else handle)
    ok("a recursion is one request", None if (deep["count"], deep["nested"]) == (1, 3) else deep)
    ok("parts add up to the wall time", "\n".join([*wrong_sums(handle), *wrong_sums(deep)]))
    ok("requests are as long as the program says", "\n".join(wrong_lengths(handle, logged)))
    blocked = handle["blocked_ns"].get("sleep", 0)
    ok("the naps are blocked time", None if blocked > (24 * 20 + 3 * 40) * 1000000 else blocked)
    path = requests_of(file, "--critical-path")["server:handle"]
    total = sum(row["ns"] for row in path["critical_path"])
    ok("critical paths add up to the wall time", None if total == path["wall_ns"] else total)
    apart = sum(row["ns"] for row in handle["rows"] if "slow_path" in (row["place"] or ""))
    ok("the naps of the slow ones have a row of their own",
       None if apart > 3 * 40 * 1000000 else handle["rows"])
    text = run("report", "--requests", file)[0]
    ok("the text compares the slowest with the others",
       None if "What the slowest 1 % (1 request) did longer than the 4 around" in text else text)
    windows = os.path.join(dir_, "w.coldspot")
    run("record", "-q", "--every", "100ms", "--request", f"uprobe:{program}:handle", "-o",
        windows, "--", program, log)
    many = requests_of(windows)["server:handle"]
    ok("requests over the ends of windows are whole",
       "\n".join(wrong_sums(many)) or (None if many["count"] == 24 else many["count"]))
    checked = run("check", file)[0]
    ok("check reads the section", None if "sound" in checked else checked)
    return file


def check_refusals(program, file):
    for name, text, words in (
            ("a function that is not there", f"uprobe:{program}:nope", "has no function 'nope'"),
            ("a program that is not there", "uprobe:no-such-program:main", "neither in $PATH"),
            ("a text that is no probe", "handle", "nor of the form")):
        err = run("record", "-q", "--request", text, "--", "true", status=1)[1]
        ok(f"{name} is refused", None if words in err else err)
    plain = file + ".plain.coldspot"
    run("record", "-q", "-o", plain, "--", "true")
    err = run("report", "--requests", plain, status=1)[1]
    ok("a recording without requests says so", None if "record with --request" in err else err)
    ok("a rate is still a rate",
       None if "1200" in run("report", "--requests", "1200/s", file)[0] else "no rate")


def check_query(file):
    """The tables have what the report has."""
    classes = requests_of(file)

    def ask(sql):
        return json.loads(run("query", "--store", file, "-f", "json", sql)[0])
    rows = ask("SELECT class, count(*) AS n, sum(wall_s) AS wall, sum(on_s) AS on_s,"
               " sum(runq_s) AS runq, sum(blocked_s) AS blocked, sum(idle_s) AS idle,"
               " sum(unknown_s) AS unknown FROM requests GROUP BY class")
    for row in rows:
        one = classes[row["class"]]
        want = (one["count"], one["wall_ns"], one["on_cpu_ns"], one["runq_ns"],
                sum(one["blocked_ns"].values()), one["idle_ns"], one["unknown_ns"])
        got = [row["n"]] + [row[key] * 1e9 for key in ("wall", "on_s", "runq", "blocked", "idle",
                                                       "unknown")]
        ok(f"query: {row['class']} is as in the report",
           None if all(abs(a - b) < 1000 for a, b in zip(want, got)) else f"{want}, {got}")
    ok("query: all classes are there", None if len(rows) == len(classes) else rows)
    waits = ask("SELECT sum(w.seconds) AS s FROM requests r JOIN request_waits w USING (request)"
                " WHERE r.class LIKE '%:handle' AND w.cause = 'sleep'")[0]["s"]
    blocked = sum(one["blocked_ns"].get("sleep", 0) for name, one in classes.items()
                  if name.endswith(":handle"))
    ok("query: waits of requests are those of the report",
       None if abs(waits * 1e9 - blocked) < 1000 else f"{waits}, {blocked}")
    counts = ask("SELECT * FROM request_classes WHERE class LIKE '%:deep'")[0]
    ok("query: classes have their counts",
       None if (counts["requests"], counts["nested"], counts["open"]) == (1, 3, 0) else counts)


def check_static(dir_, program):
    file = os.path.join(dir_, "usdt.coldspot")
    named = f"usdt:{program}:shop:buy__start,buy__done,buy__failed"
    run("record", "-q", "--request", f"usdt:{program}:shop:buy", "--request", named, "-o", file,
        "--", program)
    classes = requests_of(file)
    pair, named = classes.get("probes:buy"), classes.get("probes:buy__start")
    ok("static probes begin and end requests", "\n".join(wrong_sums(pair)) or
       (None if (pair["count"], pair["nested"]) == (4, 0) else pair))
    ok("those without an end are counted apart, and the next ones are whole",
       None if (pair["open"], pair["began_before"]) == (2, 0) else pair)
    ok("a request may have several ends",
       None if (named["count"], named["open"]) == (5, 1) else named)
    for text, words in ((f"usdt:{program}:shop:sell", "has no pair of probes"),
                        (f"usdt:{program}:shop:buy__start,gone", "no probe shop:gone"),
                        (f"usdt:{program}:shop:buy__start",
                         "shop:buy__start needs an end, as in buy__start,buy__done"),
                        (f"usdt:{program}:shop:buy__start,", "has an empty name"),
                        (f"usdt:{program}:buy", "nor of the form")):
        err = run("record", "-q", "--request", text, "--", "true", status=1)[1]
        ok(f"{text.rsplit('/', 1)[-1]} is refused", None if words in err else err)


# A thread for each of three connections, and one thread for all (selectors); both log each request
# from the return of its first read to that of its last write. The first asks an upstream of its
# own, whose answer is in two pieces.
SERVER = """
import os, selectors, socket, sys, threading, time
now = time.monotonic_ns
def listen():
    s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(); return s
def log(begin, name): logs.append(f"{name} {now() - begin}\\n")
def upstream(s):
    c = s.accept()[0]
    while c.recv(100):
        time.sleep(0.02); c.sendall(b"a"); time.sleep(0.01); c.sendall(b"b")
def thread(c, up):
    while asked := c.recv(100):
        begin = now()
        while len(asked) < 2: asked += c.recv(100)
        up = up or socket.create_connection(upstream_at)
        up.sendall(b"?")
        got = b""
        while len(got) < 2: got += up.recv(100)
        c.send(b"head"); time.sleep(0.02); os.write(c.fileno(), b"body")
        log(begin, "threads")
def threads(s):
    for i in range(3): threading.Thread(target=thread, args=(s.accept()[0], None)).start()
def loop(s):
    sel, due = selectors.DefaultSelector(), []
    socks = [s.accept()[0] for i in range(3)]
    for c in socks: sel.register(c, selectors.EVENT_READ)
    while sel.get_map():
        for key, _ in sel.select(0.005 if due else None):
            key.fileobj.recv(1, socket.MSG_PEEK)
            got = key.fileobj.recv(100)
            if got: due.append((now(), now() + 40000000, key.fileobj))
            else: sel.unregister(key.fileobj)
        for one in [d for d in due if d[1] < now()]:
            due.remove(one); one[2].sendall(b"headbody"); log(one[0], "loop")
logs, up, a, b = [], listen(), listen(), listen()
upstream_at = up.getsockname()
for i in range(3): threading.Thread(target=upstream, args=(up,), daemon=True).start()
ts = [threading.Thread(target=threads, args=(a,)), threading.Thread(target=loop, args=(b,))]
for t in ts: t.start()
print(a.getsockname()[1], b.getsockname()[1], upstream_at[1], flush=True)
for t in ts: t.join()
for t in threading.enumerate():
    if t is not threading.main_thread() and not t.daemon: t.join()
open(sys.argv[1], "w").writelines(logs)
"""


def ask(port, calls):
    """Five requests over one connection, each in two pieces if `calls`."""
    with socket.create_connection(("127.0.0.1", port)) as c:
        for _ in range(5):
            c.sendall(b"x")
            if calls:
                time.sleep(0.005)
                c.sendall(b"y")
            got = b""
            while len(got) < 8:
                got += c.recv(100)


def wrong_answers(one, logged, handed=0):
    """The two clocks are read around the same calls; on a busy machine between them, too."""
    found = sorted(request["ns"] for request in one["slowest"])
    if (one["count"], one["handed"], one["open"]) != (len(logged), handed, 0):
        yield f"{one['count']} of {len(logged)}; {one['handed']} handed, {one['open']} open"
    for ns, own in zip(found, sorted(logged)):
        if abs(ns - own) > 5000000:
            yield f"{ns} ns, and the server says {own}"


def check_auto(dir_):
    file, log = os.path.join(dir_, "auto.coldspot"), os.path.join(dir_, "auto.log")
    with subprocess.Popen([COLDSPOT, "record", "-q", "--request", "auto", "-o", file, "--", PYTHON,
                           "-c", SERVER, log], stdout=subprocess.PIPE, text=True) as recorder:
        threads, loop, upstream = recorder.stdout.readline().split()
        clients = [threading.Thread(target=ask, args=(int(port), port == threads))
                   for port in (threads, loop) for _ in range(3)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
    with open(log, encoding="ascii") as f:
        lines = [line.split() for line in f]
    classes = requests_of(file)
    for name, port in (("threads", threads), ("loop", loop)):
        one = classes[f":{port}"]
        ok(f"{name}: requests are those that the server logged",
           "\n".join([*wrong_answers(one, [int(ns) for who, ns in lines if who == name]),
                      *wrong_sums(one)]))
    ok("threads do not overlap, the loop does",
       None if (classes[f":{threads}"]["overlapping"], classes[f":{loop}"]["overlapping"] > 5) ==
       (0, True) else [one["overlapping"] for one in classes.values()])
    ok("the upstream's own requests end with the second piece",
       "\n".join(f"{one['ns']} ns" for one in classes[f":{upstream}"]["slowest"]
                 if one["ns"] < 30000000))
    ok("clients have none", None if len(classes) == 3 else list(classes))
    text = run("report", "--requests", file)[0]
    ok("the text says that they overlap",
       None if "overlap others of their thread" in text else text)


# A server with threads; it writes down what it was asked, with the traceparent, and answers after
# 30 ms.
HTTP = """
import http.server, sys, threading, time
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        time.sleep(0.03)
        logs.append(f"{self.command} {self.path} {self.headers.get('traceparent', '-')}\\n")
        self.send_response(200); self.send_header("Content-Length", "2"); self.end_headers()
        self.wfile.write(b"ok")
    do_POST = do_GET
    def log_message(self, *args): pass
logs = []
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
sys.stdin.readline()
open(sys.argv[1], "w").writelines(logs)
"""
NGINX = """
daemon off; worker_processes 1; error_log {dir}/error.log; pid {dir}/pid; user root;
events {{}}
http {{
  log_format own '$request_method $request_uri $http_traceparent';
  access_log {dir}/access.log own;
  client_body_temp_path {dir}/b; proxy_temp_path {dir}/p; fastcgi_temp_path {dir}/f;
  uwsgi_temp_path {dir}/u; scgi_temp_path {dir}/s;
  server {{ listen 127.0.0.1:{port}; location / {{ return 200 ok; }} }}
}}
"""


# A front thread reads, and two workers answer: after 30 ms, and each fifth request after 90 ms.
HANDED = """
import queue, socket, sys, threading, time
def work():
    while True:
        c, n, begin = jobs.get()
        time.sleep(0.09 if n == 4 else 0.03)
        c.sendall(b"answered")
        logs.append(f"{time.monotonic_ns() - begin}\\n")
def front(c):
    for n in range(5):
        if not c.recv(100): return
        jobs.put((c, n, time.monotonic_ns()))
    c.recv(100)
logs, jobs, s = [], queue.Queue(), socket.socket()
s.bind(("127.0.0.1", 0))
s.listen(5)
for i in range(2): threading.Thread(target=work, daemon=True).start()
print(s.getsockname()[1], flush=True)
for i in range(3): front(s.accept()[0])
open(sys.argv[1], "w").writelines(logs)
"""


def check_handed(dir_):
    """Another thread answers: the parts are of the front up to its wakeup, then of the worker."""
    file, log = os.path.join(dir_, "handed.coldspot"), os.path.join(dir_, "handed.log")
    with subprocess.Popen([COLDSPOT, "record", "-q", "--request", "auto", "--wakers", "-o", file,
                           "--", PYTHON, "-c", HANDED, log], stdout=subprocess.PIPE,
                          text=True) as recorder:
        port = int(recorder.stdout.readline())
        for _ in range(3):
            ask(port, False)
    with open(log, encoding="ascii") as f:
        logged = [int(line) for line in f]
    one = requests_of(file, "--critical-path")[f":{port}"]
    ok("handed: requests are those that the server logged, and add up",
       "\n".join([*wrong_answers(one, logged, len(logged)), *wrong_sums(one)]))
    ok("handed: the path adds up to the wall time",
       None if sum(row["ns"] for row in one["critical_path"]) == one["wall_ns"] else one)
    slept = one["blocked_ns"].get("sleep", 0)
    ok("handed: what the workers slept is in them, and all is split",
       None if slept >= 3 * (4 * 30000000 + 90000000) and
       one["not_split_ns"] < one["wall_ns"] / 20 else one)
    slow = [row for row in one["rows"] if row["cause"] == "sleep"]
    # on a busy machine, one that waited longer for a CPU may be the slowest
    busy = [row for row in one["rows"] if row["part"] == "run-queue" and row["slow_ns"] > 60000000]
    ok("handed: the slowest slept longer", None if slow and
       (busy or 40000000 < slow[0]["slow_ns"] - slow[0]["middle_ns"]) else one["rows"])


def ask_http(port, first, paths, cookie=""):
    """Requests over one connection, each with a trace id of its own; these."""
    traces = []
    with socket.create_connection(("127.0.0.1", int(port))) as c:
        for i, path in enumerate(paths):
            trace = f"{first + i:08x}{os.urandom(12).hex()}"
            traces.append(trace)
            c.sendall((f"GET {path} HTTP/1.1\r\nHost: a\r\n{cookie}"
                       f"traceparent: 00-{trace}-00f067aa0ba902b7-01\r\n\r\n").encode())
            got = b""
            while b"ok" not in got.split(b"\r\n\r\n", 1)[-1]:
                got += c.recv(1000)
    return traces


def asked(file, sql):
    return json.loads(run("query", "--store", file, "-f", "json", sql)[0])


def check_traces(name, file, log):
    """Each request of the access log is there, with its own trace id."""
    with open(log, encoding="ascii") as f:
        logged = sorted(line.split()[2].split("-")[1] for line in f)
    rows = asked(file, "SELECT * FROM requests WHERE trace <> ''")
    found = sorted(row["trace"] for row in rows)
    ok(f"{name}: trace ids are those of the access log ({len(logged)})",
       None if found == logged and logged else f"{len(found)} of {len(logged)}")
    return rows


def check_http(dir_):
    file, log = os.path.join(dir_, "http.coldspot"), os.path.join(dir_, "http.log")
    paths = [f"/users/{i}?x={i}" for i in range(4)] + ["/health", "/health"]
    with subprocess.Popen([COLDSPOT, "record", "-q", "--wakers", "--request", "auto:http", "-o",
                           file, "--", PYTHON, "-c", HTTP, log], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as recorder:
        port = int(recorder.stdout.readline())
        clients = [threading.Thread(target=ask_http, args=(port, 100 * i, paths))
                   for i in range(4)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        traces = ask_http(port, 1000, ["/last"])
        ask_http(port, 2000, ["/health"], f"Cookie: {'c' * 2000}\r\n")
        recorder.communicate("\n")
    with open(log, encoding="ascii") as f:
        lines = [line for line in f if not line.split()[2].startswith("00-000007d0")]
    with open(log, "w", encoding="ascii") as f:
        f.writelines(lines)
    check_traces("http.server", file, log)
    classes = requests_of(file)
    counts = {name: one["count"] for name, one in classes.items()}
    ok("classes are methods and paths", None if counts == {
        f":{port} GET /users/{{}}": 16, f":{port} GET /health": 9, f":{port} GET /last": 1}
       else counts)
    ok("the parts add up", "\n".join(x for one in classes.values() for x in wrong_sums(one)))
    cut = asked(file, "SELECT events FROM losses WHERE loss = 'heads_cut'")
    ok("a head that is longer than what is read is counted",
       None if cut == [{"events": 1}] else cut)
    text = run("report", "--trace", traces[0][:12], file)[0]
    ok("--trace finds the request, its waits and its chain",
       None if f"GET /last: 1" in text and f"trace {traces[0]}" in text and " sleep" in text
       and "critical path" in text and "/health" not in text else text)
    one = json.loads(run("report", "--trace", traces[0], "-f", "json", file)[0])["classes"]
    ok("also as JSON", None if len(one) == 1 and one[0]["slowest"][0]["trace"] == traces[0]
       and sum(row["ns"] for row in one[0]["critical_path"]) == one[0]["wall_ns"] else one)
    err = run("report", "--trace", "0123456789abcdef", file, status=1)[1]
    ok("a trace that is not there is said", None if "no request has the trace id" in err else err)
    to = os.path.join(dir_, "trace.json")
    run("report", "--trace", traces[0].upper(), "-o", to, file)
    with open(to, encoding="ascii") as f:
        ok("and to a file", None if json.load(f)["classes"] == one else to)
    err = run("report", "--trace", "xyz", file, status=2)[1]
    ok("a text that is not a trace id is refused", None if "is not a trace id" in err else err)


# As net/http of Go may read.
SPLIT = """
import socket, time
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
c = listener.accept()[0]
while c.recv(1):
    c.recv(10000)
    time.sleep(0.02)
    c.sendall(b"HTTP/1.1 200 OK\\r\\n\\r\\nok")
"""


def check_split_head(dir_):
    file = os.path.join(dir_, "split.coldspot")
    with subprocess.Popen([COLDSPOT, "record", "-q", "--request", "auto:http", "-o", file, "--",
                           PYTHON, "-c", SPLIT], stdout=subprocess.PIPE, text=True) as recorder:
        port = int(recorder.stdout.readline())
        traces = ask_http(port, 1, ["/a", "/a", "/b"])
        recorder.wait()
    rows = asked(file, "SELECT class, trace FROM requests")
    ok("a server that reads the first byte apart has methods, paths and traces",
       None if [(row["class"], row["trace"]) for row in rows] ==
       list(zip([f":{port} GET /a", f":{port} GET /a", f":{port} GET /b"], traces)) else rows)


def check_nginx(dir_):
    if not shutil.which("nginx"):
        tap.skip("nginx: trace ids are those of the access log", "no nginx")
        return
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    conf, file = os.path.join(dir_, "nginx.conf"), os.path.join(dir_, "nginx.coldspot")
    with open(conf, "w", encoding="ascii") as f:
        f.write(NGINX.format(dir=dir_, port=port))
    with subprocess.Popen([COLDSPOT, "record", "-q", "--request", "auto:http", "-o", file, "--",
                           "nginx", "-c", conf, "-e", os.path.join(dir_, "error.log")]) as recorder:
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except ConnectionRefusedError:
                time.sleep(0.05)
        for i in range(3):
            ask_http(port, 100 * i, [f"/item/{k}" for k in range(20)])
        with open(os.path.join(dir_, "pid"), encoding="ascii") as f:
            os.kill(int(f.read()), 15)
        recorder.wait()
    rows = check_traces("nginx", file, os.path.join(dir_, "access.log"))
    ok("nginx: all are of one class",
       None if {row["class"] for row in rows} == {f":{port} GET /item/{{}}"} else rows)


need_root()
if not shutil.which("cc"):
    print("ok 1 - all # SKIP ALL OF IT: no C compiler\n1..1")
    sys.exit()
with tempfile.TemporaryDirectory() as tmp:
    source, server = os.path.join(tmp, "server.c"), os.path.join(tmp, "server")
    with open(source, "w", encoding="ascii") as out:
        out.write(PROGRAM)
    subprocess.run(["cc", "-O1", "-o", server, source], check=True)
    recorded = check_recording(tmp, server)
    check_query(recorded)
    check_refusals(server, recorded)
    source, probes = os.path.join(tmp, "probes.c"), os.path.join(tmp, "probes")
    with open(source, "w", encoding="ascii") as out:
        out.write(PROBES)
    subprocess.run(["cc", "-O1", "-o", probes, source], check=True)
    check_static(tmp, probes)
    check_auto(tmp)
    check_handed(tmp)
    check_http(tmp)
    check_split_head(tmp)
    check_nginx(tmp)
tap.done()
