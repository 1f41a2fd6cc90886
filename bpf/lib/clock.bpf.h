/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_CLOCK_BPF_H
#define LIB_CLOCK_BPF_H

/*
 * The trace clock is CLOCK_MONOTONIC, read at the event.
 *
 * The run queue's own clock would be cheaper (three loads), but is not the time of the switch: when
 * a wakeup preempts, the scheduler leaves out its update (rq_clock_skip_update(), kernel/sched/),
 * so that the way from the wakeup to the switch, tens of us in a virtual machine, would count as
 * time on the CPU. It only serves to read the scheduler's notes, which are stamped with it, by the
 * distance between the two clocks.
 */
#include "lib/maps.bpf.h"
#include "lib/stats.bpf.h"
#include "lib/untrusted.bpf.h"

/* The clocks drift apart by less than this part of the time that passes: 1 / 8192 is 122 ppm. */
#define DRIFT_SHIFT 13
#define EASE_EVERY_NS (10 * 1000 * 1000)
/* On each CPU, where no traced thread is. */
#define FOLLOW_EVERY_NS (1000 * 1000)

static __always_inline u64 clock_now(void)
{
	return bpf_ktime_get_ns();
}

/* An instant that the scheduler noted. */
static __always_inline u64 clock_from_rq(u64 rq_ns)
{
	return rq_ns - control.rq_minus_ktime_ns;
}

/* Does this kernel show the scheduler's notes, and the clock they are written in? */
static __always_inline bool clock_has_notes(void)
{
	return bpf_core_field_exists(struct cfs_rq, rq) &&
	       bpf_core_field_exists(struct rq, clock) &&
	       bpf_core_field_exists(struct sched_info, last_queued);
}

/* The run queue's clock of the CPU that `task` is on; 0: not known, as of some idle threads. */
static __always_inline u64 clock_rq(struct task_struct *task)
{
	return clock_has_notes() ? untrusted(task)->se.cfs_rq->rq->clock : 0;
}

/*
 * Keeps the distance of the clocks. At a switch the run queue's clock was read a moment before, or
 * longer ago, so each reading makes the distance too small by that; the largest one is the best,
 * eased by what drift may have taken since.
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

/*
 * The part of [from, to) inside the window. In clock.bpf.c, a global function, so that the verifier
 * reads it once.
 */
u64 clock_clip(u64 from, u64 to);

/* Is all of [from, to) inside the window, as it mostly is? Then nothing is to be cut off. */
static __always_inline bool clock_is_inside(u64 from, u64 to)
{
	return from >= control.begin_ns && to <= control.end_ns && from <= to;
}

#endif
