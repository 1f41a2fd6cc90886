/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_MODEL_BLAME_LINKS_H
#define ANALYSIS_MODEL_BLAME_LINKS_H

/* Private to blame*.c: what is behind a waker that waited itself, and the threads of a part. */
#include "base/arena.h"
#include "base/intern.h"
#include "profile/profile.h"

/*
 * Wakes of one wait by threads of one name in one process are a group. Without wakeups themselves:
 * only what the wakers did.
 */
struct wake_index {
	const struct profile *p;
	const u32 *name_of_waker; /* borrowed */
	struct intern groups;
	u32 *next; /* by wake: the next one of its group; 0: none */
};

/* -ENOMEM or 0. Release with wake_index__done() in either case. */
int wake_index__init(struct wake_index *ix, const struct profile *p, const u32 *name_of_waker);
void wake_index__done(struct wake_index *ix);
/*
 * The group of the wait in which the waker of `wake` was blocked, and of whoever ended the last
 * wait of that waker. 0: none.
 */
u32 wake_index__behind(const struct wake_index *ix, u32 wake);
/* A wake of the group, and the time of all; not 0. */
u32 wake_index__first(const struct wake_index *ix, u32 group);
u64 wake_index__ns(const struct wake_index *ix, u32 group);

/* Distinct threads, by numbers that the caller gives to what they belong to. */
struct link_threads {
	const struct profile *p;
	struct intern threads;
};

/* -ENOMEM or 0. Release with link_threads__done() in either case. */
int link_threads__init(struct link_threads *t, const struct profile *p);
void link_threads__done(struct link_threads *t);
int link_threads__add(struct link_threads *t, u32 of, u32 waker);
/*
 * The name of each, in the arena: "worker-4133" if it is one thread, "worker (3 threads)",
 * "postgres (4 processes)"; NULL: no thread was added. `ret_names` has room for numbers below
 * `len`. -ENOMEM or 0.
 */
int link_threads__names(const struct link_threads *t, u32 len, struct arena *a,
			const char **ret_names);

#endif
