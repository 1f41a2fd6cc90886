/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_VIEW_WAKE_VIEW_H
#define ANALYSIS_VIEW_WAKE_VIEW_H

#include "analysis/view/grown_code.h"
#include "base/err.h"
#include "profile/profile.h"

/* What stands behind the stack of a wait. */
enum wakers_shown {
	WAKERS_HIDDEN = 0,
	WAKERS_ONE, /* the stack and name of who ended it */
	WAKERS_CHAIN, /* and of who ended that one's last wait, and so on */
};

/* Names of frames that are not code. */
#define WAKER_MARK "--"
#define NO_WAKER_PREEMPTED "[no waker: preempted]"
#define NO_WAKER_THROTTLED "[no waker: throttled]"
#define NO_WAKER_NEW "[no waker: new]"
#define NO_WAKER_OPEN "[no waker: still waiting]"
#define NO_WAKER_KNOWN "[waker unknown]"

struct wake_view_options {
	enum wakers_shown wakers; /* not WAKERS_HIDDEN */
	bool delimiter; /* "-" between the waker's kernel and user frames */
	bool comms; /* names of threads as waker_label_comm() gives them */
};

/*
 * A view of divided waits (waker_rows.h) in which the stack of the waker goes on behind that of the
 * row: behind the kernel stack, or behind the user stack of a profile without kernel stacks.
 *
 *	leaf of the wait, --, leaf of the waker's kernel stack ... its root,
 *	leaf of the waker's user stack ... its root, name of the waker
 *
 * A renderer that follows stacks shows this without knowing. The nodes have STACK_WAKER, and the
 * frames that are not code FRAME_NOTE. If no waker is known, a note says why. Lost waits
 * and time on a CPU stay as they are. It is read like any other profile, but would not pass
 * profile__check().
 */
struct wake_view {
	const struct profile *p; /* what to read: the profile itself, or `copy` */
	struct profile copy; /* borrows everything except what is below; not to be freed */
	struct grown_code code;
	struct profile_wait *rows;
};

/*
 * Borrows `p` until wake_view__done(), which is called in either case. Frames must be named first.
 * The profile itself if no wakers were recorded. -ENOMEM or 0.
 */
int wake_view__init(struct wake_view *v, const struct profile *p,
		    const struct wake_view_options *opt, struct err *err);
void wake_view__done(struct wake_view *v);

#endif
