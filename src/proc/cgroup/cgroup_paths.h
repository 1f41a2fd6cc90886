/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_CGROUP_CGROUP_PATHS_H
#define PROC_CGROUP_CGROUP_PATHS_H

#include "base/err.h"
#include "base/map64.h"
#include "base/strtab.h"
#include "base/types.h"

/* Paths kept at most; further cgroups stay numbers. */
#define CGROUP_PATHS_MAX (1U << 16)

/*
 * The paths of v2 cgroups by the kernel's IDs, relative to the mount point: "/" is what is mounted
 * there. Each ID is looked up once, when it is first seen, because a cgroup may be removed later.
 * Not thread-safe.
 */
struct cgroup_paths {
	int mount_fd; /* -1: not open, nothing is looked up */
	char *mount; /* its path, without a trailing slash */
	struct strtab paths;
	struct map64 by_id; /* to a string of `paths`, or 0: no such cgroup is visible */
	bool walks; /* IDs cannot be opened: the tree is searched */
	bool is_whole; /* the mount shows the root of the hierarchy */
	u64 next_walk_ns;
};

/* Nothing is open: every function may be called, and no ID has a path. */
void cgroup_paths__init(struct cgroup_paths *c);
void cgroup_paths__done(struct cgroup_paths *c);
/*
 * `dir`: the directory of the root, as from cgroup_find_mount(). A directory outside cgroup v2 is
 * searched: directory inode numbers serve as IDs there too. -ENOENT if it cannot be opened,
 * -ENOMEM, or 0.
 */
int cgroup_paths__open(struct cgroup_paths *c, const char *dir);
/* An ID was seen: looks it up now. -ENOMEM or 0; not finding it is no error. */
int cgroup_paths__see(struct cgroup_paths *c, u64 id);
/*
 * The kernel reported the path from the root of the hierarchy: "/...", without a NUL. If only part
 * of the hierarchy is mounted, as in a container, that path is not ours, and the ID is looked up.
 */
int cgroup_paths__tell(struct cgroup_paths *c, u64 id, const char *path, size_t len);
/* The path, "/...", or NULL if unknown. Valid until the next call. */
const char *cgroup_paths__find(const struct cgroup_paths *c, u64 id);

#endif
