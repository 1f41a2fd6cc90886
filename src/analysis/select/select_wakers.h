/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_SELECT_SELECT_WAKERS_H
#define ANALYSIS_SELECT_SELECT_WAKERS_H

#include "analysis/select/select.h"
#include "analysis/view/waker_rows.h"
#include "profile/windows/part.h"

/* The part of waits that matching wakers ended: waits are divided by waker first. */
struct select_wakers {
	const struct profile *p; /* what to select from: the profile, or its waits divided */
	const struct profile *whole; /* the profile */
	bool divides; /* there is a filter by waker */
	struct vec patterns; /* struct pattern */
	struct waker_rows rows;
};

/*
 * Borrows `p` until select_wakers__done(), which is called in either case. -EINVAL with a message
 * for an invalid pattern, or a filter of a profile without wakers; -ENOMEM, or 0.
 */
int select_wakers__init(struct select_wakers *w, const struct profile *p,
			const struct select_options *opt, struct err *err);
void select_wakers__done(struct select_wakers *w);
/* Whether a pattern is the label, the name or the TID of who ended this row. */
bool select_wakers__fits(const struct select_wakers *w, const struct profile_wait *row);
/* Takes the wakes of the rows that are kept, which were taken before. Errors are the builder's. */
int select_wakers__keep(const struct select_wakers *w, const bool *kept, struct part *pt,
			const u32 *task_ids);

#endif
