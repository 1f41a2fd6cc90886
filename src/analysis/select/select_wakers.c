/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A wait may have several wakers, so it is kept in parts. The other filters see these parts as
 * waits like any other, and the builder adds up the parts of one wait that stay.
 */
#include "analysis/select/select_wakers.h"

#include <errno.h>
#include <stdio.h>

#include "analysis/name/pattern.h"
#include "analysis/name/waker_label.h"
#include "base/mem.h"
#include "profile/wake_wait.h"

int select_wakers__init(struct select_wakers *w, const struct profile *p,
			const struct select_options *opt, struct err *err)
{
	int r;

	memset(w, 0, sizeof(*w));
	w->p = w->whole = p;
	w->divides = opt->wakers.len;
	if (!w->divides)
		return 0;
	if (!p->hdr.wakers)
		return err__set(err, -EINVAL, "--waker: needs wakers; record with record --wakers");
	r = patterns__init(&w->patterns, opt->wakers.at, opt->wakers.len, opt->regex, err);
	if (!r)
		r = waker_rows__init(&w->rows, p, err);
	w->p = w->rows.p;
	return r;
}

void select_wakers__done(struct select_wakers *w)
{
	patterns__done(&w->patterns);
	waker_rows__done(&w->rows);
}

bool select_wakers__fits(const struct select_wakers *w, const struct profile_wait *row)
{
	const struct profile_waker *waker = &w->whole->wakers[row->waker];
	char label[WAKER_LABEL_SZ], tid[16];

	if (row->flags & WAIT_ON_CPU)
		return false;
	if (!row->waker)
		return patterns__match(&w->patterns, no_waker_label(row));
	if (patterns__match(&w->patterns, waker_label(w->whole, row->waker, label, sizeof(label))))
		return true;
	snprintf(tid, sizeof(tid), "%u", waker->tid);
	return waker->context == WAKER_THREAD &&
	       (patterns__match(&w->patterns, profile__str(w->whole, waker->comm)) ||
		patterns__match(&w->patterns, tid));
}

int select_wakers__keep(const struct select_wakers *w, const bool *kept, struct part *pt,
			const u32 *task_ids)
{
	const struct profile *p = w->whole;
	u32 *waits = NULL, i;
	const u32 *rows = w->rows.row_of_wake;
	int r = 0;

	if (!w->divides) {
		r = wake_waits(p, &waits);
		rows = waits;
	}
	for (i = 1; i < p->wakes_len && !r; i++) {
		if (kept[rows[i]])
			r = part__wake(pt, i, task_ids);
	}
	mem_free(waits);
	return r;
}
