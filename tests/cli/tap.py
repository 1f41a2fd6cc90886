# SPDX-License-Identifier: Apache-2.0
"""Runs coldspot and prints TAP, for tests that follow waits from thread to thread."""
import json
import os
import subprocess
import sys

COLDSPOT = os.path.abspath(os.environ["COLDSPOT"])
PYTHON = "/usr/bin/python3"


def need_root():
    if os.geteuid():
        print("ok 1 - all # SKIP ALL OF IT: needs root\n1..1")
        sys.exit()


class Tap:
    """Counts the tests of one program."""

    def __init__(self):
        self.count = 0

    def ok(self, name, problem=None):
        self.count += 1
        print(f"{'not ok' if problem else 'ok'} {self.count} - {name}")
        for line in str(problem or "").splitlines()[:12]:
            print(f"# {line}")

    def skip(self, name, why):
        self.count += 1
        print(f"ok {self.count} - {name} # SKIP {why}")

    def done(self):
        print(f"1..{self.count}")


def run_bytes(*args, status=0):
    """Standard output as it is, and standard error as text."""
    done = subprocess.run([COLDSPOT, *args], timeout=60, check=False, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != status:
        raise SystemExit(f"# {args}: status {done.returncode}\n# {done.stderr.decode()}")
    return done.stdout, done.stderr.decode()


def run(*args, status=0):
    out, err = run_bytes(*args, status=status)
    return out.decode(), err


def check_files(tap, directory, command, *formats):
    """-o writes what -f prints, and prints nothing. `formats`: (format, extension)."""
    for form, extension in formats:
        to = os.path.join(directory, "out." + extension)
        out, err = run(*command, "-o", to)
        with open(to, encoding="utf-8") as f:
            tap.ok(f"-o out.{extension} has what -f {form} prints",
                   (out != "" or f"wrote {to}" not in err or
                    f.read() != run(*command, "-f", form)[0]) and out + err)
    _, err = run(*command, "-o", os.path.join(directory, "x.svg"), status=2)
    tap.ok("an extension that has no format", "known extensions: .txt" not in err and err)


def missed_wakeups(file):
    """Wakeups that the machine did not show: what they ended has no waker, and is counted."""
    losses = json.loads(run("report", "-f", "json", file)[0])["losses"]
    return sum(loss["events"] for loss in losses if loss["name"] == "wakers_missed")


def until_whole(record, file_of=lambda found: found):
    """What `record` gives, of a recording that saw all wakeups, if there is one in ten."""
    for _ in range(10):
        found = record()
        if not missed_wakeups(file_of(found)):
            break
    return found
