/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_COST_PACE_H
#define CAPTURE_COST_PACE_H

#include "base/types.h"

/*
 * Limits our own process while it records: work that can wait must wait when the process has used
 * its share of the machine. Unused time is saved up for a while, so that some work can be done at
 * once. Uses no clock: the caller passes the time.
 */
struct pace {
	u64 share_ppm; /* millionths of one CPU's time; 0: unlimited */
	u64 last_ns;
	u64 last_cpu_ns;
	s64 left_ns; /* CPU time that it may use now; negative: it used more */
};

/* With half of a budget of `budget_ppm` of `ncpu` CPUs, and full savings; 0: unlimited. */
void pace__begin(struct pace *p, u64 budget_ppm, u32 ncpu, u64 now_ns, u64 cpu_ns);
/* Whether it may begin work. `cpu_ns` is the CPU time of the process. */
bool pace__may(struct pace *p, u64 now_ns, u64 cpu_ns);

#endif
