/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_DIFF_FAMILY_H
#define ANALYSIS_DIFF_FAMILY_H

#include "analysis/diff_test.h"

/*
 * Many questions at a time, as diff_test_p() answers one. Rows with the same numbers are the same
 * question, asked once, however many functions of a chain have them: `ret_p` of each row is its p,
 * adjusted by diff_test_adjust() for as many questions as differ. -ENOMEM or 0.
 */
int diff_family_test(const struct diff_sides *rows, u32 len, double *ret_p);

#endif
