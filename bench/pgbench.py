# SPDX-License-Identifier: Apache-2.0
"""PostgreSQL under pgbench: a server of our own, and transactions between two gates."""
import glob
import os
import shutil
import subprocess
import time

from child import Child, ChildError
from loads import SECONDS_AT_MOST, InDirectory, Work, thread_sums

USER = "postgres"

# A client's transactions between two gates: advisory locks that another session holds.
GATES = r"""
\set n :n + 1
\if :n = 1
select pg_advisory_lock_shared(1);
\elif :n > :last
select pg_advisory_lock_shared(2);
\else
%s
\endif
"""

# As pgbench has them by default.
DEFAULT = r"""
\set aid random(1, 100000)
\set bid 1
\set tid random(1, 10)
\set delta random(-5000, 5000)
begin;
update pgbench_accounts set abalance = abalance + :delta where aid = :aid;
select abalance from pgbench_accounts where aid = :aid;
update pgbench_tellers set tbalance = tbalance + :delta where tid = :tid;
update pgbench_branches set bbalance = bbalance + :delta where bid = :bid;
insert into pgbench_history (tid, bid, aid, delta, mtime)
    values (:tid, :bid, :aid, :delta, current_timestamp);
end;"""

# All clients want the same row.
ROW_LOCKS = r"""
begin;
update pgbench_branches set bbalance = bbalance + 1 where bid = 1;
select count(*) from pgbench_tellers;
end;"""

READS = r"""
\set aid random(1, 100000)
select abalance from pgbench_accounts where aid = :aid;"""


class Pgbench(InDirectory):
    """A server of our own in a temporary directory, for as long as the block lasts. One client:
    its backend is traced; more: the whole machine is."""
    def __init__(self, cpu, transactions, name="pgbench", what="default", body=DEFAULT, clients=1):
        super().__init__()
        self.name = name
        self.cpu = cpu
        self.transactions = transactions
        self.clients = clients
        self.script = GATES % body.strip()
        who = "one client and its backend" if clients == 1 else f"{clients} clients and backends"
        traced = "backend" if clients == 1 else "machine"
        self.about = (f"{who} on one CPU, {transactions} transactions each ({what}), fsync off; "
                      f"the {traced} is traced")
        self.control = None
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin/postgres"))
        if not found:
            raise ChildError("no PostgreSQL below /usr/lib/postgresql")
        self.bin = os.path.dirname(found[-1])

    def as_user(self, *argv):
        return ["setpriv", "--reuid", USER, "--regid", USER, "--init-groups", *argv]

    def prepare(self):
        shutil.chown(self.dir, USER, USER)
        data = self.path("data")
        self._do("initdb", "--no-sync", "-A", "trust", "-U", USER, "-D", data)
        self.children.append(Child(self.as_user(
            f"{self.bin}/postgres", "-D", data, "-k", self.dir, "-c", "listen_addresses=",
            "-c", "fsync=off", "-c", "autovacuum=off", "-c", "max_connections=20"),
            stdout=subprocess.DEVNULL))
        self.await_answer([f"{self.bin}/pg_isready", "-q", "-h", self.dir], "PostgreSQL")
        self._do("pgbench", "-q", "-i", "-s", "1", "-h", self.dir, USER)
        self.write("script.sql", self.script)
        os.chmod(self.path("script.sql"), 0o644)
        self.control = Child(self.as_user(f"{self.bin}/psql", "-X", "-q", "-A", "-t",
                                          "-h", self.dir, USER))
        self.children.append(self.control)

    def _do(self, program, *words):
        subprocess.run(self.as_user(f"{self.bin}/{program}", *words), check=True, timeout=120,
                       cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    def query(self, sql):
        """The answer in one line; the control session stays the same, and so do its locks."""
        self.control.process.stdin.write(f"{sql};\n\\echo .\n".encode())
        self.control.process.stdin.flush()
        return self.control.await_word(b".\n", 30).removesuffix(b".\n").decode().strip()

    def start(self):
        return Transactions(self)


class Transactions:
    """One run of pgbench. Backends wait for lock 1 before their work, for lock 2 after it. `pid`:
    of the backend if there is one, else None."""

    def __init__(self, server):
        self.server = server
        self.query = server.query
        self.query("select pg_advisory_lock(1), pg_advisory_lock(2)")
        self.client = Child(server.as_user(
            "taskset", "-c", str(server.cpu), f"{server.bin}/pgbench", "-n", "-c",
            str(server.clients),
            "-t", str(server.transactions + 2), "-D", "n=0",
            "-D", f"last={server.transactions + 1}", "-f", f"{server.dir}/script.sql",
            "-h", server.dir, USER), stdout=subprocess.DEVNULL)
        self.backends = []

    @property
    def pid(self):
        return self.backends[0] if len(self.backends) == 1 else None

    def __enter__(self):
        try:
            self.backends = self._await_gate(1)
            for pid in self.backends:
                os.sched_setaffinity(pid, {self.server.cpu})
        except BaseException:
            self.client.__exit__()
            raise
        return self

    def __exit__(self, *exc):
        self.client.__exit__(*exc)
        self.query("select pg_advisory_unlock_all()")

    def _await_gate(self, lock):
        end = time.monotonic() + SECONDS_AT_MOST
        while time.monotonic() < end and not self.client.ended():
            pids = self.query("select string_agg(pid::text, ' ') from pg_locks where not granted "
                              f"and locktype = 'advisory' and objid = {lock}").split()
            if len(pids) == self.server.clients:
                return [int(pid) for pid in pids]
            time.sleep(0.02)
        raise ChildError(f"pgbench did not come to gate {lock} (exit {self.client.status})")

    def run(self):
        before = self._sums()
        begin = time.monotonic()
        self.query("select pg_advisory_unlock(1)")
        self._await_gate(2)
        wall = time.monotonic() - begin
        after = self._sums()
        cpu = sum(a[0] - b[0] for a, b in zip(after, before))
        client, *backends = (a[1] - b[1] for a, b in zip(after, before))
        self.query("select pg_advisory_unlock(2)")
        self.client.wait(30)
        switches = client + sum(backends)
        return Work(cpu, wall, backends[0] if self.pid else switches, switches)

    def _sums(self):
        return [thread_sums(pid) for pid in (self.client.pid, *self.backends)]
