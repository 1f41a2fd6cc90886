/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/leavers.h"

void leavers__init(struct leavers *l)
{
	map64__init(&l->before);
	map64__init(&l->now);
}

void leavers__done(struct leavers *l)
{
	map64__done(&l->before);
	map64__done(&l->now);
}

void leavers__turn(struct leavers *l)
{
	map64__done(&l->before);
	l->before = l->now;
	map64__init(&l->now);
}

int leavers__see(struct leavers *l, const struct cs_task_record *rec, bool *ret_drop)
{
	bool left = rec->flags & CS_TASK_LEFT;

	*ret_drop = left && leavers__had(l, rec->id);
	return left && !(rec->flags & CS_TASK_GONE) ? map64__set(&l->now, rec->id, 0) : 0;
}

bool leavers__had(const struct leavers *l, u32 id)
{
	u64 none;

	return map64__get(&l->before, id, &none);
}
