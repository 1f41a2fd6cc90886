# SPDX-License-Identifier: Apache-2.0
"""Real servers, without work and with something that holds them up."""
import os
import subprocess
import sys
import time

import postgres
import programs
from programs import Job, Missing, children, compiled, family, need, title, wait_until
from tokio_build import tokio_program

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "workload")
SERVERS = {}


def source(name):
    return os.path.join(SOURCES, name)


def server(name, idle=False, kind=None, cls=None, owned=None):
    """`idle`: nearly all that it waits for is work. Else `kind` and `cls` are those of the longest
    wait that is no wait for work. `owned`: all of these waits have the thread that they were for,
    or none has."""
    def add(made):
        made.idle, made.kind, made.cls, made.owned = idle, kind, cls, owned
        SERVERS[name] = made
        return made
    return add


class Python(Job):
    how = None

    def start(self):
        python = need("/usr/bin/python3", sys.executable)
        self.run([python, source("server.py"), self.how, os.path.join(self.dir, "sock")])


@server("python-asyncio-idle", idle=True)
class Asyncio(Python):
    how = "asyncio"


@server("python-pool-idle", idle=True)
class Pool(Python):
    how = "pool"


@server("python-asyncio-stall", kind="sleep", cls="bad")
class Stall(Python):
    how = "stall"


class Uvloop(Python):
    def start(self):
        if subprocess.run(["/usr/bin/python3", "-c", "import uvloop"], check=False, timeout=60,
                          stderr=subprocess.DEVNULL).returncode:
            raise Missing("no uvloop here")
        super().start()


@server("python-uvloop-idle", idle=True)
class UvloopIdle(Uvloop):
    how = "uvloop"


@server("python-uvloop-stall", kind="sleep", cls="bad")
class UvloopStall(Uvloop):
    how = "uvloop-stall"


@server("python-gil", kind="gil", cls="work")
class Gil(Python):
    how = "gil"


@server("python-lock", kind="lock", cls="work")
class Lock(Python):
    how = "lock"


@server("node-idle", idle=True)
class Node(Job):
    how = "idle"

    def start(self):
        self.run([need("node"), source("server.js"), self.how, os.path.join(self.dir, "sock")])


@server("node-stall", kind="poll", cls="bad")
class NodeStall(Node):
    how = "stall"


@server("java-idle", idle=True)
class Java(Job):
    how = "idle"
    options = ()

    def start(self):
        compiled([need("javac"), "-d", self.dir, source("Server.java")])
        self.run([need("java"), "-XX:+PreserveFramePointer", *self.options, "-Xmx128m", "-cp",
                  self.dir, "Server", self.how])


@server("java-monitor", kind="monitor", cls="work")
class JavaMonitor(Java):
    how = "monitor"
    options = ()


@server("go-idle", idle=True)
class Go(Job):
    how = "idle"

    def start(self):
        out = os.path.join(self.dir, "server")
        go = need("go", "/usr/lib/go-1.19/bin/go", "/usr/local/go/bin/go")
        subprocess.run([go, "build", "-o", out, source("server.go")], check=True, timeout=120,
                       stdin=subprocess.DEVNULL, env={**os.environ, "GOCACHE": f"{self.dir}/cache",
                                                      "GO111MODULE": "off", "HOME": self.dir})
        self.run([out, self.how, os.path.join(self.dir, "sock")])


@server("go-read", kind="pipe", cls="work")
class GoRead(Go):
    how = "read"


@server("rust-mutex", kind="lock", cls="work")
class Rust(Job):
    def start(self):
        out = os.path.join(self.dir, "server")
        compiled([need("rustc", "/root/.cargo/bin/rustc"), "--edition", "2021", "-O", "-o", out,
                  source("server.rs")])
        self.run([out])


class Musl(Job):
    how = None

    def start(self):
        out = os.path.join(self.dir, "musl")
        compiled([need("musl-gcc"), "-O2", "-static", "-o", out, source("musl.c")])
        self.run([out, self.how])


@server("musl-mutex", kind="lock", cls="work", owned=False)
class MuslNormal(Musl):
    how = "normal"


@server("musl-checking-mutex", kind="lock", cls="work", owned=True)
class MuslChecking(Musl):
    """The word of such a mutex is the tid of who holds it."""

    how = "checking"


@server("musl-cond", kind="cond", cls="work", owned=False)
class MuslCond(Musl):
    """A function without CFI waits, so no name says what for."""

    how = "cond"


@server("musl-semaphore", kind="semaphore", cls="work", owned=False)
class MuslSemaphore(Musl):
    how = "semaphore"


class Joins(Job):
    """Without symbols: the word that is waited for has to tell."""

    compiler = "gcc"

    def start(self):
        out = os.path.join(self.dir, "joins")
        compiled([need(self.compiler), "-O2", "-static", "-s", "-pthread", "-o", out,
                  source("joins.c")])
        self.run([out])


@server("musl-join", kind="join", cls="work", owned=True)
class MuslJoins(Joins):
    compiler = "musl-gcc"


@server("join", kind="join", cls="work", owned=True)
class GlibcJoins(Joins):
    pass


@server("join-in-pid-namespace", kind="join", cls="work", owned=True)
class NamespaceJoins(Joins):
    """Of threads 2 and 3."""

    def run(self, argv, **more):
        unshare = [need("unshare"), "--pid", "--fork", "--kill-child"]
        if subprocess.run([*unshare, "true"], check=False, timeout=60).returncode:
            raise Missing("unshare --pid is not allowed here")
        return super().run([*unshare, *argv], **more)

    def pids(self):
        return children(self.processes[0].pid)


@server("cpp-future", kind="future", cls="work", owned=False)
class Future(Job):
    def start(self):
        out = os.path.join(self.dir, "future")
        compiled([need("g++"), "-O2", "-pthread", "-o", out, source("future.cc")])
        self.run([out])


@server("io-uring-idle", idle=True)
class Uring(Job):
    """With a thread of the kernel that belongs to the process."""

    def start(self):
        out = os.path.join(self.dir, "sqpoll")
        compiled([need("gcc"), "-O2", "-o", out, source("sqpoll.c")])
        if self.run([out, os.path.join(self.dir, "sock")]).poll():
            raise Missing("no io_uring here")


class Tokio(Job):
    how = None

    def start(self):
        program = tokio_program("server", os.path.join(self.dir, "cargo"))
        self.run([program, self.how, os.path.join(self.dir, "sock")])


@server("tokio-idle", idle=True)
class TokioIdle(Tokio):
    how = "idle"


@server("tokio-stall", kind="sleep", cls="bad")
class TokioStall(Tokio):
    how = "stall"


@server("tokio-mutex", kind="lock", cls="work")
class TokioMutex(Tokio):
    how = "mutex"


class Qt(Job):
    how = None

    def start(self):
        python = need("/usr/bin/python3")
        if subprocess.run([python, "-c", "import PyQt5.QtWidgets"], check=False, timeout=60,
                          stderr=subprocess.DEVNULL).returncode:
            raise Missing("no PyQt5 here")
        self.run([python, source("window.py"), self.how],
                 env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_RUNTIME_DIR": self.dir})


@server("qt-idle", idle=True)
class QtIdle(Qt):
    how = "idle"


@server("qt-stall", kind="poll", cls="work")
class QtStall(Qt):
    """A slot that waits for a process: it polls as the loop does."""

    how = "stall"


@server("redis-idle", idle=True)
class Redis(Job):
    options = ("--appendonly", "no")
    words = ()  # that the client says

    def start(self):
        sock = os.path.join(self.dir, "sock")
        client = [need("redis-cli"), "-s", sock]
        self.run([need("redis-server"), "--port", 0, "--unixsocket", sock, "--save", "",
                  "--dir", self.dir, *self.options])
        wait_until(lambda: subprocess.run([*client, "ping"], capture_output=True, check=False,
                                          timeout=30).stdout == b"PONG\n")
        if self.words:
            self.run([*client, *self.words])


@server("redis-stall", kind="sleep", cls="bad")
class RedisStall(Redis):
    """Something slow in the only thread."""

    options = (*Redis.options, "--enable-debug-command", "yes")
    words = ("-r", 100, "debug", "sleep", 0.3)


@server("redis-fsync", kind="disk-sync", cls="bad")
class RedisFsync(Redis):
    """Each command is on the disk before it is answered, by the only thread."""

    options = ("--appendonly", "yes", "--appendfsync", "always")
    words = ("-r", 1000000, "set", "key", "value")


@server("nginx-idle", idle=True)
class Nginx(Job):
    """By itself a wait for the answer of an upstream is a wait for an event, like any other."""

    conf = programs.NGINX

    def start(self):
        conf = os.path.join(self.dir, "nginx.conf")
        with open(conf, "w", encoding="ascii") as f:
            f.write(self.conf.format(dir=self.dir))
        self.run([need("nginx", "/usr/sbin/nginx"), "-c", conf, "-e", f"{self.dir}/error.log",
                  "-p", self.dir])

    def pids(self):
        return family(self.processes[0].pid)


PROXY = """daemon off; worker_processes 1; pid {dir}/nginx.pid; error_log {dir}/error.log;
user root; events {{ worker_connections 64; }}
http {{ access_log off; client_body_temp_path {dir}; proxy_temp_path {dir};
 fastcgi_temp_path {dir}; uwsgi_temp_path {dir}; scgi_temp_path {dir};
 server {{ listen unix:{dir}/sock; location / {{ proxy_pass http://unix:{dir}/up:/; }} }} }}
"""


@server("nginx-waiting", idle=True)
class NginxWaiting(Nginx):
    """Four clients at all times, all waiting for an upstream: nginx cannot tell."""

    conf = PROXY

    def start(self):
        super().start()
        for what, sock in (("serve", "up"), ("ask", "sock")):
            self.run(["/usr/bin/python3", source("upstream.py"), what,
                      os.path.join(self.dir, sock)])


@server("nginx-upstream", kind="sleep", cls="work")
class NginxUpstream(NginxWaiting):
    """Recorded together with the upstream it is what the upstream does."""

    def pids(self):
        return super().pids() + [self.processes[1].pid]


class Postgres(Job):
    script = None
    settings = ""

    def start(self):
        if not postgres.bin_dir():
            raise Missing("no postgres here")
        self.cluster = postgres.Cluster(self.dir, self.settings)
        self.run(self.cluster.command(self.script), cwd="/")
        time.sleep(2)
        wait_until(self.pids)

    def backends(self):
        return [p for q in self.processes for p in family(q.pid)
                if title(p).startswith(("postgres: ", self.cluster.bin + "/postgres"))]

    def pids(self):
        return self.backends()


@server("postgres-idle", idle=True)
class PostgresIdle(Postgres):
    """A client that has nothing to say."""

    script = "(sleep 120) | {bin}/psql -q -h {dir} postgres"


@server("postgres-row-lock", kind="db-lock", cls="work")
class PostgresRowLock(Postgres):
    """One session keeps a row, another one wants it. Only that one is recorded. It asks again
    where it came first."""

    script = ("(echo 'begin; update pgbench_branches set bbalance = 1;'; sleep 120) | "
              "{bin}/psql -q -h {dir} postgres & while kill -0 $!; do sleep 0.5; "
              "echo 'update pgbench_branches set bbalance = 2;' | {bin}/psql -q -h {dir} postgres; "
              "done")

    def pids(self):
        return [p for p in self.backends() if "waiting" in title(p)]


@server("postgres-fsync", kind="disk-sync", cls="work")
class PostgresFsync(Postgres):
    """One client that commits all the time, to a disk that is waited for."""

    settings = "-c fsync=on -c synchronous_commit=on"
    script = "{bin}/pgbench -n -N -c 1 -T 120 -h {dir} postgres >bench.log 2>&1"

    def pids(self):
        return [p for p in self.backends() if "[local]" in title(p)]


@server("postgres-autovacuum", kind="sleep", cls="work")
class PostgresAutovacuum(Postgres):
    """A worker throttled to spare the disk: it sleeps after each page. Workers also visit the
    catalogs, and end after a few seconds or at once. Only the table has the throttle, so that it
    has work for minutes, and only the worker that is at it is recorded."""

    settings = "-c autovacuum_naptime=1s"
    # The client ends, which tells the launcher at once what it did.
    script = ("echo 'create table v (x int) with (fillfactor = 10, autovacuum_enabled = off, "
              "autovacuum_vacuum_cost_delay = 50, autovacuum_vacuum_cost_limit = 1); "
              "insert into v select generate_series(1, 100000); delete from v where x % 2 = 0; "
              "alter table v set (autovacuum_enabled = on);' | "
              "{bin}/psql -q -h {dir} postgres; sleep 120")

    def pids(self):
        said = self.cluster.ask("select pid from pg_stat_progress_vacuum "
                                "where relid = to_regclass('v') and phase = 'scanning heap'")
        return [int(pid) for pid in said.split()]


class MariadbServer(programs.Mariadb):
    statements = ""
    warm_s = 2

    def start(self):
        self.serve("create database d;\n" + self.statements)
        time.sleep(self.warm_s)


@server("mariadb-idle", idle=True)
class MariadbIdle(MariadbServer):
    pass


@server("mariadb-row-lock", kind="db-lock", cls="work")
class MariadbRowLock(MariadbServer):
    """One event keeps a row, another one wants it, and asks again where it came first."""

    warm_s = 5
    statements = (
        "create table d.t (a int primary key, b int) engine=innodb;\n"
        "insert into d.t values (1, 1);\n"
        "create definer='root'@'localhost' event d.keep on schedule at now() + interval 2 second "
        "do begin start transaction; "
        "update d.t set b = 2; do sleep(60); commit; end;\n"
        "create definer='root'@'localhost' event d.want on schedule at now() + interval 3 second "
        "do begin repeat update d.t set b = b + 1; do sleep(0.5); until false end repeat; end;\n")


