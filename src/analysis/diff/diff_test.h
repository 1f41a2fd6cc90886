/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_DIFF_DIFF_TEST_H
#define ANALYSIS_DIFF_DIFF_TEST_H

#include "base/types.h"

/*
 * Do two series of measurements, one value per second, differ by more than their own seconds do?
 * Pure functions; the same numbers give the same answer. docs/adr/0027 has the reasons.
 */

/* Seconds needed on each side; with fewer, nothing can be tested. */
#define DIFF_TEST_MIN 4

struct diff_sides {
	const double *at[2];
	u32 len[2];
};

/*
 * The probability that means at least this far apart come from the same source: a two-sided
 * permutation test of Welch's t, with at most `rounds` permutations. Dependent neighbouring seconds
 * are merged first. 1 if there are fewer than DIFF_TEST_MIN; negative when out of memory. Series
 * may have any length and are in order of time.
 */
double diff_test_p(const struct diff_sides *s, u32 rounds);

/*
 * Benjamini and Hochberg, 1995: of those whose adjusted p is at most q, at most the fraction q is
 * expected to be chance. Adjusts `p` in place. -ENOMEM or 0.
 */
int diff_test_adjust(double *p, u32 len);

#endif
