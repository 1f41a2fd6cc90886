# SPDX-License-Identifier: Apache-2.0
"""Boots a kernel, runs a script of guest/ in it, and keeps what that left.

A kernel that cannot be had, or no qemu for it, is a skip that says why. VM_KERNELS="6.1 6.12"
chooses kernels; VM_KEEP=DIR keeps what the guests leave; VM_JOBS=2 is how many run at once. Those
that have not begun well before VM_DEADLINE, in seconds since 1970, are skipped. COLDSPOT is the
program; for another architecture one is built below COLDSPOT_BUILD.
"""
import concurrent.futures
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CACHE = os.environ.get("COLDSPOT_VM_CACHE", "/var/cache/coldspot-vm")
COLDSPOT = os.path.abspath(os.environ.get("COLDSPOT", os.path.join(ROOT, "build", "coldspot")))
BUILD = os.path.abspath(os.environ.get("COLDSPOT_BUILD", os.path.dirname(COLDSPOT)))
# The machine may be busy, and a guest on it is a hundred times slower than the machine at times.
BOOT_SECONDS = 900
LAST_SECONDS = 240
CFLAGS = ["-O1", "-g", "-Wall", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls",
          "-pthread"]
WARNING = ("WARNING:", "BUG:", "stall")

sys.path.insert(0, os.path.join(os.path.dirname(HERE), "truth"))

from recording import Recording  # noqa: E402



building = threading.Lock()


class Guest:
    """What a guest left in a directory."""

    def __init__(self, name, directory):
        self.name = name
        self.directory = directory

    def text(self, name):
        try:
            with open(os.path.join(self.directory, name), encoding="utf-8", errors="replace") as f:
                return f.read()
        except FileNotFoundError:
            return ""

    def status(self, case, wanted):
        status = self.text(case + ".status").strip()
        if status == str(wanted):
            return []
        said = (self.text(case + ".err") or self.text(case + ".out")).splitlines()
        return [f"exit status {status or 'unknown'}, not {wanted}"] + said[-10:]

    def refusal(self, case, status, *words):
        """It ended with the status, and one sentence that has these words."""
        problems = self.status(case, status)
        said = [line for line in self.text(case + ".err").splitlines() if line]
        if len(said) != 1 or any(word not in said[0] for word in words):
            problems.append(f"not one sentence with {' and '.join(words)}: {said}")
        return problems

    def recording(self, case):
        """The recording, or None, and what is wrong with it."""
        problems = self.status(case, 0)
        if problems:
            return None, problems
        try:
            return Recording.load(os.path.join(self.directory, case + ".json")), []
        except (OSError, ValueError, KeyError) as e:
            return None, [f"{case}.json: {e!r}"]

    def said(self, case):
        """The workload's own account: name to numbers."""
        lines = [line.split() for line in self.text(case + ".said").splitlines()]
        return {line[0]: tuple(map(int, line[1:])) for line in lines if len(line) == 4}


def kernels(default):
    return os.environ.get("VM_KERNELS", default).split()


def architecture(name):
    return "arm64" if "-arm64" in name else "amd64"


def must(argv, what, **variables):
    done = subprocess.run(argv, capture_output=True, text=True,
                          env={**os.environ, **variables})
    if done.returncode:
        raise RuntimeError(f"{what}: {(done.stdout + done.stderr)[-2000:]}")


def program(arch):
    """coldspot for the architecture."""
    if arch == "amd64":
        return COLDSPOT
    out = os.path.join(BUILD, arch)
    with building:
        must([os.path.join(HERE, "cross"), os.path.join(CACHE, "root-" + arch), arch, out,
              os.path.join(out, "coldspot")], f"coldspot for {arch}")
    return os.path.join(out, "coldspot")


def compiler(arch):
    if arch == "amd64":
        return [os.environ.get("CC", "cc")]
    return [os.path.join(HERE, "cross"), "-c", os.path.join(CACHE, "root-" + arch), arch]


def fill(directory, arch):
    """What every guest needs, where it can see it: its own /tmp hides ours."""
    shutil.copy(program(arch), os.path.join(directory, "coldspot"))
    for name in sorted(os.listdir(os.path.join(HERE, "guest"))):
        path = os.path.join(HERE, "guest", name)
        if name.endswith(".sh"):
            shutil.copy(path, directory)
        elif name.endswith(".c"):
            must([*compiler(arch), *CFLAGS, "-o", os.path.join(directory, name[:-2]), path], name)


class Boot:
    """One boot of a kernel. `commands` are scripts of guest/ with their arguments, run one after
    the other; `options` are those of tests/vm/run; `prepare(directory, arch)` puts more into the
    shared directory. `tag` is the caller's."""

    def __init__(self, name, commands, options=(), prepare=None, tag=None):
        self.name = name
        self.commands = commands
        self.options = options
        self.prepare = prepare
        self.tag = tag
        self.title = f"{name}: {' '.join(sorted({command[0] for command in commands}))}" + \
            (f" ({tag})" if tag else "")
        self.shared = None
        self.why_skipped = None
        self.why_failed = None
        self.ended = None
        self.seconds = 0

    def run(self):
        """All that takes time, in a thread of its own."""
        if time.time() > float(os.environ.get("VM_DEADLINE", "inf")) - LAST_SECONDS:
            self.why_skipped = "no time is left for it"
            return
        tool = os.path.join(HERE, "run")
        ready = subprocess.run([tool, "-n", self.name], capture_output=True, text=True)
        if ready.returncode:
            self.why_skipped = ready.stderr.strip().replace("\n", "; ")
            return
        self.shared = tempfile.TemporaryDirectory(prefix="vm.")
        try:
            fill(self.shared.name, architecture(self.name))
            if self.prepare:
                self.prepare(self.shared.name, architecture(self.name))
        except RuntimeError as e:
            self.why_failed = str(e).splitlines()
            return
        began = time.monotonic()
        script = "; ".join(shlex.join(["sh", *command]) for command in self.commands)
        self.ended = subprocess.run([tool, "-t", str(BOOT_SECONDS), "-d", self.shared.name,
                                     *self.options, self.name, "sh", "-c", script],
                                    capture_output=True, text=True)
        self.seconds = time.monotonic() - began

    def guest(self, tap):
        """Reports how it went; the guest, if there was one."""
        if self.why_skipped:
            tap.skip(f"{self.title}: ALL OF IT", self.why_skipped)
            return None
        if self.why_failed:
            tap.report(f"{self.title}: what runs in it can be built", self.why_failed)
            return None
        said = self.ended.stdout + self.ended.stderr
        tap.report(f"{self.title}: boots and runs to its end",
                   [] if self.ended.returncode == 0 else
                   [f"exit status {self.ended.returncode}"] + said.splitlines()[-40:])
        tap.report(f"{self.title}: the kernel does not complain",
                   [line for line in self.ended.stderr.splitlines()
                    if any(word in line for word in WARNING)])
        tap.note(f"{self.title}: {self.seconds:.0f} s")
        return Guest(self.name, self.shared.name)

    def done(self):
        keep = os.environ.get("VM_KEEP")
        if keep and self.shared:
            shutil.copytree(self.shared.name, os.path.join(keep, self.name), dirs_exist_ok=True)
        if self.shared:
            self.shared.cleanup()


def run_all(tap, boots):
    """Yields (guest, tag) in the order of `boots`, of which as many run at once as there are CPUs:
    the emulator mostly uses one."""
    jobs = int(os.environ.get("VM_JOBS", os.cpu_count() or 1))
    with concurrent.futures.ThreadPoolExecutor(max_workers=jobs) as pool:
        for boot, running in [(boot, pool.submit(boot.run)) for boot in boots]:
            running.result()
            guest = boot.guest(tap)
            if guest:
                yield guest, boot.tag
            boot.done()


def why_not():
    """A line of TAP that says why no guest can be run here at all, or None."""
    if os.geteuid() != 0:
        return "1..0 # SKIP the virtual machines need root: no other kernel was tried"
    if not os.access(COLDSPOT, os.X_OK):
        return f"Bail out! no program '{COLDSPOT}'"
    return None
