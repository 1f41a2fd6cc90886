# SPDX-License-Identifier: Apache-2.0
"""Compares stacks that were recorded with those of an oracle, frame for frame. Pure.

A frame is (path or None, offset in the file or address): names play no part. An oracle's stack is
met if the same thread has a recorded stack of the same frames. One that was recorded as a method
of Java, INTERPRETED, stands for an address in the JVM's interpreter: it is the same as any address
without a file. What makes room:

DEPTH   The recorder stops at a limit and says so. What it has must be the same.
LOST    The oracle did not come to the outermost frame, and says so. What it has, up to the first
        frame of which there is no unwind information, must be the beginning of a recorded stack:
        from there on it guesses. The frame of the system call in clone3() is one such, of which
        posix_spawn() is made, for its unwind information ends before that instruction. Such stacks
        are counted apart.
"""
import collections

DEPTH = "depth"
INTERPRETED = (None, None)

# A recorded stack: `end` is None for a whole stack, else the words that say what is missing.
Recorded = collections.namedtuple("Recorded", "tid end frames named is_open count")


class Verdict:
    """Sums over the stacks of one program."""

    def __init__(self):
        self.stacks = 0  # of the oracle, that reach the outermost frame
        self.identical = 0
        self.frames = 0
        self.frames_equal = 0
        self.lost = 0  # of the oracle, that do not
        self.lost_wrong = 0
        self.recorded = 0
        self.complete = 0
        self.extra = 0  # recorded, and of no stack of the oracle
        self.recorded_frames = 0
        self.named = 0
        self.distinct = set()
        self.distinct_wrong = set()
        self.ends = collections.Counter()  # why recorded stacks are not whole
        self.classes = collections.Counter()
        self.samples = {}
        self.no_record = 0

    def add(self, other):
        for key, value in vars(other).items():
            if key == "samples":
                for name, sample in value.items():
                    self.samples.setdefault(name, sample)
            elif isinstance(value, set):
                getattr(self, key).update(value)
            else:
                setattr(self, key, getattr(self, key) + value)

    @property
    def identical_share(self):
        return self.identical / self.stacks if self.stacks else 0.0

    @property
    def distinct_share(self):
        return 1 - len(self.distinct_wrong) / len(self.distinct) if self.distinct else 0.0

    @property
    def frames_share(self):
        return self.frames_equal / self.frames if self.frames else 0.0

    @property
    def complete_share(self):
        return self.complete / self.recorded if self.recorded else 0.0

    @property
    def named_share(self):
        return self.named / self.recorded_frames if self.recorded_frames else 0.0

    @property
    def extra_share(self):
        return self.extra / self.recorded if self.recorded else 0.0


def same(have, truth):
    return have == truth or (have == INTERPRETED and truth[0] is None)


def common_prefix(have, truth):
    n = 0
    for x, y in zip(have, truth):
        if not same(x, y):
            break
        n += 1
    return n


def meets(recorded, stack):
    """Is it the same stack, as far as both say that they know it?"""
    have, truth = recorded.frames, stack.frames[:stack.sure]
    equal = common_prefix(have, truth)
    if recorded.end == DEPTH:
        return equal == min(len(truth), len(have))
    if stack.end != "root":
        return equal == len(truth)
    return recorded.end is None and equal == len(truth) == len(have)


def where(frame):
    if frame[0] is None:
        return "[anon]"
    return frame[0].rsplit("/", 1)[-1]


def differs(recorded, stack):
    """In a few words what is wrong: a class of differences."""
    at = common_prefix(recorded.frames, stack.frames)
    below = where(stack.frames[at - 1]) if at else "the leaf"
    if at == len(recorded.frames):
        if at == len(stack.frames):
            return f"same frames, but not whole: {recorded.end}"
        return f"ends early ({recorded.end or 'as if whole'}) in {below}"
    if at == len(stack.frames):
        return f"goes on where the oracle's ends, in {below}"
    return f"goes elsewhere after {below}"


def closest(candidates, stack):
    return max(candidates, default=None,
               key=lambda r: (common_prefix(r.frames, stack.frames), -len(r.frames)))


def judge(stacks, recorded, also=()):
    """`stacks`: the oracle's; `recorded`: all of the same threads; `also`: the oracle's too, judged
    elsewhere, which may be among the recorded ones."""
    verdict = Verdict()
    of_thread = collections.defaultdict(list)
    for r in recorded:
        of_thread[r.tid].append(r)
    met = set()
    for stack in stacks:
        mine = of_thread[stack.tid]
        found = [r for r in mine if meets(r, stack)]
        met.update(id(r) for r in found)
        judge_one(verdict, stack, found, mine)
    for stack in also:
        met.update(id(r) for r in of_thread[stack.tid] if meets(r, stack))
    for r in recorded:
        verdict.recorded += r.count
        verdict.complete += r.count * (r.end is None)
        if r.end:
            verdict.ends[r.end] += r.count
        verdict.extra += r.count * (id(r) not in met)
        verdict.recorded_frames += r.count * len(r.frames)
        verdict.named += r.count * r.named
    return verdict


def judge_one(verdict, stack, found, mine):
    verdict.distinct.add(stack.frames)
    if stack.end != "root":
        verdict.lost += 1
        verdict.lost_wrong += not found
    else:
        verdict.stacks += 1
        verdict.identical += bool(found)
        verdict.frames += len(stack.frames)
    if found:
        verdict.frames_equal += len(stack.frames) if stack.end == "root" else 0
        return
    verdict.distinct_wrong.add(stack.frames)
    near = closest(mine, stack)
    if not near:
        verdict.no_record += 1
        kind = "nothing was recorded of the thread"
    else:
        kind = differs(near, stack)
        if stack.end == "root":
            verdict.frames_equal += common_prefix(near.frames, stack.frames)
    verdict.classes[kind] += 1
    verdict.samples.setdefault(kind, (stack, near))


def show(stack, near):
    """A difference, for people."""
    have = near.frames if near else ()
    yield f"thread {stack.tid}: the oracle ends with {stack.end}, the recording with " \
          f"{near.end or 'root' if near else 'nothing'}"
    for i in range(max(len(have), len(stack.frames))):
        truth = stack.frames[i] if i < len(stack.frames) else None
        ours = have[i] if i < len(have) else None
        mark = " " if truth and ours and same(ours, truth) else "!"
        yield f"{mark} {i:3} {place(truth):50} {place(ours) if truth != ours else ''}".rstrip()


def place(frame):
    if frame is None:
        return "-"
    if frame == INTERPRETED:
        return "[java]"
    return f"{where(frame)}+{frame[1]:#x}"
