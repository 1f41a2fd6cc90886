/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_THROTTLE_BPF_H
#define LIB_THROTTLE_BPF_H

/*
 * Whether a thread is off the CPU because its cgroup has used up its quota. It is in state R, and
 * its stack is that of a preempted thread.
 *
 * Since 6.18, e1fad12dcb66 ("sched/fair: Switch to task based throttle model"), a thread takes
 * itself off the run queue on its way back to user mode, and task_struct.throttled is set when it
 * is switched out. Before, the group's part of the CPU's run queue is removed with all threads on
 * it. Its throttle_count is above zero when the thread that used up the quota is switched out. A
 * thread that was preempted earlier, by a thread of the same group, is held up where it is; this
 * shows in the throttled time of that run queue when it resumes.
 */
#include "lib/maps.bpf.h"
#include "lib/untrusted.bpf.h"

static __always_inline bool throttle_has_threads(void)
{
	return bpf_core_field_exists(struct task_struct, throttled);
}

static __always_inline bool throttle_has_queues(void)
{
	return !throttle_has_threads() && bpf_core_field_exists(struct cfs_rq, throttle_count);
}

/*
 * ns that the group of this run queue, or an ancestor, was throttled; a throttle counts when it is
 * over.
 */
static __always_inline u64 throttle_sum_ns(struct cfs_rq *rq)
{
	if (bpf_core_field_exists(rq->throttled_clock_self_time))
		return rq->throttled_clock_self_time;
	return bpf_core_field_exists(rq->throttled_clock_pelt_time) ?
		       rq->throttled_clock_pelt_time :
		       0;
}

/* A real-time thread also has its group's run queue, but is never on it. */
static __always_inline bool throttle_may_lie_on_queue(struct task_struct *task)
{
	return throttle_has_queues() && task->prio >= MAX_RT_PRIO;
}

/* Whether this runnable thread is throttled now. */
static __always_inline bool throttle_holds(struct task_struct *task)
{
	if (throttle_has_threads())
		return task->throttled;
	return throttle_may_lie_on_queue(task) && untrusted(task)->se.cfs_rq->throttle_count;
}

/* `task` leaves the CPU while runnable. */
static __always_inline void throttle_leaves(struct task_slot *slot, struct task_struct *task)
{
	if (throttle_holds(task)) {
		slot->flags |= CS_WAIT_THROTTLED;
	} else if (throttle_has_queues()) {
		struct cfs_rq *rq = untrusted(task)->se.cfs_rq;

		slot->quota_rq = throttle_may_lie_on_queue(task) ? (u64)rq : 0;
		slot->throttled_ns = throttle_sum_ns(rq);
	}
}

/* It resumes after `ns`, for most of which it may have been throttled. */
static __always_inline void throttle_returns(struct task_slot *slot, struct task_struct *task,
					     u64 ns)
{
	struct cfs_rq *rq;

	if (!throttle_has_queues() || slot->raw_state || slot->flags & CS_WAIT_THROTTLED)
		return;
	rq = untrusted(task)->se.cfs_rq;
	if (slot->quota_rq == (u64)rq && 2 * (throttle_sum_ns(rq) - slot->throttled_ns) > ns)
		slot->flags |= CS_WAIT_THROTTLED;
}

#endif
