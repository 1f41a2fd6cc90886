/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_DIFF_DIFF_FAMILY_H
#define ANALYSIS_DIFF_DIFF_FAMILY_H

#include "analysis/diff/diff_test.h"

/*
 * Many tests, each as in diff_test_p(). Rows with the same numbers are one test, run once, however
 * many functions of a chain have them. `ret_p` of each row is its p, adjusted by diff_test_adjust()
 * for the number of distinct tests. -ENOMEM or 0.
 */
int diff_family_test(const struct diff_sides *rows, u32 len, double *ret_p);

#endif
