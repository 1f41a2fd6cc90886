# SPDX-License-Identifier: Apache-2.0
"""Redis under redis-benchmark: a server of our own, whose answers are timed by its clients."""
import csv
import os
import shutil
import subprocess
import time

from child import Child, ChildError
from loads import SECONDS_AT_MOST, InDirectory, Work, thread_sums

# Of redis-benchmark's histogram of latencies: it tells no smaller difference.
STEP_MS = 0.008


class Answers:
    """As redis-benchmark has them."""

    def __init__(self, row):
        self.rate = float(row["rps"])
        self.p50_ms = float(row["p50_latency_ms"])
        self.p99_ms = float(row["p99_latency_ms"])


class Redis(InDirectory):
    """A server of our own, for as long as the block lasts. A few clients, not fifty: so that it
    waits about every second request, and not once for all of them."""
    name = "redis"
    clients = 8

    def __init__(self, cpu, requests):
        super().__init__()
        self.cpu = cpu
        self.requests = requests
        self.about = (f"redis-benchmark, {self.clients} clients, {requests} GETs, and the server "
                      "on one CPU; the server is traced")
        self.server = None
        if not shutil.which("redis-server") or not shutil.which("redis-benchmark"):
            raise ChildError("no redis-server or no redis-benchmark")

    def prepare(self):
        self.server = Child(["taskset", "-c", str(self.cpu), "redis-server", "--port", "0",
                             "--unixsocket", self.socket, "--save", "", "--appendonly", "no",
                             "--dir", self.dir])
        self.children.append(self.server)
        self.server.await_word(b"ready to accept connections", 30)

    @property
    def socket(self):
        return self.path("socket")

    def start(self):
        return Requests(self)


class Requests:
    """One run of the clients."""

    def __init__(self, server):
        self.server = server
        self.pid = server.server.pid

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        pass

    def run(self):
        s = self.server
        before, begin = thread_sums(self.pid), time.monotonic()
        with Child(["taskset", "-c", str(s.cpu), "redis-benchmark", "-s", s.socket, "-t", "get",
                    "-n", str(s.requests), "-c", str(s.clients), "--csv"],
                   stderr=subprocess.STDOUT) as client:
            text = client.read_to_end(SECONDS_AT_MOST)[0].decode()
            usage = client.wait(SECONDS_AT_MOST)
        wall, after = time.monotonic() - begin, thread_sums(self.pid)
        waits = after[1] - before[1]
        return Work(after[0] - before[0] + usage.ru_utime + usage.ru_stime, wall, waits,
                    waits + usage.ru_nvcsw + usage.ru_nivcsw, _answers(text))


def _answers(text):
    rows = list(csv.DictReader(text.splitlines()))
    try:
        return Answers(rows[0])
    except (IndexError, KeyError, TypeError, ValueError) as e:
        raise ChildError(f"redis-benchmark said no latencies: {text.strip()[-300:]}") from e
