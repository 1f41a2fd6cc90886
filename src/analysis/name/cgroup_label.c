/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/name/cgroup_label.h"

#include <stdio.h>

const char *cgroup_id_label(const struct profile_task *t, char buf[CGROUP_ID_SZ])
{
	buf[0] = '\0';
	if (t->cgroup_id)
		snprintf(buf, CGROUP_ID_SZ, "cgroup %llu", t->cgroup_id);
	return buf;
}

const char *cgroup_label(const struct profile *p, const struct profile_task *t,
			 char buf[CGROUP_ID_SZ])
{
	return t->cgroup ? profile__str(p, t->cgroup) : cgroup_id_label(t, buf);
}

void cgroup_words_of_task(const struct profile *p, const struct profile_task *t,
			  struct cgroup_words *ret)
{
	cgroup_words_of(profile__str(p, t->cgroup), profile__str(p, t->container), ret);
}
