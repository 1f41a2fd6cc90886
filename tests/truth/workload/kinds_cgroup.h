/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WORKLOAD_KINDS_CGROUP_H
#define WORKLOAD_KINDS_CGROUP_H

#include "kinds.h"

/* A cgroup of this process's own, of version 1 or 2, whichever the machine has. */
struct cgroup {
	char dir[128];
	int v2;
};

/* With this controller ("cpu", "memory", "freezer"); 0, or -errno: not available. */
int cgroup__make(struct cgroup *g, const char *controller);
/* Writes to a file of it; 0 or -errno. */
int cgroup__put(const struct cgroup *g, const char *file, const char *text);
/* Moves a process into it; -errno or 0. */
int cgroup__add(const struct cgroup *g, int pid);
/* It goes, when nobody is in it any more. */
void cgroup__remove(const struct cgroup *g);

#endif
