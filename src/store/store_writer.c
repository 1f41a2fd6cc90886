/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows go to the file of the UTC day in which they begin. If the clock is set back over midnight
 * they stay in the newer file, so that readers that are already there see them. A clock that is
 * wrong by more than a day makes files of the days that it says.
 *
 * A file that another version wrote, or that is damaged, is left as it is; the day continues in its
 * next part. The lock is a flock(), which the kernel ends with the process, however it ends.
 */
#include "store/store_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "store/day.h"
#include "store/store.h"

/* Of the first page alone: a writer was killed before the file had tables. */
#define EMPTY_SZ 4096

struct store_writer {
	char *dir;
	int lock_fd;
	struct recorder *rec; /* NULL: none */
	struct store_day file; /* of `rec`, or the last one */
	bool set_aside; /* it takes no more windows */
	char path[PATH_MAX]; /* of `rec`, which borrows it */
};

static int lock(struct store_writer *w, struct err *err)
{
	char path[PATH_MAX], pid[24] = "";

	snprintf(path, sizeof(path), "%s/lock", w->dir);
	w->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (w->lock_fd < 0)
		return err__set(err, -errno, "cannot write to the store '%s': %s", w->dir,
				err_str(errno));
	if (flock(w->lock_fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK)
			return err__set(err, -errno, "cannot lock '%s': %s", path, err_str(errno));
		if (pread(w->lock_fd, pid, sizeof(pid) - 1, 0) < 0)
			pid[0] = '\0';
		pid[strspn(pid, "0123456789")] = '\0';
		return err__set(err, -EBUSY,
				"another agent (PID %s) writes to the store '%s'; stop it, or name "
				"another store",
				*pid ? pid : "unknown", w->dir);
	}
	snprintf(pid, sizeof(pid), "%d\n", (int)getpid());
	/* only for that message */
	if (ftruncate(w->lock_fd, 0) || pwrite(w->lock_fd, pid, strlen(pid), 0) < 0)
		return 0;
	return 0;
}

int store_writer__open(const char *dir, struct store_writer **ret, struct err *err)
{
	struct store_writer *w = mem_alloc(sizeof(*w));
	int r = 0;

	if (!w)
		return err__nomem(err);
	w->lock_fd = -1;
	w->dir = mem_strdup(dir);
	if (!w->dir)
		r = err__nomem(err);
	else if (strlen(dir) > PATH_MAX - 64)
		r = err__set(err, -ENAMETOOLONG, "the path of the store is too long");
	else if (mkdir(dir, 0750) && errno != EEXIST)
		r = err__set(err, -errno, "cannot make the store '%s': %s", dir, err_str(errno));
	if (!r)
		r = lock(w, err);
	if (r)
		store_writer__close(w);
	else
		*ret = w;
	return r;
}

/* A reader may need the log a little longer; then it stays beside the file. */
static void finish(struct store_writer *w)
{
	if (w->rec)
		(void)recorder__finish(w->rec, NULL);
	recorder__free(w->rec);
	w->rec = NULL;
}

void store_writer__close(struct store_writer *w)
{
	if (!w)
		return;
	finish(w);
	if (w->lock_fd >= 0)
		close(w->lock_fd);
	mem_free(w->dir);
	mem_free(w);
}

void store_writer__set_aside(struct store_writer *w)
{
	recorder__free(w->rec);
	w->rec = NULL;
	w->set_aside = true;
}

static void set_path(struct store_writer *w, const struct store_day *file)
{
	char name[STORE_NAME_SZ];

	store_day_name(file, name);
	snprintf(w->path, sizeof(w->path), "%s/%s", w->dir, name);
	w->file = *file;
}

static void unlink_logs(const char *path)
{
	char log[PATH_MAX + 8];

	snprintf(log, sizeof(log), "%s-wal", path);
	unlink(log);
	snprintf(log, sizeof(log), "%s-shm", path);
	unlink(log);
}

static int create(struct store_writer *w, struct err *err)
{
	int r = recorder__create_lean(w->path, &w->rec, err);

	/* on a full disk, half a schema is nothing to continue */
	if (r && r != -EEXIST) {
		unlink(w->path);
		unlink_logs(w->path);
	}
	return r;
}

static bool is_empty(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && st.st_size <= EMPTY_SZ;
}

static bool is_full(const char *path, u64 part_bytes)
{
	struct stat st;

	return part_bytes && !stat(path, &st) && (u64)st.st_size >= part_bytes;
}

/* The file that is there. 0; 1: the day needs another part; or an error. */
static int resume(struct store_writer *w, u64 part_bytes, struct err *err)
{
	struct err why = { 0 };
	int r;

	if (is_full(w->path, part_bytes))
		return 1;
	r = recorder__continue(w->path, &w->rec, &why);
	if (!r && recorder__windows(w->rec))
		return 0;
	if (r != 0 && r != -EOPNOTSUPP && r != -EBADMSG)
		return err__set(err, r, "%s", why.msg);
	recorder__free(w->rec);
	w->rec = NULL;
	if (r && !is_empty(w->path))
		return 1;
	unlink_logs(w->path);
	unlink(w->path);
	return create(w, err);
}

/* The newest file of the store; a part of 0 if there is none. */
static int find_newest(const struct store_writer *w, struct store_day *ret, struct err *err)
{
	struct store *s;
	int r = store__open(w->dir, &s, err);
	size_t len;

	if (r)
		return r;
	len = store__files_len(s);
	*ret = len ? store__file(s, len - 1).file : (struct store_day){ 0 };
	store__close(s);
	return 0;
}

/* The newest part of a day; 0: none. */
static int find_part(const struct store_writer *w, u32 day, u32 *ret, struct err *err)
{
	struct store *s;
	int r = store__open(w->dir, &s, err);

	*ret = 0;
	if (r)
		return r;
	for (size_t i = 0; i < store__files_len(s); i++) {
		struct store_day file = store__file(s, i).file;

		if (file.day == day)
			*ret = file.part;
	}
	store__close(s);
	return 0;
}

static int open_day(struct store_writer *w, u32 day, u64 part_bytes, struct err *err)
{
	struct store_day file = { .day = day };
	int r = find_part(w, day, &file.part, err);

	if (r)
		return r;
	if (file.part && !(w->set_aside && !store_day_compare(&file, &w->file))) {
		set_path(w, &file);
		r = resume(w, part_bytes, err);
		if (r <= 0)
			return r;
	}
	if (file.part >= STORE_PART_MAX)
		return err__set(err, -EFBIG, "'%s' is the last part that a day can have", w->path);
	file.part++;
	set_path(w, &file);
	w->set_aside = false;
	return create(w, err);
}

int store_writer__recorder(struct store_writer *w, u64 begin_wall_ns, u64 part_bytes,
			   struct recorder **ret, struct err *err)
{
	u32 day = store_day_of(begin_wall_ns);
	struct store_day newest = w->file;
	int r = 0;

	if (!newest.part)
		r = find_newest(w, &newest, err);
	if (r)
		return r;
	if (newest.part && newest.day == day + 1)
		day++;
	if (w->rec && (w->file.day != day || is_full(w->path, part_bytes)))
		finish(w);
	if (!w->rec)
		r = open_day(w, day, part_bytes, err);
	if (!r)
		*ret = w->rec;
	return r;
}

static int remove_file(const struct store_file *f, struct store_removed *ret, struct err *err)
{
	if (unlink(f->path) && errno != ENOENT)
		return err__set(err, -errno, "cannot remove '%s': %s", f->path, err_str(errno));
	unlink_logs(f->path);
	ret->files++;
	ret->bytes += f->bytes;
	return 0;
}

int store_writer__retain(struct store_writer *w, const struct store_limits *limits, u64 now_wall_ns,
			 bool by_age, struct store_removed *ret, struct err *err)
{
	u32 today = store_day_of(now_wall_ns);
	struct store *s;
	u64 bytes = 0;
	int r = store__open(w->dir, &s, err);

	*ret = (struct store_removed){ 0 };
	if (r)
		return r;
	for (size_t i = 0; i < store__files_len(s); i++)
		bytes += store__file(s, i).bytes;
	for (size_t i = 0; i < store__files_len(s) && !r; i++) {
		const struct store_file f = store__file(s, i);
		bool old = by_age && limits->days && f.file.day + limits->days <= today;

		if (w->rec && !store_day_compare(&f.file, &w->file))
			continue;
		if (!old && !(limits->bytes && bytes > limits->bytes))
			continue;
		bytes -= f.bytes;
		r = remove_file(&f, ret, err);
	}
	ret->over = limits->bytes && bytes > limits->bytes;
	ret->kept_files = (u32)store__files_len(s) - ret->files;
	ret->kept_bytes = bytes;
	store__close(s);
	return r;
}
