/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_VISIT_COUNTERS_BPF_H
#define LIB_VISIT_COUNTERS_BPF_H

/* Reads what the scheduler has counted for a thread. */
#include "lib/clock.bpf.h"
#include "lib/stats.bpf.h"
#include "lib/visit/visit.bpf.h"

/* The scheduler's bits for a thread that is not asleep. */
#define AWAKE_BITS (CS_RAW_WAKING | CS_RAW_NEW)

static __always_inline bool task_on_cpu(struct task_struct *task)
{
	return bpf_core_field_exists(task->on_cpu) && task->on_cpu;
}

/*
 * exec_start in the clock of the run queue. It is kept in clock_task, which lacks the time of
 * interrupts; their difference is that of the two clocks.
 */
static __always_inline u64 counters_exec_start(struct task_struct *task)
{
	struct rq *rq = untrusted(task)->se.cfs_rq->rq;

	return task->se.exec_start + (rq->clock - rq->clock_task);
}

/* sum_exec_runtime lacks the time since the last tick. */
static __always_inline u64 counters_running_ns(struct task_struct *task, u64 now)
{
	u64 from = clock_from_rq(counters_exec_start(task));
	u64 arrival = clock_from_rq(task->sched_info.last_arrival);

	if (from < arrival)
		from = arrival;
	return from < now ? now - from : 0;
}

static __always_inline u64 counters_queued_ns(struct task_struct *task, u64 now)
{
	u64 queued = task->sched_info.last_queued;

	if (!queued)
		return 0;
	queued = clock_from_rq(queued);
	return queued < now ? now - queued : 0;
}

static __always_inline void counters_read(struct task_struct *task, u64 now,
					  struct visit_counters *ret)
{
	u32 state = task->__state;

	ret->raw_state = state & AWAKE_BITS ? 0 : state;
	ret->on_cpu = task_on_cpu(task);
	ret->voluntary = task->nvcsw;
	ret->involuntary = task->nivcsw;
	ret->moves = task->se.nr_migrations;
	ret->exec_ns = task->se.sum_exec_runtime;
	ret->delay_ns = task->sched_info.run_delay;
	if (ret->on_cpu)
		ret->exec_ns += counters_running_ns(task, now);
	else if (!ret->raw_state)
		ret->delay_ns += counters_queued_ns(task, now);
}

/* With a new record: it is not there if there is no memory, and then its time is lost. */
static __always_inline void visit_new(struct task_struct *task, u64 now)
{
	struct task_visit *v;

	if (!cfg.visits)
		return;
	v = bpf_task_storage_get(&task_visits, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!v) {
		STAT_INC(task_storage_failed);
		return;
	}
	v->point = VISIT_NONE;
	v->edge = 0;
	counters_read(task, now, &v->was);
}

#endif
