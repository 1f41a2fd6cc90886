/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TOP_HOST_H
#define CLI_TOP_HOST_H

#include "app/run.h"
#include "base/vec.h"
#include "capture/program/options.h"
#include "session/session.h"
#include "tui/viewer.h"

/* What `top` does for its viewer: files, and other targets while it records. */
struct top_host {
	struct viewer_host asked; /* for viewer_options.host */
	struct session *session;
	struct run_options *run; /* ends when all of its processes have exited */
	struct vec ids; /* u32: of these */
	char *target; /* words for them, and the room that they have */
	size_t target_sz;
	const char *file; /* the recording that is being written; NULL: none */
};

/* -ENOMEM or 0; top_host__done() in either case. Everything is borrowed until then. */
int top_host__init(struct top_host *h, struct session *s, const struct capture_options *capture,
		   struct run_options *run, struct err *err);
void top_host__done(struct top_host *h);

#endif
