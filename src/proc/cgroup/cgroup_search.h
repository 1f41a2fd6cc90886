/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_CGROUP_CGROUP_SEARCH_H
#define PROC_CGROUP_CGROUP_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/*
 * Finds the one cgroup below `mount` for whose name (its directory, without those above) `is` is
 * true; what lies below a match is part of it. `noun` and `name` are for messages: "unit", "nginx".
 * The path is relative to the mount: "/system.slice/nginx.service". -ENOENT if there is none or no
 * hierarchy ("" as `mount`), -EINVAL if there are several, -ENAMETOOLONG, or an error of reading.
 */
struct cgroup_search {
	const char *mount;
	const char *noun;
	const char *name;
	bool (*is)(const void *arg, const char *dir);
	const void *arg;
};
int cgroup_search(const struct cgroup_search *s, char *buf, size_t sz, struct err *err);

#endif
