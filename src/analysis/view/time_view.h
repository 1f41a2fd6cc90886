/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_VIEW_TIME_VIEW_H
#define ANALYSIS_VIEW_TIME_VIEW_H

#include "base/err.h"
#include "profile/profile.h"

/* Which part of thread time to show. */
enum time_view {
	VIEW_DEFAULT = 0, /* the caller's default */
	VIEW_OFF, /* off the CPU: the waits */
	VIEW_ON, /* on a CPU: the hots */
	VIEW_WALL, /* both; with unaccounted time, the wall time of the threads */
};

/*
 * A profile whose waits are the rows of a view: first its waits, then its hots, each with
 * WAIT_ON_CPU, its time in on_ns, and a count of 0. It is read like any other profile, but would
 * not pass profile__check(). A view of time off the CPU costs nothing. Waits and wakes keep their
 * ids; without waits there are neither wakes nor moments.
 */
struct viewed {
	const struct profile *p; /* what to read: the profile itself, or `copy` */
	struct profile copy; /* borrows everything except the waits; not to be freed */
	struct profile_wait *rows;
};

/*
 * Borrows `p` until viewed__done(), which is called in either case. VIEW_DEFAULT is VIEW_OFF.
 * -ENOMEM or 0.
 */
int viewed__init(struct viewed *v, const struct profile *p, enum time_view view, struct err *err);
void viewed__done(struct viewed *v);

/* All time of a thread that a view covers, known exactly. */
u64 time_view_task_ns(enum time_view view, const struct profile_task *t);

#endif
