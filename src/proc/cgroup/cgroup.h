/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_CGROUP_CGROUP_H
#define PROC_CGROUP_CGROUP_H

#include "base/err.h"
#include "base/types.h"
#include "base/view.h"

/* The ID of the hierarchy's root: the first number in a kernfs tree. */
#define CGROUP_ROOT_ID 1

/*
 * The kernel's ID of a cgroup v2 directory: its inode number. `path` is a directory, or is relative
 * to `mount` ("" if there is no v2 hierarchy). -ENOENT, -ENOTDIR, -ENAMETOOLONG, or -EINVAL for a
 * directory that is not in cgroup v2.
 */
int cgroup_find_id(const char *path, const char *mount, u64 *ret_id, struct err *err);

/*
 * Where cgroup v2 is mounted: preferably a mount that shows all of the hierarchy visible to us,
 * else any; "" if there is none. Mounts hidden under another mount do not count. Negative errno if
 * the mounts cannot be read.
 */
int cgroup_find_mount(char *buf, size_t sz);

/*
 * The next cgroup v2 mount in the text of /proc/self/mountinfo whose path fits in `buf`; false if
 * there is none. *ret_whole: it shows the hierarchy from its root, not just a directory of it.
 */
bool cgroup_next_mount(struct view *text, char *buf, size_t sz, bool *ret_whole);

#endif
