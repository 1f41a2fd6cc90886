# SPDX-License-Identifier: Apache-2.0
"""
Threads that block at the end of random chains of calls, through everything that calls Python out of
C, and write down with sys._getframe() where they were: FILE gets lines of "a;b;c COUNT" with the
outermost frame first, each frame as coldspot shows it. They begin with a line of standard input,
and have ended, after another, when "done" is printed. For CPython 3.8 to 3.13.

usage: python_chains.py FILE THREADS [alike]

alike: few chains, so that each is met many times, of frames that lie in the same memory. The native
stack is the same, and so is the innermost frame; what differs is a line or a function further out.
"""
import functools
import os
import random
import re
import sys
import threading
import time


def short(path):
    """What is left of a path in the name of a frame."""
    for word in ("/site-packages/", "/dist-packages/"):
        if word in path:
            return path.rsplit(word, 1)[1]
    found = re.search(r".*lib/python3\.[0-9]+t?/(.*)", path)
    return found.group(1) if found else "/".join(path.split("/")[-2:])


def name_of(code):
    return code.co_qualname if sys.version_info >= (3, 11) else code.co_name


class Chains(threading.local):
    """The counts of one thread."""

    def __init__(self):
        self.seen = {}
        self.rng = random.Random(threading.get_ident() ^ os.getpid())
        self.scope = {}


chains = Chains()
everything = []
stop = False


def note(frame):
    names = []
    while frame:
        names.append("%s:%s:%d" % (short(frame.f_code.co_filename), name_of(frame.f_code),
                                   frame.f_lineno))
        frame = frame.f_back
    chain = ";".join(reversed(names)).replace("; ", ", ")
    chains.seen[chain] = chains.seen.get(chain, 0) + 1


def pause():
    note(sys._getframe()), time.sleep(chains.rng.choice((0, 0.0003, 0.001)))


def go(depth):
    """One more call of some kind, or the end."""
    if depth <= 0:
        return pause()
    return chains.rng.choice(STEPS)(depth - 1)


def plain(depth):
    x = depth * 2

    return (
        go(
            depth
        ),
        x,
    )


def through_map(depth):
    return list(map(go, [depth]))


def through_sorted(depth):
    return sorted([depth], key=lambda d: go(d) and 0 or 0)


def generator(depth):
    yield 1
    yield go(depth)


def through_generator(depth):
    total = 0
    for value in generator(depth):
        total += bool(value)
    return total


def delegating(depth):
    yield from generator(depth)


def through_yield_from(depth):
    return [x for x in delegating(depth)]


def through_genexpr(depth):
    return any(go(d) for d in (depth,))


def through_comprehension(depth):
    return {d: [go(e) for e in (d,)] for d in (depth,)}


async def coroutine(depth):
    return go(depth)


async def outer_coroutine(depth):
    return await coroutine(depth)


def through_coroutine(depth):
    c = outer_coroutine(depth)
    try:
        c.send(None)
    except StopIteration as e:
        return e.value


def through_exec(depth):
    scope = {"go": go, "depth": depth}
    exec(compile("x = 1\n\nresult = go(depth)", "<made by exec>", "exec"), scope)
    return scope["result"]


def through_eval(depth):
    return eval("go(d)", {"go": go, "d": depth})


def through_made_function(depth):
    """Code that is gone a moment later, when other code is in its place."""
    name = "made_%d" % chains.rng.randrange(5)
    scope = {"go": go}
    exec(compile("\n" * chains.rng.randrange(4) + "def %s(d):\n    return go(d)" % name,
                 "<made by exec>", "exec"), scope)
    return scope[name](depth)


class Odd:
    def __init__(self, depth):
        self.depth = depth

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return go(self.depth)

    def __lt__(self, other):
        go(self.depth)
        return True

    def __call__(self, *args, **kwargs):
        return go(self.depth)

    def __enter__(self):
        return self

    def __exit__(self, *args):
        go(self.depth)

    def __add__(self, other):
        return go(self.depth)

    @property
    def value(self):
        return go(self.depth)


def through_getattr(depth):
    return Odd(depth).anything


def through_compare(depth):
    return min(Odd(depth), Odd(depth - 1))


def through_call(depth):
    return Odd(depth)(1, *(2,), **{"x": 3})


def through_with(depth):
    with Odd(depth):
        pass


def through_operator(depth):
    return Odd(depth) + 1


def through_property(depth):
    return Odd(depth).value


def through_partial(depth):
    return functools.partial(go, depth)()


def through_reduce(depth):
    return functools.reduce(lambda a, b: go(b), [0, depth])


def through_sub(depth):
    return re.sub("x", lambda m: go(depth) and "" or "", "axb")


def through_except(depth):
    try:
        raise ValueError(depth)
    except ValueError:
        return go(depth)


def through_finally(depth):
    try:
        pass
    finally:
        go(depth)


def through_class(depth):
    class Body:
        result = go(depth)

    return Body


def through_closure(depth):
    def inner():
        nonlocal depth
        depth += 0
        return go(depth)

    return inner()


def wrapped(f):
    @functools.wraps(f)
    def wrapper(*args):
        return f(*args)

    return wrapper


@wrapped
def through_decorator(depth):
    return go(depth)


def grüße(depth):
    return go(depth)


def 路径(depth):
    return go(depth)


STEPS = [f for n, f in sorted(globals().items()) if n.startswith("through_")]
STEPS += [plain, plain, grüße, 路径]
# A line table of more than a kilobyte, whose end matters.
exec(compile("def long_table(depth):\n" + "    x = depth + 1; y = x * 2\n\n" * 600 +
             "    return go(depth)\n", os.path.abspath(__file__) + "/long.py", "exec"))
STEPS.append(globals()["long_table"])


def left_or_right(depth):
    if chains.rng.random() < 0.5:
        return alike(depth)
    return alike(depth)


def sum_left(depth):
    return alike(depth)


def sum_right(depth):
    return alike(depth)


def either(depth):
    return (sum_left if chains.rng.random() < 0.5 else sum_right)(depth)


def alike_generator(depth):
    if chains.rng.random() < 0.5:
        yield alike(depth)
    else:
        yield alike(depth)


def through_alike_generator(depth):
    return [value for value in alike_generator(depth)]


def through_alike_made(depth):
    """Code objects that are freed, and others that take their memory."""
    chains.scope["alike"] = alike
    exec(compile("\n" * chains.rng.randrange(2) + "def made(d):\n    return alike(d)",
                 "<made by exec>", "exec"), chains.scope)
    return chains.scope.pop("made")(depth)


ALIKE = [left_or_right, left_or_right, either, through_alike_generator, through_alike_made]


def alike(depth):
    return chains.rng.choice(ALIKE)(depth - 1) if depth else pause()


def work():
    while not stop:
        if sys.argv[3:] == ["alike"]:
            alike(3)
        else:
            go(chains.rng.randrange(0, 8))
    everything.append(chains.seen)


def main():
    global stop
    threads = [threading.Thread(target=work) for _ in range(int(sys.argv[2]))]
    print("ready", flush=True)
    sys.stdin.readline()
    for t in threads:
        t.start()
    sys.stdin.readline()
    stop = True
    for t in threads:
        t.join()
    print("done", flush=True)
    sys.stdin.readline()
    total = {}
    for seen in everything:
        for chain, count in seen.items():
            total[chain] = total.get(chain, 0) + count
    with open(sys.argv[1], "w", encoding="utf-8") as f:
        for chain, count in total.items():
            f.write("%s %d\n" % (chain, count))


main()
