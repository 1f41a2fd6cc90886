# SPDX-License-Identifier: Apache-2.0
"""Who ended each wait, by perf's records of sched_switch and sched_waking.

A wait begins when a thread leaves its CPU in another state than R. The last waking before it comes
back ended it; that may come while the thread is still on its way out. perf names the thread that
ran, also when an interrupt on it was the waker.
"""
import re
import subprocess

LINE = re.compile(r"^\s*(-?\d+)\s+\[\d+\]\s+[\d.]+:\s+sched:(\w+):\s+(.*)$")
SWITCH = re.compile(r"prev_pid=(\d+) prev_prio=-?\d+ prev_state=(\S+) ==> .*next_pid=(\d+)")
WAKING = re.compile(r"pid=(\d+) prio=")


def parse(lines):
    """{tid of the sleeper: {tid of the waker: waits}}."""
    asleep, early, wakers = {}, {}, {}
    for line in lines:
        match = LINE.match(line)
        if not match:
            continue
        tid, event, rest = int(match[1]), match[2], match[3]
        if event == "sched_waking":
            sleeper = int(WAKING.search(rest)[1])
            (asleep if sleeper in asleep else early)[sleeper] = tid
        elif event == "sched_switch":
            prev, state, came = SWITCH.search(rest).groups()
            waker = asleep.pop(int(came), None)
            early.pop(int(came), None)
            if waker is not None:
                mine = wakers.setdefault(int(came), {})
                mine[waker] = mine.get(waker, 0) + 1
            if not state.startswith("R"):
                asleep[int(prev)] = early.pop(int(prev), None)
    return wakers


def read(path):
    out = subprocess.run(["perf", "script", "-i", path, "-F", "tid,cpu,time,event,trace"],
                         check=True, timeout=120, capture_output=True, text=True,
                         errors="replace")
    return parse(out.stdout.splitlines())
