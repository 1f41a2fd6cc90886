/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TARGET_H
#define CLI_TARGET_H

#include "base/err.h"
#include "base/types.h"
#include "base/vec.h"

/* Whom the user asks for. */
struct target {
	struct vec *pids; /* of u32 */
	struct vec *tids; /* of u32 */
	const char *command; /* "-- CMD": its name, else NULL */
	const char *comm;
	const char *cgroup;
	bool user_only;
	bool kernel_only;
};

/*
 * Processes and threads that are gone are left out of the lists, which standard error is told: a
 * list that pgrep made may be older than the end of some. -ESRCH if there is none of them, -EINVAL
 * for a process that is a thread or ourselves.
 */
int target_check(struct target *t, struct err *err);
/* "PID 4121 (postgres)", "3 processes (1, 2, 3)", "all user threads in cgroup /x". */
void target_describe(const struct target *t, char *buf, size_t sz);

#endif
