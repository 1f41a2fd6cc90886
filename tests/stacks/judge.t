#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The judge of stacks can tell right from wrong: each line has a recording that is right and one
with a single fault that it must notice."""
import json
import os
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "truth")]

from judge import DEPTH, INTERPRETED, Recorded, judge, show  # noqa: E402
from oracle import Stack  # noqa: E402
from recorded import Stacks  # noqa: E402
from tap import Tap  # noqa: E402

A, B, C, D = (("/lib/x.so", n) for n in (0x10, 0x20, 0x30, 0x40))
JIT = (None, 0x7f0000001000)
OTHER = (None, 0x7f0000002000)


def right(frames=(A, B, C), end=None, tid=7):
    return Recorded(tid, end, tuple(frames), len(frames), False, 1)


def truth(frames=(A, B, C), end="root", tid=7, sure=None):
    return Stack(7, tid, end, tuple(frames), len(frames) if sure is None else sure)


def share(stack, *recorded):
    return judge([stack], recorded).identical_share


def lost_wrong(stack, *recorded):
    return judge([stack], recorded).lost_wrong


TABLE = [
    # name, what is computed of right data, of wrong data; they must be 1 and 0
    ("equal", share(truth(), right()), share(truth(), right((A, B, D)))),
    ("leaf", share(truth(), right()), share(truth(), right((D, B, C)))),
    ("end", share(truth(), right()), share(truth(), right((A, B)))),
    ("more than there is", share(truth(), right()), share(truth(), right((A, B, C, D)))),
    ("a hole", share(truth((A, B, C, D)), right((A, B, C, D))),
     share(truth((A, B, C, D)), right((A, C, D)))),
    ("file", share(truth(), right()), share(truth(), right((A, ("/lib/y.so", B[1]), C)))),
    ("run-time code", share(truth((JIT, A)), right((JIT, A))),
     share(truth((JIT, A)), right(((None, JIT[1] + 16), A)))),
    ("interpreted", share(truth((A, JIT, B)), right((A, INTERPRETED, B))),
     share(truth(), right((A, INTERPRETED, C)))),
    ("interpreted: one for each", share(truth((JIT, JIT, B)), right((INTERPRETED, INTERPRETED, B))),
     share(truth((JIT, B)), right((INTERPRETED, INTERPRETED, B)))),
    ("interpreted: none is missing", share(truth((JIT, OTHER, A)), right((INTERPRETED, OTHER, A))),
     share(truth((JIT, OTHER, A)), right((INTERPRETED, A)))),
    ("interpreted: no more is forgiven", share(truth((JIT, OTHER)), right((INTERPRETED, OTHER))),
     share(truth((JIT, OTHER)), right((INTERPRETED, JIT)))),
    ("interpreted: only what was recorded", share(truth((JIT, A)), right((INTERPRETED, A))),
     share(truth((INTERPRETED, A)), right((JIT, A)))),
    ("interpreted: depth", share(truth((A, JIT, B)), right((A, INTERPRETED), DEPTH)),
     share(truth((A, JIT, B)), right((INTERPRETED, JIT), DEPTH))),
    ("interpreted: lost", 1 - lost_wrong(truth((A, JIT), end="error"), right((A, INTERPRETED, B))),
     1 - lost_wrong(truth((A, JIT, JIT), end="error"), right((A, INTERPRETED, B)))),
    ("whole", share(truth(), right()), share(truth(), right(end="no CFI"))),
    ("depth", share(truth(), right((A, B), DEPTH)), share(truth(), right((A, D), DEPTH))),
    ("cut is not depth", share(truth(), right((A, B), DEPTH)),
     share(truth(), right((A, B), "no CFI"))),
    ("thread", share(truth(), right()), share(truth(), right(tid=8))),
    ("one of several", share(truth(), right((A,)), right()), share(truth(), right((A,)))),
    ("nothing", share(truth(), right()), share(truth())),
    ("lost: begins so", 1 - lost_wrong(truth(end="error"), right((A, B, C, D))),
     1 - lost_wrong(truth(end="error"), right((A, B, D)))),
    ("lost: too short", 1 - lost_wrong(truth(end="error"), right()),
     1 - lost_wrong(truth(end="error"), right((A, B)))),
    ("lost: guesses", 1 - lost_wrong(truth(end="error", sure=1), right((A, C, D))),
     1 - lost_wrong(truth(end="error", sure=2), right((A, C, D)))),
    ("extra", 1 - judge([truth()], [right()]).extra,
     1 - judge([truth()], [right(), right((A, D))]).extra),
    ("extra, judged elsewhere", 1 - judge([truth()], [right(), right((D,))], [truth((D,))]).extra,
     1 - judge([truth()], [right(), right((D,))], [truth((B,))]).extra),
]


def read(recording):
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="ascii") as f:
        json.dump(recording, f)
        f.flush()
        return Stacks(f.name).stopped()


def recording(paths):
    """A stopped thread with one frame in each of these modules, leaf first."""
    kinds = {"[java]": "code", "[python]": "code", "[anon]": "anon"}
    return {
        "modules": [{"path": p, "kind": kinds.get(p, "elf")} for p in paths],
        "frames": [{"module": i, "addr": hex(0x10 * (i + 1)), "truncated": None, "name": "f"}
                   for i in range(len(paths))],
        "stacks": [{"frame": i, "parent": i + 1 if i + 1 < len(paths) else None}
                   for i in range(len(paths))],
        "losses": [], "tasks": [{"tid": 7}],
        "waits": [{"task": 0, "user_stack": 0, "state": "T", "flags": [], "count": 1}],
    }


def read_problems():
    """Methods of Java stand for frames, functions of Python do not."""
    want = [Recorded(7, None, (("/x.so", 0x10), INTERPRETED, (None, 0x40)), 3, False, 1)]
    have = read(recording(["/x.so", "[java]", "[python]", "[anon]"]))
    return [] if have == want else [str(have)]


def show_problems():
    have = [line.split() for line in show(truth((JIT, A)), right((INTERPRETED, B)))][1:]
    want = [["0", "[anon]+0x7f0000001000", "[java]"], ["!", "1", "x.so+0x10", "x.so+0x20"]]
    return [] if have == want else [str(have)]


def main():
    tap = Tap()
    for name, good, bad in TABLE:
        problems = [] if good == 1 else [f"right data gives {good}"]
        tap.report(name, problems + ([] if bad == 0 else [f"wrong data gives {bad}"]))
    half = judge([truth(), truth((A, B, C, D), tid=8)], [right(), right((A, B, D), tid=8)])
    want = (half.stacks, half.identical, half.frames, half.frames_equal)
    tap.report("sums", [] if want == (2, 1, 7, 5) else [f"{want}"])
    kinds = [name for name, _count in half.classes.most_common()]
    tap.report("classes", [] if kinds == ["goes elsewhere after x.so"] else [str(kinds)])
    tap.report("recorded methods", read_problems())
    tap.report("shown", show_problems())
    tap.plan()
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main())
