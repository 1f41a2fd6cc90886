# SPDX-License-Identifier: Apache-2.0
"""The sampling period that a budget settles at on a load. A run with the budget finds its period
anew each time, so what it costs differs from run to run; a run that holds the period does not."""
import json
import os
import statistics
import tempfile

from child import ChildError
from tracers import BUDGET, Running, coldspot_at

RUNS = 3


def _longest_ns(load, program):
    """Of one run, the longest period: it only comes closer from below."""
    with tempfile.TemporaryDirectory(prefix="coldspot-bench.") as directory:
        path = os.path.join(directory, "x.json")
        tracer = coldspot_at("coldspot", "", program, "--max-overhead", BUDGET, "-o", path)
        with load.start() as gated, Running(tracer, gated.pid):
            gated.run()
        try:
            with open(path, encoding="utf-8") as f:
                return json.load(f)["header"]["period_max_ns"]
        except (OSError, ValueError, KeyError) as e:
            raise ChildError(f"no period in what the recording wrote: {e!r}") from e


def rounded(ns):
    """Two digits, in us: what a person would type."""
    us = ns / 1000
    step = 10 ** max(len(str(int(us))) - 2, 0)
    return f"{int(us / step + 0.5) * step}us"


def settle(load, program, plan):
    """Sets the period of the load, and returns how it was found."""
    try:
        found = [_longest_ns(load, program) for _ in range(RUNS)]
    except (ChildError, OSError) as e:
        plan.say(f"{load.name}: {e}")
        return f"not found: {e}; every wait"
    if not statistics.median(found):
        return f"{BUDGET} has room for every wait"
    load.period = rounded(statistics.median(found))
    return f"{load.period}: {BUDGET} came to " + ", ".join(rounded(ns) for ns in found)
