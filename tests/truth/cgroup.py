# SPDX-License-Identifier: Apache-2.0
"""A cgroup of our own with a CPU quota, of version 1 or 2, whichever has the controller."""
import os
import time

ROOT = "/sys/fs/cgroup"


class CgroupError(Exception):
    pass


def _write(path, text):
    with open(path, "w", encoding="ascii") as f:
        f.write(text)


class QuotaGroup:
    """Its threads may run `share` of a CPU, in periods of 100 ms; use as a context manager. They
    are first in line for that, whatever else runs on this machine. `nested`: they are in a group
    in the group that has the quota."""

    PERIOD_US = 100_000

    def __init__(self, share, nested=False):
        self.v2 = os.path.exists(f"{ROOT}/cgroup.controllers")
        self.path = f"{ROOT}{'' if self.v2 else '/cpu'}/coldspot-truth-{os.getpid()}"
        self.inner = self.path + ("/inner" if nested else "")
        self.quota_us = int(share * self.PERIOD_US)

    def _make(self, path):
        os.mkdir(path)
        if self.v2:
            _write(f"{path}/cgroup.type", "threaded")

    def __enter__(self):
        try:
            self._set_up()
        except (OSError, CgroupError):
            self.__exit__()
            raise
        return self

    def _set_up(self):
        try:
            if self.v2:
                _write(f"{ROOT}/cgroup.subtree_control", "+cpu")
            self._make(self.path)
        except OSError as e:
            raise CgroupError(f"no cgroup with a CPU quota: {e}") from e
        if self.inner != self.path:
            if self.v2:
                _write(f"{self.path}/cgroup.subtree_control", "+cpu")
            self._make(self.inner)
        if self.v2:
            _write(f"{self.path}/cpu.weight", "10000")
            _write(f"{self.path}/cpu.max", f"{self.quota_us} {self.PERIOD_US}")
        else:
            _write(f"{self.path}/cpu.shares", "262144")
            _write(f"{self.path}/cpu.cfs_period_us", str(self.PERIOD_US))
            _write(f"{self.path}/cpu.cfs_quota_us", str(self.quota_us))

    def __exit__(self, *_):
        # one that has ended is in it for a moment still
        for path in (self.inner, self.path):
            for _attempt in range(100):
                try:
                    os.rmdir(path)
                    break
                except FileNotFoundError:
                    break
                except OSError:
                    time.sleep(0.02)

    def _move(self, tids, path):
        for tid in tids:
            _write(f"{path}/{'cgroup.threads' if self.v2 else 'tasks'}", str(tid))

    def add(self, pid, tids):
        if self.v2:
            # single threads move only within the part of the tree that their process is in
            _write(f"{ROOT}/cgroup.procs", str(pid))
        self._move(tids, self.inner)

    def release(self, tids):
        self._move(tids, os.path.dirname(self.path))

    def throttled(self):
        """(periods in which it was throttled, ns of all run queues together)."""
        with open(f"{self.path}/cpu.stat", encoding="ascii") as f:
            stat = dict(line.split() for line in f)
        ns = int(stat["throttled_usec"]) * 1000 if self.v2 else int(stat["throttled_time"])
        return int(stat["nr_throttled"]), ns
