# SPDX-License-Identifier: Apache-2.0
"""Boots a kernel, runs scripts of guest/ in it, and keeps what they left.

A missing kernel, or a missing qemu for it, is skipped with the reason. VM_KERNELS="6.1 6.12"
chooses kernels; VM_KEEP=DIR keeps what the guests leave; VM_JOBS=2 is how many run at once. What
would not end before VM_DEADLINE, in seconds since 1970, is skipped. COLDSPOT is the program; for
another architecture one is built below COLDSPOT_BUILD.
"""
import collections
import os
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
BOOT_SECONDS = 1200
COME_UP_SECONDS = 20
AGAIN_SECONDS = 120  # what boots once more may end so much later
OVER_SECONDS = 80  # what has begun may take longer than thought
DEADLINE = float(os.environ.get("VM_DEADLINE", "inf"))
NO_TIME = "no time is left for it"
CFLAGS = ["-O1", "-g", "-Wall", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls",
          "-pthread"]
WARNING = ("WARNING:", "BUG:")
KERNEL_FAULT = "the kernel does not complain"

sys.path.insert(0, os.path.join(os.path.dirname(HERE), "truth"))

from recording import Recording  # noqa: E402

building = threading.Lock()

# A script of guest/ with its arguments, and how long it takes at most while another guest runs.
Part = collections.namedtuple("Part", "name seconds script arguments")


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
              f"-j{os.cpu_count()}", os.path.join(out, "coldspot")], f"coldspot for {arch}")
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
    """One boot of a kernel. `parts` run one after the other; `options` are those of tests/vm/run;
    `prepare(directory, arch)` puts more into the shared directory."""

    def __init__(self, name, parts, options=(), prepare=None, is_again=False):
        self.name = name
        self.parts = parts
        self.options = options
        self.prepare = prepare
        self.deadline = DEADLINE + AGAIN_SECONDS if is_again else DEADLINE
        self.kept_as = name + "-again" if is_again else name
        self.shared = None
        self.why_skipped = None
        self.why_failed = None
        self.ended = None
        self.seconds = 0

    def again(self, parts):
        return Boot(self.name, parts, self.options, self.prepare, is_again=True)

    def has_run(self):
        return self.ended is not None

    def run(self):
        """All that takes time, in a thread of its own."""
        if time.time() + min(part.seconds for part in self.parts) + COME_UP_SECONDS > \
                self.deadline:
            self.why_skipped = NO_TIME
            return
        tool = os.path.join(HERE, "run")
        ready = subprocess.run([tool, "-n", self.name], capture_output=True, text=True)
        if ready.returncode:
            self.why_skipped = ready.stderr.strip().replace("\n", "; ")
            return
        self.shared = tempfile.TemporaryDirectory(prefix="vm.")
        try:
            fill(self.shared.name, architecture(self.name))
            self.prepare(self.shared.name, architecture(self.name))
        except RuntimeError as e:
            self.why_failed = str(e).splitlines()
            return
        with open(os.path.join(self.shared.name, "parts"), "w", encoding="utf-8") as f:
            for part in self.parts:
                print(part.name, part.seconds, part.script, *part.arguments, file=f)
        began = time.monotonic()
        left = int(min(self.deadline - time.time(), BOOT_SECONDS))
        self.ended = subprocess.run([tool, "-t", str(left + OVER_SECONDS), "-d", self.shared.name,
                                     *self.options, self.name, "sh", "parts.sh", str(left)],
                                    capture_output=True, text=True)
        self.seconds = time.monotonic() - began

    def guest(self, tap):
        """Reports how it went; the guest, if there was one, and the parts that ran in it."""
        if self.why_skipped:
            for part in self.parts:
                tap.skip(f"{self.name}: {part.name}: ALL OF IT", self.why_skipped)
            return None, []
        if self.why_failed:
            tap.report(f"{self.name}: what runs in it can be built", self.why_failed)
            return None, []
        said = self.ended.stdout + self.ended.stderr
        tap.report(f"{self.name}: boots and runs to its end",
                   [] if self.ended.returncode == 0 else
                   [f"exit status {self.ended.returncode}"] + said.splitlines()[-19:])
        complaints = self.ended.stderr.splitlines()
        tap.report(f"{self.name}: {KERNEL_FAULT}",
                   [line for line in complaints if any(word in line for word in WARNING)])
        tap.report(f"{self.name}: no CPU of it stalls",
                   [line for line in complaints if "stall" in line])
        guest = Guest(self.name, self.shared.name)
        return guest, [part for part in self.parts if self.part_ran(tap, guest, part)]

    def part_ran(self, tap, guest, part):
        begun, ended, late = (guest.text(f"{part.name}.{what}").strip()
                              for what in ("begun", "ended", "late"))
        title = f"{self.name}: {part.name}"
        if ended:
            tap.report(f"{title}: ends", [])
            tap.note(f"{title}: {float(ended) - float(begun):.0f} of {self.seconds:.0f} s")
        elif late:
            tap.skip(f"{title}: ALL OF IT", NO_TIME)
        else:
            tap.report(f"{title}: ends", ["it does not" if begun else "it did not begin"])
        return bool(begun)

    def done(self):
        keep = os.environ.get("VM_KEEP")
        if keep and self.shared:
            shutil.copytree(self.shared.name, os.path.join(keep, self.kept_as), dirs_exist_ok=True)
        if self.shared:
            self.shared.cleanup()


def why_not():
    """A line of TAP that says why no guest can be run here at all, or None."""
    if os.geteuid() != 0:
        return "1..0 # SKIP the virtual machines need root: no other kernel was tried"
    if not os.access(COLDSPOT, os.X_OK):
        return f"Bail out! no program '{COLDSPOT}'"
    return None
