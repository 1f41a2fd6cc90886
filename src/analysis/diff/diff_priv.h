/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_DIFF_DIFF_PRIV_H
#define ANALYSIS_DIFF_DIFF_PRIV_H

#include "analysis/diff/diff.h"
#include "analysis/diff/diff_paths.h"

/* A diff under construction: diff.c adds up, diff_seconds.c tests, diff_order.c sorts. */
struct differing {
	struct diff *d;
	const struct diff_options *opt;
	const struct profile *p[2]; /* as shown */
	struct diff_paths paths;
	struct causes causes[2];
	struct diff_item by_cause[CAUSE_CNT];
	struct diff_item *by_symbol;
	struct diff_item *by_path;
	u64 *self_ns[2]; /* by path */
};

/* Calls `each` once for every item that includes a wait. */
typedef void diff_item_fn(void *arg, struct diff_item *it);
void diff_each_item(struct differing *df, u32 side, u32 wait, diff_item_fn *each, void *arg);

/* Rates are known; sets p and verdict of all items, `intervals` and `tested`. -ENOMEM or 0. */
int diff_test_items(struct differing *df);
/* Fills causes, frames and nodes. -ENOMEM or 0. */
int diff_put_in_order(struct differing *df, struct arena *a);

#endif
