/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_LIVE_H
#define APP_LIVE_H

#include "app/run.h"
#include "base/err.h"
#include "base/types.h"
#include "profile/windows/source.h"
#include "session/session.h"

/* A running session as a source of profiles: one window after the other, and the last one. */
struct live {
	struct session *session;
	const struct run_options *run;
	u64 every_ns; /* length of a window; 0: one window, cut only by session__changes() */
	bool align; /* windows end at multiples of that in wall-clock time */
	u64 begin_ns; /* 0: not started yet */
	u64 end_ns; /* of the current window, if nothing else ends it */
	bool over;
};

/* Borrows both. A session with windows must have been opened with options.capture.windows. */
void live__init(struct live *l, struct session *s, const struct run_options *run, u64 every_ns,
		bool align);
/* The first `next` starts the recording. */
struct profile_source live__source(struct live *l);

#endif
