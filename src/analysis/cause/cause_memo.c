/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A view of a profile has the profile's waits in their order, perhaps with other stacks, or none of
 * them; after them come rows of time on a CPU, whose cause is fixed.
 */
#include "analysis/cause/cause_memo.h"

void cause_memo__done(struct cause_memo *memo)
{
	if (!memo)
		return;
	causes__done(&memo->causes);
	memo->found = false;
}

static u32 waits_among(const struct profile *rows)
{
	u32 len = rows->waits_len;

	while (len > 1 && rows->waits[len - 1].flags & WAIT_ON_CPU)
		len--;
	return len;
}

int causes__recall(struct causes *c, const struct profile *rows, struct cause_memo *memo,
		   struct err *err)
{
	int r;

	if (!memo)
		return causes__init(c, rows, NULL, err);
	*c = (struct causes){ .borrowed = true };
	if (!memo->found) {
		causes__done(&memo->causes);
		r = causes__init(&memo->causes, memo->p, memo->rules, err);
		if (r)
			return r;
		memo->found = true;
	}
	*c = memo->causes;
	c->borrowed = true;
	c->waits_len = waits_among(rows);
	c->rows_len = rows->waits_len;
	return 0;
}
