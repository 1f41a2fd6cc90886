#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The judge of stacks can tell right from wrong: each line has a recording that is right and one
with a single fault that it must notice."""
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "truth")]

from judge import DEPTH, Recorded, judge  # noqa: E402
from oracle import Stack  # noqa: E402
from tap import Tap  # noqa: E402

A, B, C, D = (("/lib/x.so", n) for n in (0x10, 0x20, 0x30, 0x40))
JIT = (None, 0x7f0000001000)


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
    tap.plan()
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main())
