# SPDX-License-Identifier: Apache-2.0
"""The user stacks of a recording. docs/json.md is the format."""
import json

from judge import INTERPRETED, Recorded

STOPPED = "Tt"


class Stacks:
    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            raw = json.load(f)
        self.raw = raw
        self.modules = raw["modules"]
        self.frames = raw["frames"]
        self.trie = raw["stacks"]
        self.losses = {loss["name"]: loss["events"] for loss in raw["losses"]}
        self.places = [self._place(f) for f in self.frames]

    def _place(self, frame):
        module = self.modules[frame["module"]] if frame["module"] is not None else None
        if frame["truncated"]:
            return None
        if module and module["kind"] == "code":
            # functions of Python come beside the frames of what interprets them
            return INTERPRETED if module["path"] == "[java]" else None
        if module and module["kind"] in ("elf", "vdso"):
            return module["path"], int(frame["addr"], 16)
        return None, int(frame["addr"], 16)

    def ids(self, leaf):
        """The frames of a stack, leaf first."""
        ids, node = [], leaf
        while node is not None:
            ids.append(self.trie[node]["frame"])
            node = self.trie[node]["parent"]
        return ids

    def end_of(self, ids):
        """The short name of why callers are missing; None: the stack is whole."""
        return next((self.frames[i]["truncated"] for i in reversed(ids)
                     if self.frames[i]["truncated"]), None)

    def module_of(self, frame_id):
        """The file a frame is in, or None."""
        module = self.frames[frame_id]["module"]
        return self.modules[module] if module is not None else None

    def recorded(self, wait):
        task, leaf = self.raw["tasks"][wait["task"]], wait["user_stack"]
        ids = self.ids(leaf)
        code = [i for i in ids if self.places[i] is not None]
        named = sum(self.frames[i]["name"] is not None for i in code)
        return Recorded(task["tid"], self.end_of(ids), tuple(self.places[i] for i in code),
                        named, "open" in wait["flags"], wait["count"])

    def stopped(self):
        """The stacks of threads that were stopped by a signal or a tracer."""
        return [self.recorded(w) for w in self.raw["waits"]
                if w["state"] in STOPPED and w["user_stack"] is not None and
                w["task"] is not None]
