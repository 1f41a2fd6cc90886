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

static int fail(struct err *why, const char *verb, const char *path)
{
	return err__set(why, -errno, "cannot %s '%s': %s", verb, path, err_str(errno));
}

/* Makes PATH/HOST; *ret_end is the end of PATH/HOST in `to`. */
static int make_directory(const char *base, char *to, char **ret_end, struct err *why)
{
	struct stat st;
	int r = 0;

	if (stat(base, &st))
		return fail(why, "open", base);
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
	r = make_directory(url->base, to, &end, why);
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
	.is_local = true,
};
