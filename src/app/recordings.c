/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files as one source of profiles, whose windows are read one by one: the recordings of an
 * agent have thousands per day. A damaged window does not affect the others.
 */
#include "app/recordings.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/mem.h"
#include "profile/windows/source.h"
#include "recording/reader.h"

struct loading {
	const struct time_range *range;
	struct notices *notices;
	struct vec open; /* struct opened */
	size_t file; /* the next window: of this one, */
	size_t window; /* and this one in it */
	bool another; /* it is the first one of its file */
	bool ended;
	u64 first_ns; /* of all windows */
	u64 last_ns;
	u64 shown_first_ns; /* of the selected windows */
	u64 shown_last_ns;
	bool cut; /* the range covers only part of one of them */
	bool damaged;
};

struct opened {
	const char *path;
	struct recording *rec;
};

static int open_all(struct loading *l, const struct vec *files, struct err *err)
{
	size_t i;
	int r;

	for (i = 0; i < files->len; i++) {
		struct opened *o = vec__push(&l->open);

		if (!o)
			return err__nomem(err);
		o->path = *(const char **)vec__at(files, i);
		r = recording__open(o->path, &o->rec, err);
		if (r)
			return r;
	}
	return 0;
}

static u64 end_of(const struct recording_window *w)
{
	return w->begin_wall_ns + w->window_ns;
}

static void find_span(struct loading *l)
{
	size_t i, k;

	l->first_ns = ~0ULL;
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

static void note_shown(struct loading *l, const struct recording_window *w)
{
	u64 begin_ns = w->begin_wall_ns, end_ns = end_of(w);

	if (begin_ns < l->shown_first_ns)
		l->shown_first_ns = begin_ns;
	if (end_ns > l->shown_last_ns)
		l->shown_last_ns = end_ns;
	l->cut |= time_range__cuts(l->range, l->first_ns, l->last_ns, begin_ns, end_ns);
}

/* A user who asks for one second and gets the ten around it must know. */
static int say_shown(const struct loading *l, struct err *err)
{
	char first[40], last[40], text[128];

	if (!l->cut)
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
	int r;

	if (!time_range__has(l->range, l->first_ns, l->last_ns, w->begin_wall_ns, end_of(w)))
		return 0;
	r = recording__read(o->rec, idx, ret, err);
	if (r == -EBADMSG && recording__windows_len(o->rec) > 1)
		return 0;
	if (r)
		return r;
	note_shown(l, w);
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
		int r = next_of_file(l, o, ret, err);

		if (!r)
			r = say_damage(l, o, err);
		if (r)
			return r;
		l->window = 0;
		l->another = true;
	}
	l->ended = true;
	return PROFILE_END;
}

static int nothing(const struct loading *l, struct err *err)
{
	char first[40], last[40];

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

	if (r)
		return r;
	find_span(l);
	if (l->first_ns != ~0ULL)
		r = time_range__check(l->range, l->first_ns, l->last_ns, err);
	if (r)
		return r;
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
		    struct notices *notices, struct profile **ret, bool *ret_damaged,
		    struct err *err)
{
	struct loading l = {
		.range = range, .notices = notices, .another = true, .shown_first_ns = ~0ULL
	};
	size_t i;
	int r;

	vec__init(&l.open, sizeof(struct opened));
	*ret = NULL;
	r = load(&l, files, ret, err);
	*ret_damaged = l.damaged;
	if (r) {
		profile__free(*ret);
		*ret = NULL;
	}
	for (i = 0; i < l.open.len; i++)
		recording__close(((struct opened *)vec__at(&l.open, i))->rec);
	vec__done(&l.open);
	return r;
}
