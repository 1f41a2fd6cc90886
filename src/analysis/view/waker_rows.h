/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_VIEW_WAKER_ROWS_H
#define ANALYSIS_VIEW_WAKER_ROWS_H

#include "base/err.h"
#include "profile/profile.h"

/*
 * A profile whose waits are divided by who ended them: for each wait a row for each of its wakers,
 * with the waker in profile_wait.waker, and a row with 0 for the rest, which no known waker ended.
 * The rows of a wait are next to each other, in its place, and add up to it. Each counts as a wait
 * of its own, so profile_wait.part_of is 0. Times and counts are the wakers' own. Samples, variance
 * and histogram of a divided wait are divided in proportion to the counts, and its longest wait is
 * that of all of them, as far as the time of a row allows.
 *
 * It is read like any other profile, but several rows have the same key, so it has no wakes: use
 * row_of_wake. It has no replicates either. A moment is of the row of who ended it.
 */
struct waker_rows {
	const struct profile *p; /* what to read: `copy` */
	struct profile copy; /* borrows everything except waits and moments; not to be freed */
	struct profile_wait *rows;
	u32 *wait_of_row;
	u32 *row_of_wake; /* by wake id of the profile; 0: of no listed wait */
	struct profile_moment *moments;
	u32 rows_len;
};

/* Borrows `p` until waker_rows__done(), which is called in either case. -ENOMEM or 0. */
int waker_rows__init(struct waker_rows *r, const struct profile *p, struct err *err);
/*
 * Sets profile_wait.part_of to the wait of each row: for views whose causes are known by the waits
 * of the profile that was divided.
 */
void waker_rows__mark_parts(struct waker_rows *r);
/* Whether `p` is such a view, or a view of one. */
bool waker_rows_are_divided(const struct profile *p);
void waker_rows__done(struct waker_rows *r);

#endif
