/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_MODEL_IDLE_TIME_H
#define ANALYSIS_MODEL_IDLE_TIME_H

#include "analysis/cause/cause.h"
#include "profile/profile.h"

#define IDLE_TIME_RUNQ 0 /* state R, in which no thread is blocked */

/* How long threads waited for work, and then for a CPU: by state. */
struct idle_time {
	u64 ns[PROFILE_STATES];
	u64 var_us2; /* see profile/estimate.h */
};

/* Of the listed waits, or of those of the threads in `tasks` (by id; NULL: all). */
struct idle_time idle_time_of(const struct profile *p, const struct causes *causes,
			      const bool *tasks);

#endif
