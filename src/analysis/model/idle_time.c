/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/model/idle_time.h"

#include "profile/estimate.h"

struct idle_time idle_time_of(const struct profile *p, const struct causes *causes,
			      const bool *tasks)
{
	struct idle_time idle = { 0 };
	u32 i;

	for (i = 1; i < p->waits_len; i++) {
		const struct profile_wait *w = &p->waits[i];

		if (causes__class(causes, i) != CLASS_IDLE || w->state >= PROFILE_STATES ||
		    (tasks && !tasks[w->task]))
			continue;
		idle.ns[w->state] += w->blocked_ns;
		idle.ns[IDLE_TIME_RUNQ] += w->runq_ns;
		idle.var_us2 = estimate_add_var(idle.var_us2, w->var_us2);
	}
	return idle;
}
