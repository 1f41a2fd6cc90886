/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WORKLOAD_WAITS_H
#define WORKLOAD_WAITS_H

#include "wl.h"

#define WAITS_ROLES 2

/*
 * One kind of wait: one or two threads that share a pair. The wait of a role stands in a function
 * block_<name>() or spin_<name>(), called by run_<name>(), where <name> is the name of the thread
 * with '_' for '-'; the harness looks for these two frames.
 */
struct waits_kind {
	const char *name;
	int rounds;
	u64 pause_ns;
	int (*setup)(struct wl_pair *p); /* may be NULL; 0, or -errno: the kind is not available */
	int early; /* its threads block before the recording begins */
	struct {
		const char *name;
		void (*run)(struct wl_thread *t);
	} role[WAITS_ROLES];
};

/* Tables end with a line without a name. */
extern const struct waits_kind waits_time[];
extern const struct waits_kind waits_lock[];
extern const struct waits_kind waits_ipc[];
extern const struct waits_kind waits_disk[];
extern const struct waits_kind waits_child[];
extern const struct waits_kind waits_cpu[];

/* Where the files of waits_disk lie. */
extern const char *waits_dir;

#endif
