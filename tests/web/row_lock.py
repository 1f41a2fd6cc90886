#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: row_lock.py

A PostgreSQL under pgbench, which only reads: prints "ready PID". After a line on standard input it
writes as well, while one transaction holds the row that all of these need. A second line, or the
end of the input, ends it."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "truth"))
import postgres  # pylint: disable=wrong-import-position

HOLD = "begin; update pgbench_branches set bbalance = 1; select pg_sleep(600); commit"
LOAD = f"""
{{bin}}/pgbench -n -S -c 2 -j 1 -T 600 -h {{dir}} postgres >read.log 2>&1 & read_=$!
echo ready $server
read line
{{bin}}/psql -h {{dir}} -qc "{HOLD}" postgres >hold.log 2>&1 & hold=$!
sleep 0.5
{{bin}}/pgbench -n -c 4 -j 2 -T 600 -h {{dir}} postgres >write.log 2>&1 & write=$!
echo locked
read line
kill $read_ $hold $write
"""


def main():
    if not postgres.bin_dir() or os.geteuid():
        print("skip: needs root and PostgreSQL", flush=True)
        return
    with tempfile.TemporaryDirectory(prefix="row-lock.") as parent:
        os.chmod(parent, 0o755)
        cluster = postgres.Cluster(parent)
        subprocess.run(cluster.command(LOAD), check=False, cwd="/", timeout=900)


if __name__ == "__main__":
    main()
