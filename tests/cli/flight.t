#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""record --last: the last seconds are written when something happens. Prints TAP; needs root."""
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import time

from tap import COLDSPOT, PYTHON, Tap, need_root, run

# Naps, and one long wait for each line that it reads.
PROGRAM = """
import sys, threading, time
def naps():
    while True:
        time.sleep(0.02)
threading.Thread(target=naps, daemon=True).start()
for line in sys.stdin:
    time.sleep(float(line))
"""
WROTE = re.compile(r"^coldspot: wrote (\S+), the last (\S+ m?s): (.*)$", re.M)

tap = Tap()
ok = tap.ok


# A server: an answer takes as long as is asked for, in ms.
SERVER = """
import socket, sys, threading, time
def serve(c):
    while asked := c.recv(100):
        time.sleep(int(asked) / 1000)
        c.sendall(b"!")
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
print(s.getsockname()[1], flush=True)
while True:
    threading.Thread(target=serve, args=(s.accept()[0],), daemon=True).start()
"""


# The same; a thread reads, and another one waits and answers.
HANDED = """
import queue, socket, threading, time
jobs = queue.Queue()
def work():
    while True:
        c, ms = jobs.get()
        time.sleep(ms / 1000)
        c.sendall(b"!")
threading.Thread(target=work, daemon=True).start()
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
print(s.getsockname()[1], flush=True)
c = s.accept()[0]
while asked := c.recv(100):
    jobs.put((c, int(asked)))
"""


class Flight:
    """A recording of PROGRAM, which reads how long to wait."""

    def __init__(self, dir_, *options, program=PROGRAM):
        self.program = subprocess.Popen([PYTHON, "-c", program], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE if program != PROGRAM else None,
                                        text=True)
        self.recorder = subprocess.Popen(
            [COLDSPOT, "record", "--last", "2s", "-o", "slow.coldspot", "-p",
             str(self.program.pid), *options], cwd=dir_, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.said = self.recorder.stderr.readline()

    def sleep(self, seconds):
        self.program.stdin.write(f"{seconds}\n")
        self.program.stdin.flush()

    def wait_for_file(self):
        """The next line about a file that was written."""
        for _ in range(50):
            line = self.recorder.stderr.readline()
            self.said += line
            found = WROTE.search(line)
            if found:
                return found.groups()
            if not line:
                break
        raise SystemExit(f"# no file was written:\n# {self.said}")

    def end(self, sig=signal.SIGINT):
        self.recorder.send_signal(sig)
        return self.wait()

    def wait(self):
        """The exit status, and standard output."""
        self.said += self.recorder.stderr.read()
        out = self.recorder.stdout.read()
        self.program.kill()
        self.program.wait()
        return self.recorder.wait(), out


def header_of(file):
    return json.loads(run("report", "-f", "json", file)[0])["header"]


def a_signal(dir_):
    flight = Flight(dir_)
    ok("it says how much it keeps, and how to ask for it",
       not re.match(r"coldspot: keeps the last 2.00 s, in at most .* MiB; `kill -USR1 "
                    rf"{flight.recorder.pid}` writes it$", flight.said) and flight.said)
    time.sleep(3)
    flight.recorder.send_signal(signal.SIGUSR1)
    name, length, why = flight.wait_for_file()
    file = os.path.join(dir_, name)
    ok("SIGUSR1 writes the last seconds to a file of its own",
       (name, why[:11]) != ("slow-1.coldspot", "SIGUSR1 at ") and f"{name}, {length}, {why}")
    ok("which is sound", "sound" not in run("check", file)[0])
    header = header_of(file)
    ok("and is as long as was asked for, and at most a window longer",
       not 2e9 <= header["window_ns"] <= 2.6e9 and header["window_ns"])
    ok("it says what made it be written", header.get("trigger") != why and header)
    ok("as the report does",
       f"written by {why}" not in run("report", file)[0] and run("report", file)[0])
    naps = run("report", "-f", "narrative", file)[0].count(" in sleep")
    ok("and it has instants", naps < 30 and f"{naps} naps")
    # the next one takes a number that is free, also if another recording wrote it
    with open(os.path.join(dir_, "slow-2.coldspot"), "w", encoding="ascii") as f:
        f.write("mine")
    flight.recorder.send_signal(signal.SIGUSR1)
    name = flight.wait_for_file()[0]
    ok("no file is overwritten", name != "slow-3.coldspot" and name)
    status, out = flight.end()
    ok("Ctrl-C ends it and writes nothing",
       (status, out, len(os.listdir(dir_))) != (0, "", 3) and
       f"{status}, {out}, {os.listdir(dir_)}")


def triggers(dir_):
    flight = Flight(dir_, "--trigger", "wait>250ms cause=sleep", "--trigger", "wait>1h",
                    "--max-files", "2")
    time.sleep(1)
    flight.sleep(0.4)
    name, _, why = flight.wait_for_file()
    ok("a wait that is too long writes a file",
       not re.match(r"wait>250ms cause=sleep at 20\S+Z: python3 \(\d+\) (has )?waited \d+ ms in "
                    "sleep$", why) and why)
    narrative = run("report", "--narrative", str(flight.program.pid),
                    os.path.join(dir_, name))[0]
    ok("which has that wait", " in sleep" not in narrative and narrative)
    # within the hold-off, and behind it
    flight.sleep(0.4)
    time.sleep(2.5)
    flight.sleep(0.4)
    name, _, _ = flight.wait_for_file()
    ok("the next one is written after the hold-off", name != "slow-2.coldspot" and name)
    ended = flight.wait()
    ok("the last file ends the recording",
       (ended != (0, "") or "that was file 2 of 2" not in flight.said) and
       f"{ended}: {flight.said}")
    ok("what fired meanwhile is counted",
       not re.search("fired within --hold-off", flight.said) and flight.said)


def slow_requests(dir_):
    flight = Flight(dir_, "--request", "auto", "--trigger", "request>300ms", "--trigger",
                    "request>300ms cause=disk-sync", program=SERVER)
    port = int(flight.program.stdout.readline())
    with socket.create_connection(("127.0.0.1", port)) as client:
        for ms in (20, 20, 20, 500, 20):
            client.sendall(b"%d" % ms)
            client.recv(1)
        name, _, why = flight.wait_for_file()
        ok("a request that takes too long writes a file",
           not re.match(rf"request>300ms at 20\S+Z: :{port} in python3 \(\d+\) took \d+ ms, "
                        r"\d+ ms of it blocked in sleep$", why) and why)
        found = json.loads(run("report", "--requests", "-f", "json",
                               os.path.join(dir_, name))[0])["classes"]
        ok("which has that request", len(found) == 1 and found[0]["class"] == f":{port}" and
           found[0]["max_ns"] < 500e6 and found)
    flight.end()
    ok("and the others wrote none", "wrote 1 file;" not in flight.said and flight.said)


def handed_requests(dir_):
    """The reader waits for the next request meanwhile, which is no cause of this one."""
    flight = Flight(dir_, "--request", "auto", "--wakers", "--trigger",
                    "request>300ms cause=net-recv", "--trigger", "request>300ms cause=sleep",
                    program=HANDED)
    port = int(flight.program.stdout.readline())
    with socket.create_connection(("127.0.0.1", port)) as client:
        for ms in (20, 20, 500, 20):
            client.sendall(b"%d" % ms)
            client.recv(1)
        _, _, why = flight.wait_for_file()
    ok("a request that another thread answers has the causes of that one",
       not re.match(rf"request>300ms cause=sleep at 20\S+Z: :{port} in python3 \(\d+\) took \d+ "
                    r"ms, \d+ ms of it blocked in sleep; another thread answered it$", why) and why)
    flight.end()
    ok("and no other file is written", "wrote 1 file;" not in flight.said and flight.said)


def the_end(dir_):
    flight = Flight(dir_, "--trigger", "end")
    time.sleep(0.5)
    flight.program.kill()
    name, _, why = flight.wait_for_file()
    flight.wait()
    ok("with --trigger end the last seconds of a process are written when it has died",
       (name, why[:7]) != ("slow-1.coldspot", "end at ") and f"{name}: {why}")


def refusals(dir_):
    for options, words in (
            (["--last", "2s"], "--last needs one -o NAME.coldspot"),
            (["--last", "2s", "-o", "a.svg"], "--last needs one -o NAME.coldspot"),
            (["--last", "2s", "-o", "a.coldspot", "--trigger", "request>1s"], "needs --request"),
            (["--last", "2s", "-o", "a.coldspot", "--trigger", "requests>1s"],
             "is not 'wait>TIME'"),
            (["--last", "2s", "-o", "a.coldspot", "--every", "1s"], "--every"),
            (["--last", "1ms", "-o", "a.coldspot"], "--last"),
            (["--trigger", "end", "-o", "a.coldspot"], "--trigger needs --last"),
            (["--max-files", "3"], "--max-files needs --last"),
            (["--hold-off", "3s"], "--hold-off needs --last")):
        _, err = run("record", *options, "--", "true", status=2)
        ok(f"{' '.join(options)} is refused", words not in err and err)
    path = os.path.join(dir_, "nowhere", "a.coldspot")
    _, err = run("record", "--last", "2s", "-o", path, "--", "true", status=1)
    ok("a directory that does not exist is said at once",
       "cannot create files in" not in err and err)


def main():
    need_root()
    for test in (a_signal, triggers, slow_requests, handed_requests, the_end, refusals):
        with tempfile.TemporaryDirectory() as dir_:
            test(dir_)
    tap.done()


main()
