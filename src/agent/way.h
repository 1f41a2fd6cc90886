/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AGENT_WAY_H
#define AGENT_WAY_H

#include "base/types.h"

/* Visits of each thread per second (docs/modes.md). */
#define WAY_VISIT_HZ 19

/*
 * How to record: by hooks in the scheduler, whose cost has a floor that grows with switches, or by
 * visits of threads, whose cost does not. Uses no clock: the caller passes the time. All zero is
 * the beginning, by hooks.
 */
struct way {
	bool visits;
	u32 costly; /* windows by hooks in a row that cost too much */
	u64 until_ns; /* of visits: then hooks are tried again */
};

/*
 * After a window: its cost and the budget, in millionths of the machine, and its end
 * (CLOCK_MONOTONIC). True if the way has changed.
 */
bool way__take(struct way *w, u64 cost_ppm, u64 budget_ppm, u64 end_ns);

#endif
