/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_CODE_PLACE_H
#define PROC_CODE_PLACE_H

#include "base/err.h"
#include "base/types.h"
#include "proc/maps.h"

/*
 * Where a process leaves the names of code that it makes at run time:
 *
 *   the perf map   /tmp/perf-PID.map in its root, PID being its number in its own namespace;
 *   the jitdump    a file jit-PID.dump anywhere, which the process maps executable as a sign.
 *
 * Both are kept open, and so is the directory, so that they can be read when the process is gone
 * and its namespaces with it. Not thread-safe.
 */
struct code_place {
	u32 tgid; /* in our PID namespace */
	u32 ns_pid; /* 0: the process was never seen alive */
	u32 uid;
	u32 euid;
	u64 start_ns; /* since boot: tells another process of that number */
	bool kept; /* if one has the number now, it is not looked at; else it takes over */
	int tmp_fd; /* the directory; all descriptors are -1 where there is nothing */
	int map_fd;
	int dump_fd;
};

void code_place__init(struct code_place *p, u32 tgid);
/* Closes everything. NULL is fine. */
void code_place__done(struct code_place *p);

/*
 * Opens what is there by now, and takes the newer file where one was replaced. `maps` may be NULL;
 * it is where a jitdump is found. For a process that is gone the directory that was opened earlier
 * is looked into, and one that was never seen has nothing.
 *
 * 0 also when there is no file. -EPERM with a sentence for a perf map that belongs to somebody else
 * than the user of the process or root, -ESTALE for one older than the process; it is not opened.
 */
int code_place__look(struct code_place *p, const struct maps *maps, struct err *err);

#endif
