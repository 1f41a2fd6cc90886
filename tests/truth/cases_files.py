# SPDX-License-Identifier: Apache-2.0
"""Files that are another one a moment later."""
import os
import subprocess

import always
import checks
import workload
from cases import case
from session import record_command

RUNS = 200
NAMES = ("fn_a", "fn_b")
# Writes, runs and deletes a file of the same name, again and again.
FARM = """
for i in $(seq "$1"); do
	cp "$2" again && ./again && rm again
	cp "$3" again && ./again && rm again
done
"""


def build(directory):
    source = os.path.join(workload.HERE, "workload", "rewrite.c")
    paths = [os.path.join(directory, name) for name in NAMES]
    for name, path in zip(NAMES, paths):
        subprocess.run([os.environ.get("CC", "cc"), *workload.CFLAGS, f"-DNAME={name}", "-o", path,
                        source], check=True, timeout=120)
    return paths


def judge(run):
    right, problems = 0, []
    for task in run.recording.tasks:
        if not task.comm.startswith("is_fn_"):
            continue
        for wait in task.waits:
            found = [name for name in NAMES if wait.has_frame(name)]
            right += found == [task.comm[3:]]
            if found and found != [task.comm[3:]]:
                problems.append(f"{task} with the names of another file: {wait}")
    if right < RUNS * 0.9:
        problems.append(f"{right} of {RUNS} sleeps have their name")
    return problems


@case("rewritten-program", ("default", "switch"))
def rewritten_program(env, tap, mode):
    """A program file is written, run and deleted, and the next one gets its inode."""
    paths = build(env.scratch)
    run = record_command(env, ["env", "-C", env.scratch, "sh", "-c", FARM, "sh",
                               str(RUNS // 2), *paths], mode)
    tap.report("rewritten-program/names", judge(run))
    always.report(tap, "rewritten-program", run, lossy=("truncated",))
    # each file is met for the first time once, when its table is not there yet
    tap.report("rewritten-program/first-sights",
               checks.between("truncated", run.recording.events_lost("truncated"), 0, RUNS))
