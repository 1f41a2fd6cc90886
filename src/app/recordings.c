/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files as one source of profiles, whose windows are read one by one: the recordings of an
 * agent have thousands per day. A damaged window does not affect the others.
 *
 * Of a store, only the days that overlap the range are opened: three weeks back cost what yesterday
 * costs.
 */
#include "app/recordings.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#include "app/store_hours.h"
#include "base/clock.h"
#include "base/mem.h"
#include "profile/windows/source.h"
#include "recording/reader.h"
#include "store/store.h"

#define DAY_NS (86400 * NSEC_PER_SEC)
/* A window that begins on one day may end on the next; none is longer. */
#define LONGEST_NS (3600 * NSEC_PER_SEC)

struct loading {
	const struct time_range *range;
	struct time_span span; /* of that */
	struct notices *notices;
	struct vec stores; /* struct opened_store */
	struct vec open; /* struct opened */
	size_t file; /* the next window: of this one, */
	size_t window; /* and this one in it */
	bool another; /* it is the first one of its file */
	bool ended;
	u64 first_ns; /* of all windows */
	u64 last_ns;
	u64 shown_first_ns; /* of the selected windows */
	u64 shown_last_ns;
	bool hours; /* some are hourly sums */
	bool cut; /* the range covers only part of one of them */
	bool damaged;
	bool splits; /* the caller shows parts of windows */
};

struct opened {
	const char *path; /* borrowed */
	struct recording *rec;
	bool goes_on; /* where the one before it ended */
	u64 hours_until_ns; /* not 0: of hourly sums, and only those that begin before */
};

struct opened_store {
	const char *path; /* borrowed */
	struct store *store;
	struct store *hours; /* NULL: none, or not needed */
};

static int open_file(struct loading *l, const char *path, struct err *err)
{
	struct opened *o = vec__push(&l->open);

	if (!o)
		return err__nomem(err);
	o->path = path;
	return recording__open(path, &o->rec, err);
}

static int open_store(struct loading *l, const char *path, struct err *err)
{
	struct opened_store *s = vec__push(&l->stores);

	if (!s)
		return err__nomem(err);
	s->path = path;
	return store__open_used(path, &s->store, err);
}

static int open_all(struct loading *l, const struct vec *files, struct err *err)
{
	struct stat st;
	size_t i;
	int r = 0;

	for (i = 0; i < files->len && !r; i++) {
		const char *path = *(const char **)vec__at(files, i);

		r = !stat(path, &st) && S_ISDIR(st.st_mode) ? open_store(l, path, err) :
							      open_file(l, path, err);
	}
	return r;
}

/* A day that cannot be read does not affect the others. */
static int open_day(struct loading *l, const char *path, bool goes_on, struct err *err)
{
	struct err why = { 0 };
	struct opened *o;
	int r = open_file(l, path, &why);

	if (r == -ENOMEM || r == -EOPNOTSUPP)
		return err__set(err, r, "%s", why.msg);
	if (r) {
		l->open.len--;
		l->damaged |= r != -ENOENT;
		return r != -ENOENT && notices__add(l->notices, why.msg) ? err__nomem(err) : 0;
	}
	o = vec__at(&l->open, l->open.len - 1);
	o->goes_on = goes_on;
	return 0;
}

/* The days of a store that overlap the range. */
static int open_days(struct loading *l, const struct store *s, u64 hours_until_ns, struct err *err)
{
	size_t first = l->open.len;
	int r = 0;

	for (size_t i = 0; i < store__files_len(s) && !r; i++) {
		const struct store_file f = store__file(s, i);
		u64 begin_ns = store_day_begin_ns(f.file.day);

		/* windows of an earlier day are there if the clock was set back */
		begin_ns -= begin_ns < LONGEST_NS ? begin_ns : LONGEST_NS;
		if (time_span__has(&l->span, begin_ns, begin_ns + DAY_NS + 2 * LONGEST_NS))
			r = open_day(l, f.path, l->open.len > first, err);
	}
	for (size_t i = first; i < l->open.len; i++)
		((struct opened *)vec__at(&l->open, i))->hours_until_ns = hours_until_ns;
	return r;
}

/* The sums for hours whose windows are gone, then the windows. */
static int open_times(struct loading *l, struct opened_store *s, struct err *err)
{
	u64 until_ns;
	int r = store_hours__open(s->store, s->path, &l->span, &s->hours, &until_ns, err);

	if (!r && s->hours)
		r = open_days(l, s->hours, until_ns, err);
	return r ? r : open_days(l, s->store, 0, err);
}

static u64 end_of(const struct recording_window *w)
{
	return w->begin_wall_ns + w->window_ns;
}

/* What a window covers: a sum its hour, also where that has gaps. */
static struct time_span span_of(const struct opened *o, const struct recording_window *w)
{
	if (o->hours_until_ns)
		return store_hour_of_window(w->begin_wall_ns, w->window_ns);
	return (struct time_span){ w->begin_wall_ns, end_of(w) };
}

static void find_span(struct loading *l)
{
	size_t i, k;

	for (i = 0; i < l->open.len; i++) {
		const struct opened *o = vec__at(&l->open, i);

		for (k = 0; k < recording__windows_len(o->rec); k++) {
			const struct recording_window *w = recording__window(o->rec, k);

			if (w->begin_wall_ns < l->first_ns)
				l->first_ns = w->begin_wall_ns;
			if (end_of(w) > l->last_ns)
				l->last_ns = end_of(w);
		}
	}
}

/* Where the windows of stores begin and end. */
static int find_store_span(struct loading *l, struct err *err)
{
	for (size_t i = 0; i < l->stores.len; i++) {
		struct store *s = ((struct opened_store *)vec__at(&l->stores, i))->store;
		u64 first_ns, last_ns;
		int r = store__span(s, &first_ns, &last_ns, err);

		for (size_t k = 0; store__damage(s, k) && r != -ENOMEM; k++) {
			if (notices__add(l->notices, store__damage(s, k)))
				return err__nomem(err);
			l->damaged = true;
		}
		if (r)
			return r;
		l->first_ns = first_ns < l->first_ns ? first_ns : l->first_ns;
		l->last_ns = last_ns > l->last_ns ? last_ns : l->last_ns;
	}
	return 0;
}

static void note_shown(struct loading *l, const struct opened *o, const struct recording_window *w)
{
	u64 begin_ns = span_of(o, w).from_ns, end_ns = span_of(o, w).to_ns;

	l->hours |= o->hours_until_ns > 0;
	if (begin_ns < l->shown_first_ns)
		l->shown_first_ns = begin_ns;
	if (end_ns > l->shown_last_ns)
		l->shown_last_ns = end_ns;
	l->cut |= time_span__cuts(&l->span, begin_ns, end_ns);
}

/* A user who asks for one second and gets the ten around it must know. */
static int say_shown(const struct loading *l, struct err *err)
{
	char first[40], last[40], text[128];

	if (l->hours &&
	    notices__add(l->notices,
			 "the windows of that time are gone: showing the sums of hours, "
			 "in which threads of one name are one"))
		return err__nomem(err);
	if (!l->cut || l->splits)
		return 0;
	clock_format_wall(l->shown_first_ns, first, sizeof(first));
	clock_format_wall(l->shown_last_ns, last, sizeof(last));
	snprintf(text, sizeof(text), "windows are not split: showing %s to %s", first, last);
	return notices__add(l->notices, text) ? err__nomem(err) : 0;
}

static int say_damage(struct loading *l, const struct opened *o, struct err *err)
{
	int r = 0;

	for (size_t i = 0; !r && recording__damage(o->rec, i); i++) {
		char text[PATH_MAX + 256];

		snprintf(text, sizeof(text), "'%s': %s", o->path, recording__damage(o->rec, i));
		r = notices__add(l->notices, text) ? err__nomem(err) : 0;
		l->damaged = true;
	}
	return r;
}

/* A window that cannot be used does not affect the others. 1, 0 if it is left out, or an error. */
static int read_window(struct loading *l, struct opened *o, size_t idx, struct profile **ret,
		       struct err *err)
{
	const struct recording_window *w = recording__window(o->rec, idx);
	struct time_span span = span_of(o, w);
	int r;

	if (!time_span__has(&l->span, span.from_ns, span.to_ns) ||
	    (o->hours_until_ns && w->begin_wall_ns >= o->hours_until_ns))
		return 0;
	r = recording__read(o->rec, idx, ret, err);
	if (r == -EBADMSG && recording__windows_len(o->rec) > 1)
		return 0;
	if (r)
		return r;
	note_shown(l, o, w);
	return 1;
}

/* What comes from another file does not go on with what came before. */
static int next_of_file(struct loading *l, struct opened *o, struct profile **ret, struct err *err)
{
	while (l->window < recording__windows_len(o->rec)) {
		int r = read_window(l, o, l->window++, ret, err);

		if (r < 0)
			return r;
		if (r) {
			r = l->another ? PROFILE_ANOTHER : PROFILE_NEXT;
			l->another = false;
			return r;
		}
	}
	return PROFILE_END;
}

static int next(void *arg, struct profile **ret, struct err *err)
{
	struct loading *l = arg;

	for (; l->file < l->open.len; l->file++) {
		struct opened *o = vec__at(&l->open, l->file);
		int r;

		if (!l->window && !o->goes_on)
			l->another = true;
		r = next_of_file(l, o, ret, err);
		if (!r)
			r = say_damage(l, o, err);
		if (r)
			return r;
		recording__forget_code(o->rec);
		l->window = 0;
	}
	l->ended = true;
	return PROFILE_END;
}

static int nothing(struct loading *l, struct err *err)
{
	char first[40], last[40];
	int r = find_store_span(l, err);

	if (r && r != -ENOENT)
		return r;
	if (l->damaged)
		return err__set(err, -EBADMSG, "no readable window");
	if (l->first_ns == ~0ULL)
		return err__set(err, -ENOENT, "the recording has no windows");
	clock_format_wall(l->first_ns, first, sizeof(first));
	clock_format_wall(l->last_ns, last, sizeof(last));
	return err__set(err, -ENOENT, "no window in that time range: the windows are from %s to %s",
			first, last);
}

static int load(struct loading *l, const struct vec *files, struct profile **ret, struct err *err)
{
	const struct profile_source source = { next, l };
	int r = open_all(l, files, err);

	if (!r && time_range__is_relative(l->range))
		r = find_store_span(l, err);
	if (r)
		return r;
	find_span(l);
	if (l->first_ns != ~0ULL || !time_range__is_relative(l->range))
		r = time_range__span(l->range, l->first_ns, l->last_ns, &l->span, err);
	for (size_t i = 0; i < l->stores.len && !r; i++)
		r = open_times(l, vec__at(&l->stores, i), err);
	if (r)
		return r;
	find_span(l);
	r = profile_source_merge(&source, ret, err);
	if (r == -ENOENT && l->ended)
		return nothing(l, err);
	/* also what was found until an error */
	if (r && l->file < l->open.len)
		say_damage(l, vec__at(&l->open, l->file), NULL);
	if (!r)
		r = say_shown(l, err);
	return r ? r : profile__check(*ret, err);
}

int recordings_load(const struct vec *files, const struct time_range *range,
		    struct notices *notices, struct profile **ret, struct recordings_found *found,
		    struct err *err)
{
	struct loading l = {
		.range = range,
		.notices = notices,
		.first_ns = ~0ULL,
		.shown_first_ns = ~0ULL,
		.splits = found->splits,
	};
	size_t i;
	int r;

	vec__init(&l.open, sizeof(struct opened));
	vec__init(&l.stores, sizeof(struct opened_store));
	*ret = NULL;
	r = load(&l, files, ret, err);
	found->damaged = l.damaged;
	found->span = l.span;
	if (r) {
		profile__free(*ret);
		*ret = NULL;
	}
	for (i = 0; i < l.open.len; i++)
		recording__close(((struct opened *)vec__at(&l.open, i))->rec);
	vec__done(&l.open);
	for (i = 0; i < l.stores.len; i++) {
		store__close(((struct opened_store *)vec__at(&l.stores, i))->store);
		store__close(((struct opened_store *)vec__at(&l.stores, i))->hours);
	}
	vec__done(&l.stores);
	return r;
}
