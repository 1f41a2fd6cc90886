/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A view of a profile has the profile's waits in their order, perhaps with other stacks, or no
 * waits; or its rows are parts of waits, and part_of names the wait. Rows of time on a CPU come
 * last, and their cause is fixed.
 */
#include "analysis/cause/cause_memo.h"

#include <errno.h>

#include "base/mem.h"

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

static bool has_parts(const struct profile *p)
{
	return p->waits_len > 1 && p->waits[1].part_of;
}

static int find(struct cause_memo *memo, struct err *err)
{
	int r = 0;

	if (memo->found)
		return 0;
	causes__done(&memo->causes);
	r = causes__init(&memo->causes, memo->p, memo->rules, err);
	memo->found = !r;
	return r;
}

/* Of rows that are parts of waits: the causes of these. */
static int copy_of_parts(struct causes *c, const struct profile *rows, const struct causes *from,
			 struct err *err)
{
	u32 i;

	c->of_wait = mem_array(c->waits_len, sizeof(*c->of_wait));
	c->class_of_wait = mem_array(c->waits_len, sizeof(*c->class_of_wait));
	c->kind_rule = mem_array(c->waits_len, sizeof(*c->kind_rule));
	c->class_rule = mem_array(c->waits_len, sizeof(*c->class_rule));
	if (!c->of_wait || !c->class_of_wait || !c->kind_rule || !c->class_rule)
		return err__nomem(err);
	for (i = 1; i < c->waits_len; i++) {
		u32 wait = rows->waits[i].part_of;

		c->of_wait[i] = from->of_wait[wait];
		c->class_of_wait[i] = from->class_of_wait[wait];
		c->kind_rule[i] = from->kind_rule[wait];
		c->class_rule[i] = from->class_rule[wait];
	}
	return 0;
}

int causes__recall(struct causes *c, const struct profile *rows, struct cause_memo *memo,
		   struct err *err)
{
	int r;

	if (!memo)
		return causes__init(c, rows, NULL, err);
	*c = (struct causes){ .borrowed = true };
	r = find(memo, err);
	if (r)
		return r;
	*c = memo->causes;
	c->waits_len = waits_among(rows);
	c->rows_len = rows->waits_len;
	c->own_rules = NULL;
	c->borrowed = !has_parts(rows) || has_parts(memo->p);
	return c->borrowed ? 0 : copy_of_parts(c, rows, &memo->causes, err);
}
