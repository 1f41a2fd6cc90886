/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The governor samples fewer waits where recording costs too much, but each switch costs something
 * even if its wait is not chosen. Some windows over the budget are needed to leave hooks, because
 * visits know less. After an hour of visits, one window shows whether it is as before.
 */
#include "agent/way.h"

#include "base/clock.h"

#define COSTLY_WINDOWS 3
#define VISITS_NS (3600 * NSEC_PER_SEC)

bool way__take(struct way *w, u64 cost_ppm, u64 budget_ppm, u64 end_ns)
{
	if (w->visits) {
		if (end_ns < w->until_ns)
			return false;
		w->visits = false;
		w->costly = COSTLY_WINDOWS - 1;
		return true;
	}
	/* half as much again: it was not the budget that was hard to meet */
	w->costly = cost_ppm > budget_ppm + budget_ppm / 2 ? w->costly + 1 : 0;
	if (w->costly < COSTLY_WINDOWS)
		return false;
	*w = (struct way){ .visits = true, .until_ns = end_ns + VISITS_NS };
	return true;
}
