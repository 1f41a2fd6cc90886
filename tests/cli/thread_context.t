#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trace ids of requests whose threads publish them, by OpenTelemetry's thread context: with the
variable in the program, in libraries, and in libraries that are loaded later. Prints TAP; needs
root, a C compiler and x86-64."""
import json
import os
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True

from tap import COLDSPOT, Tap, need_root, run

# The library, or a part of the program. With LARGE it cannot get a block beside those of the
# libraries that were there at the start.
CONTEXT = """
#ifdef LARGE
__thread char large[200000];
char *get_large(int i) { return &large[i]; }
#endif
__thread int before = 1;
__thread void *otel_thread_ctx_v1;
void attach(void *context) { otel_thread_ctx_v1 = context; before++; }
"""

# A thread for each connection. A request is a byte: what to publish, as in want() below. 'L' loads
# the library, 'B' publishes an address that cannot be read, 'E' starts another program in the same
# process, and 'Q' ends it.
SERVER = """
#include <dlfcn.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
struct context { unsigned char trace[16], span[8], valid, flags; unsigned short attrs_sz; };
#ifdef LATE
static void (*attach)(void *context);
#else
void attach(void *context);
#endif
static const char *library, *next;
__attribute__((noinline)) void handle(struct context *c, int n)
{
	struct timespec nap = { 0, 3000000 };
	memset(c->trace, n, sizeof(c->trace));
	memset(c->span, 7, sizeof(c->span));
	c->valid = n % 5 != 3;
	if (n % 5 == 2)
		memset(c->trace, 0, sizeof(c->trace));
	if (n % 5 != 4 && attach)
		attach(n == 'B' ? (void *)16 : c);
	nanosleep(&nap, 0);
	__asm__ volatile("" ::: "memory");
}
static void *serve(void *arg)
{
	struct context *c = calloc(1, sizeof(*c));
	int fd = (int)(long)arg;
	unsigned char n;
	while (read(fd, &n, 1) == 1) {
		if (n == 'Q')
			exit(0);
		if (n == 'E')
			execl(next, next, next, library, (char *)0);
#ifdef LATE
		if (n == 'L')
			attach = (void (*)(void *))dlsym(dlopen(library, RTLD_NOW), "attach");
		else
#endif
		{
			/* so the read returned with the context of the request before */
			if (attach)
				attach(0);
			handle(c, n);
		}
		if (write(fd, "ok", 2) != 2)
			return 0;
	}
	return 0;
}
int main(int argc, char **argv)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	pthread_t thread;
	library = argv[argc - 1];
	next = argv[argc - 2];
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(fd, (void *)&at, len) || listen(fd, 9) || getsockname(fd, (void *)&at, &len))
		return 1;
	printf("%d\\n", ntohs(at.sin_port));
	fflush(stdout);
	for (;;)
		pthread_create(&thread, 0, serve, (void *)(long)accept(fd, 0, 0));
}
"""

tap = Tap()
ok = tap.ok
FOUND = "has a thread context"


def want(n):
    """The trace that the server publishes for a request; None: nothing that counts."""
    return None if n % 5 in (2, 3, 4) or n == ord("B") else f"{n:02x}" * 16


class Recording:
    """A server that is recorded. Its first answers may come before it was looked at."""

    def __init__(self, dir_, name, server, options):
        self.file, self.found = os.path.join(dir_, name + ".coldspot"), threading.Event()
        self.recorder = subprocess.Popen(
            [COLDSPOT, "record", *options, "-o", self.file, "--", server,
             os.path.join(dir_, "next"), os.path.join(dir_, "libcontext.so")],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "COLDSPOT_DEBUG": "1"})
        self.port = int(self.recorder.stdout.readline())
        self.lines = []
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.recorder.stderr:
            self.lines.append(line)
            if FOUND in line:
                self.found.set()

    def ask(self, requests):
        with socket.create_connection(("127.0.0.1", self.port)) as c:
            for n in requests:
                c.sendall(bytes([n]))
                if c.recv(2) != b"ok":
                    raise OSError("no answer")

    def warm_up(self):
        """Requests without a context, until the server was looked at."""
        end = time.monotonic() + 60
        while not self.found.wait(0.05) and time.monotonic() < end:
            self.ask([4])
        return self.found.is_set()

    def end(self):
        with socket.create_connection(("127.0.0.1", self.port)) as c:
            c.sendall(b"Q")
            c.recv(2)
        self.recorder.wait(60)
        self.reader.join()
        rows = json.loads(run("query", "--store", self.file, "-f", "json",
                              "SELECT class, trace FROM requests")[0])
        return {name: sorted(row["trace"] for row in rows if row["class"].startswith(name))
                for name in (":", "server:")}


def check(name, recording, asked, kinds=(":", "server:")):
    """Each request has its own trace, by connection and by function."""
    traces = recording.end()
    expected = sorted(x for n in asked if (x := want(n)))
    for kind in kinds:
        found = traces[kind]
        with_trace = [x for x in found if x]
        ok(f"{name}: requests of '{kind}' have the traces that were published",
           None if with_trace == expected and len(found) >= len(asked) else
           "".join([f"{len(with_trace)} of {len(expected)}, {len(found)} requests\n",
                    *recording.lines[-20:]]))


def compile_server(dir_, server, library, cc="cc", name="server"):
    """None: this compiler cannot."""
    commands = []
    if library is not None:
        commands.append([cc, "-O1", "-fPIC", "-shared", *library, "-o",
                         os.path.join(dir_, "libcontext.so"), os.path.join(dir_, "context.c")])
    program = os.path.join(dir_, name)
    commands.append([cc, "-O1", "-pthread", os.path.join(dir_, "server.c"), "-o", program,
                     *[word.replace("DIR", dir_) for word in server]])
    for command in commands:
        if subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode:
            return None
    return program


IN_PROGRAM = ["DIR/context.c"]
LINKED = ["-LDIR", "-Wl,-rpath,DIR", "-lcontext"]
# The last: whether its block is found in the table of blocks of each thread.
VARIANTS = (
    ("in the program", ["-rdynamic", *IN_PROGRAM], None, False),
    ("in a program at fixed addresses", ["-rdynamic", "-no-pie", "-fno-pie", *IN_PROGRAM], None,
     False),
    ("in a static program", ["-static-pie", "-Wl,--export-dynamic-symbol=otel_thread_ctx_v1",
                             *IN_PROGRAM], None, False),
    ("in a library, by descriptor", LINKED, ["-mtls-dialect=gnu2"], False),
    ("in a library, by module", LINKED, ["-mtls-dialect=gnu"], True),
    ("in a library, by offset", LINKED, ["-ftls-model=initial-exec"], False),
    ("in a library that is loaded, by descriptor", ["-DLATE"], ["-DLARGE", "-mtls-dialect=gnu2"],
     True),
    ("in a library that is loaded, by module", ["-DLATE"], ["-DLARGE", "-mtls-dialect=gnu"], True),
)


def check_variant(dir_, number, variant):
    name, server, library, in_table = variant
    program = compile_server(dir_, server, library)
    if not program:
        tap.skip(f"{name}: requests have the traces that were published", "the compiler cannot")
        return
    recording = Recording(dir_, f"v{number}", program, [
        "--request", "auto", "--request", f"uprobe:{program}:handle"])
    late = "-DLATE" in server
    if late:
        recording.ask([1, ord("L")])
    recording.warm_up()
    words = [line for line in recording.lines if FOUND in line]
    ok(f"{name}: it is found", None if words and ("module 0," in words[-1]) != in_table else
       "".join(recording.lines[-20:]))
    # each connection has its own numbers, and 'L' is not one of them
    asked = [list(range(10 * i + 5, 10 * i + 15)) for i in range(4)]
    clients = [threading.Thread(target=recording.ask, args=(one,)) for one in asked]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    check(name, recording, [n for one in asked for n in one])
    found = losses(recording.file)
    ok(f"{name}: all could be read", None if not found else found)


def check_exec(dir_):
    """The same process, where the variable is elsewhere."""
    program = compile_server(dir_, ["-rdynamic", *IN_PROGRAM], None)
    compile_server(dir_, ["-rdynamic", "-DLARGE", *IN_PROGRAM], None, name="next")
    recording = Recording(dir_, "exec", program, ["--request", "auto"])
    recording.warm_up()
    first, second = range(5, 15), range(15, 25)
    recording.ask(first)
    recording.found.clear()
    with socket.create_connection(("127.0.0.1", recording.port)) as c:
        c.sendall(b"E")
        recording.port = int(recording.recorder.stdout.readline())
    recording.warm_up()
    recording.ask(second)
    check("after exec", recording, [*first, *second], (":",))
    found = losses(recording.file)
    ok("after exec: all could be read", None if not found else found)


def check_musl(dir_):
    """Its table of blocks is another one; what needs none is found."""
    for name, server, library, is_found in (
            ("in the program", ["-rdynamic", *IN_PROGRAM], None, True),
            ("in a library, by descriptor", LINKED, ["-mtls-dialect=gnu2"], True),
            ("in a library, by module", LINKED, ["-mtls-dialect=gnu"], False)):
        name = f"musl, {name}: it is {'' if is_found else 'not '}found"
        program = compile_server(dir_, server, library, "musl-gcc")
        if not program:
            tap.skip(name, "no musl-gcc")
            continue
        recording = Recording(dir_, "musl", program, ["--request", "auto"])
        if is_found:
            recording.warm_up()
        asked = range(5, 15)
        recording.ask(asked)
        traces = [x for x in recording.end()[":"] if x]
        expected = [want(n) for n in asked if is_found and want(n)]
        ok(name, None if (traces, recording.found.is_set()) == (expected, is_found) else
           "".join([f"{traces}\n", *recording.lines[-20:]]))


def losses(file):
    rows = json.loads(run("query", "--store", file, "-f", "json", "SELECT loss, events FROM losses"
                          " WHERE loss = 'contexts_unread'")[0])
    return sum(row["events"] for row in rows)


def check_unread(dir_):
    program = compile_server(dir_, ["-rdynamic", *IN_PROGRAM], None)
    recording = Recording(dir_, "unread", program, ["--request", "auto"])
    recording.warm_up()
    asked = [5, ord("B"), ord("B"), 6]
    recording.ask(asked)
    check("an address that cannot be read", recording, asked, (":",))
    found = losses(recording.file)
    ok("an address that cannot be read: each is counted", None if found == 2 else f"{found}")
    text = run("report", "--trace", want(6), recording.file)[0]
    ok("--trace finds the request", None if f"trace {want(6)}" in text else text)


def check_none(dir_):
    """The variable is not exported."""
    program = compile_server(dir_, IN_PROGRAM, None)
    recording = Recording(dir_, "none", program, ["--request", "auto"])
    recording.ask(range(5, 15))
    traces = recording.end()[":"]
    ok("a variable that is not exported is not looked at",
       None if len(traces) == 10 and not any(traces) else traces)


need_root()
if platform.machine() != "x86_64" or not shutil.which("cc"):
    print("ok 1 - all # SKIP ALL OF IT: no C compiler, or not x86-64\n1..1")
    sys.exit()
with tempfile.TemporaryDirectory() as tmp:
    for file_, text in (("server.c", SERVER), ("context.c", CONTEXT)):
        with open(os.path.join(tmp, file_), "w", encoding="ascii") as out:
            out.write(text)
    for i, one_ in enumerate(VARIANTS):
        check_variant(tmp, i, one_)
    check_exec(tmp)
    check_musl(tmp)
    check_unread(tmp)
    check_none(tmp)
tap.done()
