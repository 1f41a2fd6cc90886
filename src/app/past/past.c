/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking for windows reads the heads of the files near the time, some 10 ms for a day of 1,440
 * windows. Profiles are read one by one, when somebody looks at them: so three weeks back cost what
 * the last hour costs, and memory does not grow with the store.
 */
#include "app/past/past.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/recording_file.h"
#include "app/store_windows.h"
#include "base/clock.h"

bool past_is_store(const char *dir)
{
	DIR *d = opendir(dir);
	struct store_day day;
	struct dirent *e;
	u32 days = 0, others = 0;

	while (d && (e = readdir(d))) {
		if (*e->d_name == '.' || !recording_file_is(e->d_name))
			continue;
		if (store_day_parse(e->d_name, &day))
			days++;
		else
			others++;
	}
	if (d)
		closedir(d);
	return days && !others;
}

int past__init(struct past *past, const char *dir, struct err *err)
{
	*past = (struct past){ 0 };
	notices__init(&past->notices);
	vec__init(&past->windows, sizeof(struct past_window));
	return store__open_used(dir, &past->store, err);
}

void past__done(struct past *past)
{
	store__close(past->store);
	vec__done(&past->windows);
	notices__done(&past->notices);
}

bool past_range_is_empty(const struct time_range *range)
{
	return !range->from.kind && !range->to.kind && !range->at.kind && !range->on.is_given;
}

static int note_damage(struct past *past, struct err *err)
{
	const char *text;

	for (size_t i = 0; (text = store__damage(past->store, i)); i++) {
		if (notices__add(&past->notices, text))
			return err__nomem(err);
	}
	return 0;
}

/* Files that cannot be read are why there is nothing, if there are any. */
static int unreadable(struct past *past, struct err *err)
{
	int r = note_damage(past, err);

	if (r || !notices__len(&past->notices))
		return r;
	return err__set(err, -EBADMSG, "%s", notices__at(&past->notices, 0));
}

int past__bounds(struct past *past, u64 *ret_first_ns, u64 *ret_last_ns, struct err *err)
{
	struct err why = { 0 };
	int r = store__span(past->store, ret_first_ns, ret_last_ns, &why);
	int damage = r == -ENOMEM ? 0 : r ? unreadable(past, err) : note_damage(past, err);

	if (r && !damage)
		return err__set(err, r, "%s", why.msg);
	return damage;
}

int past__span(struct past *past, const struct time_range *range, struct time_span *ret,
	       struct err *err)
{
	struct time_range last_hour = {
		.from = { .kind = TIME_POINT_BEFORE_END, .ns = PAST_DEFAULT_NS },
	};
	u64 first_ns = 0, last_ns = ~0ULL;
	int r = 0;

	if (past_range_is_empty(range))
		range = &last_hour;
	if (time_range__is_relative(range))
		r = past__bounds(past, &first_ns, &last_ns, err);
	return r ? r : time_range__span(range, first_ns, last_ns, ret, err);
}

static int by_time(const void *a, const void *b)
{
	const struct past_window *x = a, *y = b;

	return x->begin_ns < y->begin_ns ? -1 : x->begin_ns > y->begin_ns;
}

static int find(struct past *past, const struct past_choice *choice, struct err *err)
{
	const struct store_search search = { .store = past->store, .span = choice->span };
	struct store_cursor at = { 0 };
	struct past_window *slot;
	struct store_window w;
	int r;

	while ((r = store_search__next(&search, &at, &w, err)) > 0) {
		u64 seq = w.begin_wall_ns / NSEC_PER_MSEC;

		if (seq < choice->from || seq > choice->to)
			continue;
		slot = vec__push(&past->windows);
		if (!slot)
			return err__nomem(err);
		*slot = (struct past_window){ seq, w.begin_wall_ns, w.window_ns, w.at };
	}
	return r;
}

/* Only the last ones, then only the first ones of these. */
static void shorten(struct vec *windows, const struct past_choice *choice)
{
	size_t sz = sizeof(struct past_window);

	if (choice->last && windows->len > choice->last) {
		memmove(windows->data, vec__at(windows, windows->len - choice->last),
			choice->last * sz);
		windows->len = choice->last;
	}
	if (choice->most && windows->len > choice->most)
		windows->len = choice->most;
}

int past__choose(struct past *past, const struct past_choice *choice, struct err *err)
{
	int r = store__look(past->store, err);

	vec__reset(&past->windows);
	if (!r)
		r = find(past, choice, err);
	if (r)
		return r;
	/* windows are in the order in which they were written: a clock may have been set back */
	if (past->windows.len)
		qsort(past->windows.data, past->windows.len, sizeof(struct past_window), by_time);
	shorten(&past->windows, choice);
	return note_damage(past, err);
}

int past__nothing(struct past *past, const struct time_span *span, struct err *err)
{
	char first[40], last[40], from[64] = "in that time range";
	u64 first_ns, last_ns;
	const char *damage;
	int r = past__bounds(past, &first_ns, &last_ns, err);

	if (r)
		return r;
	clock_format_wall(first_ns, first, sizeof(first));
	clock_format_wall(last_ns, last, sizeof(last));
	if (span->to_ns - span->from_ns <= 1) {
		memcpy(from, "at ", 3);
		clock_format_wall(span->from_ns, from + 3, sizeof(from) - 3);
	}
	damage = notices__at(&past->notices, 0);
	return err__set(err, damage ? -EBADMSG : -ENOENT,
			"no window %s: the windows are from %s to %s%s%s", from, first, last,
			damage ? "; " : "", damage ? damage : "");
}

size_t past__len(const struct past *past)
{
	return past->windows.len;
}

const struct past_window *past__at(const struct past *past, size_t idx)
{
	return vec__at(&past->windows, idx);
}

int past__read(struct past *past, size_t idx, struct profile **ret, struct err *err)
{
	struct err why = { 0 };
	int r = store__read(past->store, &past__at(past, idx)->at, ret, &why);

	if ((r == -EBADMSG || r == -ENOENT) && notices__add(&past->notices, why.msg))
		return err__nomem(err);
	return r ? err__set(err, r, "%s", why.msg) : 0;
}
