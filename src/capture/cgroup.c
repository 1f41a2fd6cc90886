/* SPDX-License-Identifier: Apache-2.0 */

/* Cgroup v2 directories and their ids. */
#include "capture/cgroup.h"

#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/view.h"
#include "capture/features_priv.h"

#define MOUNTINFO_MAX_SZ (4 << 20)

int cgroup_find_id(const char *path, const char *mount, u64 *ret_id, struct err *err)
{
	char below[512];
	const char *dir = path;
	struct statfs fs;
	struct stat st;

	if (!mount[0])
		return err__set(err, -ENOENT, "no cgroup v2 hierarchy is mounted here");
	if (statfs(dir, &fs) || fs.f_type != CGROUP2_SUPER_MAGIC) {
		/* As /proc/PID/cgroup prints it: counted from the mount point. */
		snprintf(below, sizeof(below), "%s/%s", mount, path);
		dir = below;
	}
	if (stat(dir, &st))
		return err__set(err, -ENOENT, "no cgroup '%s', also not below %s: %s", path, mount,
				err_str(errno));
	if (!S_ISDIR(st.st_mode))
		return err__set(err, -ENOTDIR, "'%s' is not a cgroup: name its directory", path);
	if (statfs(dir, &fs) || fs.f_type != CGROUP2_SUPER_MAGIC)
		return err__set(err, -EINVAL, "'%s' is not in the cgroup v2 hierarchy at %s", path,
				mount);
	*ret_id = st.st_ino;
	return 0;
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
	if (!features_text_cgroup2(view__of(text, text_sz), buf, sz))
		buf[0] = '\0';
	mem_free(text);
	return 0;
}
