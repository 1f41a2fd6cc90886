# SPDX-License-Identifier: Apache-2.0
"""The drop-in beside the original: `coldspot offcputime` and the offcputime of libbpf-tools look at
the same process at the same time, with the same flags.

Bound on times: 3 % and 30 ms for each thread. The two do not begin and end at the same
instant, the other one keeps counting while it prints, and it leaves out the waits that are open at
both ends (10 to 20 ms each here). Its kernel stacks begin with the frames of its own program and
its user stacks name the nearest symbol; from __schedule on, and for the functions of the workload,
the stacks must be the same, frame for frame.
"""
import re
import shutil
import subprocess

import checks
from cases import case
from workload import Workload

SECONDS = 3
SHARE, FLOOR_US = 0.03, 30_000
OWN = ("sleeper", "reader", "writer", "owner", "wanter")
ENOUGH = 3
THREADS = ["steady-sleep", "steady-read", "steady-write", "steady-hold", "steady-want"]
END = re.compile(r"^    -                (.*) \((\d+)\)$")
TIME = re.compile(r"^        (\d+)$")


def theirs_path():
    return shutil.which("offcputime", path="/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/sbin")


def read_txt(text):
    """[(comm, tid, [frames leaf first], us)] of the multi-line form; problems with the form."""
    rows, frames, who, problems = [], [], None, []
    for line in text.splitlines():
        end, us = END.match(line), TIME.match(line)
        if end:
            who = (end.group(1), int(end.group(2)))
        elif us and who:
            rows.append((*who, frames, int(us.group(1))))
            frames, who = [], None
        elif line.startswith("    ") and line.strip():
            frames.append(line.strip())
        elif line.strip() and not line.startswith("Tracing off-CPU time (us) of PID"):
            problems.append(f"a line that bcc would not print: '{line}'")
    return rows, problems


def trim(frames):
    """Without the frames of tracing, and from the first function outside of the workload on."""
    if "__schedule" in frames:
        frames = frames[frames.index("__schedule"):]
    return [f for f in frames if not f.startswith("__libc") and f != "start_thread"]


def own(frames):
    """Kernel frames and the workload's own functions: what both must agree on."""
    kernel = frames[:frames.index("entry_SYSCALL_64_after_hwframe") + 1] \
        if "entry_SYSCALL_64_after_hwframe" in frames else frames
    return kernel + [f for f in frames if f.startswith("steady_") or f in OWN]


def is_whole(frames):
    """Its table of stacks drops one side of a stack when two of them collide."""
    return "__schedule" in frames and any(f.startswith("steady_") or f in OWN for f in frames)


def by_thread(rows):
    sums = {}
    for comm, _tid, _frames, us in rows:
        sums[comm] = sums.get(comm, 0) + us
    return sums


def top_stack(rows, comm):
    mine = [r for r in rows if r[0] == comm]
    return own(trim(max(mine, key=lambda r: r[3])[2])) if mine else []


def run_both(env, program, flags):
    with Workload([program]) as workload:
        workload.ready()
        pid = str(workload.pid)
        # By frame pointer, as theirs: it misses the caller of a system call's wrapper.
        argvs = ([env.coldspot, "offcputime", "--unwind", "fp", "-p", pid, *flags, str(SECONDS)],
                 [theirs_path(), "-p", pid, *flags, str(SECONDS)])
        both = [subprocess.Popen(a, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
                for a in argvs]
        texts = [p.communicate(timeout=60)[0] for p in both]
    return [read_txt(t) for t in texts]


@case("offcputime")
def beside_the_original(env, tap, _mode):
    """The drop-in beside libbpf-tools' offcputime, thread by thread and stack by stack."""
    if not theirs_path():
        tap.skip("offcputime", "no offcputime here: install libbpf-tools")
        return
    (ours, form), (theirs, _) = run_both(env, env.steady, [])
    tap.report("offcputime/form", form + ([] if ours else ["nothing was printed"]))
    our_us, their_us = by_thread(ours), by_thread(theirs)
    compared = 0
    for comm in THREADS:
        tap.report(f"offcputime/time-{comm}", checks.within(
            f"{comm} (us)", our_us.get(comm, 0), their_us.get(comm, 0), SHARE, FLOOR_US))
        mine, other = top_stack(ours, comm), top_stack(theirs, comm)
        if mine and not is_whole(other):
            tap.note(f"offcputime lost a stack of {comm}: {other}")
            continue
        compared += 1
        tap.report(f"offcputime/stack-{comm}", [] if mine == other and mine else
                   [f"ours   {mine}", f"theirs {other}"])
    tap.report("offcputime/enough-stacks", [] if compared >= ENOUGH else
               [f"only {compared} of {len(THREADS)} stacks could be compared"])
