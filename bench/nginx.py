# SPDX-License-Identifier: Apache-2.0
"""nginx before a threaded Python server: servers and clients of our own, over Unix sockets."""
import os
import shutil
import subprocess
import sys
import time

from child import Child, ChildError
from loads import SECONDS_AT_MOST, InDirectory, Work, thread_sums

HERE = os.path.dirname(os.path.abspath(__file__))
CLIENTS = 8
CONFIG = """\
daemon off;
master_process off;
pid {dir}/nginx.pid;
error_log {dir}/error.log;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {dir};
    proxy_temp_path {dir};
    fastcgi_temp_path {dir};
    uwsgi_temp_path {dir};
    scgi_temp_path {dir};
    keepalive_requests 1000000;
    upstream behind {{ server unix:{dir}/behind; keepalive {clients}; keepalive_requests 1000000; }}
    server {{
        listen unix:{dir}/front;
        location / {{
            proxy_pass http://behind;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
        }}
    }}
}}
"""


class Nginx(InDirectory):
    """Both servers run as long as the block lasts."""
    name = "nginx"

    def __init__(self, cpu, requests):
        super().__init__()
        self.cpu = cpu
        self.requests = requests
        self.about = (f"nginx before a threaded Python server, {CLIENTS} clients, {requests} "
                      "requests in all, on one CPU; the machine is traced")
        self.program = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")
        if not self.program:
            raise ChildError("no nginx")

    def prepare(self):
        os.chmod(self.dir, 0o755)
        self.write("nginx.conf", CONFIG.format(dir=self.dir, clients=CLIENTS))
        for argv in (self.python("serve", self.path("behind")),
                     [self.program, "-c", self.path("nginx.conf"), "-p", self.dir]):
            self.children.append(Child(["taskset", "-c", str(self.cpu), *argv],
                                       stdout=subprocess.DEVNULL))
        self.await_answer(self.python("ask", self.front, "1", "1"), "nginx or what is behind it")

    @property
    def front(self):
        return self.path("front")

    def python(self, *words):
        return [sys.executable, os.path.join(HERE, "upstream.py"), *words]

    def start(self):
        return Requests(self)


class Requests:
    """One run of the clients."""
    pid = None  # of several

    def __init__(self, servers):
        self.servers = servers

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        pass

    def _sums(self):
        sums = [thread_sums(server.pid) for server in self.servers.children]
        return sum(s[0] for s in sums), sum(s[1] for s in sums)

    def run(self):
        s = self.servers
        before, begin = self._sums(), time.monotonic()
        with Child(["taskset", "-c", str(s.cpu), *s.python("ask", s.front, str(CLIENTS),
                                                           str(s.requests // CLIENTS))]) as client:
            usage = client.wait(SECONDS_AT_MOST)
            if client.status:
                raise ChildError(f"a request failed (exit {client.status})")
        wall, after = time.monotonic() - begin, self._sums()
        waits = after[1] - before[1] + usage.ru_nvcsw + usage.ru_nivcsw
        return Work(after[0] - before[0] + usage.ru_utime + usage.ru_stime, wall, waits, waits)
