/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From files to one profile. The days of an agent have thousands of windows; so windows that follow
 * each other become one as soon as there are BATCH of them, and memory grows with what they have in
 * common and not with their number. Only windows of one boot do: a merged profile of several
 * machines no longer knows which thread was whose.
 */
#include "cli/recordings.h"

#include <errno.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/mem.h"
#include "profile/merge.h"
#include "recording/reader.h"

#define BATCH 32

struct loading {
	const struct opt_command *cmd;
	const struct time_range *range;
	struct vec open; /* struct opened */
	struct vec profiles; /* struct profile *, owned */
	size_t run; /* index of the first profile of those that may become one */
	u64 first_ns; /* of all windows */
	u64 last_ns;
	u64 shown_first_ns; /* of those that are taken */
	u64 shown_last_ns;
	bool cut; /* the range asks for a part of one of them */
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

static struct profile **profiles_at(const struct loading *l, size_t idx)
{
	return vec__at(&l->profiles, idx);
}

/* Makes one of the profiles from `first` on. */
static int merge_from(struct loading *l, size_t first, struct err *err)
{
	size_t len = l->profiles.len - first, i;
	struct profile *merged;
	int r;

	if (len < 2)
		return 0;
	r = profile_merge((const struct profile *const *)profiles_at(l, first), len, &merged, err);
	if (r)
		return r;
	for (i = first; i < l->profiles.len; i++)
		profile__free(*profiles_at(l, i));
	*profiles_at(l, first) = merged;
	l->profiles.len = first + 1;
	return 0;
}

static int add(struct loading *l, struct profile *p, struct err *err)
{
	const struct profile *first = l->profiles.len > l->run ? *profiles_at(l, l->run) : NULL;
	struct profile **slot = vec__push(&l->profiles);

	if (!slot) {
		profile__free(p);
		return err__nomem(err);
	}
	*slot = p;
	if (first && strcmp(profile__str(first, first->hdr.boot), profile__str(p, p->hdr.boot)))
		l->run = l->profiles.len - 1;
	return l->profiles.len - l->run < BATCH ? 0 : merge_from(l, l->run, err);
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

/* Who asks for a second and gets the ten that it is among must not take them for that second. */
static void say_shown(const struct loading *l)
{
	char first[40], last[40];

	if (!l->cut)
		return;
	clock_format_wall(l->shown_first_ns, first, sizeof(first));
	clock_format_wall(l->shown_last_ns, last, sizeof(last));
	fprintf(stderr, "coldspot %s: a window is taken whole: this is from %s to %s\n",
		l->cmd->name, first, last);
}

/* A window of which nothing can be used takes nothing from the others. */
static int add_window(struct loading *l, struct opened *o, size_t idx, struct err *err)
{
	const struct recording_window *w = recording__window(o->rec, idx);
	struct profile *p;
	int r;

	if (!time_range__has(l->range, l->first_ns, l->last_ns, w->begin_wall_ns, end_of(w)))
		return 0;
	r = recording__read(o->rec, idx, &p, err);
	if (r == -EBADMSG && recording__windows_len(o->rec) > 1)
		return 0;
	if (r)
		return r;
	note_shown(l, w);
	return add(l, p, err);
}

static int add_file(struct loading *l, struct opened *o, struct err *err)
{
	size_t i;
	int r = 0;

	l->run = l->profiles.len;
	for (i = 0; i < recording__windows_len(o->rec) && !r; i++)
		r = add_window(l, o, i, err);
	for (i = 0; recording__damage(o->rec, i); i++) {
		fprintf(stderr, "coldspot %s: '%s': %s\n", l->cmd->name, o->path,
			recording__damage(o->rec, i));
		l->damaged = true;
	}
	return r;
}

static int nothing(const struct loading *l, struct err *err)
{
	char first[40], last[40];

	if (l->damaged)
		return err__set(err, -EBADMSG, "no window can be read");
	if (l->first_ns == ~0ULL)
		return err__set(err, -ENOENT, "there is no window in the recording");
	clock_format_wall(l->first_ns, first, sizeof(first));
	clock_format_wall(l->last_ns, last, sizeof(last));
	return err__set(err, -ENOENT, "no window is in that time: they are from %s to %s", first,
			last);
}

static int load(struct loading *l, const struct vec *files, struct err *err)
{
	size_t i;
	int r = open_all(l, files, err);

	if (r)
		return r;
	find_span(l);
	if (l->first_ns != ~0ULL)
		r = time_range__check(l->range, l->first_ns, l->last_ns, err);
	for (i = 0; i < l->open.len && !r; i++)
		r = add_file(l, vec__at(&l->open, i), err);
	if (!r && !l->profiles.len)
		r = nothing(l, err);
	if (!r)
		r = merge_from(l, 0, err);
	if (!r)
		say_shown(l);
	return r ? r : profile__check(*profiles_at(l, 0), err);
}

int recordings_load(const struct opt_command *cmd, const struct vec *files,
		    const struct time_range *range, struct profile **ret, bool *ret_damaged,
		    struct err *err)
{
	struct loading l = { .cmd = cmd, .range = range, .shown_first_ns = ~0ULL };
	size_t i;
	int r;

	vec__init(&l.open, sizeof(struct opened));
	vec__init(&l.profiles, sizeof(struct profile *));
	r = load(&l, files, err);
	*ret_damaged = l.damaged;
	*ret = r ? NULL : *profiles_at(&l, 0);
	for (i = r ? 0 : 1; i < l.profiles.len; i++)
		profile__free(*profiles_at(&l, i));
	for (i = 0; i < l.open.len; i++)
		recording__close(((struct opened *)vec__at(&l.open, i))->rec);
	vec__done(&l.profiles);
	vec__done(&l.open);
	return r;
}
