/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * Walks over all tasks, which user space starts by reading a file. One takes existing threads into
 * the trace, one takes the stacks of sleeping threads where they are needed early, and one closes
 * what is open at the end of a window and writes the totals.
 *
 * The last one works on copies, because the trace goes on. It needs no lock against the hooks: a
 * hook that sees a thread after the end stores to its since_ns before it does anything else, so a
 * copy whose since_ns is the same before and after is consistent. docs/adr/0037.
 */
#include "lib/account.bpf.h"
#include "lib/asleep.bpf.h"
#include "lib/drain.bpf.h"
#include "lib/module.bpf.h"
#include "lib/task.bpf.h"
#include "lib/throttle.bpf.h"
#include "lib/wait.bpf.h"

/* Makes the thread's own hooks check it again and end its record if necessary. */
static __always_inline bool has_moved(const struct task_slot *slot, struct task_struct *task)
{
	return BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id) != slot->rec.cgroup_id ||
	       !task_stays(task, &slot->rec);
}

/* When a thread is first seen, a record of its identity goes to user space. */
SEC("iter/task")
int on_task_mark(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct task_slot *slot;
	u32 tgid, tid;

	if (!task)
		return 0;
	if (!control.own_host_tgid)
		control.own_host_tgid = bpf_get_current_pid_tgid() >> 32;
	tgid = task_tgid(task);
	tid = task_tid(task);
	slot = task_slot(task);
	if (slot && !(task->flags & PF_EXITING))
		slot->moved |= has_moved(slot, task);
	if (!task_matches(task, tgid, tid, task->comm) || task_has_ended(task))
		return 0;
	slot = task_mark(task, tgid, tid, CS_PHASE_UNSEEN, task->__state);
	if (slot)
		bpf_seq_write(ctx->meta->seq, &slot->rec, sizeof(slot->rec));
	return 0;
}

/*
 * Takes stacks of threads that left the CPU before the trace began, so no hook will. It is a walk
 * of its own because the mappings of their processes must be known by then.
 */
static __always_inline int handle_asleep(struct bpf_iter__task *ctx, bool can_sleep)
{
	struct task_struct *task = ctx->task;
	struct task_slot *slot = task ? task_slot(task) : NULL;
	struct scratch *scr;
	u32 zero = 0;

	if (!slot || slot->phase != CS_PHASE_UNSEEN || !slot->mark_state || task_on_cpu(task) ||
	    (slot->kstack | slot->ustack))
		return 0;
	scr = bpf_map_lookup_elem(&drain_scratch, &zero);
	/* A thread that resumed takes its own stacks when it next leaves the CPU. */
	if (scr && read_sleeping(slot, task, scr, can_sleep)) {
		keep_sleeping(slot, task, scr);
		see_sleeping(slot, task, scr, slot->mark_state, can_sleep);
	}
	return 0;
}

/* Since 5.18, a sleepable iterator can read another task's user memory. */
SEC("iter.s/task")
int on_task_asleep(struct bpf_iter__task *ctx)
{
	return handle_asleep(ctx, true);
}

SEC("iter/task")
int on_task_asleep_atomic(struct bpf_iter__task *ctx)
{
	return handle_asleep(ctx, false);
}

/* Lists an open wait: the part of it that is in the window. */
static __always_inline void list_open(struct drain_task *at, struct task_struct *task, u64 begin,
				      u64 end, const struct split *s, bool can_sleep)
{
	u32 zero = 0;
	struct task_slot *slot = &at->slot;
	struct cs_wait_key *key = &at->key;
	struct scratch *scr = bpf_map_lookup_elem(&drain_scratch, &zero);
	u64 ns = split_ns(s), weight_ns;

	if (!scr || !ns)
		return;
	STAT_INC(waits);
	/* It has sample points of its own, because the thread's belong to its hooks. */
	slot->period_ns = ~0ULL;
	weight_ns = wait_weight(slot, end - slot->since_ns, ns);
	if (!weight_ns)
		return;
	STAT_INC(chosen);
	wait_key_init(key, slot);
	key->flags |= CS_WAIT_OPEN;
	if (slot->since_ns < begin)
		key->flags |= CS_WAIT_PRE;
	if (!slot->raw_state && throttle_holds(task))
		key->flags |= CS_WAIT_THROTTLED;
	if (cfg.resume != CS_RESUME_SWITCH_OUT || !(slot->kstack | slot->ustack))
		take_sleeping(slot, task, scr, can_sleep);
	key->object = slot->object;
	key->owner = slot->owner;
	key->kstack = slot->kstack;
	key->ustack = slot->ustack;
	key->sysno = slot->sysno;
	wait_mark_missing(key, slot->stack_lost, slot->raw_state ? slot->lock : 0);
	wait_add(key, begin, s->blocked_ns, s->runq_ns, weight_ns);
}

/*
 * Copies a thread that no hook has seen since the end of the window, and takes over its report:
 * from then on hooks may change the slot. False if a hook was first, or is at work on it.
 */
static __always_inline bool take_copy(struct task_slot *slot, struct task_struct *task, u64 end,
				      struct drain_task *to)
{
	if (bpf_probe_read_kernel(&to->slot, sizeof(to->slot), slot))
		return false;
	if (cfg.hist_unit_ns)
		hist_copy(&to->hist, hist_or_none(task));
	/* This read comes after those above. A slot without a number has left the trace. */
	if (!to->slot.rec.id || to->slot.since_ns >= end ||
	    __sync_fetch_and_add(&slot->since_ns, 0) != to->slot.since_ns)
		return false;
	return to->slot.phase != CS_PHASE_CLOSED &&
	       __sync_lock_test_and_set(&slot->reported_ns, end) != end;
}

/* Closes the copy. True if it is in a wait; *ret is then the part in the window. */
static __always_inline bool close_copy(struct drain_task *at, struct task_struct *task, bool on_cpu,
				       u64 begin, u64 end, struct split *ret)
{
	struct task_slot *slot = &at->slot;
	u64 since = slot->since_ns, wake = ~0ULL;
	bool waits = slot->phase == CS_PHASE_OFF || (slot->phase == CS_PHASE_UNSEEN && !on_cpu);

	if (cfg.hist_unit_ns && slot->window_ns != begin)
		hist_copy(&at->hist, (const void *)no_hist);
	if (waits)
		wake = wake_instant(slot, task, end, WAIT_OPEN);
	else if (slot->phase == CS_PHASE_UNSEEN)
		adopt_mark(slot);
	close_at_end(slot, since, wake, begin, end, ret);
	slot->rec.raw_state = waits ? slot->raw_state : 0;
	return waits;
}

static __always_inline int handle_drain(struct bpf_iter__task *ctx, bool can_sleep)
{
	u64 begin = control.begin_ns, end = control.end_ns;
	struct task_struct *task = ctx->task;
	struct task_slot *slot;
	struct drain_task *at;
	struct split s = {};
	u32 zero = 0;
	bool on_cpu;

	if (!task)
		return 0;
	slot = task_slot(task);
	if (!slot) {
		count_unmarked(task, begin, end);
		return 0;
	}
	at = bpf_map_lookup_elem(&drain_task, &zero);
	on_cpu = task_on_cpu(task);
	if (!at || slot->rec.id > control.last_task_id)
		return 0;
	if (!take_copy(slot, task, end, at)) {
		/* It began after the window: report it, so that user space does not wait for it. */
		if (slot->rec.begin_ns >= end)
			write_young(ctx, slot, at);
		return 0;
	}
	if (close_copy(at, task, on_cpu, begin, end, &s))
		list_open(at, task, begin, end, &s, can_sleep);
	if (at->slot.moved && !task_stays(task, &at->slot.rec))
		at->slot.rec.flags |= CS_TASK_LEFT;
	at->slot.rec.end_ns = end;
	read_names(&at->slot.rec, task);
	write_record(ctx, at);
	return 0;
}

SEC("iter.s/task")
int on_task_drain(struct bpf_iter__task *ctx)
{
	return handle_drain(ctx, true);
}

/* Before 5.18, threads that sleep through the end have no user stacks. */
SEC("iter/task")
int on_task_drain_atomic(struct bpf_iter__task *ctx)
{
	return handle_drain(ctx, false);
}

/* Writes the histograms of all threads so far, during a trace. */
SEC("iter/task")
int on_task_hists(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct task_slot *slot = task ? task_slot(task) : NULL;

	/* One that has ended has sent its own. */
	if (!slot || slot->phase == CS_PHASE_CLOSED)
		return 0;
	read_names(&slot->rec, task);
	bpf_seq_write(ctx->meta->seq, &slot->rec, sizeof(slot->rec));
	bpf_seq_write(ctx->meta->seq, (void *)hist_or_none(task), sizeof(struct cs_task_hist));
	return 0;
}

/*
 * Reports the executable files of a process that are new to the trace, so that their tables exist
 * before its first wait ends, and whether it has code made at run time. User space runs this for
 * one thread of each process, and for itself, after mapping what a program about to start will
 * need. If the thread has exited by then, all threads are walked.
 */
SEC("iter/task_vma")
int on_task_vma(struct bpf_iter__task_vma *ctx)
{
	struct module_sight sight = {};
	struct task_struct *task = ctx->task;
	struct vm_area_struct *vma = ctx->vma;
	struct task_slot *slot;
	struct file *file;

	if (!task || !vma || !(vma->vm_flags & VM_EXEC))
		return 0;
	slot = task_slot(task);
	file = vma->vm_file;
	if (!slot && task_tid(task) != control.wanted_tid)
		return 0;
	if (!file) {
		/* the vDSO and similar mappings have operations; run-time code has none */
		if (!vma->vm_ops)
			runtime_send(slot ? slot->rec.tgid : task_tgid(task), task_image(task));
		return 0;
	}
	module_key_of(file, &sight.key);
	if (bpf_map_lookup_elem(&modules, &sight.key))
		return 0;
	sight.file = (u64)file;
	sight.tgid = slot ? slot->rec.tgid : task_tgid(task);
	sight.vm_start = vma->vm_start;
	sight.vm_end = vma->vm_end;
	module_add(&sight);
	return 0;
}
