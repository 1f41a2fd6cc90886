/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_TABLE_H
#define TUI_TABLE_H

#include "analysis/cause/cause_memo.h"
#include "analysis/model/top.h"
#include "base/err.h"
#include "profile/profile.h"
#include "render/by_waker.h"

/* The tabs in the order of their keys, from 1: X(NAME, name). Cost is no table. */
#define TABS(X)                                                                                    \
	X(WHY, "Why")                                                                              \
	X(PLACES, "Places")                                                                        \
	X(THREADS, "Threads")                                                                      \
	X(PROCESSES, "Processes")                                                                  \
	X(WAKERS, "Wakers")                                                                        \
	X(COST, "Cost")

enum tab {
#define X(NAME, name) TAB_##NAME,
	TABS(X)
#undef X
		TAB_CNT
};

const char *tab_name(enum tab tab);

/* What rows are sorted by: X(NAME, name). Largest first, names in the order of the alphabet. */
#define SORTS(X)                                                                                   \
	X(TIME, "time")                                                                            \
	X(COUNT, "count")                                                                          \
	X(LONGEST, "longest")                                                                      \
	X(NAME, "name")

enum sort {
#define X(NAME, name) SORT_##NAME,
	SORTS(X)
#undef X
		SORT_CNT
};

const char *sort_name(enum sort sort);

/* Which rows are shown, and in which order. */
struct table_choice {
	enum sort sort;
	bool idle; /* waits for work are rows, or part of a row's time, like others */
	const char *filter; /* a part of the row's text, in any case; "": all */
};

/* The rows of one tab of one profile. */
struct table {
	struct arena arena;
	enum tab tab;
	struct by_waker divided; /* what the rows are of: the profile, or its waits by waker */
	struct top top;
	const char **texts; /* by row of `top` */
	u64 busy_ns; /* of all other waits, in any row */
	u64 idle_ns; /* of waits for work */
	/* set by table__choose() */
	u32 *shown; /* rows of `top` */
	u32 shown_len;
	u64 whole_ns; /* what shares are of */
	struct table_choice choice;
};

/*
 * Borrows `p` and `memo`, the causes of it. Release with table__done() in either case. -ENOMEM or
 * 0. Not for TAB_COST.
 */
int table__init(struct table *t, const struct profile *p, struct cause_memo *memo, enum tab tab,
		struct err *err);
void table__done(struct table *t);
void table__choose(struct table *t, const struct table_choice *choice);
/* Whether a row is one of threads, which also has their time on a CPU. */
bool table__is_of_threads(const struct table *t);
/* The time of a row as chosen: with waits for work, or without. */
u64 table__ns(const struct table *t, u32 row);

#endif
