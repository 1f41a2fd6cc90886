/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A bucket of CPU time that fills as time passes and is emptied by everything the process does, so
 * that work that cannot wait slows down work that can. A table that was begun is finished, whatever
 * it takes: the next one pays for it.
 */
#include "capture/cost/pace.h"

#include "base/text/units.h"

/* The other half is for the BPF programs. */
#define PART 2
#define SAVED_NS (10 * NSEC_PER_SEC)

static s64 earned_ns(const struct pace *p, u64 wall_ns)
{
	/* A longer time fills the bucket anyway. */
	if (wall_ns > SAVED_NS)
		wall_ns = SAVED_NS;
	return (s64)(wall_ns / 1000 * p->share_ppm / 1000);
}

void pace__begin(struct pace *p, u64 budget_ppm, u32 ncpu, u64 now_ns, u64 cpu_ns)
{
	*p = (struct pace){ .share_ppm = budget_ppm * ncpu / PART,
			    .last_ns = now_ns,
			    .last_cpu_ns = cpu_ns };
	p->left_ns = earned_ns(p, SAVED_NS);
}

bool pace__may(struct pace *p, u64 now_ns, u64 cpu_ns)
{
	s64 most = earned_ns(p, SAVED_NS);

	if (!p->share_ppm)
		return true;
	p->left_ns += earned_ns(p, now_ns - p->last_ns) - (s64)(cpu_ns - p->last_cpu_ns);
	if (p->left_ns > most)
		p->left_ns = most;
	p->last_ns = now_ns;
	p->last_cpu_ns = cpu_ns;
	return p->left_ns > 0;
}
