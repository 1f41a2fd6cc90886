/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_MODEL_BLAME_PRIV_H
#define ANALYSIS_MODEL_BLAME_PRIV_H

/* Private to blame*.c. */
#include "analysis/model/blame.h"
#include "analysis/model/blame_links.h"
#include "analysis/name/place.h"

/* A part, without the time in its key. Texts are ids in `texts`. */
struct sum {
	u32 set;
	u32 kind;
	u32 path; /* those before `who`; 0: it is the waker itself */
	u32 who;
	u32 cause;
	u32 class;
	u32 object;
	u32 place;
	u32 sampled;
	u32 pad;
	u64 ns;
};

/* A waker that waited for another one. */
struct path {
	u32 set;
	u32 before; /* another path, which waited for this one; 0: none */
	u32 who;
	u32 depth; /* not part of the key: 1 for the first */
};

/* Time of a path, to be divided by what those behind it did. */
struct pending {
	u32 path;
	u32 group; /* of the index */
	u64 ns; /* not part of the key */
};

struct blaming {
	const struct profile *p;
	const u32 *set_of_wait;
	u32 *wait_of_wake;
	struct profile_wait *left; /* by wait: its time that is in no wake */
	struct profile own; /* its waits are the wakers' own, by id of the wake */
	struct causes causes; /* of these */
	struct labels labels;
	struct places places;
	struct strtab texts;
	u32 *top_place; /* by task: the text of its samples on a CPU; 0: none */
	u32 *who_of_waker; /* its name in `texts`, without a TID */
	struct wake_index index;
	struct intern sums;
	struct intern paths;
	struct intern pending;
	struct link_threads sum_threads;
	struct link_threads path_threads;
};

/* Adds the time of a wake by what its waker did. -ENOMEM or 0, like all functions here. */
int blame_add_wake(struct blaming *b, u32 wake);
/* Adds what threads did that wakers waited for. Call it when all wakes have been added. */
int blame_follow(struct blaming *b);
/* Adds the time of a wait that is in no wake. Call it when all wakes have been added. */
int blame_add_rest(struct blaming *b, u32 wait);
/* Turns the sums into the parts of each set, in the arena. */
int blame_freeze(const struct blaming *b, u32 sets_len, struct arena *a, struct blame *sets);

#endif
