/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_LENGTHS_H
#define ANALYSIS_LENGTHS_H

#include "analysis/group.h"
#include "base/arena.h"
#include "base/err.h"
#include "profile/profile.h"

/* The histograms of threads (profile/bins.h) of one kind, in groups, the longest sum first. */
struct lengths_row {
	const char *group; /* NULL: of all threads */
	u64 ns; /* of what is counted */
	u64 cut_ns; /* what totals have beyond that: of lengths that are not known */
	u64 count;
	u64 bins[HIST_BINS];
};

struct lengths {
	struct lengths_row *rows;
	u32 len;
	struct lengths_row all; /* the sum of the rows */
};

/*
 * `by`: group_is_of_threads(). Every thread is in one row, also one with nothing to count. Rows
 * live in the arena. -ENOMEM or 0.
 */
int lengths__build(const struct profile *p, enum hist_kind kind, enum group_by by, struct arena *a,
		   struct lengths *ret, struct err *err);

/*
 * A length that at least `permille` of every 1000 did not exceed: the end of the bucket that holds
 * the quantile; ~0 for the one without end, 0 when nothing is counted.
 */
u64 lengths_row__quantile_ns(const struct lengths_row *row, u32 unit_ns, u32 permille);

#endif
