/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_MODEL_TABLE_H
#define TUI_MODEL_TABLE_H

#include "analysis/cause/cause_memo.h"
#include "analysis/model/top.h"
#include "base/err.h"
#include "profile/profile.h"
#include "render/by_waker.h"
#include "tui/model/filter.h"
#include "tui/model/locks.h"

/* The tabs in the order of their keys, from 1: X(NAME, name). */
#define TABS(X)                                                                                    \
	X(WHY, "Why")                                                                              \
	X(STACKS, "Stacks")                                                                        \
	X(FLAME, "Flame")                                                                          \
	X(THREADS, "Threads")                                                                      \
	X(PROCESSES, "Processes")                                                                  \
	X(LOCKS, "Locks")                                                                          \
	X(WAKERS, "Wakers")                                                                        \
	X(DIFF, "Diff")                                                                            \
	X(OUTPUT, "Output")                                                                        \
	X(COST, "Cost")

enum tab {
#define X(NAME, name) TAB_##NAME,
	TABS(X)
#undef X
		TAB_CNT
};

const char *tab_name(enum tab tab);

/*
 * The tables, in groups by tab, whose first one is shown first: X(NAME, tab, head of the names,
 * enum group_by, or GROUP_BY_CNT: rows of top.h that are no groups).
 */
#define TABLES(X)                                                                                  \
	X(CALLS, WHY, "why (state)", GROUP_BY_CNT)                                                 \
	X(CAUSES, WHY, "cause", GROUP_BY_CAUSE)                                                    \
	X(PLACES, STACKS, "where", GROUP_BY_CNT)                                                   \
	X(STACKS, STACKS, "function in the program, and in the kernel", GROUP_BY_STACK)            \
	X(MODULES, STACKS, "module", GROUP_BY_MODULE)                                              \
	X(OBJECTS, STACKS, "object", GROUP_BY_OBJECT)                                              \
	X(THREADS, THREADS, "thread", GROUP_BY_THREAD)                                             \
	X(COMMS, THREADS, "thread name", GROUP_BY_COMM)                                            \
	X(PROCESSES, PROCESSES, "process", GROUP_BY_PROCESS)                                       \
	X(CGROUPS, PROCESSES, "cgroup", GROUP_BY_CGROUP)                                           \
	X(LOCKS, LOCKS, "lock, and its owner", GROUP_BY_OBJECT)                                    \
	X(OWNERS, LOCKS, "owner of locks", GROUP_BY_OWNER)                                         \
	X(WAKERS, WAKERS, "waker", GROUP_BY_WAKER)

enum table_kind {
#define X(NAME, tab, head, by) TABLE_##NAME,
	TABLES(X)
#undef X
		TABLE_CNT
};

const char *table_head(enum table_kind kind);
/* GROUP_BY_CNT: its rows are no groups. */
enum group_by table_group(enum table_kind kind);
/* The first table of a tab; TABLE_CNT: it has none. */
enum table_kind table_first(enum tab tab);
/* The next one of the same tab, or the first again. */
enum table_kind table_next(enum table_kind kind);

/* What rows are sorted by: largest first, names in the order of the alphabet. */
enum sort { SORT_TIME, SORT_COUNT, SORT_LONGEST, SORT_NAME, SORT_CNT };

/* Of a row whose name is empty. */
#define TABLE_NO_NAME "[no name]"

/* Which rows are shown, and in which order. */
struct table_choice {
	enum sort sort;
	bool idle; /* waits for work are rows, or part of a row's time, like others */
	const struct filter *filter; /* of texts; NULL: all */
};

/* The rows of one table of one profile. */
struct table {
	struct arena arena;
	enum table_kind kind;
	struct by_waker divided; /* what the rows are of: the profile, or its waits by waker */
	struct lock_waits lock_waits; /* the same of locks */
	struct lock_row *locks; /* by row of `top`; NULL: it is not of locks */
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
 * 0.
 */
int table__init(struct table *t, const struct profile *p, struct cause_memo *memo,
		enum table_kind kind, struct err *err);
void table__done(struct table *t);
void table__choose(struct table *t, const struct table_choice *choice);
/* Whether a row is one of threads, which also has their time on a CPU. */
bool table__is_of_threads(const struct table *t);
/* The time of a row as chosen: with waits for work, or without. */
u64 table__ns(const struct table *t, u32 row);
/* The row with this text; false: there is none. */
bool table__find(const struct table *t, const char *text, u32 *ret_row);
/* Whether a wait, by its id in `divided.p`, is in that row. */
bool table__has_wait(const struct table *t, u32 row, u32 wait);
/* The id of such a wait in the profile that the table is of. */
u32 table__wait(const struct table *t, u32 wait);

#endif
