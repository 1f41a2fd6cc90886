/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_HINTS_H
#define ANALYSIS_HINTS_H

#include "analysis/top.h"

/* A tenth of the time leaves room for ten. */
#define HINTS_MAX 10

/*
 * What to look at next: rows of a top by cause whose hint is worth a line, the longest first. Each
 * has a tenth of the time of all that are no waits for work, or more; a kind has one line, that of
 * its longest row.
 */
struct hints {
	const struct top_row *rows[HINTS_MAX];
	u32 len;
};

/* `kinds` is built by TOP_BY_CAUSE, and borrowed. */
void hints__choose(const struct top *kinds, struct hints *ret);

#endif
