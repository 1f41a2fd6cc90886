/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AGENT_HOURLY_H
#define AGENT_HOURLY_H

#include <sys/types.h>

#include "agent/agent.h"
#include "base/err.h"
#include "base/types.h"

/*
 * Hourly sums of the store, made by another process: no window waits for them, and their memory is
 * gone afterwards. All zero: none was made yet.
 */
struct hourly {
	pid_t pid; /* 0: none runs */
	u64 hour_ns; /* of the last window; 0: none yet */
};

/*
 * After a window: starts the process if it is the first one, or of another hour than the one
 * before. A sentence if that fails.
 */
int hourly__take(struct hourly *h, const struct agent_options *opt,
		 const struct agent_settings *settings, const struct profile *p, struct err *err);
/* Whether the process ended and failed: 1 with its status, else 0. Does not wait. */
int hourly__poll(struct hourly *h, int *ret_status);
/* Ends it; what it has not written is made after the next start. */
void hourly__done(struct hourly *h);

/* What that process does: makes the sums that are missing. Errors of rollup_run(). */
int hourly_run(const struct agent_options *opt, struct err *err);

#endif
