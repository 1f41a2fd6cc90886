/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_COST_MEASURE_BPF_H
#define LIB_COST_MEASURE_BPF_H

/* The cost of our programs, by our own clock. */
#include "lib/cost/turn.bpf.h"
#include "lib/maps.bpf.h"
#include "lib/stats.bpf.h"

/* One run in this many is measured, and stands for all of them: reading the clock costs 60 ns. */
#define MEASURE_EVERY 64

/* Whether this run is measured, for a program that has read the clock anyway. */
static __always_inline bool is_measured(struct scratch *scr)
{
	return is_turn(&scr->unmeasured, MEASURE_EVERY);
}

/* When this run began, if it is measured; else 0. */
static __always_inline u64 measure(struct scratch *scr)
{
	return is_measured(scr) ? bpf_ktime_get_ns() : 0;
}

static __always_inline void measured(u64 begin_ns)
{
	STAT_ADD(self_runs, MEASURE_EVERY);
	STAT_ADD(self_ns, (bpf_ktime_get_ns() - begin_ns) * MEASURE_EVERY);
}

#endif
