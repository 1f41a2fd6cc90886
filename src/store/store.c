/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One file is open at a time: readers go through a store in order, and opening a day costs some 10
 * ms, because each of its windows has a head. It is opened again when it, or its log, has changed.
 */
#include "store/store.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/notices.h"
#include "base/vec.h"
#include "recording/reader.h"

/* What tells that a file has changed. */
struct print {
	off_t sz;
	off_t wal_sz;
	struct timespec changed;
	struct timespec wal_changed;
	ino_t ino;
};

struct listed {
	struct store_day file;
	char *path;
	u64 bytes;
};

struct store {
	char *dir;
	struct vec files; /* struct listed, in order */
	struct notices damage;
	/* the file that is open */
	struct recording *rec; /* NULL: none */
	struct store_day open;
	struct print print;
};

int store_cursor_compare(const struct store_cursor *a, const struct store_cursor *b)
{
	int order = store_day_compare(&a->file, &b->file);

	if (order)
		return order;
	return a->window < b->window ? -1 : a->window > b->window;
}

static void forget_files(struct store *s)
{
	for (size_t i = 0; i < s->files.len; i++)
		mem_free(((struct listed *)vec__at(&s->files, i))->path);
	vec__reset(&s->files);
}

static u64 bytes_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : (u64)st.st_blocks * 512;
}

/* -ENOMEM or 0. */
static int add_file(struct store *s, const char *name)
{
	char path[PATH_MAX], wal[PATH_MAX + 8];
	struct store_day file;
	struct listed *l;

	if (!store_day_parse(name, &file))
		return 0;
	snprintf(path, sizeof(path), "%s/%s", s->dir, name);
	snprintf(wal, sizeof(wal), "%s-wal", path);
	l = vec__push(&s->files);
	if (!l)
		return -ENOMEM;
	*l = (struct listed){ file, mem_strdup(path), bytes_of(path) + bytes_of(wal) };
	return l->path ? 0 : -ENOMEM;
}

static int by_time(const void *a, const void *b)
{
	return store_day_compare(&((const struct listed *)a)->file,
				 &((const struct listed *)b)->file);
}

int store__look(struct store *s, struct err *err)
{
	DIR *d = opendir(s->dir);
	struct dirent *e;
	int r = 0;

	if (!d)
		return err__set(err, -errno, "cannot read the store '%s': %s", s->dir,
				err_str(errno));
	forget_files(s);
	while (!r && (e = readdir(d)))
		r = add_file(s, e->d_name);
	closedir(d);
	if (s->files.len)
		qsort(s->files.data, s->files.len, sizeof(struct listed), by_time);
	return r ? err__nomem(err) : 0;
}

int store__open(const char *dir, struct store **ret, struct err *err)
{
	struct store *s = mem_alloc(sizeof(*s));
	int r;

	if (!s)
		return err__nomem(err);
	vec__init(&s->files, sizeof(struct listed));
	notices__init(&s->damage);
	s->dir = mem_strdup(dir);
	r = s->dir ? store__look(s, err) : err__nomem(err);
	if (r)
		store__close(s);
	else
		*ret = s;
	return r;
}

int store__open_used(const char *dir, struct store **ret, struct err *err)
{
	int r = store__open(dir, ret, err);

	if (r || store__files_len(*ret))
		return r;
	return err__set(err, -ENOENT,
			"'%s' is no store: it has no file with a name like 2026-11-25.coldspot",
			dir);
}

void store__close(struct store *s)
{
	if (!s)
		return;
	recording__close(s->rec);
	forget_files(s);
	vec__done(&s->files);
	notices__done(&s->damage);
	mem_free(s->dir);
	mem_free(s);
}

size_t store__files_len(const struct store *s)
{
	return s->files.len;
}

struct store_file store__file(const struct store *s, size_t idx)
{
	const struct listed *l = vec__at(&s->files, idx);

	return (struct store_file){ l->file, l->path, l->bytes };
}

const char *store__damage(const struct store *s, size_t idx)
{
	return notices__at(&s->damage, idx);
}

static struct print print_of(const char *path)
{
	char wal[PATH_MAX + 8];
	struct print print;
	struct stat st;

	memset(&print, 0, sizeof(print));
	if (!stat(path, &st)) {
		print.sz = st.st_size;
		print.changed = st.st_mtim;
		print.ino = st.st_ino;
	}
	snprintf(wal, sizeof(wal), "%s-wal", path);
	if (!stat(wal, &st)) {
		print.wal_sz = st.st_size;
		print.wal_changed = st.st_mtim;
	}
	return print;
}

static int note_damage(struct store *s, const char *path)
{
	for (size_t i = 0; recording__damage(s->rec, i); i++) {
		char text[PATH_MAX + 256];

		snprintf(text, sizeof(text), "'%s': %s", path, recording__damage(s->rec, i));
		if (notices__add(&s->damage, text))
			return -ENOMEM;
	}
	return 0;
}

static void close_file(struct store *s)
{
	recording__close(s->rec);
	s->rec = NULL;
}

/* 0, or an error of recording__open(). */
static int open_file(struct store *s, const struct listed *l, struct err *err)
{
	struct print print = print_of(l->path);
	int r;

	if (s->rec && !store_day_compare(&s->open, &l->file) &&
	    !memcmp(&s->print, &print, sizeof(print)))
		return 0;
	close_file(s);
	r = recording__open(l->path, &s->rec, err);
	if (r)
		return r;
	s->open = l->file;
	s->print = print;
	return note_damage(s, l->path) ? err__nomem(err) : 0;
}

/* The same for one that may be passed over: 1, 0 if it is, or -ENOMEM. */
static int try_file(struct store *s, const struct listed *l, struct err *err)
{
	struct err why = { 0 };
	int r = open_file(s, l, &why);

	if (!r)
		return 1;
	if (r == -ENOMEM || (r != -ENOENT && notices__add(&s->damage, why.msg)))
		return err__nomem(err);
	return 0;
}

static struct store_window window_of(const struct store *s, size_t idx)
{
	const struct recording_window *w = recording__window(s->rec, idx);

	return (struct store_window){
		.at = { s->open, w->id },
		.begin_wall_ns = w->begin_wall_ns,
		.begin_mono_ns = w->begin_mono_ns,
		.window_ns = w->window_ns,
		.host = w->host,
	};
}

/* The first window with a higher number in the open file. */
static bool find_window(const struct store *s, u32 after, struct store_window *ret)
{
	size_t low = 0, high = recording__windows_len(s->rec);

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (recording__window(s->rec, mid)->id > after)
			high = mid;
		else
			low = mid + 1;
	}
	if (low >= recording__windows_len(s->rec))
		return false;
	*ret = window_of(s, low);
	return true;
}

int store__next(struct store *s, const struct store_cursor *after, struct store_window *ret,
		struct err *err)
{
	for (size_t i = 0; i < s->files.len; i++) {
		const struct listed *l = vec__at(&s->files, i);
		int order = store_day_compare(&l->file, &after->file), r;

		if (order < 0)
			continue;
		r = try_file(s, l, err);
		if (r < 0)
			return r;
		if (r && find_window(s, order ? 0 : after->window, ret))
			return 1;
	}
	return 0;
}

static const struct listed *find_file(const struct store *s, const struct store_day *file)
{
	for (size_t i = 0; i < s->files.len; i++) {
		const struct listed *l = vec__at(&s->files, i);

		if (!store_day_compare(&l->file, file))
			return l;
	}
	return NULL;
}

int store__read(struct store *s, const struct store_cursor *at, struct profile **ret,
		struct err *err)
{
	const struct listed *l = find_file(s, &at->file);
	size_t i;
	int r;

	if (!l)
		return err__set(err, -ENOENT, "the window was removed from '%s'", s->dir);
	r = open_file(s, l, err);
	if (r)
		return r;
	for (i = 0; i < recording__windows_len(s->rec); i++) {
		if (recording__window(s->rec, i)->id != at->window)
			continue;
		r = recording__read(s->rec, i, ret, err);
		return note_damage(s, l->path) && !r ? err__nomem(err) : r;
	}
	return err__set(err, -ENOENT, "'%s' has no window %u", l->path, at->window);
}

int store__last(struct store *s, size_t skip, struct store_window *ret, struct err *err)
{
	for (size_t i = s->files.len; i > 0; i--) {
		int r = try_file(s, vec__at(&s->files, i - 1), err);

		if (r < 0)
			return r;
		if (!r || !recording__windows_len(s->rec) || skip--)
			continue;
		*ret = window_of(s, recording__windows_len(s->rec) - 1);
		return 0;
	}
	return err__set(err, -ENOENT, "the store '%s' has no windows", s->dir);
}

/* Begin and end of the windows of the open file. */
static void widen(const struct store *s, u64 *first_ns, u64 *last_ns)
{
	for (size_t i = 0; i < recording__windows_len(s->rec); i++) {
		const struct recording_window *w = recording__window(s->rec, i);
		u64 end_ns = w->begin_wall_ns + w->window_ns;

		*first_ns = w->begin_wall_ns < *first_ns ? w->begin_wall_ns : *first_ns;
		*last_ns = end_ns > *last_ns ? end_ns : *last_ns;
	}
}

int store__span(struct store *s, u64 *ret_first_ns, u64 *ret_last_ns, struct err *err)
{
	size_t i, k;
	u64 first_ns = ~0ULL, last_ns = 0;

	for (i = 0; i < s->files.len && first_ns == ~0ULL; i++) {
		int r = try_file(s, vec__at(&s->files, i), err);

		if (r < 0)
			return r;
		if (r)
			widen(s, &first_ns, &last_ns);
	}
	/* the last file with windows; the first one was read */
	for (k = s->files.len; k > i; k--) {
		int r = try_file(s, vec__at(&s->files, k - 1), err);

		if (r < 0)
			return r;
		if (r)
			widen(s, &first_ns, &last_ns);
		if (r && recording__windows_len(s->rec))
			break;
	}
	if (first_ns == ~0ULL)
		return err__set(err, -ENOENT, "the store '%s' has no windows", s->dir);
	*ret_first_ns = first_ns;
	*ret_last_ns = last_ns;
	return 0;
}
