/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_CGROUP_H
#define PROC_CGROUP_H

#include "base/err.h"
#include "base/types.h"
#include "base/view.h"

/* That of the root of the hierarchy: the first number of a tree of kernfs. */
#define CGROUP_ROOT_ID 1

/*
 * The id the kernel knows a cgroup v2 directory by: its inode number. `path` is a directory, or is
 * taken below `mount` ("" when there is no v2 hierarchy). -ENOENT, -ENOTDIR, -ENAMETOOLONG, or
 * -EINVAL for a directory that is not of cgroup v2.
 */
int cgroup_find_id(const char *path, const char *mount, u64 *ret_id, struct err *err);

/*
 * Where cgroup v2 is mounted: first of those mounts that show all of the hierarchy that we may see,
 * else of any; "" if nowhere. One that lies under another mount is none. A negative errno: mounts
 * cannot be read.
 */
int cgroup_find_mount(char *buf, size_t sz);

/*
 * The next mount of cgroup v2 in the text of /proc/self/mountinfo whose path fits; false: there is
 * none. *ret_whole: it shows more than a directory of the hierarchy.
 */
bool cgroup_next_mount(struct view *text, char *buf, size_t sz, bool *ret_whole);

#endif
