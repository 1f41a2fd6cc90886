# SPDX-License-Identifier: Apache-2.0
"""A private PostgreSQL cluster, and the command line that serves it, loads it and ends it."""
import glob
import os
import shutil
import subprocess
import tempfile

USER = "postgres"
SERVE = """
cd {dir}
{bin}/postgres -D data -k {dir} -c listen_addresses= -c fsync=off -c max_connections=20 \
    {settings} >server.log 2>&1 &
server=$!
for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    {bin}/pg_isready -q -h {dir} && break
    sleep 0.25
done
{load}
kill -INT $server
wait $server
"""
INIT = "{bin}/pgbench -q -i -s 1 -h {dir} postgres >init.log 2>&1"
BENCH = "{bin}/pgbench -n -c 4 -j 2 -T {seconds} -h {dir} postgres >bench.log 2>&1"


def bin_dir():
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/postgres"))
    return os.path.dirname(found[-1]) if found else None


class Cluster:
    """Made below `parent`; gone with it. `settings`: more "-c NAME=VALUE" for the server, the last
    of a name counts. Raises CalledProcessError."""

    def __init__(self, parent, settings=""):
        self.settings = settings
        self.dir = tempfile.mkdtemp(prefix="pg.", dir=parent)  # a case may run twice
        self.bin = bin_dir()
        shutil.chown(self.dir, USER, USER)
        self._run(f"cd {self.dir}; {self.bin}/initdb --no-sync -A trust -D data >initdb.log 2>&1")
        self._run(self._script(INIT))

    def bench_command(self, seconds):
        return self._as_user(self._script(BENCH.replace("{seconds}", str(seconds))))

    def command(self, load):
        """Serves, and runs `load`, where {bin} and {dir} are the programs and the socket."""
        return self._as_user(self._script(load))

    def ask(self, query):
        """What the running server answers, a line for each row; nothing where it does not."""
        return subprocess.run(["runuser", "-u", USER, "--", f"{self.bin}/psql", "-qAtX", "-h",
                               self.dir, "-c", query, "postgres"], check=False, timeout=30, cwd="/",
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, encoding="utf-8").stdout

    def _script(self, load):
        return SERVE.replace("{load}", load).format(dir=self.dir, bin=self.bin,
                                                    settings=self.settings)

    def _as_user(self, script):
        return ["runuser", "-u", USER, "--", "sh", "-c", script]

    def _run(self, script):
        subprocess.run(self._as_user(script), check=True, timeout=120, cwd="/",
                       stdin=subprocess.DEVNULL)
