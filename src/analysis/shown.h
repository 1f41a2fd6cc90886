/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_SHOWN_H
#define ANALYSIS_SHOWN_H

#include "analysis/machinery.h"
#include "analysis/time_view.h"
#include "base/err.h"
#include "base/intern.h"
#include "profile/profile.h"

/*
 * The view of a profile (time_view.h), with those frames of its user stacks that are to be shown.
 * All sums of the view are the same; stacks that differ only in hidden frames become one.
 */
struct shown_options {
	bool interpreter; /* keep machinery.h's frames */
	bool no_truncated; /* without FRAME_TRUNCATED */
	enum time_view view;
};

struct shown {
	const struct profile *p; /* what to read: the profile itself, or `copy` */
	struct viewed view;
	struct profile copy; /* borrows all but stacks, waits and hots; not to be freed */
	struct intern stacks;
	struct profile_wait *waits;
	struct profile_hot *hots;
};

/*
 * Borrows `p` until shown__done(), which is called in either case. Frames must be named before.
 * Costs nothing when there is nothing to hide. -ENOMEM or 0.
 */
int shown__init(struct shown *s, const struct profile *p, const struct shown_options *opt,
		struct err *err);
void shown__done(struct shown *s);

#endif
