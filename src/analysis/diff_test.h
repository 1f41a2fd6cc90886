/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_DIFF_TEST_H
#define ANALYSIS_DIFF_TEST_H

#include "base/types.h"

/*
 * Do two series of measurements, one of each second, differ by more than their own seconds differ
 * by? Pure functions; the same numbers have the same answer. docs/adr/0027 has the reasons.
 */

/* Seconds of either side that are needed; with less nothing can be told. */
#define DIFF_TEST_MIN 4

struct diff_sides {
	const double *at[2];
	u32 len[2];
};

/*
 * The probability that means as far apart as these come from one and the same source: by a
 * permutation test of Welch's t, two-sided, with at most `rounds` permutations. Seconds that depend
 * on those before them are put together first. 1 where there are fewer than DIFF_TEST_MIN; negative
 * when memory is short. Series of any length; they are in the order of time.
 */
double diff_test_p(const struct diff_sides *s, u32 rounds);

/*
 * Benjamini and Hochberg, 1995: of those whose adjusted p is at most q, no more than the part q is
 * expected to be chance. `p` becomes the adjusted ones, in their places. -ENOMEM or 0.
 */
int diff_test_adjust(double *p, u32 len);

#endif
