/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A directory, perhaps of another machine: PATH/HOST is itself a store, with the same names. A file
 * appears there whole, after it is on the disk. PATH must exist: if it is where something should be
 * mounted and is not, days would fill the disk below it.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "push/target.h"
#include "store/copy.h"
#include "store/store.h"

static int find_fault(const struct push_url *url, struct err *err)
{
	struct stat st;

	if (stat(url->base, &st))
		return err__set(err, -errno, "cannot open '%s': %s%s", url->base, err_str(errno),
				errno == ENOENT ? "; make or mount it" : "");
	if (!S_ISDIR(st.st_mode))
		return err__set(err, -ENOTDIR, "'%s' is no directory", url->base);
	return 0;
}

static int fail(struct err *why, const char *verb, const char *path)
{
	return err__set(why, -errno, "cannot %s '%s': %s", verb, path, err_str(errno));
}

/* Makes PATH/HOST; *ret_end is the end of PATH/HOST in `to`. */
static int make_directory(char *to, char **ret_end, struct err *why)
{
	int r = 0;

	*ret_end = strrchr(to, '/');
	**ret_end = '\0';
	if (mkdir(to, 0750) && errno != EEXIST)
		r = fail(why, "make", to);
	**ret_end = '/';
	return r;
}

/* So that the name survives a crash, too. */
static int sync_directory(char *to, char *end, struct err *why)
{
	int fd, r = 0;

	*end = '\0';
	fd = open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fsync(fd))
		r = fail(why, "write", to);
	if (fd >= 0)
		close(fd);
	*end = '/';
	return r;
}

/*
 * -EEXIST if there is a file of that name whose first window begins at another instant: two hosts
 * with one name, or two stores of a host, would replace each other's days.
 */
static int check_owner(const struct push_day *day, char *to, char *end, struct err *why)
{
	const struct store_cursor before = { .file = day->file };
	struct store_window w = { 0 };
	struct store *there = NULL;
	bool is_there;
	int r;

	if (access(to, F_OK))
		return 0;
	*end = '\0';
	r = store__open(to, &there, why);
	*end = '/';
	if (r)
		return r;
	is_there = store__next(there, &before, &w, NULL) > 0 &&
		   !store_day_compare(&w.at.file, &day->file);
	store__close(there);
	if (!is_there || w.begin_wall_ns == day->begin_wall_ns)
		return 0;
	return err__set(why, -EEXIST,
			"'%s' is of another store: move it away, or push to a directory of its own",
			to);
}

static int put(const char *from, char *to, char *end, u64 *ret_bytes, struct err *why)
{
	char fresh[PATH_MAX + 16];
	int r;

	snprintf(fresh, sizeof(fresh), "%.*s/.%s.new", (int)(end - to), to, end + 1);
	r = store_copy_file(from, fresh, ret_bytes, why);
	if (!r && rename(fresh, to)) {
		r = fail(why, "write", to);
		unlink(fresh);
	}
	return r ? r : sync_directory(to, end, why);
}

static int put_day(const struct push_day *day, const struct push_url *url, struct http *http,
		   struct push_put *ret, struct err *why)
{
	char to[PATH_MAX], *end = NULL;
	int r;

	(void)http;
	if (snprintf(to, sizeof(to), "%s/%s", url->base, day->name) >= (int)sizeof(to))
		return err__set(why, -ENAMETOOLONG, "the path of the target is too long");
	r = find_fault(url, why);
	ret->needs_user = r != 0;
	if (!r)
		r = make_directory(to, &end, why);
	if (!r)
		r = check_owner(day, to, end, why);
	ret->needs_user |= r == -EEXIST;
	if (!r)
		r = put(day->path, to, end, &ret->bytes, why);
	/* the day is still there, unless it is not */
	if (!r || r == -ENOMEM || r == -EBADMSG || access(day->path, F_OK))
		return r;
	ret->verdict = PUSH_LATER;
	return 0;
}

const struct push_target push_dir = {
	.name = "dir",
	.help = "a directory, for the files of days that are over",
	.put_day = put_day,
	.find_fault = find_fault,
	.is_local = true,
};
