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

static int add_patterns(struct select_wakers *w, const struct select_options *opt, struct err *err)
{
	size_t i;
	int r = 0;

	for (i = 0; i < opt->wakers.len && !r; i++) {
		struct pattern *pattern = vec__push(&w->patterns);

		r = pattern ? pattern__init(pattern, opt->wakers.at[i], opt->regex, err) :
			      err__nomem(err);
		if (r == -EINVAL)
			w->patterns.len--;
	}
	return r;
}

int select_wakers__init(struct select_wakers *w, const struct profile *p,
			const struct select_options *opt, struct err *err)
{
	int r;

	memset(w, 0, sizeof(*w));
	vec__init(&w->patterns, sizeof(struct pattern));
	w->p = w->whole = p;
	w->divides = opt->wakers.len;
	if (!w->divides)
		return 0;
	if (!p->hdr.wakers)
		return err__set(err, -EINVAL, "--waker: needs wakers; record with record --wakers");
	r = add_patterns(w, opt, err);
	if (!r)
		r = waker_rows__init(&w->rows, p, err);
	w->p = w->rows.p;
	return r;
}

void select_wakers__done(struct select_wakers *w)
{
	size_t i;

	for (i = 0; i < w->patterns.len; i++)
		pattern__done(vec__at(&w->patterns, i));
	vec__done(&w->patterns);
	waker_rows__done(&w->rows);
}

static bool fits_any(const struct select_wakers *w, const char *name)
{
	size_t i;

	for (i = 0; i < w->patterns.len; i++) {
		if (pattern__matches(vec__at(&w->patterns, i), name))
			return true;
	}
	return false;
}

bool select_wakers__fits(const struct select_wakers *w, const struct profile_wait *row)
{
	const struct profile_waker *waker = &w->whole->wakers[row->waker];
	char label[WAKER_LABEL_SZ], tid[16];

	if (row->flags & WAIT_ON_CPU)
		return false;
	if (!row->waker)
		return fits_any(w, no_waker_label(row));
	if (fits_any(w, waker_label(w->whole, row->waker, label, sizeof(label))))
		return true;
	snprintf(tid, sizeof(tid), "%u", waker->tid);
	return waker->context == WAKER_THREAD &&
	       (fits_any(w, profile__str(w->whole, waker->comm)) || fits_any(w, tid));
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
