/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "base/err.h"
#include "base/types.h"
#include "cli/child.h"
#include "session/session.h"

/* How long a recording goes on, and what is said meanwhile. */
struct run_options {
	u64 duration_ns; /* 0: until a signal, or the targets end */
	const u32 *ids; /* processes or threads; when all are gone, so is the reason to go on */
	size_t ids_len;
	struct child *child; /* may be NULL; released when the window is open */
	const char *target; /* in words, for the progress line */
	bool announce; /* the line "coldspot: recording" on stderr when the window is open */
	bool progress; /* a line on stderr that counts, for terminals */
};

/*
 * SIGINT, SIGTERM and SIGHUP end a recording from now on without ending the program; one more, half
 * a second later or after that, does, by the default action. An ignored SIGHUP (nohup) stays so.
 * To be called before the session is opened, and after a command was started.
 */
void run_catch_signals(void);

/*
 * Runs an open session until its time is over, a signal comes or the targets end. A signal that
 * came before there was anything to record is an error, -EINTR.
 */
int run_session(struct session *s, const struct run_options *opt, struct err *err);
/* As much of it again, for one that runs already. */
int run_on(struct session *s, const struct run_options *opt, struct err *err);
/* Did a signal ask for the end? */
bool run_is_over(void);

#endif
