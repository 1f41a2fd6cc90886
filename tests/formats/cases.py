# SPDX-License-Identifier: Apache-2.0
"""What the tests of formats share: the cases of tests/golden, of which each format has to add up to
what the JSON of the same profile lists, and results in TAP."""
import glob
import json
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CASES = sorted(os.path.dirname(p)
               for p in glob.glob(os.path.join(ROOT, "tests", "golden", "*", "profile.lit")))


class Report:
    def __init__(self):
        self.number = 0
        self.failed = 0

    def line(self, name, problem=None, skip=None):
        self.number += 1
        self.failed += problem is not None
        print(f"{'not ok' if problem is not None else 'ok'} {self.number} - {name}"
              f"{' # SKIP ' + skip if skip else ''}")
        if problem is not None:
            print("# " + str(problem).replace("\n", "\n# "))
        sys.stdout.flush()

    def check(self, name, test, there=True, lacking=""):
        """`test` is called for each case with its directory and the waits of its JSON."""
        if not there:
            self.line(name, skip=lacking + " is not installed")
            return
        case = "?"
        try:
            assert len(CASES) > 5, "too few cases"
            for case in CASES:
                test(case, load(case)["waits"])
            self.line(name)
        except AssertionError as e:
            self.line(name, f"{os.path.basename(case)}: {e}")
        except Exception as e:
            self.line(name, f"{os.path.basename(case)}: {e!r}")

    def end(self):
        print(f"1..{self.number}")
        sys.exit(1 if self.failed else 0)


def expected(case, ending):
    """Path of what a renderer made of a case; tests/golden holds the renderer to it."""
    return os.path.join(case, "expected." + ending)


def load(case, ending="json"):
    with open(expected(case, ending), encoding="utf-8") as f:
        return json.load(f)


def lines(case, ending):
    with open(expected(case, ending), encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def total(waits, *keys):
    """What an import does not tell is null, and adds nothing."""
    return sum(w[k] or 0 for w in waits for k in keys)


def off_ns(waits):
    return total(waits, "blocked_ns", "runq_ns")


def hots(case):
    """Time on a CPU, where that was sampled."""
    return load(case).get("hots", [])


def all_ns(case, waits):
    """What a format shows that shows all of the time."""
    return off_ns(waits) + total(hots(case), "on_ns")


def pprof_values(case, waits):
    """The types of the values of a pprof file, and what each of them adds up to."""
    types = {"off_cpu/nanoseconds": off_ns(waits), "events/count": total(waits, "count")}
    if "hots" in load(case):
        types["on_cpu/nanoseconds"] = total(hots(case), "on_ns")
        types["samples/count"] = total(hots(case), "samples")
        types["wall/nanoseconds"] = all_ns(case, waits)
    return types


def same(got, want, what):
    assert got == want, f"{what}: {got}, and {want} in the JSON"
