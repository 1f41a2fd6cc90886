/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_CLOCK_BPF_H
#define LIB_CLOCK_BPF_H

/*
 * The trace clock: one clock for every instant of a trace, chosen at load. The run queue's own
 * costs three loads and is the time at which the scheduler itself switched; it runs with
 * sched_clock, not with CLOCK_MONOTONIC, hence the measured distance for hooks that are not on a
 * switch.
 */
#include "lib/maps.bpf.h"
#include "lib/stats.bpf.h"

/* At sched_switch. The idle task may lack a cfs_rq, hence two tasks to ask. */
static __always_inline u64 clock_at_switch(struct task_struct *prev, struct task_struct *next)
{
	u64 now;

	if (cfg.clock == CS_CLOCK_KTIME)
		return bpf_ktime_get_ns();
	now = next->se.cfs_rq->rq->clock;
	return now ? now : prev->se.cfs_rq->rq->clock;
}

/* Anywhere else. */
static __always_inline u64 clock_now(void)
{
	u64 now = bpf_ktime_get_ns();

	return cfg.clock == CS_CLOCK_KTIME ? now : now + control.rq_minus_ktime_ns;
}

/* The part of [from, to) inside the window. */
static __always_inline u64 clock_clip(u64 from, u64 to)
{
	u64 begin = control.begin_ns, end = control.end_ns;

	if (to < from) {
		STAT_INC(clock_back);
		return 0;
	}
	if (from < begin)
		from = begin;
	if (to > end)
		to = end;
	return to > from ? to - from : 0;
}

#endif
