/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_PATH_PATH_TABLE_H
#define ANALYSIS_PATH_PATH_TABLE_H

#include "analysis/cause/cause_memo.h"
#include "analysis/path/critical_path.h"
#include "base/arena.h"

/*
 * Parts of a critical path that are alike: by thread, kind, cause, place, object and waker. If
 * there are many threads, those with one name are one.
 */
struct path_row {
	const char *comm; /* of the threads */
	u32 task; /* the first of them */
	u32 threads; /* how many */
	u32 kind; /* enum path_kind */
	u32 cause; /* enum cause, of the wait; CAUSE_ON_CPU or CAUSE_UNKNOWN without one */
	const char *place; /* place.h, user or else kernel; "" if unknown */
	const char *object; /* object_label_without_device(); "" if it says nothing */
	const char *waker; /* waker_label_shared(); "" if nobody is known */
	u64 ns;
	u64 longest_ns;
	u32 parts;
};

struct path_table {
	struct path_row *rows; /* longest first */
	u32 len;
	u32 *row_of_part; /* by index of the part */
	u64 ns; /* sum of the rows: the length of the path */
	u64 known_ns; /* of the kinds that are known */
};

/*
 * Everything is in the arena. `memo`: of causes, or NULL. Frames must be named. -ENOMEM or 0.
 */
int path_table__build(const struct critical_path *path, struct cause_memo *memo, struct arena *a,
		      struct path_table *ret, struct err *err);

#endif
