/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_CODE_PLACE_H
#define PROC_CODE_PLACE_H

#include "base/err.h"
#include "base/types.h"
#include "proc/maps.h"

/*
 * Where a process writes the names of its JIT-compiled code:
 *
 *   the perf map   /tmp/perf-PID.map in its root, with the PID in its own namespace;
 *   the jitdump    a file jit-PID.dump anywhere, which the process maps executable as a marker.
 *
 * Both are kept open, and so is the directory, so that they can be read after the process and its
 * namespaces are gone. Not thread-safe.
 */
struct code_place {
	u32 tgid; /* in our PID namespace */
	u32 ns_pid; /* 0: the process was never seen alive */
	u32 uid;
	u32 euid;
	u64 start_ns; /* since boot: separates processes with the same PID */
	bool kept; /* a process that has this PID now is ignored; otherwise it takes over */
	int tmp_fd; /* the directory; descriptors are -1 if there is nothing */
	int map_fd;
	int dump_fd;
};

void code_place__init(struct code_place *p, u32 tgid);
/* Closes everything. NULL is fine. */
void code_place__done(struct code_place *p);

/*
 * Opens what exists by now, and takes the newer file if one was replaced. `maps` may be NULL;
 * jitdumps are found in it. For an exited process, the directory opened earlier is searched; a
 * process that was never seen alive has nothing.
 *
 * Also 0 if there is no file. -EPERM with a message for a perf map that belongs neither to the user
 * of the process nor to root, -ESTALE for one older than the process; it is not opened.
 */
int code_place__look(struct code_place *p, const struct maps *maps, struct err *err);

#endif
