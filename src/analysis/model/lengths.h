/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_MODEL_LENGTHS_H
#define ANALYSIS_MODEL_LENGTHS_H

#include "analysis/model/group.h"
#include "base/arena.h"
#include "base/err.h"
#include "profile/profile.h"

/* One kind of thread histograms (profile/bins.h), in groups, longest sum first. */
struct lengths_row {
	const char *group; /* NULL: of all threads */
	u64 ns; /* of what is counted */
	u64 cut_ns; /* the rest of the totals: slices and waits of unknown length */
	u64 count;
	u64 bins[HIST_BINS];
};

struct lengths {
	struct lengths_row *rows;
	u32 len;
	struct lengths_row all; /* the sum of the rows */
};

/*
 * `by`: group_is_of_threads(). Every thread is in one row, even if its histograms are empty. Rows
 * are in the arena. -ENOMEM or 0.
 */
int lengths__build(const struct profile *p, enum hist_kind kind, enum group_by by, struct arena *a,
		   struct lengths *ret, struct err *err);

/*
 * A length that at least `permille` of every 1000 did not exceed: the end of the bucket with the
 * quantile; ~0 for the unbounded one, 0 if nothing is counted.
 */
u64 lengths_row__quantile_ns(const struct lengths_row *row, u32 unit_ns, u32 permille);

#endif
