/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_REST_H
#define PROFILE_REST_H

#include "profile/profile.h"

/* The listed time of one task, to be held against its totals. */
struct rest_listed {
	u64 blocked_ns[PROFILE_STATES];
	u64 runq_ns;
};

/* Adds up `len` waits, the first of which is none, by their tasks. */
void rest_list(const struct profile_wait *waits, u32 len, struct rest_listed *by_task);
/*
 * The time of a task that was lost from the list, as one wait without a task; no time: nothing was.
 * A sampled list is off by chance, and only what is beyond that is lost.
 */
struct profile_wait rest_wait(const struct profile_header *hdr, const struct profile_task *t,
			      const struct rest_listed *l);

#endif
