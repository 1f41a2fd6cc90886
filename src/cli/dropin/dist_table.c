/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/dropin/dist_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* A thread that is exiting may be reported as gone only in the next round. */
#define ROUNDS_KEPT 2

int dist_table__init(struct dist_table *t, enum hist_kind kind, enum dist_by by)
{
	t->kind = kind;
	t->by = by;
	return intern__init(&t->dists, sizeof(struct dist), sizeof(u32));
}

void dist_table__done(struct dist_table *t)
{
	intern__done(&t->dists);
}

static u32 id_of(const struct dist_table *t, const struct capture_hist *h)
{
	switch (t->by) {
	case DIST_BY_PROCESS:
		return h->tgid;
	case DIST_BY_THREAD:
		return h->tid;
	case DIST_BY_PIDNS:
		return h->pidns_inum;
	default:
		return 0;
	}
}

/* The steps of bins.h within a power of two are one row; below 1 and below 2 is the first row. */
static u32 row_of(const struct profile_bin *b)
{
	return b->bucket ? (b->bucket - 1U) / 4 : 0;
}

int dist_table__add(void *table, const struct capture_hist *h)
{
	struct dist_table *t = table;
	struct dist fresh = { .id = id_of(t, h) }, *dist;
	struct dist_counts *to;
	u32 id;
	size_t i;

	if (intern__add(&t->dists, &fresh, &id))
		return -ENOMEM;
	dist = intern__at(&t->dists, id);
	memcpy(dist->comm, t->by == DIST_BY_PROCESS ? h->group_comm : h->comm, sizeof(dist->comm));
	dist->idle_rounds = 0;
	to = h->gone ? &dist->gone : &dist->live;
	for (i = 0; i < h->bins_len; i++) {
		if (h->bins[i].kind == t->kind)
			to->rows[row_of(&h->bins[i])] += h->bins[i].count;
	}
	to->ns += bins_task_ns(&h->sums, t->kind);
	return 0;
}

static u64 news_of(u64 gone, u64 live, u64 *told)
{
	u64 now = gone + live, news = now > *told ? now - *told : 0;

	*told += news;
	return news;
}

/* Puts what is new into *ret, and stores the current state as seen. */
static void tell(struct dist *d, struct dist *ret)
{
	u32 i;

	*ret = (struct dist){ .id = d->id };
	memcpy(ret->comm, d->comm, sizeof(ret->comm));
	for (i = 0; i < DIST_ROWS; i++)
		ret->live.rows[i] = news_of(d->gone.rows[i], d->live.rows[i], &d->told.rows[i]);
	ret->live.ns = news_of(d->gone.ns, d->live.ns, &d->told.ns);
	d->live = (struct dist_counts){ 0 };
	d->idle_rounds++;
}

/* Otherwise a long trace of short-lived threads would keep them all. */
static int forget_idle(struct dist_table *t)
{
	struct intern kept;
	u32 i, id;
	int r = intern__init(&kept, sizeof(struct dist), sizeof(u32));

	for (i = 1; i < intern__len(&t->dists) && !r; i++) {
		const struct dist *d = intern__at(&t->dists, i);

		if (d->idle_rounds <= ROUNDS_KEPT)
			r = intern__add(&kept, d, &id);
	}
	if (r) {
		intern__done(&kept);
		return r;
	}
	intern__done(&t->dists);
	t->dists = kept;
	return 0;
}

static int by_id(const void *a, const void *b)
{
	const struct dist *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

int dist_table__news(struct dist_table *t, struct dist **ret, size_t *ret_len)
{
	u32 len = intern__len(&t->dists) - 1, i;
	struct dist *news = mem_array(len + 1, sizeof(*news));

	if (!news)
		return -ENOMEM;
	for (i = 0; i < len; i++)
		tell(intern__at(&t->dists, i + 1), &news[i]);
	qsort(news, len, sizeof(*news), by_id);
	if (forget_idle(t)) {
		mem_free(news);
		return -ENOMEM;
	}
	*ret = news;
	*ret_len = len;
	return 0;
}
