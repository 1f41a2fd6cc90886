# SPDX-License-Identifier: Apache-2.0
"""What this kernel remembers of those who hold a rwsem."""


def readers_are_known():
    """Does this kernel take the name of a reader that leaves from a rwsem? Since 6.17, with
    CONFIG_DETECT_HUNG_TASK_BLOCKER."""
    with open("/proc/kallsyms", encoding="ascii", errors="replace") as f:
        return any(line.split()[1:3] == ["T", "rwsem_owner"] for line in f)


def losses():
    """Those that checks.no_losses() must allow: without the names of readers, a wait for one has no
    owner. Threads that start wait for the mmap_lock like that, behind the page faults of others,
    and on a slow machine most of them do."""
    return () if readers_are_known() else ("owner_unknown",)
