/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/program.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What the kernel appends to the path of a file that is gone. */
#define DELETED " (deleted)"

void program_file(u32 pid, char *buf, size_t sz)
{
	char link[32], path[PATH_MAX];
	const char *slash;
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/%u/exe", pid);
	len = readlink(link, path, sizeof(path) - 1);
	path[len > 0 ? len : 0] = '\0';
	if (len > (ssize_t)strlen(DELETED) && !strcmp(path + len - strlen(DELETED), DELETED))
		path[len - (ssize_t)strlen(DELETED)] = '\0';
	slash = strrchr(path, '/');
	snprintf(buf, sz, "%s", slash ? slash + 1 : path);
}

void program_arg0(u32 pid, char *buf, size_t sz)
{
	char path[32];
	ssize_t len = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/cmdline", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		len = read(fd, buf, sz - 1);
		close(fd);
	}
	buf[len > 0 ? len : 0] = '\0';
}
