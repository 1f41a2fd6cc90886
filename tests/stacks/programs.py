# SPDX-License-Identifier: Apache-2.0
"""The programs whose stacks are judged. Each is started in a directory of its own, without ports
that others can see, and ended by the ids of its own processes."""
import os
import shutil
import signal
import subprocess
import sys
import time

import postgres
from workload import end_process

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "workload")
WARM_S = 1.0
JOBS = {}


class Missing(Exception):
    """The software is not here."""


def need(name, *places):
    """The path of a program."""
    for place in (shutil.which(name), *places):
        if place and os.access(place, os.X_OK):
            return place
    raise Missing(f"no {name} here")


def source(name):
    return os.path.join(SOURCES, name)


def compiled(argv):
    subprocess.run(argv, check=True, timeout=120, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL)


def children(pid):
    found = []
    try:
        for tid in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{tid}/children", encoding="ascii") as f:
                found += [int(p) for p in f.read().split()]
    except OSError:
        pass
    return found


def family(pid):
    """A process and all below it."""
    return [pid] + [p for child in children(pid) for p in family(child)]


def title(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as f:
            return f.read().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def wait_until(true, limit_s=30):
    """Or no longer than that: then what is judged says what is wrong."""
    limit = time.monotonic() + limit_s
    while not true() and time.monotonic() < limit:
        time.sleep(0.1)


class Job:
    """A running program; use as a context manager."""

    strict = True  # >= 99 % of its stacks must be identical
    gdb = False  # gdb is asked too
    complete = 0.98  # at least so many of its stacks are whole
    more = 1  # stops, so many times as many as usual

    running = []  # of all that there are

    def __init__(self, scratch):
        self.dir = scratch
        self.processes = []

    def __enter__(self):
        Job.running.append(self)
        try:
            self.start()
            time.sleep(WARM_S)
            if not self.pids():
                raise RuntimeError(f"it does not run: {self.said()}")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_exc):
        if self in Job.running:
            Job.running.remove(self)
        for process in reversed(self.processes):
            below = family(process.pid)[1:] if process.poll() is None else []
            end_process(process)
            for pid in below:
                self.end_orphan(pid)

    @staticmethod
    def end_orphan(pid):
        """A process that ours left behind; it was its child a moment ago."""
        for sig in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.kill(pid, sig)
                os.kill(pid, signal.SIGCONT)
            except ProcessLookupError:
                return
            for _ in range(100):
                try:
                    os.kill(pid, 0)
                except ProcessLookupError:
                    return
                time.sleep(0.02)

    def run(self, argv, **more):
        with open(os.path.join(self.dir, "output"), "ab") as out:
            more.setdefault("stdin", subprocess.DEVNULL)
            more.setdefault("cwd", self.dir)
            process = subprocess.Popen([str(a) for a in argv], stdout=out, stderr=out,
                                       start_new_session=True, **more)
        self.processes.append(process)
        return process

    def said(self):
        try:
            with open(os.path.join(self.dir, "output"), encoding="utf-8", errors="replace") as f:
                return f.read()[-1000:]
        except OSError:
            return "nothing"

    def start(self):
        raise NotImplementedError

    def pids(self):
        """The processes that are stopped and judged."""
        return [p.pid for p in self.processes[:1] if p.poll() is None]


def job(name):
    def add(cls):
        JOBS[name] = cls
        return cls
    return add


@job("cpp")
class Cpp(Job):
    """C++ at -O2: alloca, realigned frames, recursion, exceptions, regex, sort, signals."""

    gdb = True

    def start(self):
        out = os.path.join(self.dir, "cpp")
        compiled([need("g++"), "-std=gnu++17", "-O2", "-fomit-frame-pointer", "-pthread", "-o", out,
                  source("cpp.cc")])
        self.run([out])


@job("odd")
class Odd(Job):
    """Coroutines, signals in signals, vfork, posix_spawn, the vDSO, late binding."""

    # The C library does not say that a coroutine begins where makecontext() lets it begin.
    complete = 0.8

    def start(self):
        out = os.path.join(self.dir, "odd")
        compiled([os.environ.get("CC", "cc"), "-std=gnu11", "-D_GNU_SOURCE", "-O2", "-pthread",
                  "-fomit-frame-pointer", "-Wl,-z,lazy", "-o", out, source("odd.c"), "-lm"])
        self.run([out])


@job("python")
class Python(Job):
    """The system's python3: json, sqlite3, zlib, re, ctypes and their callbacks."""

    gdb = True

    def start(self):
        self.run([need("/usr/bin/python3", sys.executable), source("python.py")])


@job("postgres")
class Postgres(Job):
    """Backends under pgbench, and the writers."""

    def start(self):
        if not postgres.bin_dir():
            raise Missing("no postgres here")
        cluster = postgres.Cluster(self.dir)
        self.run(cluster.bench_command(120), cwd="/")
        time.sleep(1)

    def pids(self):
        below = [p for q in self.processes for p in family(q.pid)]
        ours = [p for p in below if title(p).startswith("postgres: ")]
        return [p for p in ours if "[local]" in title(p)] + \
               [p for p in ours if "walwriter" in title(p)]


@job("mariadbd")
class Mariadb(Job):
    """Stored procedures that insert, sort and delete, run by the event scheduler."""

    SCHEMA = "/usr/share/mysql"

    def start(self):
        with open(source("load.sql"), encoding="ascii") as f:
            statements = f.read().replace("\n\n", "\0").replace("\n", " ").replace("\0", "\n")
        self.serve(statements, "--innodb-flush-log-at-trx-commit=2")
        time.sleep(1)

    def serve(self, statements, *options):
        """A new server without tables; a statement on each line is what it reads at its start."""
        server = need("mariadbd", "/usr/sbin/mariadbd")
        data = os.path.join(self.dir, "data")
        os.mkdir(data)
        # A server that starts takes away what lies of another one's tables where both have it.
        common = ["--no-defaults", f"--datadir={data}", f"--tmpdir={self.dir}", "--user=root"]
        self.make_tables([server, *common, "--bootstrap"])
        load = os.path.join(self.dir, "load.sql")
        with open(load, "w", encoding="ascii") as f:
            f.write(statements)
        self.run([server, *common, "--skip-networking", f"--socket={self.dir}/sock",
                  f"--pid-file={self.dir}/pid", f"--init-file={load}", "--event-scheduler=ON",
                  *options])
        wait_until(lambda: os.path.exists(f"{self.dir}/pid"))

    def make_tables(self, bootstrap):
        """What mariadb-install-db does, which needs more packages than the server."""
        script = "create database mysql;\nuse mysql;\nset @auth_root_socket=NULL;\n"
        for name in ("tables", "tables_data"):
            with open(f"{self.SCHEMA}/mysql_system_{name}.sql", encoding="utf-8") as f:
                script += "".join(line for line in f if "@current_hostname" not in line)
        done = subprocess.run(bootstrap, input=script, encoding="utf-8", check=False, timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode:
            raise RuntimeError(f"{bootstrap[0]} ended with {done.returncode}: "
                               f"{done.stdout[-1500:]}")


@job("redis")
class Redis(Job):
    """redis-server under redis-benchmark, scripts in Lua included."""

    SCRIPT = "local t = {} for i = 1, 90 do t[i] = redis.call('zadd', 'z', i, 'k' .. i * 7 % 31) " \
             "end return cjson.encode(redis.call('zrange', 'z', 0, -1)):gsub('k', 'l')"

    def start(self):
        sock = os.path.join(self.dir, "sock")
        bench = need("redis-benchmark")
        self.run([need("redis-server"), "--port", 0, "--unixsocket", sock, "--save", "", "--dir",
                  self.dir, "--appendonly", "no"])
        wait_until(lambda: os.path.exists(sock))
        self.run([bench, "-s", sock, "-l", "-q", "-c", 8, "-r", 1000, "-n", 20000, "-t",
                  "set,get,lpush,zadd,lrange_100,sadd"])
        self.run([bench, "-s", sock, "-l", "-q", "-c", 2, "-n", 20000, "eval", self.SCRIPT, 0])


NGINX = """daemon off; worker_processes 1; pid {dir}/nginx.pid; error_log {dir}/error.log;
user root; events {{ worker_connections 64; }}
http {{ access_log {dir}/access.log; gzip on; gzip_types *; gzip_min_length 1;
 client_body_temp_path {dir}; proxy_temp_path {dir}; fastcgi_temp_path {dir};
 uwsgi_temp_path {dir}; scgi_temp_path {dir};
 server {{ listen unix:{dir}/sock; root {dir}; ssi on; ssi_types *; }} }}
"""

NGINX_LOAD = """
import os, socket, sys
while True:
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(sys.argv[1])
        for i in range(50):
            s.sendall(b"GET /%s HTTP/1.1\\r\\nHost: x\\r\\nAccept-Encoding: gzip\\r\\n\\r\\n" %
                      (b"page" if i % 3 else b"none"))
            got = s.recv(1 << 16)
            while b"\\r\\n0\\r\\n\\r\\n" not in got[-7:] and b"</html>" not in got[-20:]:
                more = s.recv(1 << 16)
                if not more:
                    sys.exit(0)
                got = more
"""


@job("nginx")
class Nginx(Job):
    """A worker that packs and includes, under load."""

    def start(self):
        conf = os.path.join(self.dir, "nginx.conf")
        with open(conf, "w", encoding="ascii") as f:
            f.write(NGINX.format(dir=self.dir))
        with open(os.path.join(self.dir, "part"), "w", encoding="ascii") as f:
            f.write("some text to include\n" * 200)
        with open(os.path.join(self.dir, "page"), "w", encoding="ascii") as f:
            f.write('<!--#include virtual="/part" -->x\n' * 20)
        self.run([need("nginx", "/usr/sbin/nginx"), "-c", conf, "-e", f"{self.dir}/error.log",
                  "-p", self.dir])
        time.sleep(0.5)
        for _ in range(2):
            self.run([sys.executable, "-c", NGINX_LOAD, f"{self.dir}/sock"])

    def pids(self):
        return children(self.processes[0].pid) + super().pids()


@job("node")
class Node(Job):
    """JIT code, builtins and the thread pool."""

    def start(self):
        self.run([need("node"), source("node.js")])


@job("sort")
class Sort(Job):
    """sort --parallel, in the locale's order."""

    gdb = True

    def start(self):
        base = os.path.join(self.dir, "lines")
        with open(base, "wb") as f:
            for i in range(120000):
                f.write(b"%x word %d %x\n" % (i * 2654435761 % (1 << 32), i % 97, i * 40503))
        self.run(["sh", "-c", f"for i in $(seq 400); do cat {base}; done | exec sort --parallel=4 "
                  f"-S 16M -T {self.dir} -k2 -f -o /dev/null"],
                 env={**os.environ, "LC_ALL": "C.UTF-8"})

    def pids(self):
        return [p for q in self.processes for p in family(q.pid)
                if title(p).startswith("sort --parallel")]


@job("rust")
class Rust(Job):
    """What rustc makes: closures, trait objects, collections, panics."""

    def start(self):
        out = os.path.join(self.dir, "rust")
        compiled([need("rustc", "/root/.cargo/bin/rustc"), "--edition", "2021", "-O", "-o", out,
                  source("rust.rs")])
        self.run([out])


@job("chromium")
class Chromium(Job):
    """A page that computes and animates, in the headless browser: browser, renderer and GPU."""

    more = 3  # nearly all of its threads do nothing

    def start(self):
        browser = need("chromium-headless-shell", shutil.which("chromium"),
                       shutil.which("chromium-browser"))
        self.run([browser, "--headless", "--no-sandbox",
                  "--disable-gpu", "--disable-background-timer-throttling",
                  "--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows",
                  "--disable-dev-shm-usage", "--no-first-run",
                  "--remote-debugging-port=0", f"--user-data-dir={self.dir}/profile",
                  "file://" + source("page.html")], env={**os.environ, "HOME": self.dir})
        time.sleep(3)

    def pids(self):
        below = [p for q in self.processes for p in family(q.pid)]
        ours = [p for p in below if title(p).startswith("/usr/lib/chromium")]
        kinds = ("--type=renderer", "--type=gpu-process")
        return [p for p in ours if any(k in title(p) for k in kinds)][:3] + \
               [p for p in ours if "--type=" not in title(p)][:1]


class Java(Job):
    strict = False
    options = ()

    def start(self):
        compiled([need("javac"), "-d", self.dir, source("Java.java")])
        self.run([need("java"), *self.options, "-Xmx128m", "-cp", self.dir, "Java"])
        time.sleep(1)


@job("java-fp")
class JavaFp(Java):
    """java -XX:+PreserveFramePointer. Reported as it is."""

    options = ("-XX:+PreserveFramePointer",)


@job("java")
class JavaPlain(Java):
    """java as it comes. Reported as it is."""


@job("go")
class Go(Job):
    """Goroutines. Reported as it is: where Go leaves a stack, the oracle goes on, and guesses."""

    strict = False

    def start(self):
        out = os.path.join(self.dir, "go")
        go = need("go", "/usr/lib/go-1.19/bin/go", "/usr/local/go/bin/go")
        subprocess.run([go, "build", "-o", out, source("go.go")], check=True, timeout=120,
                       stdin=subprocess.DEVNULL, env={**os.environ, "GOCACHE": f"{self.dir}/cache",
                                                      "GO111MODULE": "off", "HOME": self.dir})
        self.run([out])
