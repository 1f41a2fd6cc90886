/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_PIPED_H
#define APP_PIPED_H

#include <sys/types.h>

#include "base/err.h"
#include "base/types.h"

/*
 * A program that converts: its output is read through a pipe, as it comes, so neither side holds
 * all of it. What it says on standard error is kept for the message if it fails.
 */
struct piped {
	pid_t pid; /* 0: none */
	const char *name; /* borrowed: argv[0] */
	int fd; /* its output */
	int said_fd; /* a file in memory */
};

/* `input`: its standard input; NULL: none. -ENOENT: there is no such program. */
int piped__start(struct piped *p, const char *const *argv, const char *input, struct err *err);
/*
 * After its output was read to the end: waits for it. An error unless it exited with status 0;
 * -EPIPE if it still wrote. `stop` ends it first; its status then does not matter.
 */
int piped__finish(struct piped *p, bool stop, struct err *err);

#endif
