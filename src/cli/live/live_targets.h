/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_LIVE_LIVE_TARGETS_H
#define CLI_LIVE_LIVE_TARGETS_H

#include "app/run.h"
#include "base/vec.h"
#include "capture/program/options.h"
#include "session/session.h"

/*
 * The processes, or the cgroups, of a recording that goes on, which may change. Only for the thread
 * that records.
 */
struct live_targets {
	struct session *session;
	struct run_options *run; /* ends when all of them have exited */
	struct vec ids; /* u32: of these */
	struct vec cgroups; /* char *: paths, if cgroups are recorded */
	bool by_cgroup;
	char *words; /* for them, and the room that they have; every window says them */
	size_t words_sz;
	bool ends; /* it ends with its processes: with --name, others may come */
	const char *fixed; /* why they cannot be changed; NULL: they can */
};

/*
 * The caller has filled in session, run, whose ids are those at the beginning, and words; all are
 * borrowed until live_targets__done(), which has to follow. -ENOMEM or 0.
 */
int live_targets__init(struct live_targets *t, const struct capture_options *capture,
		       struct err *err);
void live_targets__done(struct live_targets *t);
/* Are these targets cgroups, and not processes? */
bool live_targets_are_cgroups(const struct capture_options *capture);
/*
 * `whom` is a PID, or the path of a cgroup, as the recording was started. -EINVAL for what is
 * neither, for coldspot itself and for single threads, -EEXIST if it is recorded already, -ESRCH or
 * -ENOENT if it does not exist, or an error of session__add_target() or session__add_cgroup().
 */
int live_targets__add(struct live_targets *t, const char *whom, struct err *err);
/* -EINVAL for the only one there is, or an error of session__remove_target() and so on. */
int live_targets__remove(struct live_targets *t, const char *whom, struct err *err);

#endif
