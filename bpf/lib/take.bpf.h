/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_TAKE_BPF_H
#define LIB_TAKE_BPF_H

/*
 * The stacks of a wait that has ended, recorded by the thread that waited: by the fast paths if
 * they know the stack, else in full. docs/adr/0017. Only for switch.bpf.c, like
 * lib/orc/print_memo.bpf.h.
 */
#include "lib/cost/turn.bpf.h"
#include "lib/lock.bpf.h"
#include "lib/memo.bpf.h"
#include "lib/object/object.bpf.h"
#include "lib/object/object_memo.bpf.h"
#include "lib/postpone.bpf.h"
#include "lib/orc/print_memo.bpf.h"
#include "lib/stack_walk.bpf.h"
#include "lib/wait.bpf.h"
#include "lib/wake/wakeup.bpf.h"

/* If a recalled user stack was wrong, none is recalled for so long. */
#define USER_SLOW_NS (10 * 1000 * 1000 * 1000ULL)

/*
 * The frames covered by the fingerprint are the thread's own, except __schedule(), which is at
 * another address by now. Those nearer to the leaf lead to our program, and change when another
 * program is attached to the same hook.
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

/* Whether scr->kstack is what is stored under this fingerprint. Uses the walk's stack. */
static __noinline int audit_kernel_stack(struct scratch *scr, u64 print)
{
	const struct cs_stack *kept = stack_find(print);
	struct cs_stack *copy = &scr->walk.stack;

	if (!kept || bpf_probe_read_kernel(copy, sizeof(*copy), kept) ||
	    same_frames(copy, &scr->kstack, print & PRINT_FRAMES))
		return 0;
	STAT_INC(kstack_differs);
	control.kernel_slow = 1;
	return 1;
}

static __always_inline u64 take_kernel_stack(void *ctx, struct scratch *scr, u64 print)
{
	u64 *seen = &scr->seen[print >> 32 & (SEEN_LEN - 1)], mark = print ^ control.salt;
	bool *ret_lost = &scr->taking.lost;
	bool kept = false;

	if (print)
		print = stack_id_of(print);
	if (print && *seen == mark && !scr->taking.audit) {
		STAT_BUMP(kstack_known, 1);
		return print;
	}
	if (print)
		kept = stack_is_kept(print);
	if (kept && !scr->taking.audit) {
		*seen = mark;
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

/* The thread is running, but is still in the kernel. */
static __always_inline u64 take_user_stack(struct task_struct *task, struct mm_struct *mm,
					   const struct pt_regs *regs, struct scratch *scr)
{
	struct user_walk *w = &scr->walk;
	bool *ret_lost = &scr->taking.lost;
	u64 known = 0, id;

	if (!stack_walk_aim_at(w, task, mm, regs, &scr->pending.owner))
		return stack_keep(&w->stack, ret_lost);
	w->now_ns = scr->switch_ns;
	if (cfg.memo && w->now_ns >= control.user_slow_ns)
		known = memo_recall(w);
	if (known && !scr->taking.audit) {
		STAT_BUMP(ustack_known, 1);
		return known;
	}
	stack_walk_begin(w, task, regs, false);
	walk_all(w);
	stack_walk_end(w, regs);
	if (cfg.postpone && w->stack.end == CS_END_NO_TABLE && postpone_pays(&scr->pending.parts))
		postpone_walk(w);
	id = stack_keep(&w->stack, ret_lost);
	if (known && (known ^ id) & ~CS_STACK_SIDE) {
		STAT_INC(ustack_differs);
		memo_forget(w);
		control.user_slow_ns = w->now_ns + USER_SLOW_NS;
	} else if (cfg.memo && w->now_ns >= control.user_slow_ns) {
		memo_keep(w, id);
	}
	return id;
}

/* The object, like the stacks, of every wait. */
static __always_inline void take_object_early(struct task_slot *slot, struct task_struct *prev,
					      const struct pt_regs *regs, struct scratch *scr)
{
	struct walk_owner owner;

	if (!cfg.objects || !slot->raw_state)
		return;
	stack_owner(&owner, slot);
	scr->probe.kstack = slot->kstack;
	probe_lock(&scr->probe, slot->lock, slot->lock_kind);
	slot->object = object_of_current(&scr->probe, prev, regs, slot->sysno, &owner, slot->flags);
}

static __always_inline void take_kthread_object_early(struct task_slot *slot,
						      struct task_struct *prev, struct scratch *scr)
{
	struct walk_owner owner;

	if (!cfg.objects || !slot->raw_state)
		return;
	stack_owner(&owner, slot);
	probe_lock(&scr->probe, slot->lock, slot->lock_kind);
	slot->object = object_of_kthread(&scr->probe, prev, &owner);
}

/*
 * Makes the compiler read values back from memory: numbers about which the verifier knows nothing,
 * whereas otherwise it would continue separately for each path that led to them.
 */
#define FORGET() __asm__ volatile("" ::: "memory")

/* The resumed thread records the stacks of its wait, which is pending on this CPU. */
static __always_inline void take_stacks(void *ctx, struct task_struct *task, struct scratch *scr)
{
	struct pending_wait *pend = &scr->pending;
	struct cs_wait_key *key = &scr->taking.key;
	struct mm_struct *mm = untrusted(task)->mm;
	const struct pt_regs *regs;

	scr->taking.audit = is_turn(&scr->unaudited, AUDIT_EVERY);
	scr->taking.lost = false;
	*key = (struct cs_wait_key){
		.task = pend->task,
		.sysno = CS_SYSNO_NONE,
		.state = pend->state,
		.flags = pend->parts.flags,
		.owner = pend->thread_owner,
	};
	if (cfg.objects)
		probe_lock(&scr->probe, pend->lock, pend->lock_kind);
	if (cfg.kernel_stacks)
		key->kstack = take_kernel_stack(ctx, scr, pend->kprint);
	FORGET();
	if (!(task->flags & PF_KTHREAD)) {
		scr->probe.kstack = key->kstack;
		regs = task_regs(task);
		key->sysno = regs_sysno(regs);
		FORGET();
		/* A preempted thread has no object. */
		if (cfg.objects && key->state)
			key->object = object_of_waited(scr, task, regs, key->sysno, &pend->owner,
						       key->flags);
		FORGET();
		if (cfg.user_stacks)
			key->ustack = take_user_stack(task, mm, regs, scr);
	} else if (cfg.objects) {
		key->object = object_of_kthread(&scr->probe, task, &pend->owner);
	}
	FORGET();
	list_parts(key, &pend->parts, scr->taking.lost, pend->lock);
	wakes_listed(task);
	pend->host_tid = 0;
}

#endif
