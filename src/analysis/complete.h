/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_COMPLETE_H
#define ANALYSIS_COMPLETE_H

#include "base/arena.h"
#include "base/err.h"
#include "profile/profile.h"

/*
 * How much of the waited time has a whole user stack, from the leaf to the first function of its
 * thread. Blocked and run queue time of listed waits; those that have no user stack by nature do
 * not count: of kernel threads, of ended threads, inside execve.
 */
struct complete_row {
	const char *reason; /* stable short name: of an enum stack_end, or "no_stack", "lost" */
	const char *words; /* "no CFI in libfoo.so" */
	u32 module; /* the file in which the walk ended, or 0 */
	u64 ns;
	u64 var_us2; /* of ns, see profile/estimate.h */
	u64 count; /* waits */
};

struct complete {
	u64 total_ns;
	u64 whole_ns; /* total_ns is this and the rows */
	u64 total_var_us2;
	u64 whole_var_us2;
	struct complete_row *rows; /* why not whole, the longest time first */
	u32 len;
};

/*
 * Lives in the arena, but for the names of reasons, which are constants. All is zero where user
 * stacks were not recorded. -ENOMEM or 0.
 */
int complete__build(const struct profile *p, struct arena *a, struct complete *ret_complete,
		    struct err *err);

#endif
