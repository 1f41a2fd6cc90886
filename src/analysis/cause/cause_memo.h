/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_CAUSE_CAUSE_MEMO_H
#define ANALYSIS_CAUSE_CAUSE_MEMO_H

#include "analysis/cause/cause.h"
#include "base/err.h"
#include "profile/profile.h"

/*
 * The causes of one profile, shared by everyone who needs them, because evaluating the rules for
 * each wait takes longer than most uses of the result. Computed on first use. Set `p` and `rules`,
 * leave the rest 0. Not thread-safe.
 */
struct cause_memo {
	const struct profile *p; /* borrowed, like the rules */
	const struct ruleset *rules; /* as for causes__init() */
	struct causes causes; /* of `p`, once computed */
	bool found;
};

void cause_memo__done(struct cause_memo *memo);

/*
 * The causes of `rows`: the profile of the memo, or a view of it (time_view.h, shown.h). They are
 * borrowed from the memo, or, where rows are parts of its waits, copied. If `memo` is NULL, they
 * are computed here with the built-in rules. -ENOMEM or 0; causes__done() in either case.
 */
int causes__recall(struct causes *c, const struct profile *rows, struct cause_memo *memo,
		   struct err *err);

#endif
