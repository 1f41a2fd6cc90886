/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_PAST_ROLLUP_H
#define APP_PAST_ROLLUP_H

#include "analysis/cause/ruleset.h"
#include "base/err.h"
#include "base/notices.h"
#include "base/types.h"

/* Makes hourly sums of a store (docs/adr/0055). */
struct rollup {
	const char *store; /* directory */
	const struct ruleset *rules; /* for causes; NULL: the built-in ones */
	u64 months; /* older sums are removed; 0: none are */
	u64 now_wall_ns;
};

struct rollup_done {
	u64 hours; /* that have a sum now */
	u64 removed; /* files */
};

/*
 * Adds a sum for each hour behind the last one that has a sum, if all its windows are there: one
 * of a later hour follows, or it is over for an hour. A crash at any moment loses nothing, and no
 * hour is added twice. Damage is reported in `notices`. -EBUSY if somebody else does it; -ENOENT if
 * there is no store; errors of writing, after which the next call goes on.
 */
int rollup_run(const struct rollup *ru, struct rollup_done *ret, struct notices *notices,
	       struct err *err);

#endif
