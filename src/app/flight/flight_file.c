/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace goes on while a file is written, so the rings are read between two windows. Names are
 * numbers and not times: a script can say them in advance, and the time is in the file.
 */
#include "app/flight/flight_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/cause/cause_memo.h"
#include "app/recording_file.h"
#include "base/mem.h"
#include "base/sink.h"
#include "recording/writer.h"
#include "session/session.h"

/* More than anybody keeps in one directory. */
#define LAST_NUMBER 1000000

int flight_file_check(const char *path, struct err *err)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX] = ".";

	if (slash &&
	    snprintf(dir, sizeof(dir), "%.*s", (int)(slash - path + 1), path) >= (int)sizeof(dir))
		return err__set(err, -ENAMETOOLONG, "'%s': the name is too long", path);
	if (faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS))
		return err__set(err, -errno, "cannot create files in '%s': %s", dir,
				err_str(errno));
	return 0;
}

/* A new file, and its name. */
static int create(const char *path, char **ret_path, struct err *err)
{
	size_t stem_len = strlen(path) - strlen(RECORDING_ENDING), sz = strlen(path) + 16;
	char *name = mem_alloc(sz);
	int fd = -1;

	if (!name)
		return err__nomem(err);
	for (u32 i = 1; i <= LAST_NUMBER && fd < 0; i++) {
		snprintf(name, sz, "%.*s-%u%s", (int)stem_len, path, i, RECORDING_ENDING);
		fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd < 0) {
		fd = err__set(err, -errno, "cannot create '%s': %s", name, err_str(errno));
		mem_free(name);
		return fd;
	}
	*ret_path = name;
	return fd;
}

static int add_windows(const struct flight_file *file, struct recorder *rec, struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < file->len && !r; i++) {
		struct cause_memo memo = { .rules = file->rules, .p = file->windows[i] };

		r = recording_file_add(rec, file->windows[i], &memo, err);
		cause_memo__done(&memo);
		if (!r && file->session && !session__is_over(file->session)) {
			r = session__poll(file->session, -1, 0, err);
			r = r == -EINTR ? 0 : r;
		}
	}
	return r;
}

static int put(struct recorder *rec, int fd, const char *path, struct err *err)
{
	struct sink out;
	struct err why = { 0 };
	int r;

	sink__init_fd(&out, fd);
	r = recorder__write(rec, &out, err);
	if (!r && sink__finish(&out, &why))
		r = err__set(err, -EIO, "cannot write '%s': %s", path, why.msg);
	sink__done(&out);
	return r;
}

int flight_file_write(const struct flight_file *file, char **ret_path, struct err *err)
{
	struct recorder *rec = NULL;
	char *path = NULL;
	int r = recorder__create_in_memory(&rec, err), fd = -1;

	if (!r)
		r = add_windows(file, rec, err);
	if (!r) {
		fd = create(file->path, &path, err);
		r = fd < 0 ? fd : put(rec, fd, path, err);
	}
	recorder__free(rec);
	if (fd >= 0)
		close(fd);
	if (r && path) {
		unlink(path);
		mem_free(path);
		path = NULL;
	}
	*ret_path = path;
	return r;
}
