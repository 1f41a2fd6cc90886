/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/model/locks.h"

#include <errno.h>
#include <string.h>

#include "analysis/model/dominant.h"
#include "analysis/view/waker_rows.h"
#include "base/map64.h"
#include "base/mem.h"

static bool is_lock(const struct causes *causes, u32 wait)
{
	return cause_row(causes__of(causes, wait))->family == CAUSE_FAMILY_LOCK;
}

int lock_waits__init(struct lock_waits *l, const struct profile *p, struct cause_memo *memo,
		     struct err *err)
{
	struct causes causes;
	u32 len = 1, i;
	int r = causes__recall(&causes, p, memo, err);

	memset(l, 0, sizeof(*l));
	l->rows = mem_array(p->waits_len, sizeof(*l->rows));
	if (!r && !l->rows)
		r = err__nomem(err);
	for (i = 1; i < p->waits_len && !r; i++) {
		if (!is_lock(&causes, i))
			continue;
		l->rows[len] = p->waits[i];
		l->rows[len++].part_of = i;
	}
	causes__done(&causes);
	l->copy = *p;
	l->copy.waits = l->rows;
	l->copy.waits_len = len;
	l->copy.wakes_len = 1;
	return r;
}

void lock_waits__done(struct lock_waits *l)
{
	mem_free(l->rows);
	memset(l, 0, sizeof(*l));
}

/* Each thread counts once. */
static int count_waiters(const struct profile *p, const struct top *top, struct lock_row *rows)
{
	struct map64 seen;
	u64 value;
	u32 i;
	int r = 0;

	map64__init(&seen);
	for (i = 1; i < p->waits_len && !r; i++) {
		u32 row = top->row_of_wait[i];
		u64 key = (u64)row << 32 | p->waits[i].task;

		rows[row].waiting += (p->waits[i].flags & WAIT_OPEN) != 0;
		if (map64__get(&seen, key, &value))
			continue;
		rows[row].waiters++;
		r = map64__set(&seen, key, 1);
	}
	map64__done(&seen);
	return r;
}

/* Who had it when the last of its open waits began. */
static int find_owners_now(const struct profile *p, const struct top *top, struct arena *a,
			   struct lock_row *rows)
{
	char label[OWNER_LABEL_SZ];
	u32 i;

	for (i = 1; i < p->waits_len; i++) {
		struct lock_row *row = &rows[top->row_of_wait[i]];

		if (!(p->waits[i].flags & WAIT_OPEN) || !p->waits[i].owner_tid)
			continue;
		row->owner = arena__strdup(a, owner_label(p, &p->waits[i], label, sizeof(label)));
		row->owner_now = true;
		if (!row->owner)
			return -ENOMEM;
	}
	return 0;
}

static int find_owners(const struct profile *p, const struct top *top, struct arena *a,
		       struct lock_row *rows)
{
	struct dominant_sum *sums = mem_array((size_t)top->len + 1, sizeof(*sums));
	struct profile_wait w = { 0 };
	char label[OWNER_LABEL_SZ];
	struct dominant owners;
	u32 i;
	int r = dominant__init(&owners);

	for (i = 1; i < p->waits_len && !r; i++)
		r = dominant__add(&owners, p, top->row_of_wait[i], i);
	if (!sums)
		r = -ENOMEM;
	if (!r)
		dominant__of_groups(&owners, sums, top->len);
	for (i = 0; i < top->len && !r; i++) {
		w.owner = sums[i].task;
		w.owner_tid = sums[i].tid;
		rows[i].owner = sums[i].ns ?
					arena__strdup(a, owner_label(p, &w, label, sizeof(label))) :
					"";
		r = rows[i].owner ? 0 : -ENOMEM;
	}
	dominant__done(&owners);
	mem_free(sums);
	return r ? r : find_owners_now(p, top, a, rows);
}

/* Of a wait that another thread ended, that one gave the lock away. */
static int count_handoffs(const struct lock_waits *l, const struct profile *p,
			  const struct top *top, struct lock_row *rows, struct err *err)
{
	u32 *row_of = mem_array(p->waits_len, sizeof(*row_of)), i;
	struct waker_rows divided;
	int r = waker_rows__init(&divided, p, err);

	if (!r && !row_of)
		r = err__nomem(err);
	for (i = 1; i < l->copy.waits_len && !r; i++)
		row_of[l->rows[i].part_of] = top->row_of_wait[i] + 1;
	for (i = 1; i < divided.rows_len && !r; i++) {
		const struct profile_wait *w = &divided.rows[i];
		u32 row = row_of[divided.wait_of_row[i]];

		if (row && w->waker && p->wakers[w->waker].context == WAKER_THREAD)
			rows[row - 1].handoffs += w->count;
	}
	waker_rows__done(&divided);
	mem_free(row_of);
	return r;
}

int lock_rows__build(const struct lock_waits *l, const struct profile *p, const struct top *top,
		     struct arena *a, struct lock_row **ret, struct err *err)
{
	struct lock_row *rows = arena__array(a, (size_t)top->len + 1, sizeof(*rows));
	int r = rows ? count_waiters(&l->copy, top, rows) : -ENOMEM;

	*ret = rows;
	if (!r)
		r = find_owners(&l->copy, top, a, rows);
	if (r)
		return err__nomem(err);
	return p->hdr.wakers ? count_handoffs(l, p, top, rows, err) : 0;
}
