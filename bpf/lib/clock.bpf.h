/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_CLOCK_BPF_H
#define LIB_CLOCK_BPF_H

/*
 * The trace clock is CLOCK_MONOTONIC, read at the event.
 *
 * The run queue's own clock would be cheaper (three loads), but is not the time of the switch: when
 * a wakeup preempts, the scheduler skips its update (rq_clock_skip_update(), kernel/sched/), so the
 * time from the wakeup to the switch, tens of us in a virtual machine, would count as time on the
 * CPU. It is used only to read sched_info, whose timestamps it provides, with the offset between
 * the two clocks.
 */
#include "lib/maps.bpf.h"
#include "lib/stats.bpf.h"
#include "lib/untrusted.bpf.h"

/* The clocks drift apart by less than this fraction of elapsed time: 1 / 8192 is 122 ppm. */
#define DRIFT_SHIFT 13
#define EASE_EVERY_NS (10 * 1000 * 1000)
/* Interval for measuring the offset on CPUs without traced threads. */
#define FOLLOW_EVERY_NS (1000 * 1000)

static __always_inline u64 clock_now(void)
{
	return bpf_ktime_get_ns();
}

/* Converts an instant recorded by the scheduler. */
static __always_inline u64 clock_from_rq(u64 rq_ns)
{
	return rq_ns - control.rq_minus_ktime_ns;
}

/* Whether this kernel has sched_info, and the clock of its timestamps. */
static __always_inline bool clock_has_notes(void)
{
	return bpf_core_field_exists(struct cfs_rq, rq) &&
	       bpf_core_field_exists(struct rq, clock) &&
	       bpf_core_field_exists(struct sched_info, last_queued);
}

/* The run queue clock of the CPU of `task`; 0: unknown, as for some idle threads. */
static __always_inline u64 clock_rq(struct task_struct *task)
{
	return clock_has_notes() ? untrusted(task)->se.cfs_rq->rq->clock : 0;
}

/*
 * Maintains the offset of the clocks. At a switch the run queue clock was read just before, or
 * longer ago, so each reading makes the offset too small by that time. The largest one is the best,
 * relaxed by the possible drift since.
 */
static __always_inline void clock_follow(u64 rq, u64 now)
{
	u64 passed = now - control.followed_ns;

	if (!control.followed_ns) {
		control.rq_minus_ktime_ns = rq - now;
		control.followed_ns = now;
	} else if ((s64)passed > EASE_EVERY_NS) {
		control.followed_ns = now;
		control.rq_minus_ktime_ns -= passed >> DRIFT_SHIFT;
	}
	if ((s64)(rq - now - control.rq_minus_ktime_ns) > 0)
		control.rq_minus_ktime_ns = rq - now;
}

/* The time from one instant to a later one; clocks of two CPUs may disagree: counted. */
static __always_inline u64 clock_since(u64 from, u64 to)
{
	if (to >= from)
		return to - from;
	STAT_INC(clock_back);
	return 0;
}

/* Which window an instant belongs to: see struct cs_control. */

/* The start of the window; 0 before the first one, and in one whose sums were already read. */
static __always_inline u64 window_at(u64 now)
{
	u64 end = control.end_ns, begin;

	if (now >= end)
		return end;
	begin = control.begin_ns;
	return now >= begin ? begin : 0;
}

/* Whether it counts. */
static __always_inline bool in_window(u64 now)
{
	return now >= control.begin_ns && now < control.last_ns;
}

#endif
