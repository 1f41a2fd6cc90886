/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_TARGET_H
#define APP_TARGET_H

#include "base/err.h"
#include "base/notices.h"
#include "base/types.h"
#include "base/vec.h"

/* What to record. */
struct target {
	struct vec *pids; /* of u32 */
	struct vec *tids; /* of u32 */
	const char *command; /* "-- CMD": its name, else NULL */
	const char *program; /* --name */
	const char *comm;
	const char *cgroup;
	bool follow; /* their descendants, too */
	bool user_only;
	bool kernel_only;
	bool tasks; /* of the processes, not their threads */
};

/*
 * Removes processes and threads that have exited from the lists, with a sentence in `notices`: a
 * list from pgrep may be out of date. -ESRCH if none exists, -EINVAL for a process that is a thread
 * or ourselves.
 */
int target_check(struct target *t, struct notices *notices, struct err *err);
/* "no user thread named 'x' in cgroup /y": what there is when nothing is recorded. */
void target_describe_none(const struct target *t, char *buf, size_t sz);
/*
 * A sentence for processes that have descendants which are not recorded: "15 children of 8362 are
 * not recorded: --tree". False: there are none.
 */
bool target_says_family(const struct target *t, char *buf, size_t sz);
/* "PID 4121 (postgres)", "3 processes (1, 2, 3)", "all user threads in cgroup /x". */
void target_describe(const struct target *t, char *buf, size_t sz);

#endif
