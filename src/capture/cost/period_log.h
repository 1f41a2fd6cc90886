/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_COST_PERIOD_LOG_H
#define CAPTURE_COST_PERIOD_LOG_H

#include "base/types.h"

/* Which sampling periods were used in a window, and for how long. All in ns; 0 is a period too. */
struct period_log {
	u64 begin_ns;
	u64 since_ns; /* of the last change */
	u64 now_ns; /* the current period */
	u64 min_ns;
	u64 max_ns;
	u64 sum_ns; /* of all periods used */
	u32 changes;
	unsigned __int128 area; /* period times duration, until the last change */
};

/* The window begins with `period_ns`. */
void period_log__begin(struct period_log *log, u64 at_ns, u64 period_ns);
void period_log__change(struct period_log *log, u64 at_ns, u64 period_ns);
/* Time-weighted mean from the start to `end_ns`; never 0 if there was another period. */
u64 period_log__mean_ns(const struct period_log *log, u64 end_ns);

#endif
