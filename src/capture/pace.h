/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_PACE_H
#define CAPTURE_PACE_H

#include "base/types.h"

/*
 * How much our own process may do while it records: work that can wait has to, when the process has
 * had its part of the machine. What was not used is saved up for a while, so that it can do some
 * work at once. Knows no clock: it is told.
 */
struct pace {
	u64 share_ppm; /* millionths of one CPU's time; 0: as much as it likes */
	u64 last_ns;
	u64 last_cpu_ns;
	s64 left_ns; /* CPU time that it may take now; below 0: it took more */
};

/* With half of a budget of `budget_ppm` of `ncpu` CPUs, and all savings; 0: no bound. */
void pace__begin(struct pace *p, u64 budget_ppm, u32 ncpu, u64 now_ns, u64 cpu_ns);
/* May it begin something? `cpu_ns` is the CPU time of the process. */
bool pace__may(struct pace *p, u64 now_ns, u64 cpu_ns);

#endif
