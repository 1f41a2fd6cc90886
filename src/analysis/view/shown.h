/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_VIEW_SHOWN_H
#define ANALYSIS_VIEW_SHOWN_H

#include "analysis/name/machinery.h"
#include "analysis/view/time_view.h"
#include "analysis/view/wake_view.h"
#include "analysis/view/waker_rows.h"
#include "base/err.h"
#include "base/intern.h"
#include "profile/profile.h"

/*
 * The view of a profile (time_view.h) with only the user frames that should be shown. All sums of
 * the view stay the same; stacks that differ only in hidden frames become one. Rows and wakers keep
 * their ids, so the waits of wakes are those of wake_waits(), called with the profile itself.
 * With wakes, it would not pass profile__check() if waits become equal.
 *
 * With `wakers`, waits are divided first (waker_rows.h), unless `p` is such a view already, and
 * stacks of wakers go on behind those of the rows (wake_view.h).
 */
struct shown_options {
	bool interpreter; /* keep machinery.h's frames */
	bool no_truncated; /* without FRAME_TRUNCATED */
	enum time_view view;
	enum wakers_shown wakers;
	bool waker_comms; /* as in struct wake_view_options, like the next one */
	bool waker_delimiter;
};

struct shown {
	const struct profile *p; /* what to read: the profile itself, or `copy` */
	struct viewed view;
	struct profile copy; /* borrows everything except stacks and rows; not to be freed */
	struct intern stacks;
	struct profile_wait *waits;
	struct profile_hot *hots;
	struct profile_waker *wakers;
	struct profile_wake *wakes;
	struct waker_rows rows;
	struct wake_view wake_view;
};

/*
 * Borrows `p` until shown__done(), which is called in either case. Frames must be named first.
 * Costs nothing if nothing is hidden. -ENOMEM or 0.
 */
int shown__init(struct shown *s, const struct profile *p, const struct shown_options *opt,
		struct err *err);
void shown__done(struct shown *s);

#endif
