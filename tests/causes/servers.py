# SPDX-License-Identifier: Apache-2.0
"""Real servers, without work and with something that holds them up."""
import os
import subprocess
import sys
import time

import postgres
import programs
from programs import Job, Missing, compiled, family, need, title

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "workload")
SERVERS = {}


def source(name):
    return os.path.join(SOURCES, name)


def server(name, idle=False, kind=None, cls=None):
    """`idle`: nearly all that it waits for is work. Else `kind` and `cls` are those of the longest
    wait that is no wait for work."""
    def add(made):
        made.idle, made.kind, made.cls = idle, kind, cls
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
    # compiled code has names
    options = ("-Xcomp",)

    def start(self):
        compiled([need("javac"), "-d", self.dir, source("Server.java")])
        self.run([need("java"), "-XX:+PreserveFramePointer", *self.options, "-Xmx128m", "-cp",
                  self.dir, "Server", self.how])
        time.sleep(5)  # until it has compiled what it begins with


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


@server("redis-idle", idle=True)
class Redis(Job):
    def start(self):
        self.sock = os.path.join(self.dir, "sock")
        self.run([need("redis-server"), "--port", 0, "--unixsocket", self.sock, "--save", "",
                  "--dir", self.dir, "--appendonly", "no", "--enable-debug-command", "yes"])


@server("redis-stall", kind="sleep", cls="bad")
class RedisStall(Redis):
    """Something slow in the only thread."""

    def start(self):
        super().start()
        time.sleep(0.5)
        self.run([need("redis-cli"), "-s", self.sock, "-r", 100, "debug", "sleep", 0.3])


@server("nginx-idle", idle=True)
class Nginx(Job):
    def start(self):
        conf = os.path.join(self.dir, "nginx.conf")
        with open(conf, "w", encoding="ascii") as f:
            f.write(programs.NGINX.format(dir=self.dir))
        self.run([need("nginx", "/usr/sbin/nginx"), "-c", conf, "-e", f"{self.dir}/error.log",
                  "-p", self.dir])

    def pids(self):
        return family(self.processes[0].pid)


class Postgres(Job):
    script = None

    def start(self):
        if not postgres.bin_dir():
            raise Missing("no postgres here")
        self.cluster = postgres.Cluster(self.dir)
        self.run(self.cluster.command(self.script), cwd="/")
        time.sleep(2)

    def backends(self):
        return [p for q in self.processes for p in family(q.pid)
                if title(p).startswith(("postgres: ", self.cluster.bin + "/postgres"))]

    def pids(self):
        return self.backends()


@server("postgres-idle", idle=True)
class PostgresIdle(Postgres):
    """A client that has nothing to say."""

    script = "(sleep 60) | {bin}/psql -q -h {dir} postgres"


@server("postgres-row-lock", kind="db-lock", cls="work")
class PostgresRowLock(Postgres):
    """One session keeps a row, another one wants it. Only that one is recorded."""

    script = ("(echo 'begin; update pgbench_branches set bbalance = 1;'; sleep 60) | "
              "{bin}/psql -q -h {dir} postgres & sleep 1; "
              "echo 'update pgbench_branches set bbalance = 2;' | {bin}/psql -q -h {dir} postgres")

    def pids(self):
        return [p for p in self.backends() if "waiting" in title(p)]


class MariadbServer(programs.Mariadb):
    statements = ""
    warm_s = 2

    def start(self):
        data = os.path.join(self.dir, "data")
        common = ["--no-defaults", f"--datadir={data}", "--user=root"]
        program = need("mariadbd", "/usr/sbin/mariadbd")
        os.mkdir(data)
        self.make_tables([program, *common, "--bootstrap"])
        load = os.path.join(self.dir, "load.sql")
        with open(load, "w", encoding="ascii") as f:
            f.write("create database d;\n" + self.statements)
        self.run([program, *common, "--skip-networking", f"--socket={self.dir}/sock",
                  f"--pid-file={self.dir}/pid", f"--init-file={load}", "--event-scheduler=ON"])
        time.sleep(self.warm_s)


@server("mariadb-idle", idle=True)
class MariadbIdle(MariadbServer):
    pass


@server("mariadb-row-lock", kind="db-lock", cls="work")
class MariadbRowLock(MariadbServer):
    """One event keeps a row, another one wants it."""

    warm_s = 5
    statements = (
        "create table d.t (a int primary key, b int) engine=innodb;\n"
        "insert into d.t values (1, 1);\n"
        "create definer='root'@'localhost' event d.keep on schedule at now() + interval 2 second "
        "do begin start transaction; "
        "update d.t set b = 2; do sleep(60); commit; end;\n"
        "create definer='root'@'localhost' event d.want on schedule at now() + interval 3 second "
        "do update d.t set b = 3;\n")


