/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A change costs a start of the other programs, some 100 ms of CPU time, and the sum of both ways
 * knows less than hooks alone. So visits must be cheaper even if every one is as dear as it gets,
 * and hooks come back only when half of the budget would do, for long.
 */
#include "capture/cost/way.h"

#include "base/clock.h"

/* A visit of a thread that has switched, with its stacks: see docs/overhead.md. */
#define VISIT_NS 9000ULL
/* To pass over a thread in a round. */
#define STEP_NS 350ULL
#define HZ_MIN 5
#define HZ_MAX 19
#define PATIENCE_NS (10 * NSEC_PER_SEC)
#define PATIENCE_MAX_NS (160 * NSEC_PER_SEC)

u32 way_visits_hz(const struct way_cost *c)
{
	u64 round_ns = c->threads * VISIT_NS + (c->walked + 1ULL) * STEP_NS;
	u64 hz = c->budget_ns / round_ns;

	if (hz < HZ_MIN)
		hz = HZ_MIN;
	if (hz > HZ_MAX)
		hz = HZ_MAX;
	return c->switches_ns > c->budget_ns && hz * round_ns < c->switches_ns ? (u32)hz : 0;
}

void way_calm__init(struct way_calm *calm)
{
	*calm = (struct way_calm){ .patience_ns = PATIENCE_NS / 2 };
}

void way_calm__begin(struct way_calm *calm)
{
	calm->since_ns = 0;
	if (calm->patience_ns < PATIENCE_MAX_NS)
		calm->patience_ns *= 2;
}

bool way_calm__may_hook(struct way_calm *calm, const struct way_cost *c, u64 now_ns)
{
	if (c->switches_ns >= c->budget_ns / 2) {
		calm->since_ns = 0;
		return false;
	}
	if (!calm->since_ns)
		calm->since_ns = now_ns;
	return now_ns - calm->since_ns >= calm->patience_ns;
}
