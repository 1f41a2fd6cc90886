/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A day that still grows is not sent: a part of it would be replaced every time, and a reader could
 * not tell that it is one. Its file is sent once, when no window can come any more.
 *
 * The cursor is the last file that was sent; its window is always 0.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "push/day_over.h"
#include "push/pusher_priv.h"
#include "push/target.h"

/* Of the delay after a window: a day is a thousand times as much to send. */
#define DELAY_TIMES 60

int pusher__begin_days(struct pusher *p, struct store *s, u64 since_wall_ns, struct err *err)
{
	struct push_place place = { 0 };
	size_t files = store__files_len(s);
	u32 day;

	/* the next one that is over is the one in use now */
	if (since_wall_ns == ~0ULL)
		day = files ? store__file(s, files - 1).file.day : 0;
	else
		day = store_day_of(since_wall_ns);
	if (day)
		place.at.file = (struct store_day){ day - 1, STORE_PART_MAX };
	return push_cursor__write(&p->cursor, &place, err);
}

/* The first one behind the cursor. False: it is not over, or there is none. */
static bool find_day(const struct pusher *p, const struct store *s, u64 wall_ns,
		     struct store_file *ret)
{
	size_t len = store__files_len(s), i = 0;
	struct store_day newest;

	while (i < len) {
		*ret = store__file(s, i);
		if (store_day_compare(&ret->file, &p->cursor.place.at.file) > 0)
			break;
		i++;
	}
	if (i == len) {
		*ret = (struct store_file){ 0 };
		return false;
	}
	/* what a wrong clock wrote for a time to come says nothing */
	newest = ret->file;
	for (; i < len; i++) {
		if (store_day_begin_ns(store__file(s, i).file.day) <= wall_ns)
			newest = store__file(s, i).file;
	}
	return push_day_is_over(&ret->file, &newest, wall_ns, p->opt->delay_ns * DELAY_TIMES);
}

/* The host of its first window; without one, this host. *ret_begin_ns: of that window, or 0. */
static void name_host(struct store *s, const struct store_day *file, char *buf, size_t sz,
		      u64 *ret_begin_ns)
{
	const struct store_cursor before = { .file = *file };
	struct store_window w;

	buf[0] = '\0';
	*ret_begin_ns = 0;
	if (store__next(s, &before, &w, NULL) > 0 && !store_day_compare(&w.at.file, file)) {
		snprintf(buf, sz, "%s", w.host);
		*ret_begin_ns = w.begin_wall_ns;
	} else {
		(void)gethostname(buf, sz - 1);
	}
	for (char *c = buf; *c; c++) {
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.",
			    *c) ||
		    (c == buf && *c == '.'))
			*c = '_';
	}
	if (!*buf)
		snprintf(buf, sz, "unknown");
}

static int put(struct pusher *p, struct store *s, const struct store_file *file,
	       struct push_place *ret_place, struct push_put *ret, struct err *why)
{
	char path[PATH_MAX], name[STORE_NAME_SZ], whole[STORE_NAME_SZ + HOST_NAME_MAX + 2];
	char host[HOST_NAME_MAX + 1] = "", scratch[sizeof(p->cursor.path) + 8];
	struct push_day day = { path, whole, scratch, .file = file->file };

	ret_place->at.file = file->file;
	/* of the store until it is looked at again */
	snprintf(path, sizeof(path), "%s", file->path);
	name_host(s, &file->file, host, sizeof(host), &ret_place->begin_wall_ns);
	store_day_name(&file->file, name);
	snprintf(whole, sizeof(whole), "%s/%s", host, name);
	snprintf(scratch, sizeof(scratch), "%s.day", p->cursor.path);
	day.begin_wall_ns = ret_place->begin_wall_ns;
	return p->url.target->put_day(&day, &p->url, p->http, ret, why);
}

static int skip(struct pusher *p, const struct store_file *file, int code, const char *why)
{
	char name[STORE_NAME_SZ];

	if (code == -E2BIG)
		p->refused++;
	else
		p->lost++;
	store_day_name(&file->file, name);
	pusher__say(p, PUSH_ERROR, "%s misses %s, which is skipped: %s", p->url.name, name, why);
	return 0;
}

int pusher__step_day(struct pusher *p, struct store *s, u64 now_mono_ns, struct err *err)
{
	struct push_place place = { 0 };
	struct push_put put_ret = { 0 };
	struct err why = { 0 };
	struct store_file file;
	int r;

	p->growing = (struct store_day){ 0 };
	if (!find_day(p, s, clock_wall_ns(), &file)) {
		p->growing = file.file;
		return pusher__check_store(p, s, err);
	}
	r = put(p, s, &file, &place, &put_ret, &why);
	if (r == -ENOMEM)
		return err__nomem(err);
	p->needs_user = put_ret.needs_user;
	if (!r && put_ret.verdict == PUSH_LATER) {
		pusher__note_later(p, now_mono_ns, put_ret.retry_after_s, why.msg);
		return PUSHER_WAITS;
	}
	if (r) {
		skip(p, &file, r, why.msg);
	} else {
		p->taken++;
		p->bytes += put_ret.bytes;
	}
	r = pusher__note_done(p, &place, err);
	return r ? r : PUSHER_WENT_ON;
}
