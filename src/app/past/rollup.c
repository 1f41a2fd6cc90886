/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each window is folded before it is merged: then memory is that of an hour of process names and
 * not of its threads.
 *
 * Hours are done in order, and the last sum tells where to go on. So an hour whose sum could not be
 * written ends the run, rather than being left out.
 */
#include "app/past/rollup.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "analysis/cause/cause_memo.h"
#include "app/recording_file.h"
#include "app/store_hours.h"
#include "app/store_windows.h"
#include "base/clock.h"
#include "profile/windows/fold.h"
#include "profile/windows/source.h"
#include "store/store_writer.h"

#define HOUR_NS (3600 * NSEC_PER_SEC)
#define DAYS_OF_MONTH 31

struct rolling {
	const struct rollup *ru;
	struct rollup_done *done;
	struct notices *notices;
	struct store *minutes;
	struct store_writer *writer;
	char path[PATH_MAX]; /* of the sums */
	u64 next_ns; /* the hour to begin with */
	struct profile_pile pile; /* of the hour at hand */
};

/* The latest hour that the newest file with windows has; to_ns is 0 if there is none. */
static int find_last(struct store *s, struct time_span *ret, struct err *err)
{
	struct store_window w;
	int r = 0;

	*ret = (struct time_span){ 0 };
	for (size_t i = store__files_len(s); i-- > 0 && !ret->to_ns && !r;) {
		struct store_cursor at = { .file = store__file(s, i).file };

		while ((r = store__next(s, &at, &w, err)) > 0) {
			struct time_span hour = store_hour_of_window(w.begin_wall_ns, w.window_ns);

			at = w.at;
			*ret = hour.to_ns > ret->to_ns ? hour : *ret;
		}
	}
	return r;
}

static int take_window(void *arg, struct profile *p, struct err *err)
{
	struct rolling *ro = arg;
	struct profile *folded;
	int r = profile_fold(p, &folded, err);

	profile__free(p);
	return r ? r : profile_pile__add(&ro->pile, folded, err);
}

static int write_sum(struct rolling *ro, const struct profile *p, struct err *err)
{
	struct cause_memo memo = { .rules = ro->ru->rules, .p = p };
	struct recorder *rec;
	int r = store_writer__recorder(ro->writer, p->hdr.begin_wall_ns, 0, &rec, err);

	if (!r)
		r = recording_file_add(rec, p, &memo, err);
	cause_memo__done(&memo);
	return r;
}

static int sum_up(struct rolling *ro, const struct time_span *hour, struct err *err)
{
	const struct store_search search = {
		.store = ro->minutes,
		.span = *hour,
		.by_middle = true,
		.notices = ro->notices,
		.each = take_window,
		.arg = ro,
	};
	struct profile *sum = NULL;
	int r;

	profile_pile__init(&ro->pile);
	r = store_search__run(&search, err);
	if (!r)
		r = profile_pile__take(&ro->pile, &sum, err);
	if (!r && sum)
		r = write_sum(ro, sum, err);
	ro->done->hours += !r && sum;
	profile__free(sum);
	profile_pile__done(&ro->pile);
	return r;
}

/* The hour to begin with: behind the last sum, or that of the first window. */
static int find_next(struct rolling *ro, u64 first_ns, struct err *err)
{
	struct time_span last, first = store_hour_of(first_ns);
	struct store *hours;
	int r = store__open(ro->path, &hours, err);

	if (r)
		return r;
	r = find_last(hours, &last, err);
	store__close(hours);
	ro->next_ns = last.to_ns > first.from_ns ? last.to_ns : first.from_ns;
	return r;
}

/* The hours behind it that are complete. */
static int sum_all(struct rolling *ro, struct err *err)
{
	u64 first_ns, last_ns;
	struct time_span last;
	int r = store__span(ro->minutes, &first_ns, &last_ns, err);

	if (r)
		return r == -ENOENT ? 0 : r;
	r = find_last(ro->minutes, &last, err);
	if (!r)
		r = find_next(ro, first_ns, err);
	while (!r && ro->next_ns <= last.from_ns) {
		struct time_span hour = store_hour_of(ro->next_ns);

		if (hour.to_ns > last.from_ns && ro->ru->now_wall_ns < hour.to_ns + HOUR_NS)
			break;
		r = sum_up(ro, &hour, err);
		ro->next_ns = hour.to_ns;
	}
	return r;
}

static int retain(struct rolling *ro, struct err *err)
{
	const struct store_limits limits = { .days = (u32)ro->ru->months * DAYS_OF_MONTH };
	struct store_removed gone = { 0 };
	int r = 0;

	/* a sum that is new was not made by a clock that is wrong since a moment */
	if (ro->done->hours)
		r = store_writer__retain(ro->writer, &limits, ro->ru->now_wall_ns,
					 ro->ru->months > 0, &gone, err);
	ro->done->removed = gone.files;
	return r;
}

int rollup_run(const struct rollup *ru, struct rollup_done *ret, struct notices *notices,
	       struct err *err)
{
	struct rolling ro = { .ru = ru, .done = ret, .notices = notices };
	int r;

	*ret = (struct rollup_done){ 0 };
	if (snprintf(ro.path, sizeof(ro.path), "%s/" STORE_HOURS_DIR, ru->store) >=
	    (int)sizeof(ro.path))
		return err__set(err, -ENAMETOOLONG, "the path of the store is too long");
	r = store__open(ru->store, &ro.minutes, err);
	if (!r)
		r = store_writer__open(ro.path, &ro.writer, err);
	if (!r)
		r = sum_all(&ro, err);
	if (!r)
		r = retain(&ro, err);
	for (size_t i = 0; !r && store__damage(ro.minutes, i); i++)
		r = notices__add(notices, store__damage(ro.minutes, i)) ? err__nomem(err) : 0;
	store_writer__close(ro.writer);
	store__close(ro.minutes);
	return r;
}
