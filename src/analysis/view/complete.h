/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_VIEW_COMPLETE_H
#define ANALYSIS_VIEW_COMPLETE_H

#include "base/arena.h"
#include "base/err.h"
#include "profile/profile.h"

/*
 * How much of the waited time has a whole user stack, from the leaf to the first function of its
 * thread. Covers blocked and run queue time of listed waits, except waits that cannot have a user
 * stack: of kernel threads, of exited threads, inside execve.
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
	u64 whole_ns; /* total_ns is this plus the rows */
	u64 total_var_us2;
	u64 whole_var_us2;
	struct complete_row *rows; /* why not whole, longest time first */
	u32 len;
};

/*
 * In the arena, except reason names, which are constants. All zero if user stacks were not
 * recorded, or were imported: then it is not known. -ENOMEM or 0.
 */
int complete__build(const struct profile *p, struct arena *a, struct complete *ret_complete,
		    struct err *err);

#endif
