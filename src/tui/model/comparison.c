/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/model/comparison.h"

#include <errno.h>
#include <string.h>

#include "profile/windows/merge.h"

void comparison__init(struct comparison *c)
{
	memset(c, 0, sizeof(*c));
	arena__init(&c->arena);
}

void comparison__drop(struct comparison *c)
{
	arena__done(&c->arena);
	arena__init(&c->arena);
	profile__free(c->part);
	c->part = NULL;
	c->ready = false;
}

void comparison__done(struct comparison *c)
{
	comparison__drop(c);
	profile__free(c->mark);
	c->mark = NULL;
}

int comparison__mark(struct comparison *c, const struct profile *p, struct err *err)
{
	struct profile *copy;
	int r = profile_merge(&p, 1, &copy, err);

	if (r)
		return r;
	comparison__done(c);
	c->mark = copy;
	return 0;
}

int comparison__build(struct comparison *c, const struct profile *now, const struct drill *drill,
		      const struct ruleset *rules, bool idle, struct err *err)
{
	struct cause_memo memo = { .p = c->mark, .rules = rules };
	const struct diff_options opt = { .idle = idle, .rules = rules };
	const struct profile *sides[2];
	struct err none = { 0 };
	int r;

	comparison__drop(c);
	if (!c->mark)
		return 0;
	r = drill__apply(drill, c->mark, &memo, &c->part, &none);
	cause_memo__done(&memo);
	if (r)
		return r == -ENOENT ? 0 : err__set(err, r, "%s", none.msg);
	sides[DIFF_BEFORE] = c->part ? c->part : c->mark;
	sides[DIFF_AFTER] = now;
	r = diff__build(sides, &opt, &c->arena, &c->diff, err);
	c->ready = !r;
	return r;
}

u32 comparison__len(const struct comparison *c)
{
	return !c->ready ? 0 : c->frames ? c->diff.frames_len : c->diff.causes_len;
}

struct comparison_row comparison__row(const struct comparison *c, u32 row)
{
	const struct diff_cause *cause = &c->diff.causes[c->frames ? 0 : row];

	if (c->frames)
		return (struct comparison_row){ c->diff.frames[row].name,
						&c->diff.frames[row].item };
	return (struct comparison_row){ cause_name((enum cause)cause->cause), &cause->item };
}
