/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_MODEL_LOCKS_H
#define TUI_MODEL_LOCKS_H

#include "analysis/cause/cause_memo.h"
#include "analysis/model/top.h"
#include "analysis/name/object_label.h"
#include "base/arena.h"
#include "base/err.h"
#include "profile/profile.h"

/* A view of a profile with only those waits whose cause is a lock, as parts (part_of). */
struct lock_waits {
	struct profile copy; /* borrows everything except the waits; not to be freed */
	struct profile_wait *rows;
};

/* -ENOMEM or 0; lock_waits__done() in either case. */
int lock_waits__init(struct lock_waits *l, const struct profile *p, struct cause_memo *memo,
		     struct err *err);
void lock_waits__done(struct lock_waits *l);

/* What a row of locks has beside its sums. */
struct lock_row {
	u32 waiters; /* threads that waited for it */
	u32 waiting; /* of them, those that still did at the end of the window */
	u64 handoffs; /* waits that another thread ended; only where wakers were recorded */
	const char *owner; /* at the end of the window; else of most of the time; "": unknown */
	bool owner_now;
};

/*
 * Of each row of `top`, which groups the waits of the view, and in the arena. `p` is what the view
 * is of. -ENOMEM or 0.
 */
int lock_rows__build(const struct lock_waits *l, const struct profile *p, const struct top *top,
		     struct arena *a, struct lock_row **ret, struct err *err);

#endif
