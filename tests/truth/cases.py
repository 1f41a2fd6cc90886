# SPDX-License-Identifier: Apache-2.0
"""The list of cases. A case is a function of (env, tap, mode); it records once or a few times and
reports any number of tests, each under its own name `CASE/TEST`."""

CASES = []


class Case:
    def __init__(self, name, modes, run):
        self.name = name
        self.modes = modes
        self.run = run


def case(name, modes=("default",)):
    def add(run):
        CASES.append(Case(name, modes, run))
        return run
    return add


class Env:
    """What a case needs from outside."""

    def __init__(self, coldspot, programs, scratch, hotplug):
        self.coldspot = coldspot
        self.waits = programs["waits"]
        self.life = programs["life"]
        self.steady = programs["steady"]
        self.hotcold = programs["hotcold"]
        self.lengths = programs["lengths"]
        self.visits = programs["visits"]
        self.ends = programs["ends"]
        self.objects = programs["objects"]
        self.reused = programs["reused"]
        self.kinds = programs["kinds"]
        self.peers = programs["peers"]
        self.wakers = programs["wakers"]
        self.handover = programs["handover"]
        self.storms = programs["storms"]
        self.scratch = scratch  # a directory on a disk
        self.hotplug = hotplug  # a CPU may be taken offline
