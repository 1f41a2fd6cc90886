/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_GROUP_H
#define ANALYSIS_GROUP_H

#include "analysis/cause_memo.h"
#include "analysis/place.h"
#include "base/err.h"
#include "profile/profile.h"

/* By what waits are put together. Append only. */
enum group_by {
	GROUP_BY_COMM = 0, /* name of the thread */
	GROUP_BY_PROCESS, /* "comm-tgid" of the process */
	GROUP_BY_THREAD, /* "comm-tgid/tid" */
	GROUP_BY_CGROUP, /* as cgroup_label.h has it; "[no cgroup v2]" */
	GROUP_BY_CAUSE,
	/*
	 * The file of the lowest user frame that is not of the C library or another run time, or of
	 * any if there is none; "[kernel]" for kernel threads, "[lost]" and "[no user stack]" for
	 * the rest.
	 */
	GROUP_BY_MODULE,
	GROUP_BY_STACK, /* where in the program and in the kernel, as place.h has it */
	GROUP_BY_OBJECT, /* what was waited for, as object_label.h has it; "[no object]" */
	GROUP_BY_OWNER, /* who held it: "comm/tid", "tid"; "[no owner]" */
	GROUP_BY_CLASS, /* enum wait_class */
	GROUP_BY_CNT,
};

/* A group of threads holds all the time of its threads; the others hold waits only. */
bool group_is_of_threads(enum group_by by);

/* Names of groups. Borrows the profile, whose frames are named. */
struct groups {
	const struct profile *p;
	enum group_by by;
	struct causes causes; /* GROUP_BY_CAUSE, GROUP_BY_CLASS */
	/* GROUP_BY_STACK */
	struct labels labels;
	struct places places;
	u32 *library_of_wait; /* texts of places */
	u32 *user_of_wait;
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
