/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines, for people: what it is, of which target, the last window, as the name of its file and its
 * number there, and when that window began. Versions that know no fourth line pass over it. The
 * lock is a file of its own, because the cursor is replaced.
 */
#include "push/cursor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"

#define FIRST_LINE "coldspot push 1"
#define FILE_MAX 8192

/* False: it is there, and is not a number. */
static bool parse_begin(struct view *text, u64 *ret)
{
	struct view line, word;

	if (!view__line(text, &line) || !view__left(&line))
		return true;
	if (!view__token(&line, &word) || !view__eq(&word, "begin"))
		return false;
	view__blank(&line);
	*ret = view__dec(&line);
	return !line.bad && !view__left(&line);
}

bool push_cursor_parse(struct view text, struct push_place *ret)
{
	struct view line, word;
	char name[STORE_NAME_SZ];
	u64 window;

	*ret = (struct push_place){ 0 };
	if (!view__line(&text, &line) || !view__eq(&line, FIRST_LINE) ||
	    !view__line(&text, &line) || !view__line(&text, &line) || !view__token(&line, &word) ||
	    !view__copy(&word, name, sizeof(name)))
		return false;
	view__blank(&line);
	window = view__dec(&line);
	if (line.bad || view__left(&line) || window > ~0U)
		return false;
	ret->at.window = (u32)window;
	/* before the first one */
	if (!strcmp(name, "-"))
		return !window;
	return store_day_parse(name, &ret->at.file) && parse_begin(&text, &ret->begin_wall_ns);
}

static int lock(struct push_cursor *c, struct err *err)
{
	char path[sizeof(c->path) + 8];

	snprintf(path, sizeof(path), "%s.lock", c->path);
	c->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (c->lock_fd < 0 && errno == ENOENT)
		return err__set(err, -ENOENT,
				"the directory of '%s' does not exist: make it, or name another "
				"with --state",
				c->path);
	if (c->lock_fd < 0)
		return err__set(err, -errno,
				"cannot write '%s': %s; --state names another directory for what "
				"was sent",
				path, err_str(errno));
	if (!flock(c->lock_fd, LOCK_EX | LOCK_NB))
		return 0;
	return err__set(err, errno == EWOULDBLOCK ? -EBUSY : -errno, "another coldspot sends to %s",
			c->target);
}

/* A cursor in the store keeps the name that older versions gave it: nothing is sent again. */
static u64 name_of(const char *store, const char *target)
{
	u64 hash = hash_text(target);

	return *store ? hash_u64(hash ^ hash_text(store)) : hash;
}

int push_cursor__init(struct push_cursor *c, const char *dir, const char *store, const char *target,
		      struct err *err)
{
	char *data;
	size_t sz;
	int r;

	*c = (struct push_cursor){ .lock_fd = -1 };
	if (strlen(dir) + 40 > sizeof(c->path) || strlen(target) >= sizeof(c->target))
		return err__set(err, -ENAMETOOLONG,
				"the name of the directory or target is too long");
	snprintf(c->path, sizeof(c->path), "%s/push-%016llx.cursor", dir,
		 (unsigned long long)name_of(store, target));
	snprintf(c->target, sizeof(c->target), "%s", target);
	r = lock(c, err);
	if (r)
		return r;
	r = file_read(c->path, FILE_MAX, &data, &sz, err);
	if (r == -ENOENT) {
		c->is_new = true;
		return 0;
	}
	if (r)
		return r;
	if (!push_cursor_parse(view__of(data, sz), &c->place))
		r = err__set(err, -EINVAL,
			     "'%s' is damaged: remove it, and name the first window with --since",
			     c->path);
	mem_free(data);
	return r;
}

void push_cursor__done(struct push_cursor *c)
{
	if (c->lock_fd >= 0)
		close(c->lock_fd);
	c->lock_fd = -1;
}

static int write_file(const char *path, const char *text)
{
	size_t len = strlen(text);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644), r = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, len) != (ssize_t)len || fsync(fd))
		r = errno ? -errno : -EIO;
	close(fd);
	return r;
}

int push_cursor__write(struct push_cursor *c, const struct push_place *place, struct err *err)
{
	const struct store_cursor *at = &place->at;
	char text[sizeof(c->target) + 160], path[sizeof(c->path) + 8], name[STORE_NAME_SZ] = "-";
	int r, len;

	if (at->file.part)
		store_day_name(&at->file, name);
	len = snprintf(text, sizeof(text), FIRST_LINE "\n%s\n%s %u\n", c->target, name, at->window);
	if (place->begin_wall_ns)
		snprintf(text + len, sizeof(text) - (size_t)len, "begin %llu\n",
			 (unsigned long long)place->begin_wall_ns);
	snprintf(path, sizeof(path), "%s.new", c->path);
	r = write_file(path, text);
	if (!r && rename(path, c->path))
		r = -errno;
	if (r)
		return err__set(err, r, "cannot write '%s': %s", c->path, err_str(r));
	c->place = *place;
	c->is_new = false;
	return 0;
}
