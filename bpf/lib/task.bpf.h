/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_TASK_BPF_H
#define LIB_TASK_BPF_H

/* Who traced threads are, and where their state is. */
#include "lib/clock.bpf.h"
#include "lib/visit/counters.bpf.h"
#include "lib/filter.bpf.h"
#include "lib/gap.bpf.h"
#include "lib/hist.bpf.h"
#include "lib/maps.bpf.h"
#include "lib/stats.bpf.h"
#include "lib/throttle.bpf.h"
#include "lib/untrusted.bpf.h"
#include "lib/wake/wakeup.bpf.h"

/* A thread as the drain found it: what it works with while hooks go on with the thread itself. */
struct drain_task {
	struct task_slot slot;
	struct cs_task_hist hist;
	struct cs_wait_key key; /* here, for the stack of a program has 512 bytes on 6.1 */
};

struct drain_task_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct drain_task);
};

extern struct drain_task_map drain_task SEC(".maps");

/* One program in one address space: a hash, so that it needs no place to be kept. */
static __always_inline u64 task_image(struct task_struct *task)
{
	u64 h = BPF_CORE_READ(task, group_leader, start_boottime);

	h = (h ^ (u32)task->tgid) * 0xd6e8feb86659fd93ULL;
	h ^= h >> 32;
	h = (h ^ task->self_exec_id) * 0xd6e8feb86659fd93ULL;
	return h | 1;
}

/* include/linux/sched.h: EXIT_DEAD and EXIT_ZOMBIE, all */
#define EXIT_MASK 0x30

/* It may be on its last way off the CPU, and otherwise neither runs nor waits any more. */
static __always_inline bool task_has_ended(struct task_struct *task)
{
	return BPF_CORE_READ(task, exit_state) & EXIT_MASK;
}

static __always_inline u32 new_task_id(void)
{
	return __sync_fetch_and_add((u32 *)&control.next_task_id, 1);
}

/* What may change while a thread lives. */
static __always_inline void read_names(struct cs_task_record *rec, struct task_struct *task)
{
	__builtin_memcpy(rec->comm, task->comm, sizeof(rec->comm));
	BPF_CORE_READ_INTO(&rec->group_comm, task, group_leader, comm);
}

/* The cgroup of a record that begins; it stays that of the record. */
static __always_inline void read_cgroup(struct task_slot *slot, struct task_struct *task)
{
	slot->rec.cgroup_id = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id);
}

/* What gettid() tells it, and where that number is its own. */
static __always_inline void read_own_tid(struct cs_task_record *rec, struct task_struct *task)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	u32 level = BPF_CORE_READ(pid, level);
	struct pid_namespace *ns = NULL;

	rec->own_tid = 0;
	rec->own_pidns = 0;
	if (level >= MAX_PIDNS_LEVEL)
		return;
	bpf_probe_read_kernel(&rec->own_tid, sizeof(rec->own_tid), &pid->numbers[level].nr);
	bpf_probe_read_kernel(&ns, sizeof(ns), &pid->numbers[level].ns);
	rec->own_pidns = BPF_CORE_READ(ns, ns.inum);
}

static __always_inline void read_identity(struct cs_task_record *rec, struct task_struct *task,
					  u32 tgid, u32 tid)
{
	rec->tid = tid;
	rec->tgid = tgid;
	rec->host_tid = task->pid;
	rec->host_tgid = task->tgid;
	read_own_tid(rec, task);
	rec->start_boottime_ns = task->start_boottime;
	rec->image = task_image(task);
	rec->flags = task->flags & PF_KTHREAD ? CS_TASK_KTHREAD : 0;
	if (cfg.hist_unit_ns)
		rec->pidns_inum = BPF_CORE_READ(task, nsproxy, pid_ns_for_children, ns.inum);
	read_names(rec, task);
}

/* The slot of a traced thread that is ready, or NULL; most threads are spared the helper's call. */
static __always_inline struct task_slot *task_slot(struct task_struct *task)
{
	struct task_slot *slot;

	if (!untrusted(task)->bpf_storage)
		return NULL;
	slot = bpf_task_storage_get(&tasks, task, 0, 0);
	return slot && slot->rec.id ? slot : NULL;
}

/* NULL: no memory, or as many as may be. on_sched_process_free() counts down. */
static __always_inline struct task_slot *task_slot_new(struct task_struct *task)
{
	u32 others = __sync_fetch_and_add((u32 *)&control.tasks, 1);
	struct task_slot *slot = NULL;

	if (others < cfg.max_tasks)
		slot = bpf_task_storage_get(&tasks, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!slot)
		__sync_fetch_and_sub((u32 *)&control.tasks, 1);
	else if (others >= control.tasks_most)
		control.tasks_most = others + 1;
	return slot;
}

/*
 * Takes a thread into the trace. `phase` is what is known of it: CS_PHASE_UNSEEN (its first switch
 * will tell), CS_PHASE_ON, or CS_PHASE_OFF for one that is not born yet. NULL: counted.
 */
static __always_inline struct task_slot *task_mark(struct task_struct *task, u32 tgid, u32 tid,
						   u32 phase, u32 raw_state)
{
	struct task_slot *slot = task_slot(task);
	u32 id;

	if (slot)
		return slot;
	slot = task_slot_new(task);
	if (!slot) {
		STAT_INC(task_storage_failed);
		return NULL;
	}
	hist_new(task);
	wakes_new(task);
	read_identity(&slot->rec, task, tgid, tid);
	read_cgroup(slot, task);
	slot->phase = phase;
	slot->raw_state = raw_state;
	slot->sysno = CS_SYSNO_NONE;
	slot->flags = phase == CS_PHASE_UNSEEN ? CS_WAIT_PRE : 0;
	if (raw_state & CS_RAW_NEW)
		slot->flags |= CS_WAIT_NEW;
	slot->since_ns = clock_now();
	slot->rec.begin_ns = slot->since_ns;
	slot->window_ns = window_at(slot->since_ns);
	visit_new(task, slot->since_ns);
	/* From here on the hooks use it. It may be found twice at once, as it is born. */
	id = new_task_id();
	if (__sync_val_compare_and_swap(&slot->rec.id, 0, id)) {
		__sync_fetch_and_sub((u32 *)&control.tasks, 1);
		STAT_INC(task_record_outside);
		return slot;
	}
	/*
	 * Read what it does only now: a switch before this line was not seen by the hooks, one
	 * behind it is, and moves the phase, after which these two are not looked at.
	 */
	slot->mark_state = raw_state & CS_RAW_NEW ? raw_state : task->__state;
	if (slot->mark_state & CS_RAW_WAKING)
		slot->mark_state = 0;
	if (!slot->mark_state && throttle_holds(task))
		slot->mark_flags = CS_WAIT_THROTTLED;
	if (clock_has_notes()) {
		slot->mark_run_delay_ns = task->sched_info.run_delay;
		if (cfg.gap_from_ns && phase == CS_PHASE_UNSEEN)
			slot->mark_left_rq = gap_left_cpu(task);
		/* Asleep, and queued according to sched_info: see on_sched_migrate. */
		if (slot->mark_state && task->sched_info.last_queued) {
			slot->moved_ns = slot->since_ns;
			__sync_fetch_and_add(&moved_sleepers.asleep, 1);
		}
	}
	STAT_INC(tasks_marked);
	return slot;
}

#endif
