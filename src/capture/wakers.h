/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_WAKERS_H
#define CAPTURE_WAKERS_H

#include "abi/task.h"
#include "abi/wait.h"
#include "base/err.h"
#include "base/map64.h"
#include "base/vec.h"
#include "capture/profile_stacks.h"
#include "capture/program/programs.h"
#include "profile/builder.h"

/*
 * Moves who ended waits from the programs' tables to a builder. In order: the threads of the
 * window, the table of wakers, the waits as they are listed, and then the wakeups, which refer to
 * all of these. Not thread-safe.
 */
struct wakers {
	struct builder *b; /* these two are borrowed */
	struct profile_stacks *stacks;
	struct vec links; /* of the table of wakers */
	struct vec outsiders;
	struct vec waits; /* struct profile_wake: the part of a key that is the wait's */
	struct vec threads;
	struct map64 links_at; /* cs_waker's id to an index of `links`, and so on */
	struct map64 outsiders_at;
	struct map64 waits_at; /* by cs_wait_hash() */
	struct map64 threads_at; /* by the id of a record */
	u64 ended; /* waits that somebody woke, and their time */
	u64 ended_ns;
	u64 seen; /* those whose waker is known, likewise */
	u64 seen_ns;
	u64 other; /* those whose waker found no room in the table */
	u64 other_ns;
	u64 bare; /* wakeups whose waker's stack found no room */
};

void wakers__init(struct wakers *w, struct builder *b, struct profile_stacks *stacks);
void wakers__done(struct wakers *w);
/* A thread of the window; `task` is the builder's id of it. -ENOMEM or 0. */
int wakers__see_thread(struct wakers *w, const struct cs_task_record *rec, u32 task);
/* Reads the tables of wakers. */
int wakers__read(struct wakers *w, const struct programs *p, struct err *err);
/* A listed wait: its key in the kernel, and as it went to the builder. -ENOMEM or 0. */
int wakers__see_wait(struct wakers *w, const struct cs_wait_key *key,
		     const struct profile_wait *wait);
/* The builder's id of a waker, by that of the programs; 0: not known. -ENOMEM or 0. */
int wakers__id(struct wakers *w, u64 id, u32 *ret);
/*
 * Reads the wakeups of the window that began at this instant, and gives all to the builder. Of the
 * waits that were listed without one, `lost` are counted elsewhere. `last`: the tables are freed
 * with the programs.
 */
int wakers__give(struct wakers *w, const struct programs *p, u64 begin_ns, bool last, u64 lost,
		 struct err *err);

#endif
