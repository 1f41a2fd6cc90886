/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_HINTS_H
#define ANALYSIS_HINTS_H

#include "analysis/cause.h"
#include "analysis/top.h"

/* A tenth of the time leaves room for ten. */
#define HINTS_MAX 10

/* One thing to look at. Its words are constants. */
struct hint {
	enum cause cause;
	const char *name; /* the cause, or what else the time is */
	const char *text;
	u64 blocked_ns;
	u64 runq_ns;
};

/*
 * What to look at next: kinds of waits whose hint is worth a line, the longest first, and waiting
 * for a CPU after waits for work. Each has a tenth of the time of all that are no waits for work,
 * or more; a kind has one line, that of its longest row. Nothing where waits for work are nearly
 * all of the time, that is but for a thousandth: who has a hint then looks for what is not lost.
 */
struct hints {
	struct hint list[HINTS_MAX];
	u32 len;
};

/* `kinds` is built by TOP_BY_CAUSE. */
void hints__choose(const struct top *kinds, struct hints *ret);

#endif
