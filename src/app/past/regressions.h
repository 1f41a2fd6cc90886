/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_PAST_REGRESSIONS_H
#define APP_PAST_REGRESSIONS_H

#include "analysis/regress/regress_rows.h"
#include "app/time_range.h"
#include "base/err.h"
#include "base/notices.h"

/* A range of time in a store, and the same range in the days before. */
struct regressions_question {
	const char *store; /* directory */
	/* `at`: the hour, by UTC, that has it. Nothing: the last full one. */
	struct time_range range;
	u64 days; /* so many, counted back; those without windows are passed over */
	const struct ruleset *rules; /* for causes; NULL: the built-in ones */
};

/*
 * Reads the windows whose middle is in these ranges into `rows`, which are initialised. *ret_span
 * is the range in question. Damaged and skipped parts are reported in `notices`. -EINVAL for a
 * range that is empty or longer than a day; -ENOENT if the store has no windows; errors of it.
 */
int regressions_read(const struct regressions_question *q, struct regress_rows *rows,
		     struct time_span *ret_span, struct notices *notices, struct err *err);

#endif
