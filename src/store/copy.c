/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A writer that was killed leaves windows in its log, and so does one that finished a file while
 * somebody read it. SQLite copies both as one, page by page, so it takes little memory.
 */
#include "store/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/database.h"

#define PAGES_AT_ONCE 1024
#define MODE 0640

bool store_file_has_log(const char *path)
{
	char log[PATH_MAX + 8];
	struct stat st;

	snprintf(log, sizeof(log), "%s-wal", path);
	return !stat(log, &st) && st.st_size > 0;
}

static int fail(struct err *err, const char *verb, const char *path, int code)
{
	return err__set(err, -code, "cannot %s '%s': %s", verb, path, err_str(code));
}

static int copy_bytes(int from, const char *path, int fd, const char *to, struct err *err)
{
	char buf[65536];
	ssize_t n;

	while ((n = read(from, buf, sizeof(buf))) > 0) {
		for (ssize_t done = 0, k; done < n; done += k) {
			k = write(fd, buf + done, (size_t)(n - done));
			if (k < 0)
				return fail(err, "write", to, errno);
		}
	}
	return n < 0 ? fail(err, "read", path, errno) : 0;
}

static int copy_plain(const char *path, int fd, const char *to, struct err *err)
{
	int from = open(path, O_RDONLY | O_CLOEXEC), r;

	if (from < 0)
		return fail(err, "open", path, errno);
	r = copy_bytes(from, path, fd, to, err);
	close(from);
	return r;
}

static int copy_pages(struct database *from, struct database *out, struct err *err)
{
	sqlite3_backup *b = sqlite3_backup_init(out->db, "main", from->db, "main");
	int code;

	if (!b)
		return database__fail(out, err);
	while ((code = sqlite3_backup_step(b, PAGES_AT_ONCE)) == SQLITE_OK)
		;
	sqlite3_backup_finish(b);
	if (code != SQLITE_DONE)
		return database__fail(out, err);
	/* the file says that it has a log, as the one that it is a copy of */
	return database__exec(out, "PRAGMA journal_mode = DELETE", err);
}

static int copy_with_log(const char *path, const char *to, struct err *err)
{
	struct database from, out = { .path = to };
	int r = database__open(&from, path, err);

	if (!r && sqlite3_open_v2(to, &out.db, SQLITE_OPEN_READWRITE, NULL))
		r = database__fail(&out, err);
	if (!r)
		r = copy_pages(&from, &out, err);
	database__close(&out);
	database__close(&from);
	return r;
}

int store_copy_file(const char *path, const char *to, u64 *ret_bytes, struct err *err)
{
	int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, MODE), r;
	struct stat st = { 0 };

	if (fd < 0)
		return fail(err, "write", to, errno);
	r = store_file_has_log(path) ? copy_with_log(path, to, err) : copy_plain(path, fd, to, err);
	if (!r && (fsync(fd) || fstat(fd, &st)))
		r = fail(err, "write", to, errno);
	close(fd);
	if (r)
		unlink(to);
	*ret_bytes = (u64)st.st_size;
	return r;
}
