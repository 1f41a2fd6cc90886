# SPDX-License-Identifier: Apache-2.0
"""What the host of a virtual machine does to it."""
import os
import time

TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
CALM_SHARE = 0.005
CALM_WAIT_S = 15


def stolen_ns():
    """What the host took from all CPUs, in whole ticks: no time of a thread to itself, and to us
    it is."""
    with open("/proc/stat", encoding="ascii") as f:
        return int(f.readline().split()[8]) * TICK_NS


class Stolen:
    """From here on: which part of all CPUs' time did the host take?"""

    def __init__(self):
        self.begun = time.monotonic_ns()
        self.stolen = stolen_ns()

    def share(self):
        ns = (time.monotonic_ns() - self.begun) * os.cpu_count()
        return (stolen_ns() - self.stolen) / max(ns, 1)

    def disturbs(self):
        return self.share() > CALM_SHARE


def wait_for_calm():
    """Until the host has left the CPUs alone for a second, but not endlessly; the seconds."""
    begun = time.monotonic()
    while time.monotonic() - begun < CALM_WAIT_S:
        second = Stolen()
        time.sleep(1)
        if not second.disturbs():
            break
    return time.monotonic() - begun
