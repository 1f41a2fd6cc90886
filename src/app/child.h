/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CHILD_H
#define APP_CHILD_H

#include <sys/types.h>

#include "base/err.h"
#include "base/types.h"

/*
 * A command that is started but held back: the process exists, so that it can be traced, but runs
 * the program only after release. All zero: no child.
 */
struct child {
	pid_t pid;
	const char *name; /* borrowed: argv[0] */
	int release_fd; /* writing to it releases the child; -1: done */
	int failed_fd; /* the child writes the errno of a failed exec to it */
	bool reaped; /* its PID may be reused by now */
	int status; /* from waitpid(), if reaped */
	bool silent; /* set before start: it reads and writes /dev/null */
	bool captured; /* set before start: with `silent`, what it writes is for child__read() */
	int output_fd; /* where that is read; 0: nowhere */
};

/* `argv` ends with NULL and is borrowed until release. */
int child__start(struct child *c, char **argv, struct err *err);
/* Releases it; returns when the program runs, or with the reason why it does not. */
int child__release(struct child *c, struct err *err);
/*
 * What a captured child wrote, without waiting: the number of bytes, 0: nothing is there. A child
 * that writes more than a MiB before it is read waits meanwhile. When it is no longer read, it gets
 * SIGPIPE.
 */
size_t child__read(struct child *c, char *buf, size_t sz);
/*
 * Whether it has exited. Does not block, and does not reap it, so that it stays visible among the
 * threads: its last switch may still come after this returns true.
 */
bool child__ended(const struct child *c);
/*
 * "'make' exited with status 2", "... was killed by signal 11 (Segmentation fault)", "... (PID 7)
 * is still running". False if there is nothing to report: no child, status 0, or Ctrl-C. Reaps it
 * if it has exited.
 */
bool child__fate(struct child *c, char *buf, size_t sz);
/* What a shell would say: its status, or 128 and the signal. 0: no child, or it still runs. */
int child__exit_status(struct child *c);
/* Ends a child that was never released; a running one is left alone. */
void child__done(struct child *c);

#endif
