/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_VISIT_VISIT_LIFE_BPF_H
#define LIB_VISIT_VISIT_LIFE_BPF_H

/* Exec and exit of a thread that is visited: its record ends there, by its own hand. */
#include "lib/account.bpf.h"
#include "lib/visit/counters.bpf.h"
#include "lib/event.bpf.h"
#include "lib/visit/visit.bpf.h"

/*
 * The totals of the running thread until now, which is the result; the caller unlocks. 0: not
 * possible, because it has none or its visitor was preempted at work; counted.
 */
static __always_inline u64 visit_last(struct task_slot *slot, struct task_struct *task)
{
	struct task_visit *v = visit_of(task);
	u64 now;

	if (!v || !visit_lock(v))
		return 0;
	now = clock_now();
	counters_read(task, now, &v->now);
	if (visit_account(slot, v, now)) {
		visit_closes(v, control.begin_ns, control.end_ns, 0);
		task_send(slot, NULL, control.end_ns, CS_TASK_CUT);
		visit_opens(slot, v, control.end_ns);
	}
	visit_ends(v, now);
	return now;
}

static __always_inline void visit_unlock_of(struct task_struct *task)
{
	struct task_visit *v = visit_of(task);

	if (v)
		visit_unlock(v);
}

/* What it does from here to its last switch, such as freeing its memory, is in no record. */
static __always_inline void visit_exit(struct task_slot *slot, struct task_struct *task)
{
	u64 now;

	if (slot->phase == CS_PHASE_CLOSED)
		return;
	now = visit_last(slot, task);
	if (!now)
		return;
	if (in_window(now))
		STAT_INC(exits);
	slot->phase = CS_PHASE_CLOSED;
	slot->rec.raw_state = CS_RAW_DEAD;
	task_send(slot, NULL, now, CS_TASK_EXITED);
	visit_unlock_of(task);
}

#endif
