/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_VIEW_MEASURED_ROWS_H
#define ANALYSIS_VIEW_MEASURED_ROWS_H

#include "analysis/cause/cause_memo.h"
#include "base/arena.h"
#include "profile/profile.h"

/* Who ended measured waits. */
struct measured_waker {
	const char *place; /* "": unknown; "[timer]" where no task did */
	u64 count;
	u64 total_ns; /* of the waits that it ended */
};

/* Measured waits of tasks in one place, with the same word of the runtime. */
struct measured_row {
	const char *comm; /* what the task began with */
	const char *place;
	const char *word; /* "[chan receive]"; "": none */
	bool is_idle; /* a wait for work, by the rules */
	u64 count;
	u64 total_ns;
	u64 max_ns;
	u64 hist[PROFILE_HIST_LEN];
	const struct measured_waker *wakers; /* longest first */
	u32 wakers_len;
};

struct measured_rows {
	const struct measured_row *rows; /* longest first, waits for work last */
	u32 len;
	u64 count; /* of all */
};

/* By the rules of `memo`; NULL: the built-in ones. Everything is in the arena. -ENOMEM or 0. */
int measured_rows__build(const struct profile *p, const struct cause_memo *memo, struct arena *a,
			 struct measured_rows *ret);

#endif
