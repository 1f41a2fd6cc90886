/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEB_SOURCE_KEPT_H
#define WEB_SOURCE_KEPT_H

#include <pthread.h>

#include "base/vec.h"
#include "profile/profile.h"
#include "web/source/window_sums.h"

/*
 * The windows that viewers can ask for, numbered from 1. A window never changes: a viewer takes
 * references and reads without a lock, so adding a window never waits for a viewer. Of a recording
 * that goes on, the oldest are dropped when there are too many. Thread-safe.
 */
struct kept_window {
	u64 seq;
	struct window_sums sums;
	struct profile *profile; /* NULL: it is in a file */
	u64 rows; /* of the profile */
	u32 users; /* under the lock */
};

struct kept_limits {
	u64 keep_ns; /* length of all windows together; 0: no limit */
	u64 rows; /* of their profiles; 0: no limit */
};

struct kept {
	struct kept_limits limits;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct vec windows; /* struct kept_window *, by seq */
	u64 next_seq;
	u64 length_ns; /* of all windows */
	u64 rows;
	u64 dropped;
	u64 news; /* how often kept__tell() was called */
	bool closed;
};

/* What there is at one time. */
struct kept_span {
	u64 first_seq; /* 0: no windows */
	u64 last_seq;
	u64 dropped; /* windows that are no longer kept */
	u64 news;
	bool closed;
};

/* -ENOMEM or 0. */
int kept__init(struct kept *k, const struct kept_limits *limits);
/* When no viewer is left. */
void kept__done(struct kept *k);
/*
 * Adds a window. Takes `sums`, which is empty then, and `p` (may be NULL), also on error. -ENOMEM
 * or 0.
 */
int kept__add(struct kept *k, struct window_sums *sums, struct profile *p);
/* Adds the windows of `from` to `to` that are there, to a vec of struct kept_window *. -ENOMEM. */
int kept__take(struct kept *k, u64 from, u64 to, struct vec *windows);
/* Gives all of them back, and empties the vec. */
void kept__release(struct kept *k, struct vec *windows);
struct kept_span kept__span(struct kept *k);
/* Wakes those that wait, because something else has changed. */
void kept__tell(struct kept *k);
/* From now on nobody waits. */
void kept__close(struct kept *k);
/*
 * Waits until there is a window after `seq`, `news` is another number, it was closed, or the
 * instant (CLOCK_MONOTONIC) is reached. Returns what there is then.
 */
struct kept_span kept__wait(struct kept *k, u64 seq, u64 news, u64 until_ns);

#endif
