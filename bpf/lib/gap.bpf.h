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
 * When a thread that is off the CPU left it, in the clock of run queues; 0: unknown. Every class of
 * the scheduler sets exec_start for the last time when a thread leaves its CPU, and it is cleared
 * when the thread is queued on another one. Its clock lacks the time of interrupts and steal, so
 * the instant is late by what the CPU has lost to them since.
 */
static __always_inline u64 gap_left_cpu(struct task_struct *task)
{
	if (!clock_has_notes() || !bpf_core_field_exists(struct rq, clock_task) ||
	    !bpf_core_field_exists(task->se.exec_start))
		return 0;
	return task->se.exec_start && clock_rq(task) ? counters_exec_start(task) : 0;
}

/*
 * Notes the part in the gap of a wait that began at `since` and lasted until `until`, at most the
 * begin of the first window. A thread that no hook has seen was in its wait before it was marked.
 */
static __always_inline void gap_note(struct task_slot *slot, u64 since, u64 until)
{
	u64 from = since;

	if (slot->phase == CS_PHASE_UNSEEN) {
		if (!slot->mark_left_rq || !control.followed_ns) {
			slot->rec.totals.gap_ns = CS_GAP_UNKNOWN;
			return;
		}
		from = clock_from_rq(slot->mark_left_rq);
		if (from > since)
			from = since;
	}
	if (from < cfg.gap_from_ns)
		from = cfg.gap_from_ns;
	if (from < until)
		slot->rec.totals.gap_ns = until - from;
}

#endif
