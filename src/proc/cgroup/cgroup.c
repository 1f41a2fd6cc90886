/* SPDX-License-Identifier: Apache-2.0 */

/* Cgroup v2 directories and their ids. */
#include "proc/cgroup/cgroup.h"

#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/file.h"
#include "base/mem.h"
#include "proc/mountinfo.h"

static bool is_cgroup2(const char *dir)
{
	struct statfs fs;

	return !statfs(dir, &fs) && fs.f_type == CGROUP2_SUPER_MAGIC;
}

int cgroup_find_id(const char *path, const char *mount, u64 *ret_id, struct err *err)
{
	char below[PATH_MAX]; /* the kernel accepts no longer path */
	const char *dir = path;
	struct stat st;

	if (!mount[0])
		return err__set(err, -ENOENT, "no cgroup v2 hierarchy is mounted here");
	if (!is_cgroup2(dir)) {
		/* As in /proc/PID/cgroup: relative to the mount point. */
		if ((size_t)snprintf(below, sizeof(below), "%s/%s", mount, path) >= sizeof(below))
			return err__set(err, -ENAMETOOLONG,
					"a path of %zu bytes is too long for a cgroup",
					strlen(path));
		dir = below;
	}
	if (stat(dir, &st))
		return err__set(err, -ENOENT, "no cgroup '%s', also not below %s: %s", path, mount,
				err_str(errno));
	if (!S_ISDIR(st.st_mode))
		return err__set(err, -ENOTDIR, "'%s' is not a cgroup: name its directory", path);
	if (!is_cgroup2(dir))
		return err__set(err, -EINVAL, "'%s' is not in the cgroup v2 hierarchy at %s", path,
				mount);
	*ret_id = st.st_ino;
	return 0;
}

bool cgroup_next_mount(struct view *text, char *buf, size_t sz, bool *ret_whole)
{
	struct mount_line line;

	while (mountinfo__next(text, &line)) {
		if (!view__eq(&line.fs, "cgroup2") || !mountinfo__unescape(line.point, buf, sz))
			continue;
		*ret_whole = view__eq(&line.root, "/");
		return true;
	}
	return false;
}

static void choose_mount(struct view text, char *buf, size_t sz)
{
	char point[MOUNT_TEXT_SZ];
	bool whole;

	buf[0] = '\0';
	while (cgroup_next_mount(&text, point, sizeof(point) < sz ? sizeof(point) : sz, &whole)) {
		if ((buf[0] && !whole) || !is_cgroup2(point))
			continue;
		snprintf(buf, sz, "%s", point);
		if (whole)
			return;
	}
}

int cgroup_find_mount(char *buf, size_t sz)
{
	size_t text_sz;
	char *text;
	int r;

	buf[0] = '\0';
	r = file_read("/proc/self/mountinfo", MOUNTINFO_MAX_SZ, &text, &text_sz, NULL);
	if (r < 0)
		return r;
	choose_mount(view__of(text, text_sz), buf, sz);
	mem_free(text);
	return 0;
}
