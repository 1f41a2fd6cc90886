/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_CHILD_H
#define CLI_CHILD_H

#include <sys/types.h>

#include "base/err.h"
#include "base/types.h"

/*
 * A command that is started held back: the process exists, so that it can be traced, but does not
 * run the program before it is released. All zero is no child.
 */
struct child {
	pid_t pid;
	const char *name; /* borrowed: argv[0] */
	int release_fd; /* writing to it lets the child go; -1: done */
	int failed_fd; /* the child writes errno of a failed exec to it */
	bool reaped; /* its number may be another's by now */
	int status; /* of waitpid(), when reaped */
};

/* `argv` ends with NULL and is borrowed until release. */
int child__start(struct child *c, char **argv, struct err *err);
/* Lets it run; returns when the program runs, or says why it cannot. */
int child__release(struct child *c, struct err *err);
/*
 * Has it ended? Does not block, and leaves it there to be found among the threads: one that ends
 * has its last switch still before it when this says so.
 */
bool child__ended(const struct child *c);
/*
 * "'make' ended with status 2", "... was ended by signal 11 (Segmentation fault)", "... (PID 7)
 * still runs". False when there is nothing to say: no child, status 0, or Ctrl-C, which is no news.
 * One that has ended is reaped.
 */
bool child__fate(struct child *c, char *buf, size_t sz);
/* Ends a child that was never released; one that runs is left alone. */
void child__done(struct child *c);

#endif
