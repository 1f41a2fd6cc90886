/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_NAME_CGROUP_LABEL_H
#define ANALYSIS_NAME_CGROUP_LABEL_H

#include "profile/label/cgroup_words.h"
#include "profile/profile.h"

/* "cgroup 18446744073709551615" with its NUL. */
#define CGROUP_ID_SZ 32

/* "cgroup 77"; "" if the id is unknown. Returns buf. */
const char *cgroup_id_label(const struct profile_task *t, char buf[CGROUP_ID_SZ]);
/*
 * The cgroup of a thread, for display: its path, "/system.slice/ssh.service", or its id if the path
 * is unknown. Points into the profile or to buf.
 */
const char *cgroup_label(const struct profile *p, const struct profile_task *t,
			 char buf[CGROUP_ID_SZ]);
/* Who runs in it. */
void cgroup_words_of_task(const struct profile *p, const struct profile_task *t,
			  struct cgroup_words *ret);

#endif
