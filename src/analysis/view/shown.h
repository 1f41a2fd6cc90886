/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_VIEW_SHOWN_H
#define ANALYSIS_VIEW_SHOWN_H

#include "analysis/name/machinery.h"
#include "analysis/view/time_view.h"
#include "base/err.h"
#include "base/intern.h"
#include "profile/profile.h"

/*
 * The view of a profile (time_view.h) with only the user frames that should be shown. All sums of
 * the view stay the same; stacks that differ only in hidden frames become one.
 */
struct shown_options {
	bool interpreter; /* keep machinery.h's frames */
	bool no_truncated; /* without FRAME_TRUNCATED */
	enum time_view view;
};

struct shown {
	const struct profile *p; /* what to read: the profile itself, or `copy` */
	struct viewed view;
	struct profile copy; /* borrows everything except stacks, waits and hots; not to be freed */
	struct intern stacks;
	struct profile_wait *waits;
	struct profile_hot *hots;
};

/*
 * Borrows `p` until shown__done(), which is called in either case. Frames must be named first.
 * Costs nothing if nothing is hidden. -ENOMEM or 0.
 */
int shown__init(struct shown *s, const struct profile *p, const struct shown_options *opt,
		struct err *err);
void shown__done(struct shown *s);

#endif
