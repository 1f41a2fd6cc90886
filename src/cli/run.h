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

enum run_end {
	RUN_TIME_OVER,
	RUN_SIGNAL, /* Ctrl-C, SIGTERM or SIGHUP */
	RUN_TARGETS_GONE,
};

/*
 * Runs an open session until its end. SIGINT, SIGTERM and SIGHUP end it without ending the program;
 * a second one does, by the default action.
 */
int run_session(struct session *s, const struct run_options *opt, enum run_end *ret_end,
		struct err *err);

#endif
