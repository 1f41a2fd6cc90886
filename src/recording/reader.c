/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading uses only blocks: each has a checksum, and the head of a window has those of the others.
 * The query tables are not read, except the number of the last window, which reveals a head that is
 * missing without a trace. Window numbers are consecutive.
 *
 * The file is first read normally. If that fails, or a window is missing, it is read again without
 * its first page (database.h), and the attempt that finds more windows wins.
 */
#include "recording/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "recording/reader_priv.h"
#include "recording/schema.h"

/* Of the file: "SQLite format 3", user version, application id. */
#define FILE_HEAD_SZ 100
#define AT_USER_VERSION 60
#define AT_APPLICATION_ID 68
/*
 * A block takes a few hundred bytes, so no page contains more windows; limits a search in a damaged
 * file.
 */
#define WINDOWS_PER_PAGE 8
/* Limit for unreadable heads: each costs a search in a file with false numbers. */
#define LOST_MAX (1U << 16)

/* The file's own header. */
struct outside {
	bool is_recording; /* its header says so */
	bool is_empty;
	u32 format;
};

void recording__tell(struct recording *rec, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	(void)notices__add(&rec->damage, text);
}

static u32 big_endian(const u8 *p)
{
	return (u32)p[0] << 24 | (u32)p[1] << 16 | (u32)p[2] << 8 | p[3];
}

static int look(const char *path, struct outside *ret, struct err *err)
{
	u8 head[FILE_HEAD_SZ] = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	ssize_t n;

	if (fd < 0)
		return err__set(err, -errno, "cannot read '%s': %s", path, err_str(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return err__set(err, -EINVAL, "'%s' is not a regular file", path);
	}
	n = read(fd, head, sizeof(head));
	close(fd);
	*ret = (struct outside){
		.is_recording = n == FILE_HEAD_SZ && !memcmp(head, "SQLite format 3", 16) &&
				big_endian(head + AT_APPLICATION_ID) == SCHEMA_APPLICATION_ID,
		.is_empty = !st.st_size,
		.format = big_endian(head + AT_USER_VERSION),
	};
	return 0;
}

/* The expected window numbers. */
struct range {
	u32 first;
	u32 last; /* 0: none */
};

static int find_range(struct recording *rec, struct range *ret, struct err *err)
{
	s64 limit, first, last = 0, first_block, last_block = 0;
	int r = database__number(&rec->d, "PRAGMA page_count", &limit, err), s;

	/* windows in the log count, and the file may be shorter than its header says */
	if (r)
		return r;
	limit = (limit + 1) * WINDOWS_PER_PAGE;
	limit = limit < SCHEMA_WINDOW_MAX ? limit : SCHEMA_WINDOW_MAX;
	r = database__number(&rec->d, "SELECT min(id) FROM windows", &first, err);
	if (!r)
		r = database__number(&rec->d, "SELECT max(id) FROM windows", &last, err);
	s = database__number(&rec->d, "SELECT min(id) FROM blocks", &first_block, r ? NULL : err);
	if (!s)
		s = database__number(&rec->d, "SELECT max(id) FROM blocks", &last_block,
				     r ? NULL : err);
	first_block /= SCHEMA_BLOCK_IDS;
	last_block /= SCHEMA_BLOCK_IDS;
	/* damaged numbers must not make the search endless */
	if (s || first_block < 1 || first_block > limit)
		first_block = 1;
	if (r || first < 1 || first > first_block)
		first = first_block;
	if (r || last < last_block)
		last = last_block;
	*ret = (struct range){ (u32)first, (u32)(last > limit ? limit : last) };
	return r ? r : s;
}

static int decode_window(struct recording *rec, u32 id, struct view stored)
{
	struct found_window *w = vec__push(&rec->windows);
	const struct block b = { .kind = BLOCK_HEAD, .window = id };
	size_t sz = 0;
	u8 *data = NULL;
	int r = block_peek(stored, &b);

	if (!w)
		return -ENOMEM;
	if (!r)
		r = block_open(stored, &data, &sz);
	if (!r)
		r = decode_head(view__of(data, sz), &rec->arena, &w->head);
	mem_free(data);
	if (r) {
		rec->windows.len--;
		return r;
	}
	w->info = (struct recording_window){
		.id = id,
		.begin_wall_ns = w->head.hdr.begin_wall_ns,
		.begin_mono_ns = w->head.hdr.begin_mono_ns,
		.window_ns = w->head.hdr.window_ns,
		.host = w->head.strings[HEAD_HOST],
		.kernel = w->head.strings[HEAD_KERNEL],
		.version = w->head.strings[HEAD_VERSION],
		.command = w->head.strings[HEAD_COMMAND],
		.target = w->head.strings[HEAD_TARGET],
	};
	return 0;
}

static int find_window(struct recording *rec, u32 id)
{
	size_t sz;
	u8 *stored;
	int r = database__block(&rec->d, id, BLOCK_HEAD, &stored, &sz);

	if (r > 0)
		r = decode_window(rec, id, view__of(stored, sz));
	else if (!r)
		r = -EBADMSG;
	mem_free(stored);
	return r;
}

static void tell_lost(struct recording *rec, u32 first, u32 last)
{
	if (first == last)
		recording__tell(rec, "window %u is lost: its head cannot be read", first);
	else if (first < last)
		recording__tell(rec, "windows %u to %u are lost: their heads cannot be read", first,
				last);
}

/* Unreadable heads are reported and counted; heads of a newer version are an error. */
static int find_windows(struct recording *rec, const struct range *range, u32 *ret_lost)
{
	u32 id, lost_from = 0;
	int r = 0;

	for (id = range->first; range->last && id <= range->last && *ret_lost < LOST_MAX; id++) {
		r = find_window(rec, id);
		if (r == -ENOMEM || r == -EOPNOTSUPP)
			return r;
		if (r) {
			*ret_lost += 1;
			lost_from = lost_from ? lost_from : id;
		} else if (lost_from) {
			tell_lost(rec, lost_from, id - 1);
			lost_from = 0;
		}
	}
	if (lost_from)
		tell_lost(rec, lost_from, range->last);
	return 0;
}

static int start(const char *path, struct recording **ret)
{
	struct recording *rec = mem_alloc(sizeof(*rec));

	if (!rec)
		return -ENOMEM;
	arena__init(&rec->arena);
	vec__init(&rec->windows, sizeof(struct found_window));
	notices__init(&rec->damage);
	rec->path = mem_strdup(path);
	*ret = rec;
	return rec->path ? 0 : -ENOMEM;
}

static int open_database(struct recording *rec, struct range *range, struct err *err)
{
	int r = rec->is_bare ? database__open_bare(&rec->d, rec->path, err) :
			       database__open(&rec->d, rec->path, err);

	if (!r)
		r = find_range(rec, range, err);
	/* besides its first page, the file may lack others */
	if (r == -EBADMSG && rec->is_bare && range->last) {
		recording__tell(rec, "windows at its end may be lost");
		r = 0;
	}
	return r;
}

/* One attempt. 0 with a recording, possibly with lost windows, or an error and none. */
static int open_one(const char *path, bool bare, struct recording **ret, u32 *ret_lost,
		    struct err *err)
{
	struct recording *rec = NULL;
	struct range range = { 0 };
	int r = start(path, &rec);

	if (!r) {
		rec->is_bare = bare;
		r = open_database(rec, &range, err);
	}
	if (!r) {
		r = find_windows(rec, &range, ret_lost);
		if (r == -EOPNOTSUPP)
			err__set(err, r,
				 "'%s' was made by a newer version of coldspot: update coldspot to "
				 "read it",
				 path);
	}
	if (!r) {
		*ret = rec;
		return 0;
	}
	recording__close(rec);
	return r == -ENOMEM ? err__nomem(err) : r;
}

/* The error if nothing is readable. */
static int refuse(const char *path, const struct outside *out, const char *why, struct err *err)
{
	if (out->is_empty)
		return err__set(err, -EINVAL,
				"'%s' is empty: a recording is written when its trace is over",
				path);
	if (!out->is_recording)
		return err__set(err, -EINVAL, "'%s' is not a coldspot recording", path);
	if (out->format > SCHEMA_FORMAT)
		return err__set(err, -EOPNOTSUPP,
				"'%s' is of format %u, made by a newer version of coldspot: this "
				"one reads format %u",
				path, out->format, SCHEMA_FORMAT);
	return err__set(err, -EBADMSG, "'%s' is damaged, and no window of it can be read%s%s", path,
			*why ? ": " : "", why);
}

static void tell_wal(struct recording *rec)
{
	char *wal = arena__alloc(&rec->arena, strlen(rec->path) + sizeof("-wal"));
	struct stat st;

	if (!wal)
		return;
	memcpy(wal, rec->path, strlen(rec->path));
	memcpy(wal + strlen(rec->path), "-wal", sizeof("-wal"));
	if (!stat(wal, &st) && st.st_size)
		recording__tell(rec, "windows in '%s' are missing: it cannot be read", wal);
}

/* Errors of SQLite name the file, and so does the caller. */
static const char *without_path(const char *why, const char *path)
{
	size_t len = strlen(path);

	if (why[0] == '\'' && !strncmp(why + 1, path, len) && !strncmp(why + 1 + len, "': ", 3))
		return why + len + 4;
	return why;
}

/* The attempt without the first page, if it finds more than the other did. */
static int try_bare(const char *path, const char *why, struct recording **rec, struct err *err)
{
	struct recording *bare = NULL;
	size_t found = *rec ? (*rec)->windows.len : 0;
	u32 lost = 0;
	int r = open_one(path, true, &bare, &lost, err);

	if (r || bare->windows.len <= found) {
		recording__close(bare);
		return r == -ENOMEM || (r == -EOPNOTSUPP && !*rec) ? r : 0;
	}
	recording__close(*rec);
	*rec = bare;
	recording__tell(bare, "%s: its windows were looked for one by one",
			*why ? why : "the file is damaged");
	tell_wal(bare);
	return 0;
}

int recording__open(const char *path, struct recording **ret, struct err *err)
{
	struct recording *rec = NULL;
	struct outside out = { 0 };
	struct err why = { 0 };
	u32 lost = 0;
	int r = look(path, &out, err);

	if (r)
		return r;
	r = open_one(path, false, &rec, &lost, &why);
	/* damage, or a log that we may not read, are reasons to try again */
	if (r && r != -EBADMSG && r != -EACCES)
		return err__set(err, r, "%s", why.msg);
	if (r || lost || !rec->windows.len)
		r = try_bare(path, without_path(why.msg, path), &rec, err);
	/* a new file has no windows, which is no error */
	if (!r && (!rec || (!rec->windows.len &&
			    (lost || !out.is_recording || out.format > SCHEMA_FORMAT))))
		r = refuse(path, &out, without_path(why.msg, path), err);
	if (r) {
		recording__close(rec);
		return r;
	}
	if (!out.is_recording)
		recording__tell(rec, "the header of the file is damaged");
	*ret = rec;
	return 0;
}

void recording__close(struct recording *rec)
{
	if (!rec)
		return;
	database__close(&rec->d);
	arena__done(&rec->arena);
	vec__done(&rec->windows);
	notices__done(&rec->damage);
	read_chain__done(&rec->chain);
	mem_free(rec->path);
	mem_free(rec);
}

size_t recording__windows_len(const struct recording *rec)
{
	return rec->windows.len;
}

const struct recording_window *recording__window(const struct recording *rec, size_t idx)
{
	return &((const struct found_window *)vec__at(&rec->windows, idx))->info;
}

const struct window_head *recording__head(const struct recording *rec, size_t idx)
{
	return &((const struct found_window *)vec__at(&rec->windows, idx))->head;
}

const char *recording__damage(const struct recording *rec, size_t idx)
{
	return notices__at(&rec->damage, idx);
}
