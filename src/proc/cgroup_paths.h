/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_CGROUP_PATHS_H
#define PROC_CGROUP_PATHS_H

#include "base/err.h"
#include "base/map64.h"
#include "base/strtab.h"
#include "base/types.h"

/* So many are kept; the others stay numbers. */
#define CGROUP_PATHS_MAX (1U << 16)

/*
 * The paths of cgroups v2 by the ids that the kernel has for them, as seen from where they are
 * mounted: "/" is what is mounted there. Each id is looked up once, when it is first seen, because
 * a cgroup may be gone later. Not thread-safe.
 */
struct cgroup_paths {
	int mount_fd; /* -1: not open, nothing is looked up */
	char *mount; /* its path, without a slash at the end */
	struct strtab paths;
	struct map64 by_id; /* to a string of `paths`, or 0: there is no such cgroup to be seen */
	bool walks; /* ids cannot be asked for: the tree is gone through */
	bool is_whole; /* what is mounted is the root of the hierarchy */
	u64 next_walk_ns;
};

/* Nothing is open: everything may be called, and no id has a path. */
void cgroup_paths__init(struct cgroup_paths *c);
void cgroup_paths__done(struct cgroup_paths *c);
/*
 * `dir`: the directory that is the root of all, as of cgroup_find_mount(). What is not of cgroup v2
 * is walked: inode numbers of directories are their ids there too. -ENOENT when it cannot be
 * opened, -ENOMEM, or 0.
 */
int cgroup_paths__open(struct cgroup_paths *c, const char *dir);
/* An id was seen: now is the time to look it up. -ENOMEM or 0; not to be found is no error. */
int cgroup_paths__see(struct cgroup_paths *c, u64 id);
/*
 * The kernel told where it is, from the root of the hierarchy: "/...", without a NUL. Where less is
 * mounted than all, as in a container, that path is none of ours, and the id is looked up.
 */
int cgroup_paths__tell(struct cgroup_paths *c, u64 id, const char *path, size_t len);
/* The path, "/..."; NULL: not known. It lives until the next call. */
const char *cgroup_paths__find(const struct cgroup_paths *c, u64 id);

#endif
