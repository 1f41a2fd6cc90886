# SPDX-License-Identifier: Apache-2.0
"""Real servers with those who wait for them, recorded together: who ended the main wait, and what
did that one meanwhile (record --wakers)? These are the situations of docs/cookbook."""
import os
import re
import types

import recording
from cases_wakers import judge_sums
from programs import Job, compiled, family, need, title
from servers import PROXY, Nginx, Postgres, Redis, source

WAITERS = {}
MOST = 0.75  # on a busy machine, interrupts deliver what threads sent, and end waits for them
CHAINS = 0.5  # the window cuts some, and another thread may end a wait of an event loop


class Main:
    """The wait in question, and what is true of it. `frame` is on its stack. `wakers` are the names
    of threads in its chain, as far as they are certain. `blame`: of the part that explains it, the
    whole or the beginning of who, waiting_for, cause, object and site; at least `share` of it is
    so. `woken_in`: the waker is there when it ends the wait."""

    def __init__(self, cause, frame, wakers, woken_in, share, blame):
        self.cause, self.frame, self.wakers, self.woken_in = cause, frame, wakers, woken_in
        self.share, self.blame = share, blame


def waiter(name, main):
    def add(made):
        made.main = main
        WAITERS[name] = made
        return made
    return add


def is_in(function, stack):
    """Interpreted functions are FILE:FUNCTION:LINE, those of Java have types and arguments."""
    return any(function in re.split(r"[:( ]", f) for f in stack)


def chain(waker):
    met = []
    while waker:
        met.append(waker.comm if waker.context == "thread" else waker.context)
        waker = waker.next
    return met


def judge_wakers(main, waits):
    """Are they the right threads, at the right place, with the right ones behind them?"""
    whole_ns = sum(w.off_ns for w in waits if "open" not in w.flags)
    by, chained_ns, there_ns = {}, 0, 0
    for wake in (k for w in waits for k in w.wakes):
        met = chain(wake.waker)
        by[met[0]] = by.get(met[0], 0) + wake.ns
        chained_ns += wake.ns if met[:len(main.wakers)] == main.wakers else 0
        there_ns += wake.ns if is_in(main.woken_in, wake.waker.user) else 0
    problems = []
    if by.get(main.wakers[0], 0) < whole_ns * MOST:
        problems.append(f"{main.wakers[0]} did not end {MOST:.0%} of {whole_ns} ns, but {by}")
    if there_ns < whole_ns * MOST:
        problems.append(f"only {there_ns} of {whole_ns} ns were ended in {main.woken_in}")
    if chained_ns < whole_ns * CHAINS:
        problems.append(f"only {chained_ns} of {whole_ns} ns have the chain {main.wakers}")
    return problems


def is_so(part, expected):
    for key, value in expected.items():
        got = part[key] or ""
        got = " ".join(got) if key == "waiting_for" else got
        if value is None and got or value is not None and not got.startswith(value):
            return False
    return True


def judge_blame(main, profile):
    kind = [k for k in profile["summary"]["kinds"]
            if k["cause"] == main.cause and k["class"] != "idle"]
    if len(kind) != 1:
        return [f"{len(kind)} rows of {main.cause}"]
    # the time without a CPU is that of this machine, not of the server
    whole = sum(p["ns"] for p in kind[0]["blame"] if p["did"] not in ("runq", "woken", "open"))
    so = sum(p["ns"] for p in kind[0]["blame"] if is_so(p, main.blame))
    if so >= whole * main.share:
        return []
    return [f"blame: {so} of {whole} ns are {main.blame}",
            *(f"{p['ns']} ns {p['who']} for {p['waiting_for']} {p['did']} {p['cause']} "
              f"{p['object']} {p['site']}" for p in kind[0]["blame"][:8])]


def judge(made, profile):
    """What is wrong, a list."""
    main = made.main
    rec = recording.Recording(profile)
    waits = [w for w in rec.waits if w.cause == main.cause and w.wait_class != "idle" and
             is_in(main.frame, w.user)]
    if not waits:
        return [f"no wait for {main.cause} in {main.frame}"]
    return judge_wakers(main, waits) + judge_blame(main, profile) + \
        judge_sums(types.SimpleNamespace(recording=rec))


def loopback():
    """An address that nobody else listens at: any port is free there."""
    pid = os.getpid()
    return f"127.{pid >> 16 & 127 | 128}.{pid >> 8 & 255}.{pid & 255}"


def all_below(job):
    return [p for q in job.processes for p in family(q.pid) if title(p)]


ROW_LOCK = """cat >lock.sql <<'EOF'
begin;
update pgbench_branches set bbalance = bbalance + 1 where bid = 1;
{slow}
commit;
EOF
{{bin}}/pgbench -n -c 4 -j 1 -T 120 -f lock.sql -h {host} postgres >bench.log 2>&1"""


class RowLock(Postgres):
    """Four clients update one row, and each keeps it for a while."""

    slow = "select pg_sleep(0.02);"
    is_tcp = False

    def start(self):
        host = loopback() if self.is_tcp else "{dir}"
        if self.is_tcp:
            self.settings = f"-c listen_addresses={host}"
        self.script = ROW_LOCK.format(slow=self.slow, host=host)
        super().start()

    def pids(self):
        """The clients as well."""
        return [p for p in all_below(self)
                if title(p).startswith(("postgres: postgres ", self.cluster.bin))]


@waiter("row-lock-statement", Main("db-lock", "ProcSleep", ["postgres"], "ProcLockWakeup", 0.5,
                                   {"who": "postgres", "cause": "sleep", "site": "pg_sleep"}))
class RowLockStatement(RowLock):
    """The owner of the row executes a slow statement."""


@waiter("row-lock-client", Main("db-lock", "ProcSleep", ["postgres", "pgbench"], "ProcLockWakeup",
                                0.5, {"who": "postgres", "waiting_for": "pgbench",
                                      "cause": "poll"}))
class RowLockClient(RowLock):
    """The owner of the row is idle in a transaction: its client does something else."""

    slow = "\\sleep 20 ms"


@waiter("row-lock-client-tcp", RowLockClient.main)
class RowLockClientTcp(RowLockClient):
    is_tcp = True


class SlowUpstream(Nginx):
    def addresses(self):
        return f"unix:{self.dir}/sock", f"unix:{self.dir}/up:"

    def start(self):
        front, up = self.addresses()
        self.conf = PROXY.replace("unix:{dir}/sock", front).replace("unix:{dir}/up:", up)
        super().start()
        for what, where in (("serve", up), ("ask", front)):
            self.run(["/usr/bin/python3", source("upstream.py"), what,
                      where.removeprefix("unix:").rstrip(":")])

    def pids(self):
        return all_below(self)


UPSTREAM = {"who": "nginx", "waiting_for": "python3", "cause": "sleep", "site": "look_up"}


@waiter("slow-upstream", Main("unix", "ask", ["nginx", "python3"], "writev", 0.5, UPSTREAM))
class SlowUpstreamUnix(SlowUpstream):
    """A client waits for nginx, which waits for an upstream."""


@waiter("slow-upstream-tcp", Main("net-recv", "ask", ["nginx", "python3"], "writev", 0.5,
                                  UPSTREAM))
class SlowUpstreamTcp(SlowUpstream):
    def addresses(self):
        return f"{loopback()}:8080", f"{loopback()}:9090"


@waiter("fsync-client", Main("unix", "redisGetReply", ["redis-server"], "aeMain", 0.01,
                             {"who": "redis-server", "waiting_for": None, "cause": "disk-sync",
                              "object": "file "}))
class FsyncClient(Redis):
    """A client waits for an answer, which waits for the disk. The server also computes, and waits
    for a CPU behind others: then little of it is the disk. It wakes the client twice for each
    answer. The kernel also does it for a request that was read, because there is room for the
    next one then."""

    options = ("--appendonly", "yes", "--appendfsync", "always")
    words = ("-r", 1000000, "set", "key", "value")

    def pids(self):
        return all_below(self)


@waiter("slow-producer", Main("queue", "Pipeline.consume", ["producer"], "Pipeline.produce", 0.5,
                              {"who": "producer", "waiting_for": None, "cause": "sleep",
                               "site": "Pipeline.fetch"}))
class SlowProducer(Job):
    """Consumers wait for a producer that fetches each item."""

    def start(self):
        compiled([need("javac"), "-d", self.dir, source("Pipeline.java")])
        self.run([need("java"), "-XX:+PreserveFramePointer", "-Xmx128m", "-cp", self.dir,
                  "Pipeline"])
