/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_LEAVERS_H
#define CAPTURE_LEAVERS_H

#include "abi/task.h"
#include "base/map64.h"

/*
 * Sleeping threads that are no longer targets. No hook runs for them, so every later window reports
 * them until they wake. Their record and waits belong to the window in which they left; in later
 * windows they are dropped. Not thread-safe.
 */
struct leavers {
	struct map64 before; /* ids: at the end of the last window */
	struct map64 now;
	bool by_id; /* nobody leaves or comes back unless a target is removed or added */
	bool added, added_now; /* one was: in the window of the records, and after it */
	bool removed, removed_now;
};

/* `by_id`: the targets are processes or threads; not programs, cgroups or names. */
void leavers__init(struct leavers *l, bool by_id);
void leavers__done(struct leavers *l);
/* A target was added: who had left may be back. */
void leavers__add(struct leavers *l);
/* A target was removed: its threads leave in this window, even if they sleep through its end. */
void leavers__remove(struct leavers *l);
/* Before the records of a window. */
void leavers__turn(struct leavers *l);
/* Each record of the window; `ret_drop`: it is not one of the window. -ENOMEM or 0. */
int leavers__see(struct leavers *l, const struct cs_task_record *rec, bool *ret_drop);
/* Had thread `id` left before this window? Then rows without a record are not lost. */
bool leavers__had(const struct leavers *l, u32 id);

#endif
