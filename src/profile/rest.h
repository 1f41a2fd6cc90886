/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_REST_H
#define PROFILE_REST_H

#include "profile/profile.h"

/* The listed time of one task, and its number of waits, to compare with its totals. */
struct rest_listed {
	u64 count;
	u64 blocked_ns[PROFILE_STATES];
	u64 runq_ns;
};

/* Adds up `len` waits by task; the first is the zero element. */
void rest_list(const struct profile_wait *waits, u32 len, struct rest_listed *by_task);
/*
 * The time of a task missing from the list, as one wait without a task; zero time: nothing is
 * missing. A sampled list differs by chance, and only a larger difference counts as lost. `waits`:
 * how many the task had in all; 0: unknown, and then the count of the rest is 0.
 */
struct profile_wait rest_wait(const struct profile_header *hdr, const struct profile_task *t,
			      u64 waits, const struct rest_listed *l);

#endif
