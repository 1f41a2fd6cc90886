# SPDX-License-Identifier: Apache-2.0
"""What is asked of a tracer: every wait, a sample, only long waits, or nothing that is there. Each
mode has loads that can tell it apart, a tracer that does the same for comparison, and a bound."""

# Each load waits in one way, and is short enough for every mode.
SMALL = ("pipe", "messaging", "deep", "pgbench", "redis")
# What people run.
SERVERS = ("rows", "reads", "nginx", "make", "java")
LOADS = (*SMALL, *SERVERS)
# These have several processes, so the whole machine is traced.
WHOLE = ("rows", "reads", "nginx", "make")
# Small samples of the same thing: where a switch costs most beside the work between two of them.
SWITCHING = ("pipe", "deep")
# Threads that end each other's waits, with few stacks and with many.
WAKING = ("pipe", "pgbench")


class Mode:
    """Its tracers are those of its name, and those named by `beside`, for comparison. `reference`
    is of `beside`; ours are held to `share` of what it adds, or to `over_ns` more than `base`,
    which is the empty program or another way of ours; neither: no bound."""

    def __init__(self, name, about, loads, reference=None, beside=(), share=None, over_ns=None,
                 base="empty"):
        self.name = name
        self.about = about
        self.loads = loads
        self.reference = reference
        self.beside = beside
        self.share = share
        self.over_ns = over_ns
        self.base = base

    def takes(self, tracer):
        return tracer.mode == self.name or tracer.name in self.beside


MODES = (
    Mode("every", "every wait, with the full stack of both sides", SMALL, "offcputime",
         ("empty", "offcputime"), share=1 / 8),
    Mode("sampled", "at most 1% of the machine, and the period that this settles at, held",
         (*SWITCHING, "redis"), "offcputime", ("empty", "offcputime"), share=1 / 20),
    Mode("min", "stacks of waits of 10 ms and longer", SWITCHING, "offcputime-min",
         ("empty", "offcputime-min"), share=1 / 20),
    Mode("filter", "a filter that nothing of the load matches", SWITCHING, "offcputime-other",
         ("empty", "offcputime-other"), over_ns=20),
    Mode("wakers", "every wait, and who ended it: more than every wait alone", WAKING, None,
         ("empty", "coldspot"), over_ns=300, base="coldspot"),
    Mode("wakers-sampled", "a sample of waits, and who ended them: more than the sample alone",
         WAKING, None, ("empty", "coldspot-period"), over_ns=60, base="coldspot-period"),
    Mode("options", "every wait, with more or less taken of it", ("pipe",), None,
         ("empty", "coldspot")),
    Mode("hooks", "every wait, by other hooks and without caches", ("pipe",), "offcputime",
         ("empty", "offcputime")),
)
NAMES = tuple(m.name for m in MODES)


def mode_of(tracer):
    return next(m for m in MODES if m.name == tracer.mode)


class Cells:
    """Which tracer meets which load. `loads`: asked for by name, they are taken by every mode;
    None: each mode has its own."""

    def __init__(self, modes, loads):
        self.modes = [m for m in MODES if m.name in modes]
        self.named = loads

    def loads(self):
        wanted = self.named if self.named is not None else \
            {name for m in self.modes for name in m.loads}
        return [name for name in LOADS if name in wanted]

    def tracers(self, load, tracers):
        modes = [m for m in self.modes if self.named is not None or load in m.loads]
        return [t for t in tracers if any(m.takes(t) for m in modes) and
                (t.whole or load not in WHOLE)]

    def any_takes(self, tracer):
        return any(m.takes(tracer) for m in self.modes)
