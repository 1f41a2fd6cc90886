/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_PATH_PATH_VIEW_H
#define ANALYSIS_PATH_PATH_VIEW_H

#include "analysis/cause/cause_memo.h"
#include "analysis/path/path_table.h"
#include "analysis/view/grown_code.h"

/* Frames that are not code. In brackets, a graph draws them as something that is not known. */
#define PATH_NOTE_ON_CPU "on a CPU"
#define PATH_NOTE_RUNQ "waiting for a CPU"
#define PATH_NOTE_LOST "[not known]"

/*
 * A critical path as a profile of one thread, for formats that show stacks. The stack of a part is
 *
 *	cause, and place of a wait that the path left, name of the thread that ended it, ...
 *	and at the leaf the stacks of the last wait, or what the thread did instead
 *
 * Its rows are waits in state S, whatever they are, and are not counted; their times add up to the
 * length of the path.
 * It would not pass profile__check().
 */
struct path_view {
	struct profile copy; /* what to read; borrows the rest of the profile; not to be freed */
	struct cause_memo memo; /* the causes of its rows */
	struct grown_code code;
	struct profile_task tasks[2];
	struct vec rows; /* struct profile_wait */
};

/*
 * Borrows the profile until path_view__done(), which is called in either case. Frames must be
 * named. `memo`: of causes of the profile, or NULL. -ENOMEM or 0.
 */
int path_view__init(struct path_view *v, const struct critical_path *path, struct cause_memo *memo,
		    struct err *err);
void path_view__done(struct path_view *v);

#endif
