/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * Walks over all tasks, started by user space by reading a file: one takes the threads that exist
 * into the trace, the other closes what is still open at the end and writes the totals.
 */
#include "lib/account.bpf.h"
#include "lib/stack.bpf.h"
#include "lib/task.bpf.h"
#include "lib/wait.bpf.h"

static __always_inline bool task_on_cpu(struct task_struct *task)
{
	return bpf_core_field_exists(task->on_cpu) && task->on_cpu;
}

/*
 * The user stack of a thread that sleeps: a read for each frame, which may fault pages in. The
 * chain rules are those of walk_step().
 */
static __always_inline void walk_sleeping(struct user_walk *w, struct task_struct *task)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	u64 fp = regs_fp(regs);
	u32 n;

	w->stack.flags = CS_STACK_USER;
	w->stack.pc[0] = regs_ip(regs);
	w->stack.len = 1;
	if (!regs_64bit(regs)) {
		w->stack.flags |= CS_STACK_FAULT;
		return;
	}
	for (n = 1; n < CS_STACK_LEN; n++) {
		u64 frame[2];

		if ((fp & 7) || fp < WALK_CHUNK || fp >= USER_ADDR_MAX)
			return;
		if (bpf_copy_from_user_task(frame, sizeof(frame), (void *)fp, task, 0)) {
			w->stack.flags |= CS_STACK_FAULT;
			return;
		}
		if (frame[1] < WALK_CHUNK)
			return;
		w->stack.pc[n] = frame[1];
		w->stack.len = n + 1;
		if ((s64)(frame[0] - fp) <= 0)
			return;
		fp = frame[0];
	}
	w->stack.flags |= CS_STACK_CUT;
	STAT_INC(ustack_cut);
}

static __always_inline void read_sleeping_kernel(struct task_struct *task, struct cs_stack *st)
{
	long sz = bpf_get_task_stack(task, st->pc, sizeof(st->pc), 0);

	st->flags = 0;
	st->len = sz > 0 ? sz / sizeof(u64) : 0;
	if (!st->len)
		STAT_INC(kstack_failed);
}

/* The stacks and the system call of a thread that sleeps; what it waits in does not change. */
static __always_inline void take_sleeping(struct task_slot *slot, struct task_struct *task,
					  struct scratch *scr, bool can_sleep)
{
	bool lost = false;

	slot->kstack = 0;
	slot->ustack = 0;
	slot->sysno = CS_SYSNO_NONE;
	if (cfg.kernel_stacks) {
		read_sleeping_kernel(task, &scr->kstack);
		slot->kstack = stack_keep(&scr->kstack, &lost);
	}
	if (!(task->flags & PF_KTHREAD) && task->mm) {
		slot->sysno = regs_sysno((struct pt_regs *)bpf_task_pt_regs(task));
		if (cfg.user_stacks && can_sleep) {
			walk_sleeping(&scr->walk, task);
			slot->ustack = stack_keep(&scr->walk.stack, &lost);
		}
	}
	slot->stack_lost = lost;
}

/* A thread's first sight goes to user space as a record of its identity. */
static __always_inline int handle_mark(struct bpf_iter__task *ctx, bool can_sleep)
{
	struct task_struct *task = ctx->task;
	struct task_slot *slot;
	struct scratch *scr;
	u32 tgid, tid, zero = 0;

	if (!task)
		return 0;
	if (!control.own_host_tgid)
		control.own_host_tgid = bpf_get_current_pid_tgid() >> 32;
	tgid = task_tgid(task);
	tid = task_tid(task);
	if (!task_matches(task, tgid, tid, task->comm))
		return 0;
	slot = task_mark(task, tgid, tid, CS_PHASE_UNSEEN, task->__state);
	if (!slot)
		return 0;
	bpf_seq_write(ctx->meta->seq, &slot->rec, sizeof(slot->rec));
	/* Stacks that no switch out of the CPU will take any more, for it is done. */
	if (cfg.resume != CS_RESUME_SWITCH_OUT || slot->phase != CS_PHASE_UNSEEN ||
	    !slot->mark_state || task_on_cpu(task))
		return 0;
	scr = bpf_map_lookup_elem(&drain_scratch, &zero);
	if (scr)
		take_sleeping(slot, task, scr, can_sleep);
	return 0;
}

/* Since 5.18: user memory of another task can be read. */
SEC("iter.s/task")
int on_task_mark(struct bpf_iter__task *ctx)
{
	return handle_mark(ctx, true);
}

SEC("iter/task")
int on_task_mark_atomic(struct bpf_iter__task *ctx)
{
	return handle_mark(ctx, false);
}

/* Lists a wait that is not over. */
static __always_inline void list_open(struct task_slot *slot, struct task_struct *task,
				      const struct split *s, bool can_sleep)
{
	u32 zero = 0;
	struct scratch *scr = bpf_map_lookup_elem(&drain_scratch, &zero);
	struct cs_wait_key key;

	if (!scr || !(s->blocked_ns + s->runq_ns))
		return;
	STAT_INC(waits);
	if (!wait_chosen(control.end_ns - slot->since_ns, slot->raw_state))
		return;
	STAT_INC(chosen);
	wait_key_init(&key, slot);
	key.flags |= CS_WAIT_OPEN;
	if (cfg.resume != CS_RESUME_SWITCH_OUT || !(slot->kstack | slot->ustack))
		take_sleeping(slot, task, scr, can_sleep);
	key.kstack = slot->kstack;
	key.ustack = slot->ustack;
	key.sysno = slot->sysno;
	wait_count_lost_stack(slot->stack_lost, s->blocked_ns + s->runq_ns);
	wait_add(&key, s->blocked_ns, s->runq_ns);
}

static __always_inline int handle_drain(struct bpf_iter__task *ctx, bool can_sleep)
{
	struct task_struct *task = ctx->task;
	struct task_slot *slot;
	struct split s = {};
	u32 phase;

	if (!task)
		return 0;
	slot = task_slot(task);
	if (!slot) {
		if (task_matches(task, task_tgid(task), task_tid(task), task->comm) &&
		    control.begin_ns < control.end_ns)
			STAT_INC(unmarked);
		return 0;
	}
	phase = close_at_end(slot, task, task_on_cpu(task), &s);
	if (phase == CS_PHASE_CLOSED)
		return 0;
	if (phase == CS_PHASE_OFF)
		list_open(slot, task, &s, can_sleep);
	slot->rec.raw_state = phase == CS_PHASE_ON ? 0 : slot->raw_state;
	slot->rec.end_ns = control.end_ns;
	read_names(&slot->rec, task);
	bpf_seq_write(ctx->meta->seq, &slot->rec, sizeof(slot->rec));
	return 0;
}

SEC("iter.s/task")
int on_task_drain(struct bpf_iter__task *ctx)
{
	return handle_drain(ctx, true);
}

/* Before it: no user stacks of threads that sleep through the end. */
SEC("iter/task")
int on_task_drain_atomic(struct bpf_iter__task *ctx)
{
	return handle_drain(ctx, false);
}
