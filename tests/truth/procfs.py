# SPDX-License-Identifier: Apache-2.0
"""What the kernel itself counts for each thread: /proc/PID/task/TID/{schedstat,status,sched}."""
import os
import time


class ThreadStat:
    def __init__(self, exec_ns=0, run_delay_ns=0, voluntary=0, involuntary=0, migrations=None):
        self.exec_ns = exec_ns  # on a CPU, without stolen time
        self.run_delay_ns = run_delay_ns  # on a run queue and not running
        self.voluntary = voluntary  # switches away, not runnable
        self.involuntary = involuntary  # switches away, runnable
        self.migrations = migrations  # changes of the CPU it belongs to; None: not told

    def __sub__(self, older):
        known = self.migrations is not None and older.migrations is not None
        return ThreadStat(self.exec_ns - older.exec_ns, self.run_delay_ns - older.run_delay_ns,
                          self.voluntary - older.voluntary,
                          self.involuntary - older.involuntary,
                          self.migrations - older.migrations if known else None)


def _read(path):
    with open(path, encoding="ascii", errors="replace") as f:
        return f.read()


def _fields(text):
    return dict((part.strip() for part in line.split(":", 1))
                for line in text.splitlines() if ":" in line)


def thread_stat(pid, tid):
    base = f"/proc/{pid}/task/{tid}"
    exec_ns, run_delay_ns, _count = (int(n) for n in _read(f"{base}/schedstat").split())
    status = _fields(_read(f"{base}/status"))
    try:
        moved = _fields(_read(f"{base}/sched")).get("se.nr_migrations")
    except OSError:
        moved = None
    return ThreadStat(exec_ns, run_delay_ns, int(status["voluntary_ctxt_switches"]),
                      int(status["nonvoluntary_ctxt_switches"]),
                      int(moved) if moved is not None else None)


def threads_of(pid):
    return sorted(int(t) for t in os.listdir(f"/proc/{pid}/task"))


def snapshot(pid):
    """The counters of every thread, by tid."""
    return {tid: thread_stat(pid, tid) for tid in threads_of(pid)}


def state_of(pid, tid):
    return _read(f"/proc/{pid}/task/{tid}/stat").rsplit(")", 1)[1].split()[0]


def await_state(pid, state, timeout_s=10):
    """Waits until every thread is in that state."""
    deadline = time.monotonic() + timeout_s
    while any(state_of(pid, tid) != state for tid in threads_of(pid)):
        if time.monotonic() > deadline:
            raise TimeoutError(f"threads of {pid} do not come to state {state}")
        time.sleep(0.002)


def settle(pid, timeout_s=10):
    """Waits until no thread runs or is about to: each is parked where it said it would be."""
    deadline = time.monotonic() + timeout_s
    while any(state_of(pid, tid) not in "SDTt" for tid in threads_of(pid)):
        if time.monotonic() > deadline:
            raise TimeoutError(f"threads of {pid} do not come to rest")
        time.sleep(0.002)


def online_cpus():
    return os.sysconf("SC_NPROCESSORS_ONLN")
