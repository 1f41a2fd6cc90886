/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_PAST_STORE_QUESTION_H
#define APP_PAST_STORE_QUESTION_H

#include "analysis/cause/ruleset.h"
#include "app/time_range.h"
#include "base/err.h"
#include "base/notices.h"
#include "store/query.h"

/* One SQL statement over the windows of a store, or recording, in a range: docs/query.md. */
struct store_question {
	const char *store; /* directory, or a recording */
	struct time_range range;
	const struct ruleset *rules; /* for causes; NULL: the built-in ones */
	const char *sql;
};

/*
 * Passes the answer to `row`. Damaged and skipped parts are reported in `notices`. -EINVAL for a
 * statement that is wrong or writes; -ENOENT if the store has no windows; errors of the store and
 * of `row`.
 */
int store_question__ask(const struct store_question *sq, query_row_fn *row, void *arg,
			struct notices *notices, struct err *err);

#endif
