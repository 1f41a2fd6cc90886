/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/leavers.h"

void leavers__init(struct leavers *l, bool by_id)
{
	l->by_id = by_id;
	l->added = l->added_now = false;
	l->removed = l->removed_now = false;
	map64__init(&l->before);
	map64__init(&l->now);
}

void leavers__done(struct leavers *l)
{
	map64__done(&l->before);
	map64__done(&l->now);
}

void leavers__add(struct leavers *l)
{
	l->added_now = true;
}

void leavers__remove(struct leavers *l)
{
	l->removed_now = true;
}

void leavers__turn(struct leavers *l)
{
	l->added = l->added_now;
	l->removed = l->removed_now;
	l->added_now = l->removed_now = false;
	map64__done(&l->before);
	l->before = l->now;
	map64__init(&l->now);
}

int leavers__see(struct leavers *l, const struct cs_task_record *rec, bool *ret_drop)
{
	bool had = leavers__had(l, rec->id), left = rec->flags & CS_TASK_LEFT;
	int r = 0;

	/*
	 * One that wakes between the end of a window and its drain reports that window itself,
	 * without the flag. What it says of its end comes in the next window.
	 */
	if (left && !had && l->by_id && !l->removed) {
		had = true;
		r = map64__set(&l->before, rec->id, 0); /* for its rows */
	}
	left |= had && l->by_id && !l->added;
	*ret_drop = left && had;
	if (!r && left && !(rec->flags & CS_TASK_GONE))
		r = map64__set(&l->now, rec->id, 0);
	return r;
}

bool leavers__had(const struct leavers *l, u32 id)
{
	u64 none;

	return map64__get(&l->before, id, &none);
}
