/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_REPLICATE_H
#define PROFILE_REPLICATE_H

#include "base/types.h"
#include "base/vec.h"

/*
 * The window cut into intervals, of a second if nothing forbids it, and how much of each listed
 * wait is in each: what tells whether a difference between two profiles is more than their own
 * seconds differ by. Not all recordings have it; then there are no intervals.
 *
 * A wait is counted in the interval in which it ended. Where that is more than the interval has, it
 * must have begun before, and what is too much is in those before.
 */
struct profile_interval {
	u64 begin_ns; /* since the begin of the (first) window */
	u64 length_ns; /* recorded time in it, not 0 */
};

/* Those that are missing are 0. In the order of waits, then intervals. */
struct profile_replicate {
	u32 wait;
	u32 interval; /* index */
	u64 ns; /* blocked + run queue; not 0 */
};

/* More intervals than that are put together, two by two. */
#define PROFILE_INTERVALS_MAX 256
/* The same for replicates: 16 MiB. */
#define PROFILE_REPLICATES_MAX (1U << 20)

/* Both on vecs of the structs above; replicates may be in any order. */

/* Puts replicates in order, and those of one wait and interval together. 0 or -EOVERFLOW. */
int replicates_sort(struct vec *replicates);
/* Makes one interval of each two that follow each other. 0 or -EOVERFLOW. */
int replicates_coarsen(struct vec *intervals, struct vec *replicates);

#endif
