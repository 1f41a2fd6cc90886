/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_MODEL_GROUP_H
#define ANALYSIS_MODEL_GROUP_H

#include "analysis/cause/cause_memo.h"
#include "analysis/model/group_by.h"
#include "analysis/name/place.h"
#include "base/err.h"
#include "profile/profile.h"

/* A group of threads has all the time of its threads; other groups have only waits. */
bool group_is_of_threads(enum group_by by);

/* Names of groups. Borrows the profile, whose frames are named. */
struct groups {
	const struct profile *p;
	enum group_by by;
	struct causes causes; /* GROUP_BY_CAUSE, GROUP_BY_CLASS */
	/* GROUP_BY_STACK */
	struct labels labels;
	struct places places;
	u32 *user_of_wait; /* place texts */
	u32 *kernel_of_wait;
};

/* Longest name, with its NUL. */
#define GROUP_NAME_SZ 512

/* `memo`: of causes, or NULL (cause_memo.h). -ENOMEM or 0; groups__done() in either case. */
int groups__init(struct groups *g, const struct profile *p, enum group_by by,
		 struct cause_memo *memo, struct err *err);
void groups__done(struct groups *g);
void groups__of_wait(const struct groups *g, u32 wait, char *buf, size_t sz);
/* Only where group_is_of_threads(). */
void groups__of_task(const struct groups *g, u32 task, char *buf, size_t sz);

#endif
