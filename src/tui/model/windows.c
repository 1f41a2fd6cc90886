/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merging costs more than anything else that the terminal does. So windows are piled up, and merged
 * only when someone looks at their sum.
 */
#include "tui/model/windows.h"

#include <string.h>

#include "profile/windows/merge.h"

void windows__init(struct windows *w)
{
	memset(w, 0, sizeof(*w));
	w->max_rows = WINDOWS_MAX_ROWS;
	profile_pile__init(&w->before);
	profile_pile__init(&w->held_before);
	vec__init(&w->latest, sizeof(struct profile *));
}

static void drop_some(struct windows *w)
{
	profile__free(w->some);
	w->some = NULL;
}

static void drop_latest(struct windows *w)
{
	drop_some(w);
	for (size_t i = 0; i < w->latest.len; i++)
		profile__free(*(struct profile **)vec__at(&w->latest, i));
	vec__reset(&w->latest);
}

void windows__done(struct windows *w)
{
	drop_latest(w);
	vec__done(&w->latest);
	profile__free(w->last);
	profile__free(w->all);
	profile__free(w->held_last);
	profile_pile__done(&w->before);
	profile_pile__done(&w->held_before);
	windows__init(w);
}

static void limit(struct profile_pile *pile, u32 max_rows)
{
	u64 rows = 0;

	for (size_t i = 0; i < pile->profiles.len; i++) {
		const struct profile *p = *(struct profile **)vec__at(&pile->profiles, i);

		rows += (u64)p->tasks_len + p->waits_len;
	}
	if (rows <= max_rows)
		return;
	profile_pile__done(pile);
	profile_pile__init(pile);
}

/* All that came so far goes into `before`. */
static int put_behind(struct windows *w, struct err *err)
{
	struct profile *p = w->all ? w->all : w->last;

	if (w->all)
		profile__free(w->last);
	w->all = NULL;
	w->last = NULL;
	limit(&w->before, w->max_rows);
	return p ? profile_pile__add(&w->before, p, err) : 0;
}

static int hold_back(struct windows *w, struct profile *p, struct err *err)
{
	struct profile *older = w->held_last;

	w->held_last = p;
	limit(&w->held_before, w->max_rows);
	return older ? profile_pile__add(&w->held_before, older, err) : 0;
}

/* A copy of the last window, in place of the oldest one. */
static int keep_last(struct windows *w, struct err *err)
{
	const struct profile *last = w->last;
	struct profile *copy, **at;
	int r;

	drop_some(w);
	if (!w->want_latest || !last)
		return 0;
	r = profile_merge(&last, 1, &copy, err);
	if (r)
		return r;
	if (w->latest.len == WINDOWS_LATEST) {
		at = vec__at(&w->latest, 0);
		profile__free(*at);
		memmove(at, at + 1, (WINDOWS_LATEST - 1) * sizeof(*at));
		at[WINDOWS_LATEST - 1] = copy;
		return 0;
	}
	at = vec__push(&w->latest);
	if (!at) {
		profile__free(copy);
		return err__nomem(err);
	}
	*at = copy;
	return 0;
}

int windows__keep_latest(struct windows *w, bool keep, struct err *err)
{
	if (keep == w->want_latest)
		return 0;
	w->want_latest = keep;
	drop_latest(w);
	return keep_last(w, err);
}

int windows__sum_latest(struct windows *w, struct err *err)
{
	if (w->some || !w->latest.len)
		return 0;
	return profile_merge(w->latest.data, w->latest.len, &w->some, err);
}

static void drop_pile(struct profile_pile *pile)
{
	profile_pile__done(pile);
	profile_pile__init(pile);
}

/* What came before the gap; `last` is behind. */
static void drop_skipped(struct windows *w)
{
	if (!w->skipped)
		return;
	drop_pile(&w->before);
	drop_latest(w);
	w->skipped = false;
}

void windows__skip(struct windows *w)
{
	w->skipped = true;
	drop_pile(&w->held_before);
	profile__free(w->held_last);
	w->held_last = NULL;
}

int windows__add(struct windows *w, struct profile *p, struct err *err)
{
	int r;

	if (w->held)
		return hold_back(w, p, err);
	r = put_behind(w, err);
	drop_skipped(w);
	w->last = p;
	return r ? r : keep_last(w, err);
}

int windows__reset(struct windows *w, struct err *err)
{
	profile_pile__done(&w->before);
	profile_pile__init(&w->before);
	profile__free(w->all);
	w->all = NULL;
	drop_latest(w);
	return keep_last(w, err);
}

int windows__hold(struct windows *w, bool hold, struct err *err)
{
	struct profile *older = NULL;
	int r;

	w->held = hold;
	if (hold || !w->held_last)
		return 0;
	r = put_behind(w, err);
	drop_skipped(w);
	if (!r)
		r = profile_pile__take(&w->held_before, &older, err);
	if (!r && older)
		r = profile_pile__add(&w->before, older, err);
	w->last = w->held_last;
	w->held_last = NULL;
	return r ? r : keep_last(w, err);
}

int windows__sum(struct windows *w, struct err *err)
{
	const struct profile *parts[2];
	struct profile *older = NULL;
	size_t len = 0;
	int r;

	if (w->all || !w->last)
		return 0;
	r = profile_pile__take(&w->before, &older, err);
	if (r)
		return r;
	if (older)
		parts[len++] = older;
	parts[len++] = w->last;
	r = profile_merge(parts, len, &w->all, err);
	profile__free(older);
	return r;
}
