# SPDX-License-Identifier: Apache-2.0
"""What `coldspot record -o x.json` wrote, as objects. docs/json.md is the format."""
import json


def wait_key(raw):
    """What a wait and its wakeups have in common."""
    return (raw["task"], raw["user_stack"], raw["kernel_stack"], raw["sysno"], raw["state"],
            tuple(raw["flags"]), raw["object"], json.dumps(raw["owner"]))


class Wait:
    """A sum of waits of one thread that are alike."""

    def __init__(self, raw, task):
        self.task = task
        self.state = raw["state"]
        self.sysno = raw["sysno"]
        self.cause = raw["cause"]
        self.wait_class = raw["class"]
        self.flags = set(raw["flags"])
        self.object = raw["object_label"]
        self.owner = raw["owner"]["tid"] if raw["owner"] else None
        self.blocked_ns = raw["blocked_ns"]
        self.runq_ns = raw["runq_ns"]
        self.count = raw["count"]
        self.max_ns = raw["max_ns"]
        self.samples = raw["samples"]
        self.se_ns = raw["se_ns"]
        self.hist_count = sum(n for _floor, n in raw["hist"])
        self.shortest_ns = raw["hist"][0][0] if raw["hist"] else 0  # at least
        self.has_user = raw["user_stack"] is not None
        self.has_kernel = raw["kernel_stack"] is not None
        self.user = raw["user"]
        self.kernel = raw["kernel"]
        self.wakes = []

    @property
    def off_ns(self):
        return self.blocked_ns + self.runq_ns

    def has_frame(self, name):
        return name in self.user

    def __str__(self):
        return (f"{self.state} {self.cause} sysno={self.sysno} n={self.count} off={self.off_ns} "
                f"flags={','.join(sorted(self.flags)) or '-'} "
                f"kernel={'<'.join(self.kernel[:6]) or '-'} user={'<'.join(self.user) or '-'}")


class Waker:
    """Who ended waits, at one place, and who ended its own last wait."""

    def __init__(self, raw):
        self.tid = raw["tid"]
        self.comm = raw["comm"]
        self.context = raw["context"]
        self.flags = set(raw["flags"])
        self.end = raw["end"]
        self.user = raw["user"]
        self.kernel = raw["kernel"]
        self.next = None


class Wake:
    """A part of a wait, by its waker and what that one did meanwhile."""

    def __init__(self, raw, waker):
        self.waker = waker
        self.doing = raw["doing"]
        self.ns = raw["ns"]
        self.count = raw["count"]
        self.did_user = raw["did_user"]

    def did_has(self, frame):
        return self.doing == "blocked" and frame in self.did_user


class Task:
    """A thread between two of begin, birth, exec, death and end."""

    def __init__(self, raw):
        self.tid = raw["tid"]
        self.tgid = raw["tgid"]
        self.comm = raw["comm"]
        self.flags = set(raw["flags"])
        self.cgroup = raw["cgroup"]
        self.start_boottime_ns = raw["start_boottime_ns"]
        self.begin_ns = raw["begin_ns"]
        self.wall_ns = raw["wall_ns"]
        self.on_ns = raw["on_ns"]
        self.preempted_ns = raw["preempted_ns"] or 0  # null: visits cannot tell
        self.runq_ns = raw["runq_ns"]
        self.blocked_by = raw["blocked_ns"]
        self.unaccounted_ns = raw["unaccounted_ns"]
        self.switches = raw["switches"]
        self.preemptions = raw["preemptions"]
        self.wakeups = raw["wakeups"]
        self.migrations = raw["migrations"]
        self.hists = raw.get("hists")
        self.waits = []

    @property
    def blocked_ns(self):
        return sum(self.blocked_by.values())

    @property
    def off_ns(self):
        return self.blocked_ns + self.runq_ns + self.preempted_ns

    def waits_with(self, frame):
        return [w for w in self.waits if w.has_frame(frame)]

    def __str__(self):
        return f"{self.comm} ({self.tid})"


class Recording:
    def __init__(self, raw):
        self.header = raw["header"]
        self.budget = raw["budget"]
        self.window_ns = self.header["window_ns"]
        self.merged = raw.get("merged") or {"windows": 1, "gap_ns": 0, "overlap_ns": 0}
        self.begin_mono_ns = self.header["begin_mono_ns"]
        self.losses = {loss["name"]: (loss["events"], loss["ns"]) for loss in raw["losses"]}
        self.tasks = [Task(t) for t in raw["tasks"]]
        self.waits = []
        for w in raw["waits"]:
            task = self.tasks[w["task"]] if w["task"] is not None else None
            wait = Wait(w, task)
            self.waits.append(wait)
            if task:
                task.waits.append(wait)
        self._take_wakers(raw)

    def _take_wakers(self, raw):
        self.wakers = wakers = [Waker(w) for w in raw.get("wakers", ())]
        self.patterns = raw["summary"].get("patterns", ()) if wakers else ()
        for waker, w in zip(wakers, raw.get("wakers", ())):
            waker.next = wakers[w["next"]] if w["next"] is not None else None
        if "wakes" not in raw:
            return
        waits = {wait_key(w): wait for w, wait in zip(raw["waits"], self.waits)}
        for w in raw.get("wakes", ()):
            waits[wait_key(w)].wakes.append(Wake(w, wakers[w["waker"]]))

    @classmethod
    def load(cls, path):
        with open(path, encoding="utf-8") as f:
            return cls(json.load(f))

    def tasks_of(self, tid):
        return [t for t in self.tasks if t.tid == tid]

    def events_lost(self, name):
        return self.losses.get(name, (0, 0))[0]

    def ns_lost(self, name):
        return self.losses.get(name, (0, 0))[1]
