# SPDX-License-Identifier: Apache-2.0
"""What a number is worth nothing without: the machine, the kernel, the commit."""
import glob
import os
import re
import subprocess
import time

from child import Child, ChildError

TREE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _read(path, fallback="?"):
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            return f.read().strip()
    except OSError:
        return fallback


def _say(*argv):
    try:
        return subprocess.run(argv, capture_output=True, text=True, timeout=30, check=True,
                              cwd=TREE).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def cpu_model():
    """Of an arm64 machine, whose cpuinfo has no name, the parts of its cores."""
    text = _read("/proc/cpuinfo", "")
    for field in ("model name", "CPU part"):
        found = re.search(rf"^{field}\s*:\s*(.+)$", text, re.M)
        if found:
            return found.group(1).strip()
    return "unknown CPU"


def slug():
    words = re.sub(r"[^a-z0-9]+", "-", cpu_model().lower()).strip("-")
    return f"{words}-{os.cpu_count()}cpu"


def commit():
    """Of the tree; "-dirty" when what is measured is not what was committed."""
    head = _say("git", "rev-parse", "--short", "HEAD")
    changed = _say("git", "status", "--porcelain", "--", "src", "bpf", "mk", "Makefile")
    return (head or "unknown") + ("-dirty" if head and changed else "")


def load_average():
    return " ".join(_read("/proc/loadavg").split()[:3])


def mitigations():
    found = []
    for path in sorted(glob.glob("/sys/devices/system/cpu/vulnerabilities/*")):
        text = _read(path)
        if text != "Not affected":
            found.append(f"{os.path.basename(path)}: {text.split(';')[0]}")
    return "; ".join(found) or "none"


def virtual():
    seen = "yes" if "hypervisor" in _read("/proc/cpuinfo", "") else "no"
    return _say("systemd-detect-virt", "--vm") or seen


def has_instructions():
    """Can perf count instructions here? Virtual machines often cannot."""
    try:
        done = subprocess.run(["perf", "stat", "-x,", "-e", "instructions", "true"],
                              capture_output=True, text=True, timeout=30, check=False)
    except OSError:
        return False
    return done.returncode == 0 and "not supported" not in done.stderr \
        and "not counted" not in done.stderr


class Counter:
    """`perf stat` of one event on one process and all threads that it makes."""

    def __init__(self, pid, event):
        self.child = Child(["perf", "stat", "-x,", "-e", event, "-p", str(pid)],
                           stderr=subprocess.STDOUT)

    def __enter__(self):
        time.sleep(0.5)  # it does not say when it counts
        return self

    def __exit__(self, *exc):
        self.child.__exit__(*exc)

    def value(self):
        """Once the process has ended."""
        text = self.child.read_to_end(30)[0].decode()
        found = re.search(r"^(\d+(?:\.\d+)?),", text, re.M)
        if not found:
            raise ChildError(f"perf stat did not count: {text.strip()[:200]}")
        return float(found.group(1))


def facts(coldspot):
    return [
        ("CPU", f"{cpu_model()}, {os.cpu_count()} CPUs, virtual machine: {virtual()}"),
        ("kernel", f"{os.uname().release} {os.uname().machine}"),
        ("mitigations", mitigations()),
        ("commit", f"{commit()} ({_say(coldspot, '--version')})"),
        ("compared with", f"libbpf-tools {_package('libbpf-tools')}, "
                          f"bpftrace {_package('bpftrace')}, perf {_package('linux-perf')}"),
    ]


def _package(name):
    return _say("dpkg-query", "-W", "-f", "${Version}", name) or "?"
