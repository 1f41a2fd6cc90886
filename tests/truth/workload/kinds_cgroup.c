/* SPDX-License-Identifier: Apache-2.0 */
#include "kinds_cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOT "/sys/fs/cgroup"

static int put(const char *path, const char *text)
{
	ssize_t len = (ssize_t)strlen(text);
	int fd = open(path, O_WRONLY | O_CLOEXEC), r;

	if (fd < 0)
		return -errno;
	r = write(fd, text, (size_t)len) == len ? 0 : -errno;
	close(fd);
	return r;
}

int cgroup__put(const struct cgroup *g, const char *file, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", g->dir, file);
	return put(path, text);
}

int cgroup__make(struct cgroup *g, const char *controller)
{
	char enable[32];
	int r;

	g->v2 = access(ROOT "/cgroup.controllers", F_OK) == 0;
	if (g->v2)
		snprintf(g->dir, sizeof(g->dir), ROOT "/kinds-%d", getpid());
	else
		snprintf(g->dir, sizeof(g->dir), ROOT "/%s/kinds-%d", controller, getpid());
	if (g->v2 && strcmp(controller, "freezer") != 0) {
		snprintf(enable, sizeof(enable), "+%s", controller);
		r = put(ROOT "/cgroup.subtree_control", enable);
		if (r)
			return r;
	}
	return mkdir(g->dir, 0755) ? -errno : 0;
}

int cgroup__add(const struct cgroup *g, int pid)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", pid);
	return cgroup__put(g, "cgroup.procs", text);
}

void cgroup__remove(const struct cgroup *g)
{
	int i;

	/* one that has ended is in it for a moment still */
	for (i = 0; i < 100 && rmdir(g->dir) && errno == EBUSY; i++)
		wl_pause(10000000);
}
