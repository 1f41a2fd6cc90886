/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A root is identified by device and inode of its directory, so the many processes of a container
 * cost one descriptor, and those in our own root none. A descriptor keeps a mount alive even after
 * its namespace ends.
 */
#include "proc/roots.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOTS_MAX 64

struct root {
	u64 dev;
	u64 ino;
	int fd; /* -1: given away */
};

void roots__init(struct roots *r)
{
	vec__init(&r->list, sizeof(struct root));
}

void roots__done(struct roots *r)
{
	size_t i;

	if (!r)
		return;
	for (i = 0; i < r->list.len; i++) {
		struct root *root = vec__at(&r->list, i);

		if (root->fd >= 0)
			close(root->fd);
	}
	vec__done(&r->list);
}

static bool is_known(const struct roots *r, const struct stat *st)
{
	struct stat ours;
	size_t i;

	if (!stat("/", &ours) && ours.st_dev == st->st_dev && ours.st_ino == st->st_ino)
		return true;
	for (i = 0; i < r->list.len; i++) {
		const struct root *root = vec__at(&r->list, i);

		if (root->dev == st->st_dev && root->ino == st->st_ino)
			return true;
	}
	return false;
}

int roots__see(struct roots *r, u32 tgid)
{
	struct root *root;
	struct stat st;
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/root", tgid);
	if (r->list.len >= ROOTS_MAX)
		return 0;
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (fstat(fd, &st) || is_known(r, &st)) {
		close(fd);
		return 0;
	}
	root = vec__push(&r->list);
	if (!root) {
		close(fd);
		return -ENOMEM;
	}
	*root = (struct root){ st.st_dev, st.st_ino, fd };
	return 0;
}

int roots__give(struct roots *r, int (*give)(void *arg, int fd), void *arg)
{
	size_t i;
	int error = 0;

	for (i = 0; i < r->list.len && !error; i++) {
		struct root *root = vec__at(&r->list, i);

		if (root->fd < 0)
			continue;
		error = give(arg, root->fd);
		root->fd = -1;
	}
	return error;
}
