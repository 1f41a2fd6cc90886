/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_CGROUP_LABEL_H
#define ANALYSIS_CGROUP_LABEL_H

#include "profile/profile.h"

/* "cgroup 18446744073709551615" with its NUL. */
#define CGROUP_ID_SZ 32

/* "cgroup 77"; "" where the id is not known. Returns buf. */
const char *cgroup_id_label(const struct profile_task *t, char buf[CGROUP_ID_SZ]);
/*
 * The cgroup of a thread, for people: its path, "/system.slice/ssh.service", or its id where that
 * is not known. Points into the profile or to buf.
 */
const char *cgroup_label(const struct profile *p, const struct profile_task *t,
			 char buf[CGROUP_ID_SZ]);

#endif
