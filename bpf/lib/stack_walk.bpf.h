/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_STACK_WALK_BPF_H
#define LIB_STACK_WALK_BPF_H

/* A walk up the user stack of a thread, from its registers to the stored stack. */
#include "lib/runtime/runtimes.bpf.h"
#include "lib/regs.bpf.h"
#include "lib/stack.bpf.h"
#include "lib/untrusted.bpf.h"
#include "lib/vma.bpf.h"
#include "lib/walk.bpf.h"

/*
 * Points `w` at the user stack of `task`, which is not a kernel thread. False if there is nothing
 * to walk; the stack says why. `mm` is the task's.
 */
static __always_inline bool stack_walk_aim_at(struct user_walk *w, struct task_struct *task,
					      struct mm_struct *mm, const struct pt_regs *regs,
					      const struct walk_owner *owner)
{
	stack_init(&w->stack, CS_STACK_USER);
	if (!mm || task->flags & PF_IO_WORKER || !regs_are_user(regs)) {
		w->stack.end = CS_END_NO_CODE;
		return false;
	}
	if (!regs_64bit(regs)) {
		/* Frames of another size: only the leaf is certain. */
		w->stack.pc[0] = regs_ip(regs);
		w->stack.len = 1;
		w->stack.end = CS_END_32BIT;
		w->stack.flags |= CS_STACK_PRIVATE;
		return false;
	}
	regs_to_walk(w, regs);
	w->mm = (u64)mm;
	w->maps_version = maps_version(mm);
	w->image = owner->image;
	w->tgid = owner->tgid;
	w->host_tgid = owner->host_tgid;
	w->tables_gen = control.tables_gen;
	w->tls = regs_tls(task);
	w->made = 0;
	w->trail_sp = w->sp;
	w->regs_ip = w->ip;
	w->regs_fp = w->fp;
	w->regs_bx = w->bx_known ? w->bx : w->lr;
	return true;
}

static __always_inline bool stack_walk_aim(struct user_walk *w, struct task_struct *task,
					   const struct pt_regs *regs,
					   const struct walk_owner *owner)
{
	return stack_walk_aim_at(w, task, untrusted(task)->mm, regs, owner);
}

/* What is the same at the beginning of every walk. */
static __always_inline void stack_walk_reset(struct user_walk *w, bool sleeping)
{
	w->full = 1;
	w->ret = 0;
	w->placed = 0;
	w->by_fp = 0;
	w->limit = cfg.ustack_len;
	w->map.end = 0;
	w->map.start = 0;
	w->sleeping = sleeping;
	w->fp_from = FROM_BEGIN;
	w->bx_from = FROM_BEGIN;
	w->used = w->bx_known ? 0 : WALK_BX;
	w->trail_len = sleeping ? TRAIL_LOST : 0;
	w->vmas = 0;
	w->vma_prints = 0;
	w->need_failed = 0;
	w->words = 0;
	w->chunk_len = 0;
	w->chunk_addr = 0;
	runtimes_reset(w);
}

/* Everything else that a walk needs. */
static __always_inline void stack_walk_begin(struct user_walk *w, struct task_struct *task,
					     const struct pt_regs *regs, bool sleeping)
{
	const struct mm_struct *mm = (const struct mm_struct *)w->mm;

	regs_to_top_frame(w, regs);
	stack_walk_reset(w, sleeping);
	w->vdso = (u64)BPF_CORE_READ(mm, context.vdso);
	w->tid = task->pid;
}

static __always_inline void stack_walk_end(struct user_walk *w, const struct pt_regs *regs)
{
	struct cs_stack *st = &w->stack;

	/* Between the old program and the new one there is no stack; the registers are old. */
	if (st->end && st->len <= 1 && regs_in_exec(regs)) {
		st->len = 0;
		st->gap = 0;
		st->flags = CS_STACK_USER;
		st->end = CS_END_EXEC;
	}
	if (st->flags & CS_STACK_PRIVATE) {
		st->image = (u32)(w->image ^ w->image >> 32);
		runtime_send(w->tgid, w->image);
	}
}

static __always_inline void stack_owner(struct walk_owner *owner, const struct task_slot *slot)
{
	owner->image = slot->rec.image;
	owner->tgid = slot->rec.tgid;
	owner->host_tgid = slot->rec.host_tgid;
}

/* The only walk of user stacks, for the running thread. The stack is in w->stack. */
static __always_inline void stack_walk_user(struct user_walk *w, struct task_struct *task,
					    const struct task_slot *slot, u64 now_ns)
{
	const struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	struct walk_owner owner;

	stack_owner(&owner, slot);
	if (!stack_walk_aim(w, task, regs, &owner))
		return;
	stack_walk_begin(w, task, regs, false);
	w->now_ns = now_ns;
	walk_all(w);
	stack_walk_end(w, regs);
}

#endif
