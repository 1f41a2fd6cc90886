#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""agent: what it recorded arrives at a server, which may hang without delaying a window. The server
is push_server.py. Prints TAP; needs root."""
import glob
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
COLDSPOT = os.path.abspath(os.environ["COLDSPOT"])
PATIENCE_S = 90

count = 0


def ok(name, problem=None):
    global count
    count += 1
    print(f"{'not ok' if problem else 'ok'} {count} - {name}")
    for line in str(problem or "").splitlines()[-12:]:
        print(f"# {line}")
    sys.stdout.flush()


def await_(what, *args):
    """Until it is true; what it gave last, if it never is."""
    end = time.monotonic() + PATIENCE_S
    while True:
        got = what(*args)
        if got or time.monotonic() > end:
            return got
        time.sleep(0.1)


class Server:
    all = []

    def __init__(self, dir_):
        Server.all.append(self)
        self.dir = dir_
        os.mkdir(dir_)
        self.process = subprocess.Popen([os.path.join(HERE, "push_server.py"), dir_],
                                        stdin=subprocess.DEVNULL)
        await_(os.path.exists, self.path("port"))
        with open(self.path("port"), encoding="ascii") as f:
            self.url = "otlp+http://me:s3cr3t@127.0.0.1:" + f.read()

    def path(self, name):
        return os.path.join(self.dir, name)

    def plan(self, words):
        with open(self.path("plan"), "w", encoding="ascii") as f:
            f.write(words)

    def lines(self, name):
        try:
            with open(self.path(name), encoding="utf-8") as f:
                return [json.loads(line) for line in f]
        except FileNotFoundError:
            return []

class Agent:
    all = []

    def __init__(self, dir_, *urls):
        Agent.all.append(self)
        self.dir, self.store = dir_, os.path.join(dir_, "store")
        self.settings = os.path.join(dir_, "agent.toml")
        self.log = open(os.path.join(dir_, "log"), "a", encoding="utf-8")
        self.write(*urls)
        self.states = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.states.bind(os.path.join(dir_, f"notify-{time.monotonic_ns()}"))
        self.states.setblocking(False)
        env = {**os.environ, "NOTIFY_SOCKET": self.states.getsockname()}
        self.process = subprocess.Popen([COLDSPOT, "agent", "--config", self.settings], env=env,
                                        stdin=subprocess.DEVNULL, stdout=self.log,
                                        stderr=self.log)

    def write(self, *urls):
        with open(self.settings, "w", encoding="ascii") as f:
            f.write(f'store = "{self.store}"\nwindow = "1s"\nhooks_only = true\npush = [\n')
            f.write("".join(f'  "{url}",\n' for url in urls) + "]\n")

    def reload(self, *urls):
        self.write(*urls)
        self.process.send_signal(signal.SIGHUP)

    def said(self):
        with open(self.log.name, encoding="utf-8") as f:
            return f.read()

    def states_so_far(self):
        text = ""
        try:
            while True:
                text += self.states.recv(4096).decode() + "\n"
        except BlockingIOError:
            return text

    def children(self):
        path = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        try:
            with open(path, encoding="ascii") as f:
                return f.read().split()
        except FileNotFoundError:
            return []

    def windows(self):
        """(begin, blocked + run queue, waits) of each window in the store."""
        found = []
        for path in sorted(glob.glob(os.path.join(self.store, "*.coldspot"))):
            sql = ("SELECT begin_wall_ns, listed_blocked_ns + listed_runq_ns, listed_waits "
                   "FROM windows ORDER BY id")
            done = subprocess.run(["sqlite3", "-cmd", ".timeout 2000", "-separator", " ",
                                   f"file:{path}?mode=ro", sql], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, check=False)
            found += [tuple(int(n) for n in line.split())
                      for line in done.stdout.decode().splitlines()]
        return found

    def has(self, windows):
        return len(self.windows()) >= windows

    def end(self):
        self.process.terminate()
        return self.process.wait(timeout=PATIENCE_S)


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as f:
            return f.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def arrives(dir_):
    server = Server(os.path.join(dir_, "a"))
    agent = Agent(dir_, server.url)
    ok("windows arrive", not await_(lambda: len(server.lines("taken")) > 3) and agent.said())
    ok("as the rules of the server have it", server.lines("wrong"))
    ok("and the service manager knows",
       not await_(lambda: "windows pushed, 0 refused" in agent.states_so_far()) and agent.said())
    server.plan("hang")
    await_(lambda: server.lines("seen")[-1:] == ["hang"])
    before = len(agent.windows())
    ok("a server that hangs delays no window", not await_(agent.has, before + 3) and agent.said())
    child, = agent.children()
    with open(f"/proc/{child}/status", encoding="ascii") as f:
        caps = [line for line in f if line.startswith(("CapEff", "CapPrm", "CapInh"))]
    ok("what parses its answers has no privileges", any(c.split()[1].strip("0") for c in caps) and
       caps)
    agent.reload()
    ok("SIGHUP without targets ends the process that sends",
       not await_(lambda: not agent.children()) and child)
    ok("and nothing else", not await_(agent.has, len(agent.windows()) + 2) and agent.said())
    server.plan("503 take")
    agent.reload(server.url)
    had = len(server.lines("taken"))
    ok("SIGHUP with targets starts it again, and 503 is waited for",
       not await_(lambda: len(server.lines("taken")) > had + 2) and agent.said())
    ok("which the log says", "push: " not in agent.said() and agent.said())
    status = agent.end()
    ok("SIGTERM ends both", status or [c for c in agent.children() if alive(c)])
    ok("no password is in the log", "s3cr3t" in agent.said() and agent.said())
    windows = {at: (ns, waits) for at, ns, waits in agent.windows()}
    got = {line["at"]: (line["ns"], line["count"]) for line in server.lines("taken")}
    bad = [f"{at}: {sums}, not {windows.get(at)}" for at, sums in got.items()
           if windows.get(at) != sums]
    ok("what arrived is what the store has, to the ns", "\n".join(bad))


def rest(dir_):
    """What was written while nobody sent, by the command."""
    server = Server(os.path.join(dir_, "b"))
    agent = Agent(dir_)
    before = len(agent.windows())
    await_(agent.has, before + 2)
    agent.end()
    agent.write(server.url)
    subprocess.run([COLDSPOT, "push", "--config", agent.settings], check=True, timeout=PATIENCE_S,
                   stdout=subprocess.DEVNULL)
    windows = sorted(agent.windows())
    got = [(line["at"], line["ns"], line["count"]) for line in server.lines("taken")]
    ok("coldspot push --config sends everything there is",
       got != windows and f"{got[:3]}... {len(got)}\n{windows[:3]}... {len(windows)}")


def killed(dir_):
    server = Server(os.path.join(dir_, "c"))
    agent = Agent(dir_, server.url)
    await_(lambda: server.lines("taken"))
    child, = agent.children()
    os.kill(int(child), signal.SIGKILL)
    had = len(server.lines("taken"))
    ok("a killed process is started again",
       not await_(lambda: len(server.lines("taken")) > had + 1) and agent.said())
    ok("which the log says", "pushing ended" not in agent.said() and agent.said())
    child, = agent.children()
    agent.process.kill()
    agent.process.wait()
    ok("with the agent, the process ends, too", not await_(lambda: not alive(child)) and child)


def faulty(dir_):
    agent = Agent(dir_, f"dir:{dir_}/none")
    ok("a directory that is missing is said at the start",
       not await_(lambda: f"gets no days until you mend this: cannot open '{dir_}/none'"
                  in agent.said()) and agent.said())
    agent.end()


sys.dont_write_bytecode = True
can = not os.geteuid() and subprocess.run([COLDSPOT, "doctor"], check=False, timeout=60,
                                          stdout=subprocess.DEVNULL,
                                          stderr=subprocess.DEVNULL).returncode == 0
if not can or not shutil.which("protoc"):
    print("ok 1 - all # SKIP this machine or user cannot record, or has no protoc")
    count = 1
else:
    with tempfile.TemporaryDirectory() as top:
        try:
            for test in (arrives, rest, killed, faulty):
                test(top)
        finally:
            for one in Agent.all + Server.all:
                one.process.kill()
                one.process.wait()
print(f"1..{count}")
