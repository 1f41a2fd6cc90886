# SPDX-License-Identifier: Apache-2.0
"""What parts of coldspot cost by themselves, as programs of its build measure it: the walk of a
user stack, unwind tables, and what the verifier has to walk."""
import os
import subprocess

import table

SECONDS = 300  # none of them takes a tenth of that

WALKS = """\
One thread's own stack, walked from BPF by our unwind tables, by the kernel's walk of frame \
pointers (`bpf_get_stack`) and by ours, alternately; medians of 101 rounds of 64 walks each, on \
warm caches. framed: code with frame pointers; bare: without; bare+libc: the same, every second \
frame in libc. Each stack is checked against what is known of it: a walker that does not see all \
frames has no time."""
TABLES = """\
"first" is the time of the first build, which may read the file; "best" of some. KiB are kernel \
memory; "rules" is by how much a file made the dictionary grow that all share, 16 bytes each."""
VERIFIER = "Instructions that the verifier of this kernel walks, by split and resume hook."


def _output(argv):
    """What it printed, also when it failed: its reasons are worth as much."""
    try:
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=SECONDS, check=False)
    except (OSError, subprocess.SubprocessError) as e:
        return str(e)
    return done.stdout + (f"failed: exit status {done.returncode}\n" if done.returncode else "")


def _printed(*argv):
    return f"```\n{_output(argv)}```"


def _verifier_table(path):
    """A line is VARIANT PROGRAM INSTRUCTIONS; what else it says is why there is no table."""
    text = _output([path])
    counts = {}
    for words in map(str.split, text.splitlines()):
        if len(words) != 3:
            return text
        variant, program, cnt = words
        counts.setdefault(program, {})[variant] = cnt
    variants = sorted({v for c in counts.values() for v in c})
    return table.rows(["program", *variants],
                      [[program, *(c.get(v, "-") for v in variants)]
                       for program, c in sorted(counts.items())])


def sections(build, files):
    """(title, text); `files` are those whose unwind tables are built."""
    own = os.path.join(build, "bench")
    yield "Walk of a user stack", f"{WALKS}\n\n{_printed(os.path.join(own, 'walk'))}"
    if files:
        yield "Unwind tables", f"{TABLES}\n\n{_printed(os.path.join(own, 'tables'), *files)}"
    counts = _verifier_table(os.path.join(build, "tests", "bpf", "verifier_counts"))
    yield "Verifier", f"{VERIFIER}\n\n{counts}"
