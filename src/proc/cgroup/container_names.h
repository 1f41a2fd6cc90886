/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_CGROUP_CONTAINER_NAMES_H
#define PROC_CGROUP_CONTAINER_NAMES_H

#include "base/map64.h"
#include "base/strtab.h"
#include "base/types.h"

/* Names and IDs kept at most. */
#define CONTAINER_TEXTS_MAX (1U << 15)

/*
 * The names of containers by their IDs (container_list.h). The files of the runtimes are read when
 * an ID is asked for that is not known, but not more often than once a second, and so that it takes
 * a twentieth of the time at most. Containers can be renamed, so all names are read again after
 * five minutes, or when there are too many. Not thread-safe.
 */
struct container_names {
	const char *root; /* as of container_list_each(); not owned */
	struct strtab texts;
	struct map64 name_of; /* of texts: from an ID to a name */
	u64 next_read_ns;
	u64 renew_ns; /* when all are read again */
};

/* -ENOMEM or 0. */
int container_names__init(struct container_names *c, const char *root);
void container_names__done(struct container_names *c);
/*
 * The first name of a container, valid until the next call, or NULL if it is not known. `id`:
 * CONTAINER_ID_LEN digits. -ENOMEM or 0.
 */
int container_names__find(struct container_names *c, const char *id, const char **ret_name);

#endif
