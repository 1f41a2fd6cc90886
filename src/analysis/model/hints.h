/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_MODEL_HINTS_H
#define ANALYSIS_MODEL_HINTS_H

#include "analysis/cause/cause.h"
#include "analysis/model/top.h"

/* Each has at least a tenth of the time. */
#define HINTS_MAX 10

/* One thing to look at. Its strings are constants. */
struct hint {
	enum cause cause;
	const char *name; /* the cause, or another name for the time */
	const char *text;
	u64 blocked_ns;
	u64 runq_ns;
};

/*
 * What to look at next: causes whose hint deserves a line, longest first, and waiting for a CPU
 * after waits for work. Each has at least a tenth of all time that is not waiting for work. A cause
 * has one line, that of its longest row. There are no hints if all but a thousandth of the time is
 * waiting for work: they would point at time that is not lost.
 */
struct hints {
	struct hint list[HINTS_MAX];
	u32 len;
};

/* `kinds` was built with TOP_BY_CAUSE. `memo`: cause_memo.h, may be NULL. -ENOMEM or 0. */
int hints__choose(const struct profile *p, struct cause_memo *memo, const struct top *kinds,
		  struct hints *ret);

#endif
