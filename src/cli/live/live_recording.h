/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_LIVE_LIVE_RECORDING_H
#define CLI_LIVE_LIVE_RECORDING_H

#include <limits.h>

#include "app/child.h"
#include "app/run.h"
#include "app/series.h"
#include "app/target.h"
#include "capture/feature/features.h"
#include "cli/live/live_targets.h"
#include "cli/record_opts.h"
#include "session/session.h"

/* A recording that somebody watches, for top and serve. All zero may be released. */
struct live_recording {
	struct record_values *v; /* borrowed */
	struct target whom;
	struct session_options options;
	struct recorder *recorder; /* NULL: no file */
	const char *file; /* its path */
	struct loaded_rules rules;
	struct child child; /* `silent` may be set before live_recording__open() */
	struct features features;
	struct session *session;
	struct run_options run; /* live_recording__run() adds the watcher */
	struct live_targets targets; /* after live_recording__open() */
	char command[1024]; /* of ours, as typed */
	char target[256]; /* as text */
	char cgroup[PATH_MAX]; /* of a unit or a container */
};

/* Which windows, and for whom; see struct series and struct run_options. */
struct live_watch {
	const struct run_watcher *watcher;
	int (*each)(void *arg, struct profile *p, struct err *err);
	void *each_arg;
	int wake_fd;
	bool wait_all;
};

/* Whether somebody asked for a recording: targets, a command, a file, or how to record. */
bool live_recording_is_wanted(const struct record_values *v);
/* Checks for invalid combinations. 0, or the exit status after the message. */
int live_recording_check(const struct record_values *v, const struct opt_command *cmd);
/* Finds the targets and the rules; says which targets are not there. */
int live_recording__prepare(struct live_recording *lr, struct record_values *v, int argc,
			    char **argv, struct err *err);
/*
 * Creates the file, starts the command, catches signals, attaches, and drops privileges that are no
 * longer needed. -ESRCH if there is nothing to record.
 */
int live_recording__open(struct live_recording *lr, struct err *err);
/* Runs it to its end. */
int live_recording__run(struct live_recording *lr, const struct live_watch *watch, struct err *err);
/* Why it ended: "all processes have ended". */
void live_recording__fate(struct live_recording *lr, char *buf, size_t sz);
/* Says on standard error how the command ended, notices, and what was written. */
void live_recording__say_end(struct live_recording *lr);
void live_recording__done(struct live_recording *lr);

#endif
