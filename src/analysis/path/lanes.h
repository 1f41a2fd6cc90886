/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_PATH_LANES_H
#define ANALYSIS_PATH_LANES_H

#include "analysis/model/timeline.h"

/* The timeline of one thread. An exec ends a record of it (profile_task), and not its lane. */
struct lane {
	u32 first; /* index of its first step */
	u32 len;
	u32 task; /* its first record */
	u32 last_task;
	u64 begin_ns; /* of its first step */
	u64 end_ns;
};

struct lanes {
	const struct profile *p; /* borrowed */
	struct timeline_step *steps; /* by lane, then by begin; those of a lane do not overlap */
	struct lane *lanes;
	u32 *of_task; /* lane by task; task 0 has none */
	u32 len;
};

/* Frames need no names. -ENOMEM or 0; release with lanes__done() in either case. */
int lanes__init(struct lanes *l, const struct profile *p);
void lanes__done(struct lanes *l);
/* Index of the first step of the lane that ends after this instant; first + len: none does. */
u32 lanes__find(const struct lanes *l, u32 lane, u64 at_ns);
/*
 * The end of a window cuts a wait into steps: the last step of the wait that this one is of, which
 * may be itself. Its moment says who ended it.
 */
u32 lanes__last_of_wait(const struct lanes *l, u32 lane, u32 step);

#endif
