/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_TAKE_BPF_H
#define LIB_TAKE_BPF_H

/*
 * The stacks of a wait that is over, taken by the thread that waited: by the short ways where they
 * know the stack, else in full. docs/adr/0017. For switch.bpf.c alone, as lib/print_memo.bpf.h is.
 */
#include "lib/lock.bpf.h"
#include "lib/memo.bpf.h"
#include "lib/object.bpf.h"
#include "lib/object_memo.bpf.h"
#include "lib/print_memo.bpf.h"
#include "lib/stack_walk.bpf.h"
#include "lib/wait.bpf.h"

/* One stack in so many that a short way has found is taken in full as well, and compared. */
#define AUDIT_MASK 1023

/*
 * The frames of the thread itself are those that the fingerprint is of, less __schedule(), which is
 * in another place by now. Those nearer to the leaf are the way to our program, and that way
 * changes when another program is attached to the hook beside ours.
 */
__noinline int same_frames(const struct cs_stack *a, const struct cs_stack *b, u32 frames)
{
	u32 i, at_a, at_b;

	if (!a || !b)
		return true;
	if (a->flags & CS_STACK_CUT || b->flags & CS_STACK_CUT)
		return true; /* what is left of it is not the root side */
	if (a->len < frames || b->len < frames)
		return false;
	for (i = 1; i < PRINT_FRAMES; i++) {
		if (i >= frames)
			return true;
		at_a = a->len - i;
		at_b = b->len - i;
		if (at_a >= CS_STACK_MAX || at_b >= CS_STACK_MAX || a->pc[at_a] != b->pc[at_b])
			return false;
	}
	return true;
}

/* Is the stack in scr->kstack what was kept under this fingerprint? Uses the walk's stack. */
static __noinline int audit_kernel_stack(struct scratch *scr, u64 print)
{
	const struct cs_stack *kept = stack_find(print);
	struct cs_stack *copy = &scr->walk.stack;

	if (!kept || bpf_probe_read_kernel(copy, sizeof(*copy), kept) ||
	    same_frames(copy, &scr->kstack, print & PRINT_FRAMES))
		return 0;
	STAT_INC(kstack_differs);
	control.slow |= CS_SLOW_KERNEL;
	return 1;
}

static __always_inline u64 take_kernel_stack(void *ctx, struct scratch *scr, u64 print)
{
	u64 *seen = &scr->seen[print >> 32 & (SEEN_LEN - 1)];
	bool *ret_lost = &scr->taking.lost;
	bool kept = false;

	if (print && *seen == print && !scr->taking.audit) {
		STAT_BUMP(kstack_known, 1);
		return print;
	}
	if (print)
		kept = stack_is_kept(print);
	if (kept && !scr->taking.audit) {
		*seen = print;
		STAT_BUMP(kstack_known, 1);
		return print;
	}
	stack_read_kernel(ctx, &scr->kstack);
	if (!print || !scr->kstack.len)
		return stack_keep(&scr->kstack, ret_lost);
	if (!kept)
		return stack_add(print, &scr->kstack, ret_lost);
	return audit_kernel_stack(scr, print) ? stack_keep(&scr->kstack, ret_lost) : print;
}

/* The thread runs, but is still in the kernel. */
static __always_inline u64 take_user_stack(struct task_struct *task, struct mm_struct *mm,
					   const struct pt_regs *regs, struct scratch *scr)
{
	struct user_walk *w = &scr->walk;
	bool *ret_lost = &scr->taking.lost;
	u64 known = 0, id;

	if (!stack_walk_aim_at(w, task, mm, regs, &scr->pending.owner))
		return stack_keep(&w->stack, ret_lost);
	w->now_ns = scr->switch_ns;
	if (cfg.memo && !(control.slow & CS_SLOW_USER))
		known = memo_recall(w);
	if (known && !scr->taking.audit) {
		STAT_BUMP(ustack_known, 1);
		return known;
	}
	stack_walk_begin(w, task, regs, false);
	walk_all(w);
	stack_walk_end(w, regs);
	id = stack_keep(&w->stack, ret_lost);
	if (known && known != id) {
		STAT_INC(ustack_differs);
		control.slow |= CS_SLOW_USER;
	} else if (cfg.memo && !(control.slow & CS_SLOW_USER)) {
		memo_keep(w, id);
	}
	return id;
}

/* The object as the stacks: of every wait. */
static __always_inline void take_object_early(struct task_slot *slot, struct task_struct *prev,
					      const struct pt_regs *regs, struct scratch *scr)
{
	struct walk_owner owner;

	if (!cfg.objects || !slot->raw_state)
		return;
	stack_owner(&owner, slot);
	scr->sight.kstack = slot->kstack;
	sight_lock(&scr->sight, slot->lock, slot->lock_kind);
	slot->object = object_of_current(&scr->sight, prev, regs, slot->sysno, &owner, slot->flags);
}

static __always_inline void take_kthread_object_early(struct task_slot *slot,
						      struct task_struct *prev, struct scratch *scr)
{
	struct walk_owner owner;

	if (!cfg.objects || !slot->raw_state)
		return;
	stack_owner(&owner, slot);
	sight_lock(&scr->sight, slot->lock, slot->lock_kind);
	slot->object = object_of_kthread(&scr->sight, prev, &owner);
}

/*
 * What the compiler has put into memory is read from there again: a number of which the verifier
 * knows nothing, where it would go on apart for each way that led to what it is.
 */
#define FORGET() __asm__ volatile("" ::: "memory")

/* The thread that came back takes the stacks of its wait, which is pending on this CPU. */
static __always_inline void take_stacks(void *ctx, struct task_struct *task, struct scratch *scr)
{
	struct pending_wait *pend = &scr->pending;
	struct cs_wait_key *key = &scr->taking.key;
	struct mm_struct *mm = untrusted(task)->mm;
	const struct pt_regs *regs;

	scr->taking.audit = !(scr->audits++ & AUDIT_MASK);
	scr->taking.lost = false;
	*key = (struct cs_wait_key){
		.task = pend->task,
		.sysno = CS_SYSNO_NONE,
		.state = pend->state,
		.flags = pend->flags,
		.owner = pend->thread_owner,
	};
	if (cfg.objects)
		sight_lock(&scr->sight, pend->lock, pend->lock_kind);
	if (cfg.kernel_stacks)
		key->kstack = take_kernel_stack(ctx, scr, pend->kprint);
	FORGET();
	if (!(task->flags & PF_KTHREAD)) {
		scr->sight.kstack = key->kstack;
		regs = task_regs(task);
		key->sysno = regs_sysno(regs);
		FORGET();
		/* Who lost its CPU was about to wait for nothing. */
		if (cfg.objects && key->state)
			key->object = object_of_waited(scr, task, regs, key->sysno, &pend->owner,
						       key->flags);
		FORGET();
		if (cfg.user_stacks)
			key->ustack = take_user_stack(task, mm, regs, scr);
	} else if (cfg.objects) {
		key->object = object_of_kthread(&scr->sight, task, &pend->owner);
	}
	FORGET();
	wait_count_lost_stack(scr->taking.lost, pend->weight_ns);
	count_lost_object(key->object, pend->weight_ns);
	count_unknown_holder(pend->lock, key->owner, pend->weight_ns);
	wait_add(key, pend->blocked_ns, pend->runq_ns, pend->weight_ns);
	pend->host_tid = 0;
}

#endif
