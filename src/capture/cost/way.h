/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_COST_WAY_H
#define CAPTURE_COST_WAY_H

#include "base/types.h"

/*
 * When threads are visited instead of hooks seeing their switches, and when hooks come back.
 * Sampling makes waits cheap, not switches: each costs its hook, and enough of them break any
 * budget. Visits cost by the thread. Uses no clock: the caller passes the time. docs/adr/0051.
 */

/* In ns per second, of all CPUs together. */
struct way_cost {
	u64 budget_ns;
	u64 switches_ns; /* the hooks of all switches, without that of waits that are chosen */
	u32 threads; /* that are recorded */
	u32 walked; /* of the machine: a round passes over all of them */
};

/*
 * How often a second to visit each thread: as often as the budget allows if each visit is as dear
 * as it gets, between 5 and 19. 0: hooks stay, because they keep the budget, or visits would cost
 * more.
 */
u32 way_visits_hz(const struct way_cost *c);

/* Whether switches have been few for so long that hooks can come back. */
struct way_calm {
	u64 since_ns; /* 0: they are not few */
	u64 patience_ns;
};

void way_calm__init(struct way_calm *calm);
/* Threads are visited from now on. Each time that hooks came back too early, patience doubles. */
void way_calm__begin(struct way_calm *calm);
/* To be called every second or so. True: hooks would cost less than half of the budget. */
bool way_calm__may_hook(struct way_calm *calm, const struct way_cost *c, u64 now_ns);

#endif
