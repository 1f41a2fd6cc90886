/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_REPLICATE_H
#define PROFILE_REPLICATE_H

#include "base/types.h"
#include "base/vec.h"

struct profile;

/*
 * The window divided into intervals, normally of a second, and how much of each listed wait is in
 * each. This shows whether a difference between two profiles exceeds the variation between their
 * own seconds. Not all recordings have it; then there are no intervals.
 *
 * A wait is counted in the interval in which it ended. If that exceeds the interval, the wait must
 * have begun earlier, and the excess is in earlier intervals.
 */
struct profile_interval {
	u64 begin_ns; /* since the start of the (first) window */
	u64 length_ns; /* recorded time in it, not 0 */
};

/* Missing ones are 0. Sorted by wait, then interval. */
struct profile_replicate {
	u32 wait;
	u32 interval; /* index */
	u64 ns; /* blocked + run queue; not 0 */
};

/* If there are more intervals, neighbours are merged in pairs. */
#define PROFILE_INTERVALS_MAX 256
/* The same limit for replicates: 16 MiB. */
#define PROFILE_REPLICATES_MAX (1U << 20)

/* Both work on vecs of the structs above; replicates may be in any order. */

/* Sorts replicates and adds up those of one wait and interval. 0 or -EOVERFLOW. */
int replicates_sort(struct vec *replicates);
/* Merges neighbouring intervals in pairs. 0 or -EOVERFLOW. */
int replicates_coarsen(struct vec *intervals, struct vec *replicates);
/* Makes one of all intervals of a profile, as long as they are together. */
void profile__join_intervals(struct profile *p);

#endif
