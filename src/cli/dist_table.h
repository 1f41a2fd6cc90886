/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_DIST_TABLE_H
#define CLI_DIST_TABLE_H

#include "base/intern.h"
#include "cli/dist.h"
#include "session/session.h"

/* A row is a power of two of the unit; the last one has no end. */
#define DIST_ROWS 31

/* Counts of slices or waits, and their time. */
struct dist_counts {
	u64 rows[DIST_ROWS];
	u64 ns;
};

/* One histogram. */
struct dist {
	u32 id; /* of process, thread or namespace; 0: of all */
	char comm[16];
	u32 idle_rounds; /* in which no thread of it lived */
	struct dist_counts gone; /* of threads that are gone */
	struct dist_counts live;
	struct dist_counts told; /* in intervals before */
};

/*
 * From sums that only grow to what is new in an interval. A thread that is ending is missing for a
 * moment, so a sum may fall: what was told is told, and the rest comes in a later interval.
 */
struct dist_table {
	const struct dist_options *opt;
	struct intern dists; /* struct dist */
};

/* -ENOMEM or 0. */
int dist_table__init(struct dist_table *t, const struct dist_options *opt);
void dist_table__done(struct dist_table *t);
/* Takes in a thread: a capture_hist_fn. */
int dist_table__add(void *table, const struct capture_hist *h);
/* Since the call before, by ids. The caller frees *ret; *ret_len may be 0. -ENOMEM or 0. */
int dist_table__news(struct dist_table *t, struct dist **ret, size_t *ret_len);

#endif
