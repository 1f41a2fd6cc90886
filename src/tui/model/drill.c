/* SPDX-License-Identifier: Apache-2.0 */
/*
 * To find a row, its table is built again: one pass over the waits for each crumb and window. A
 * filter would be cheaper, but cannot describe every kind of row.
 */
#include "tui/model/drill.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analysis/select/select.h"
#include "base/mem.h"

void drill__init(struct drill *d)
{
	vec__init(&d->crumbs, sizeof(struct crumb));
}

void drill__done(struct drill *d)
{
	vec__done(&d->crumbs);
}

int drill__push(struct drill *d, enum table_kind kind, enum tab from, const char *text)
{
	struct crumb *c = vec__push(&d->crumbs);

	if (!c)
		return -ENOMEM;
	c->kind = kind;
	c->from = from;
	snprintf(c->text, sizeof(c->text), "%s", text);
	return 0;
}

bool drill__pop(struct drill *d, struct crumb *ret)
{
	if (!d->crumbs.len)
		return false;
	*ret = *drill__at(d, --d->crumbs.len);
	return true;
}

size_t drill__len(const struct drill *d)
{
	return d->crumbs.len;
}

const struct crumb *drill__at(const struct drill *d, size_t idx)
{
	return vec__at(&d->crumbs, idx);
}

struct chosen {
	bool *tasks;
	bool *waits;
	bool of_threads; /* with all their waits */
};

/* Waits of the row, and the threads that have one. */
static void choose_waits(const struct table *t, u32 row, struct chosen *c)
{
	const struct profile *p = t->divided.p;

	for (u32 i = 1; i < p->waits_len; i++) {
		c->waits[table__wait(t, i)] |= table__has_wait(t, row, i);
		c->tasks[p->waits[i].task] |= table__has_wait(t, row, i);
	}
}

static int choose_threads(const struct table *t, const char *text, struct chosen *c,
			  struct err *err)
{
	const struct profile *p = t->divided.p;
	char name[GROUP_NAME_SZ];
	struct groups groups;
	int r = groups__init(&groups, p, table_group(t->kind), t->divided.memo, err);

	for (u32 i = 1; i < p->tasks_len && !r; i++) {
		groups__of_task(&groups, i, name, sizeof(name));
		c->tasks[i] = strcmp(*name ? name : TABLE_NO_NAME, text) == 0;
	}
	groups__done(&groups);
	return r;
}

static int choose_row(const struct profile *p, const struct crumb *crumb, struct cause_memo *memo,
		      struct chosen *c, struct err *err)
{
	struct table t;
	u32 row;
	int r = table__init(&t, p, memo, crumb->kind, err);

	if (!r && !table__find(&t, crumb->text, &row))
		r = err__set(err, -ENOENT, "no row '%s'", crumb->text);
	if (!r && table__is_of_threads(&t))
		r = choose_threads(&t, crumb->text, c, err);
	else if (!r)
		choose_waits(&t, row, c);
	c->of_threads = !r && table__is_of_threads(&t);
	table__done(&t);
	return r;
}

static int choose_cause(const struct profile *p, const struct crumb *crumb, struct cause_memo *memo,
			struct chosen *c, struct err *err)
{
	enum cause cause = cause_find(crumb->text);
	struct causes causes;
	int r = causes__recall(&causes, p, memo, err);

	for (u32 i = 1; i < p->waits_len && !r; i++) {
		c->waits[i] = causes__of(&causes, i) == cause;
		c->tasks[p->waits[i].task] |= c->waits[i];
	}
	causes__done(&causes);
	return r;
}

static int select_chosen(const struct profile *p, const struct crumb *crumb,
			 struct cause_memo *memo, struct profile **ret, struct err *err)
{
	struct chosen c = {
		.tasks = mem_array(p->tasks_len, sizeof(bool)),
		.waits = mem_array(p->waits_len, sizeof(bool)),
	};
	struct select_options opt = {
		.words = crumb->text,
		.rules = memo->rules,
		.only_tasks = c.tasks,
		.only_waits = c.waits,
	};
	int r = c.tasks && c.waits ? 0 : err__nomem(err);

	if (!r && crumb->kind == TABLE_CNT)
		r = choose_cause(p, crumb, memo, &c, err);
	else if (!r)
		r = choose_row(p, crumb, memo, &c, err);
	if (c.of_threads)
		opt.only_waits = NULL;
	if (!r)
		r = select_profile(p, &opt, ret, err);
	mem_free(c.tasks);
	mem_free(c.waits);
	return r;
}

/* The part of each wait that this waker ended. */
static int select_waker(const struct crumb *crumb, const struct profile *p,
			const struct cause_memo *memo, struct profile **ret, struct err *err)
{
	const char *label = crumb->text;
	const struct select_options opt = {
		.wakers = { &label, 1 },
		.rules = memo->rules,
		.words = crumb->text,
	};

	return select_profile(p, &opt, ret, err);
}

static int apply(const struct crumb *crumb, const struct profile *p, struct cause_memo *memo,
		 struct profile **ret, struct err *err)
{
	if (crumb->kind == TABLE_WAKERS)
		return select_waker(crumb, p, memo, ret, err);
	return select_chosen(p, crumb, memo, ret, err);
}

int drill__apply(const struct drill *d, const struct profile *p, struct cause_memo *memo,
		 struct profile **ret, struct err *err)
{
	struct cause_memo next = { .rules = memo->rules };
	struct profile *part = NULL;
	int r = 0;

	*ret = NULL;
	for (size_t i = 0; i < d->crumbs.len && !r; i++) {
		r = apply(drill__at(d, i), p, memo, &part, err);
		cause_memo__done(&next);
		profile__free(*ret);
		*ret = r ? NULL : part;
		p = part;
		next = (struct cause_memo){ .p = p, .rules = memo->rules };
		memo = &next;
	}
	cause_memo__done(&next);
	return r;
}
