/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_DROPIN_DIST_TABLE_H
#define CLI_DROPIN_DIST_TABLE_H

#include "base/intern.h"
#include "profile/bins.h"
#include "session/session.h"

/* A row is a power of two of the unit; the last one is unbounded. */
#define DIST_ROWS 31

enum dist_by {
	DIST_BY_NOTHING = 0,
	DIST_BY_PROCESS,
	DIST_BY_THREAD,
	DIST_BY_PIDNS, /* of the thread's children, which is nearly always its own */
};

/* Counts of slices or waits, and their total time. */
struct dist_counts {
	u64 rows[DIST_ROWS];
	u64 ns;
};

/* One histogram. */
struct dist {
	u32 id; /* of process, thread or namespace; 0: all */
	char comm[16];
	u32 idle_rounds; /* in which none of its threads existed */
	struct dist_counts gone; /* of exited threads */
	struct dist_counts live;
	struct dist_counts told; /* in earlier intervals */
};

/*
 * Computes what is new in an interval from sums that only grow. An exiting thread is briefly
 * missing, so a sum may fall: what was printed stays, and the rest follows in a later interval.
 */
struct dist_table {
	enum hist_kind kind;
	enum dist_by by;
	struct intern dists; /* struct dist */
};

/* -ENOMEM or 0. */
int dist_table__init(struct dist_table *t, enum hist_kind kind, enum dist_by by);
void dist_table__done(struct dist_table *t);
/* Adds a thread: a capture_hist_fn. */
int dist_table__add(void *table, const struct capture_hist *h);
/*
 * What is new since the previous call, by id. The caller frees *ret; *ret_len may be 0. -ENOMEM or
 * 0.
 */
int dist_table__news(struct dist_table *t, struct dist **ret, size_t *ret_len);

#endif
