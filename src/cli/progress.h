/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "app/run.h"
#include "base/types.h"

/* What is printed on standard error during a recording. */
struct progress {
	struct run_watcher watcher;
	const char *target; /* as text */
	u64 duration_ns; /* 0: unlimited */
};

/*
 * `announce`: print the line "coldspot: recording", for scripts. Otherwise a line that counts, if
 * standard error is a terminal. Borrows `target`.
 */
void progress__init(struct progress *p, bool announce, const char *target, u64 duration_ns);

#endif
