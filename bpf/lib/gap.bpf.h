/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_GAP_BPF_H
#define LIB_GAP_BPF_H

/*
 * Waits that were open while nothing recorded. A recording that continues an earlier one knows when
 * that ended (cfg.gap_from_ns), so the time until its first window is a gap. A wait that is open at
 * that first window may have begun in the gap or before it. The part in the gap is in no window, so
 * the thread's totals of the first window state it. docs/adr/0082.
 *
 * All of it is dead code unless cfg.gap_from_ns is set.
 */
#include "lib/clock.bpf.h"
#include "lib/maps.bpf.h"
#include "lib/visit/counters.bpf.h"

/*
 * When a thread left its CPU, in the clock of run queues; 0: it never had one. It got that CPU at
 * last_arrival, and has run for a known time since. Two errors are possible. Time of interrupts and
 * steal while it ran is missing, which makes the instant early. Only the fair class keeps
 * prev_sum_exec_runtime; elsewhere the time is too long.
 *
 * exec_start is an upper bound. Every class sets it when a thread leaves its CPU, but its clock
 * lacks what that CPU has lost to interrupts and steal since: tens of ms in a gap, on a host that
 * is overbooked. It is 0 if the thread was queued on another CPU since.
 */
static __always_inline u64 gap_left_cpu(struct task_struct *task)
{
	const struct sched_entity *se = &task->se;
	u64 ran = se->sum_exec_runtime - se->prev_sum_exec_runtime, bound;
	u64 left = task->sched_info.last_arrival + ran;

	if (!se->exec_start || !clock_rq(task))
		return left;
	bound = counters_exec_start(task);
	return left < bound ? left : bound;
}

/*
 * The part in the gap of a wait that began at `since` and lasted until `until`, which is no later
 * than the first window. A thread that no hook has seen was in its wait before it was marked.
 */
static __always_inline u64 gap_part(const struct task_slot *slot, u64 since, u64 until)
{
	u64 from = since;

	if (slot->phase == CS_PHASE_UNSEEN) {
		if (!slot->mark_left_rq || !control.followed_ns)
			return CS_GAP_UNKNOWN;
		from = clock_from_rq(slot->mark_left_rq);
		/* The clock of run queues is not adjusted: it may have been ahead after boot. */
		if ((s64)from < 0)
			from = 0;
		if (from > since)
			from = since;
	}
	if (from < cfg.gap_from_ns)
		from = cfg.gap_from_ns;
	return from < until ? until - from : 0;
}

#endif
