/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_MODEL_TOP_H
#define ANALYSIS_MODEL_TOP_H

#include "analysis/model/group.h"
#include "analysis/model/owner_times.h"
#include "base/arena.h"
#include "base/err.h"
#include "profile/profile.h"

/*
 * Waits in groups, longest total first, waits for work last. Every listed wait is in exactly one
 * row.
 */
struct top_row {
	u32 cause; /* enum cause */
	/* of a place: of its longest sum, if several */
	u32 class; /* enum wait_class */
	u32 state; /* index into PROFILE_STATE_LETTERS */
	const char *syscall; /* if it says more than the cause; NULL: none; the same */
	const char *comm; /* of the process; NULL unless grouped by place */
	const char *library; /* like `user`: the client library that was called */
	const char *user; /* place.h: "" if there is none; NULL unless grouped by place */
	const char *kernel; /* where most of it waited */
	const char *group; /* its name; NULL unless grouped by group.h */
	/* grouped by place: the object, if it says something, and the owner of most of its time */
	const char *object; /* NULL: unknown; the same */
	const char *owner;
	u64 owner_ns;
	struct owner_time owner_time; /* what the owner did itself */
	/* groups of threads: all of their time, including threads without waits; else 0 */
	u64 on_ns;
	u64 wall_ns;
	u64 idle_ns; /* see struct top_groups; in none of the sums below */
	u64 blocked_ns;
	u64 runq_ns;
	u64 hot_ns; /* of rows of a view (time_view.h), time on a CPU */
	u64 count;
	u64 max_ns;
	bool is_of_tasks; /* goroutines or tasks of asyncio, not threads */
	bool summed; /* some are WAIT_SUMMED: a count or longest of 0 is unknown, of all of them */
	u64 samples; /* waits that were chosen */
	u64 var_us2; /* of blocked + run queue, see profile/estimate.h; 0: nothing is estimated */
	u64 hist[PROFILE_HIST_LEN];
	u32 id; /* order of arrival; for top.c */
};

struct top {
	struct top_row *rows;
	u32 *row_of_wait; /* index of the row by wait id */
	u32 len;
	u32 idle; /* the last rows, this many, are waits for work; 0 by group */
	u64 blocked_ns; /* sums over the rows */
	u64 runq_ns;
	u64 hot_ns;
};

enum top_by {
	TOP_BY_CAUSE, /* cause, system call, state */
	/*
	 * cause, process, object (object_says_something()) and user place; without the last, the
	 * system call or the kernel's place. What differs in class or kernel alone is one row.
	 */
	TOP_BY_PLACE,
	TOP_BY_GROUP, /* top__build_groups() only */
};

/* Everything lives in the arena. `memo`: of causes, or NULL (cause_memo.h). -ENOMEM or 0. */
int top__build(const struct profile *p, enum top_by by, struct cause_memo *memo, struct arena *a,
	       struct top *ret_top, struct err *err);

struct top_groups {
	enum group_by by;
	bool idle_apart; /* waits for work are in idle_ns only, unless grouped by class */
};

/*
 * By group.h; `cause`, `class`, `state` and `syscall` of a row are then meaningless. Groups of
 * threads are all included, even those that did not wait.
 */
int top__build_groups(const struct profile *p, struct top_groups wish, struct cause_memo *memo,
		      struct arena *a, struct top *ret_top, struct err *err);

/* Sum of its three times. */
u64 top_row__ns(const struct top_row *row);
/* What to look at next; "" if there is no hint. For rows by cause or place. */
const char *top_row__hint(const struct top_row *row);

#endif
