/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_CAUSE_MEMO_H
#define ANALYSIS_CAUSE_MEMO_H

#include "analysis/cause.h"
#include "base/err.h"
#include "profile/profile.h"

/*
 * The causes of one profile, for all who need them: to ask the rules about each wait takes longer
 * than most of what is done with the answers. Nobody is asked before somebody wants to know. Set
 * `p` and `rules`, all else is 0. Not safe from several threads.
 */
struct cause_memo {
	const struct profile *p; /* borrowed, as the rules */
	const struct ruleset *rules; /* as of causes__init() */
	struct causes causes; /* of `p`, once they are found */
	bool found;
};

void cause_memo__done(struct cause_memo *memo);

/*
 * The causes of `rows`: the profile of the memo, or what is shown of it (time_view.h, shown.h).
 * They are borrowed from the memo. Without one, NULL, they are found here, by the rules that are
 * built in. -ENOMEM or 0; causes__done() in either case.
 */
int causes__recall(struct causes *c, const struct profile *rows, struct cause_memo *memo,
		   struct err *err);

#endif
