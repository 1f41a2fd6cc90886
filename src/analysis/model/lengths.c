/* SPDX-License-Identifier: Apache-2.0 */
/* One pass over the threads and their counts; groups are interned by name, as in top.c. */
#include "analysis/model/lengths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"

struct entry {
	u32 name; /* in names */
	struct lengths_row row;
};

struct gathering {
	const struct profile *p;
	enum hist_kind kind;
	struct groups groups;
	struct strtab names;
	struct intern entries;
};

static u64 total_ns(const struct profile_task *t, enum hist_kind kind)
{
	u64 blocked = 0;
	u32 s;

	for (s = 0; s < PROFILE_STATES; s++)
		blocked += t->blocked_ns[s];
	switch (kind) {
	case HIST_ON:
		return t->on_ns;
	case HIST_RUNQ:
		return t->preempted_ns + t->runq_ns;
	case HIST_BLOCKED:
		return blocked;
	default:
		return t->preempted_ns + t->runq_ns + blocked;
	}
}

static int add_task(struct gathering *g, u32 task)
{
	const struct profile_task *t = &g->p->tasks[task];
	struct entry fresh = { 0 }, *entry;
	char name[GROUP_NAME_SZ];
	u32 id, i, end;
	int r;

	groups__of_task(&g->groups, task, name, sizeof(name));
	r = strtab__add(&g->names, name, &fresh.name);
	if (!r)
		r = intern__add(&g->entries, &fresh, &id);
	if (r)
		return r;
	entry = intern__at(&g->entries, id);
	entry->row.ns += bins_task_ns(t, g->kind);
	entry->row.cut_ns += total_ns(t, g->kind) - bins_task_ns(t, g->kind);
	for (bins_of_task(g->p, task, &i, &end); i < end; i++) {
		const struct profile_bin *b = &g->p->bins[i];

		if (b->kind != g->kind)
			continue;
		entry->row.bins[b->bucket] += b->count;
		entry->row.count += b->count;
	}
	return 0;
}

static int longest_first(const void *a, const void *b)
{
	const struct lengths_row *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return strcmp(x->group, y->group);
}

static int freeze(const struct gathering *g, struct arena *a, struct lengths *ret)
{
	u32 len = intern__len(&g->entries) - 1, i, b;

	ret->rows = arena__array(a, len, sizeof(*ret->rows));
	if (!ret->rows)
		return -ENOMEM;
	for (i = 0; i < len; i++) {
		const struct entry *e = intern__at(&g->entries, i + 1);
		struct lengths_row *row = &ret->rows[i];

		*row = e->row;
		row->group = arena__strdup(a, strtab__get(&g->names, e->name));
		if (!row->group)
			return -ENOMEM;
		ret->all.ns += row->ns;
		ret->all.cut_ns += row->cut_ns;
		ret->all.count += row->count;
		for (b = 0; b < HIST_BINS; b++)
			ret->all.bins[b] += row->bins[b];
	}
	ret->len = len;
	if (len)
		qsort(ret->rows, len, sizeof(*ret->rows), longest_first);
	return 0;
}

int lengths__build(const struct profile *p, enum hist_kind kind, enum group_by by, struct arena *a,
		   struct lengths *ret, struct err *err)
{
	struct gathering g = { .p = p, .kind = kind };
	u32 i;
	int r = groups__init(&g.groups, p, by, NULL, NULL);

	memset(ret, 0, sizeof(*ret));
	if (!r)
		r = strtab__init(&g.names);
	if (!r)
		r = intern__init(&g.entries, sizeof(struct entry), sizeof(u32));
	for (i = 1; i < p->tasks_len && !r; i++)
		r = add_task(&g, i);
	if (!r)
		r = freeze(&g, a, ret);
	intern__done(&g.entries);
	strtab__done(&g.names);
	groups__done(&g.groups);
	return r ? err__nomem(err) : 0;
}

u64 lengths_row__quantile_ns(const struct lengths_row *row, u32 unit_ns, u32 permille)
{
	u64 want, seen = 0;
	u32 b;

	if (!row->count)
		return 0;
	/* ceil(count * permille / 1000) without overflow */
	want = row->count / 1000 * permille + (row->count % 1000 * permille + 999) / 1000;
	for (b = 0; b < HIST_BINS - 1; b++) {
		seen += row->bins[b];
		if (seen >= want && row->bins[b])
			break;
	}
	return bins_ceil_ns(unit_ns, b);
}
