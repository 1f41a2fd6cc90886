/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TARGET_H
#define CLI_TARGET_H

#include "base/err.h"
#include "base/types.h"
#include "base/vec.h"

/* Whom the user asks for. */
struct target {
	const struct vec *pids; /* of u32 */
	const struct vec *tids; /* of u32 */
	const char *command; /* "-- CMD": its name, else NULL */
	const char *comm;
	const char *cgroup;
	bool user_only;
	bool kernel_only;
};

/* Each process and thread named must exist. -ESRCH or -EINVAL with the one that does not fit. */
int target_check(const struct target *t, struct err *err);
/* "PID 4121 (postgres)", "3 processes (1, 2, 3)", "all user threads in cgroup /x". */
void target_describe(const struct target *t, char *buf, size_t sz);

#endif
