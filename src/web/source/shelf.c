/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A directory may have many large recordings, so they are read piece by piece, one list after the
 * other, and without the lock: a request for a profile does not wait for a list.
 */
#include "web/source/shelf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/recording_file.h"
#include "base/clock.h"
#include "base/mem.h"
#include "profile/profile.h"
#include "recording/reader.h"
#include "web/source/file_windows.h"
#include "web/source/window_sums.h"

int shelf__init(struct shelf *s, const char *dir, const struct ruleset *rules, struct err *err)
{
	DIR *d;

	memset(s, 0, sizeof(*s));
	s->rules = rules;
	vec__init(&s->books, sizeof(struct book));
	pthread_mutex_init(&s->lock, NULL);
	if (!dir)
		return 0;
	d = opendir(dir);
	if (!d)
		return err__set(err, -errno, "cannot read the directory '%s': %s", dir,
				err_str(errno));
	closedir(d);
	s->dir = mem_strdup(dir);
	return s->dir ? 0 : err__nomem(err);
}

void shelf__done(struct shelf *s)
{
	vec__done(&s->books);
	mem_free(s->dir);
	pthread_mutex_destroy(&s->lock);
}

/* FNV-1a: the same in every life of the server, so that addresses stay good. */
static void make_id(const char *name, char *id, size_t sz)
{
	u64 h = 0xcbf29ce484222325ULL;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 0x100000001b3ULL;
	snprintf(id, sz, "%016llx", h);
}

static struct book *find(const struct shelf *s, const char *id)
{
	for (size_t i = 0; i < s->books.len; i++) {
		struct book *b = vec__at(&s->books, i);

		if (!strcmp(b->id, id))
			return b;
	}
	return NULL;
}

static void forget(struct book *b)
{
	struct book known = { .bytes = b->bytes, .changed_ns = b->changed_ns, .there = true };

	memcpy(known.id, b->id, sizeof(known.id));
	memcpy(known.name, b->name, sizeof(known.name));
	*b = known;
}

/* A file with the name of a recording is there. -ENOMEM or 0. */
static int see(struct shelf *s, const char *name, const struct stat *st)
{
	u64 changed_ns = (u64)st->st_mtim.tv_sec * NSEC_PER_SEC + (u64)st->st_mtim.tv_nsec;
	char id[sizeof(((struct book *)0)->id)];
	struct book *b;

	make_id(name, id, sizeof(id));
	b = find(s, id);
	if (!b) {
		if (s->books.len >= SHELF_MAX_BOOKS)
			return 0;
		b = vec__push(&s->books);
		if (!b)
			return -ENOMEM;
		memcpy(b->id, id, sizeof(id));
		snprintf(b->name, sizeof(b->name), "%s", name);
	}
	b->there = true;
	if (b->bytes != (u64)st->st_size || b->changed_ns != changed_ns) {
		b->bytes = (u64)st->st_size;
		b->changed_ns = changed_ns;
		forget(b);
	}
	return 0;
}

static void drop_missing(struct shelf *s)
{
	size_t len = 0, i;

	for (i = 0; i < s->books.len; i++) {
		struct book *b = vec__at(&s->books, i);

		if (b->there)
			memmove(vec__at(&s->books, len++), b, sizeof(*b));
	}
	s->books.len = len;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct book *)a)->name, ((const struct book *)b)->name);
}

static int look(struct shelf *s, struct err *err)
{
	DIR *d = opendir(s->dir);
	struct dirent *e;
	struct stat st;
	int r = 0;

	if (!d)
		return err__set(err, -EIO, "cannot read the directory: %s", err_str(errno));
	for (size_t i = 0; i < s->books.len; i++)
		((struct book *)vec__at(&s->books, i))->there = false;
	while (!r && (e = readdir(d))) {
		if (*e->d_name == '.' || !recording_file_is(e->d_name) ||
		    fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
			continue;
		r = see(s, e->d_name, &st);
	}
	closedir(d);
	drop_missing(s);
	qsort(s->books.data, s->books.len, sizeof(struct book), by_name);
	return r ? err__nomem(err) : 0;
}

struct reading {
	struct book *book;
	const struct ruleset *rules;
	u64 cause_ns[CAUSE_CNT];
};

static void add_sums(struct reading *rd, const struct window_sums *w)
{
	u32 i;

	rd->book->blocked_ns += w->blocked_ns;
	rd->book->idle_ns += w->idle_ns;
	if (w->threads > rd->book->threads)
		rd->book->threads = w->threads;
	for (i = 0; i < w->causes_len; i++) {
		if (w->causes[i].class != CLASS_IDLE)
			rd->cause_ns[w->causes[i].cause] += w->causes[i].ns;
	}
}

static int add_window(void *arg, u64 seq, struct profile *p, struct err *err)
{
	struct reading *rd = arg;
	struct window_sums sums = { 0 };
	int r;

	(void)seq;
	if (!p)
		return 0;
	r = window_sums__init(&sums, p, rd->rules, err);
	if (!r)
		add_sums(rd, &sums);
	window_sums__done(&sums);
	profile__free(p);
	return r;
}

static int read_sums(struct book *b, const char *path, const struct ruleset *rules, struct err *err)
{
	const struct query_range all = { 1, SHELF_MAX_WINDOWS };
	struct reading rd = { .book = b, .rules = rules };
	u64 most = 0;
	u32 i;
	int r = file_windows_read(path, &all, add_window, &rd, err);

	b->top_cause = CAUSE_CNT;
	for (i = 0; i < CAUSE_CNT && !r; i++) {
		if (rd.cause_ns[i] > most) {
			most = rd.cause_ns[i];
			b->top_cause = i;
		}
	}
	b->has_sums = !r;
	return r;
}

static int read_head(struct book *b, const char *path, struct err *err)
{
	struct recording *rec;
	size_t i;
	int r = recording__open(path, &rec, err);

	if (r)
		return r;
	b->windows = (u32)recording__windows_len(rec);
	for (i = 0; i < b->windows; i++) {
		const struct recording_window *w = recording__window(rec, i);

		if (!i) {
			b->begin_wall_ns = w->begin_wall_ns;
			snprintf(b->host, sizeof(b->host), "%s", w->host);
			snprintf(b->target, sizeof(b->target), "%s", w->target);
		}
		b->length_ns += w->window_ns;
	}
	recording__close(rec);
	return 0;
}

static void path_of(const struct shelf *s, const struct book *b, char *path)
{
	snprintf(path, PATH_MAX, "%s/%s", s->dir, b->name);
}

/* One that nobody has read or reads now, without the lock. False: there is none. */
static bool read_one(struct shelf *s)
{
	struct book *b, copy = { 0 };
	struct err err = { 0 };
	char path[PATH_MAX];
	int r;

	for (size_t i = 0; i < s->books.len && !*copy.id; i++) {
		b = vec__at(&s->books, i);
		if (b->is_read || b->in_reading)
			continue;
		copy = *b;
		b->in_reading = true;
	}
	if (!*copy.id)
		return false;
	path_of(s, &copy, path);
	pthread_mutex_unlock(&s->lock);
	r = read_head(&copy, path, &err);
	if (!r && copy.windows <= SHELF_MAX_WINDOWS)
		r = read_sums(&copy, path, s->rules, &err);
	if (r)
		snprintf(copy.error, sizeof(copy.error), "%.239s", err.msg);
	copy.is_read = true;
	pthread_mutex_lock(&s->lock);
	b = find(s, copy.id);
	if (b && b->bytes == copy.bytes && b->changed_ns == copy.changed_ns)
		*b = copy;
	return true;
}

int shelf__list(struct shelf *s, u64 until_ns, struct vec *books, struct err *err)
{
	struct book *copy;
	int r;

	pthread_mutex_lock(&s->lock);
	r = look(s, err);
	while (!r && clock_mono_ns() < until_ns && read_one(s))
		;
	copy = r ? NULL : vec__push_n(books, s->books.len ? s->books.len : 1);
	if (copy) {
		memcpy(copy, s->books.data, s->books.len * sizeof(*copy));
		books->len = s->books.len;
	}
	pthread_mutex_unlock(&s->lock);
	if (!r && !copy)
		r = err__nomem(err);
	return r;
}

int shelf__path(struct shelf *s, const char *id, char *path, struct err *err)
{
	const struct book *b;
	int r = 0;

	pthread_mutex_lock(&s->lock);
	b = find(s, id);
	if (!b && s->dir)
		r = look(s, err);
	if (!r)
		b = find(s, id);
	if (b)
		path_of(s, b, path);
	pthread_mutex_unlock(&s->lock);
	if (r || b)
		return r;
	return err__set(err, -ENOENT, "no recording '%.20s'; /api/v1/recordings lists them", id);
}
