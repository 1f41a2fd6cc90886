/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_CGROUP_H
#define CAPTURE_CGROUP_H

#include "base/err.h"
#include "base/types.h"

/*
 * The id the kernel knows a cgroup v2 directory by: its inode number. `path` is a directory, or is
 * taken below `mount` ("" when there is no v2 hierarchy). -ENOENT, -ENOTDIR, or -EINVAL for a
 * directory that is not of cgroup v2.
 */
int cgroup_find_id(const char *path, const char *mount, u64 *ret_id, struct err *err);

/* Where cgroup v2 is mounted first, "" if nowhere. A negative errno: mounts cannot be read. */
int cgroup_find_mount(char *buf, size_t sz);

#endif
