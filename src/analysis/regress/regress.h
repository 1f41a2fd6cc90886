/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_REGRESS_REGRESS_H
#define ANALYSIS_REGRESS_REGRESS_H

#include "analysis/regress/regress_rows.h"
#include "base/arena.h"

/*
 * What waits more in a range of time than in the same range of the days before, by more than days
 * and windows vary. Times are ns per second of window.
 *
 * Two tests, and a row must pass both. Between days: Student's t of the new day against the others,
 * whose variance is that of the days, and at least what windows explain. Between windows: the
 * permutation test of a diff. Both are adjusted for the number of rows, in two families, causes and
 * functions. docs/regressions.md says how.
 */

/* Highest adjusted p between days; between windows it is DIFF_FALSE_PART. */
#define REGRESS_FALSE_PART 0.01
/* Smallest part of all time off the CPU that is tested, and smallest relative change. */
#define REGRESS_WEIGHT_MIN 0.001
#define REGRESS_EFFECT_MIN 0.02
/* With fewer days before, the variation between them is not known. */
#define REGRESS_DAYS_MIN 3

struct regress_item {
	u32 kind; /* enum regress_kind */
	u32 cause; /* enum cause */
	const char *process; /* borrowed from the rows, like the others */
	const char *function;
	const char *module;
	double rate[2]; /* before: the mean of the days; after */
	double error; /* standard error of the difference */
	double p; /* the larger adjusted one */
};

struct regress {
	u32 days; /* with windows, before the range */
	u32 windows[2]; /* before and after; a sum of windows is one */
	double seconds[2]; /* recorded */
	double rate[2]; /* of all rows */
	bool by_days; /* tested against days */
	bool by_windows; /* tested against windows */
	u32 tested; /* rows */
	struct regress_item *items; /* causes, then functions; most costly first */
	u32 len;
};

/* Everything is in the arena, except names. -ENOENT if a side has no windows; -ENOMEM or 0. */
int regress__find(const struct regress_rows *rr, struct arena *a, struct regress *ret,
		  struct err *err);

#endif
