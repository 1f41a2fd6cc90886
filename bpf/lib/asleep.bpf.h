/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_ASLEEP_BPF_H
#define LIB_ASLEEP_BPF_H

/*
 * Everything about a wait of a thread that is off the CPU, found by an iterator: stacks, system
 * call, object and owner.
 */
#include "lib/lock.bpf.h"
#include "lib/object/object.bpf.h"
#include "lib/owner.bpf.h"
#include "lib/sleeping.bpf.h"
#include "lib/task.bpf.h"

static __always_inline void read_sleeping_kernel(struct task_struct *task, struct cs_stack *st)
{
	long sz = bpf_get_task_stack(task, st->pc, CS_STACK_DEFAULT * sizeof(u64), 0);

	stack_init(st, 0);
	st->len = sz > 0 ? sz / sizeof(u64) : 0;
}

/*
 * Reads the stacks and the system call of a sleeping thread into `scr`. False if it woke meanwhile:
 * then what was read may be from different moments. The switch counters tell, because a thread that
 * is off the CPU has counted the switch away from it.
 */
static __always_inline bool read_sleeping(struct task_slot *slot, struct task_struct *task,
					  struct scratch *scr, bool can_sleep)
{
	u64 switches = task_switches(task);

	stack_init(&scr->kstack, 0);
	stack_init(&scr->walk.stack, CS_STACK_USER);
	if (cfg.kernel_stacks)
		read_sleeping_kernel(task, &scr->kstack);
	if (cfg.user_stacks && can_sleep && !(task->flags & PF_KTHREAD))
		walk_sleeping(&scr->walk, task, slot);
	return has_slept(task, switches);
}

/* Its struct flock replaces what was read for the object. */
static __always_inline u32 owner_of_sleeping_lock(struct object_probe *s, struct task_struct *task,
						  const struct pt_regs *regs)
{
	struct user_flock *l = (struct user_flock *)s->memory;
	u32 cmd = file_lock_cmd(regs);
	u64 at = regs_arg(regs, 2);

	if (!(cmd & CMD_OF_FLOCK) && bpf_copy_from_user_task(l, sizeof(*l), (void *)at, task, 0))
		return 0;
	return owner_of_file_lock(s->task, regs_arg(regs, 0), cmd, at, l);
}

/*
 * Finds what a thread sleeping in `state` waits for, and its owner, unless that was known when it
 * went to sleep. Only a sleepable program may read another process's memory.
 */
static __always_inline void see_sleeping(struct task_slot *slot, struct task_struct *task,
					 struct scratch *scr, u32 state, bool can_sleep)
{
	const struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	struct object_probe *s = &scr->probe;
	struct walk_owner owner;
	u64 addr;

	slot->object = 0;
	if (!cfg.objects || !state)
		return;
	stack_owner(&owner, slot);
	probe_lock(s, slot->lock, slot->lock_kind);
	if (task->flags & PF_KTHREAD ?
		    !probe_begin_kthread(s, task, &owner) :
		    !probe_begin(s, task, regs, regs_sysno(regs), &owner, slot->flags))
		return;
	s->walker = 1;
	s->is_early = 0;
	s->kstack = slot->kstack;
	addr = can_sleep ? probe_address(s) : 0;
	if (addr && !bpf_copy_from_user_task(s->memory, SIGHT_SZ, (void *)addr, task, 0))
		s->has_memory = 1;
	slot->object = object_find(s);
	if (!slot->owner && s->has_memory && regs_in_futex(regs))
		slot->owner = owner_of_futex(regs, s->memory);
	if (!slot->owner && can_sleep && in_file_lock(regs) && state & TASK_INTERRUPTIBLE)
		slot->owner = owner_of_sleeping_lock(s, task, regs);
}

static __always_inline void keep_sleeping(struct task_slot *slot, struct task_struct *task,
					  struct scratch *scr)
{
	bool lost = false;

	slot->kstack = stack_keep(&scr->kstack, &lost);
	slot->ustack = stack_keep(&scr->walk.stack, &lost);
	slot->sysno = CS_SYSNO_NONE;
	if (!(task->flags & PF_KTHREAD))
		slot->sysno = regs_sysno((struct pt_regs *)bpf_task_pt_regs(task));
	slot->stack_lost = lost;
}

/* It resumed, so the stacks of its wait no longer exist. */
static __always_inline void forget_sleeping(struct task_struct *task, struct scratch *scr)
{
	stack_init(&scr->kstack, 0);
	stack_init(&scr->walk.stack, CS_STACK_USER);
	if (cfg.user_stacks && !(task->flags & PF_KTHREAD))
		scr->walk.stack.end = CS_END_NO_REGS;
}

/* Takes stacks, system call, object and owner of a thread. False: it did not sleep throughout. */
static __always_inline bool take_sleeping(struct task_slot *slot, struct task_struct *task,
					  struct scratch *scr, bool can_sleep)
{
	u64 switches = task_switches(task);
	bool slept = read_sleeping(slot, task, scr, can_sleep);
	u32 owner = slot->owner;

	if (!slept)
		forget_sleeping(task, scr);
	else if (can_sleep)
		postpone_sleeping(&scr->walk, task, switches);
	keep_sleeping(slot, task, scr);
	if (slept)
		see_sleeping(slot, task, scr, slot->raw_state, can_sleep);
	else
		slot->sysno = CS_SYSNO_NONE;
	if (!slept || !has_slept(task, switches)) {
		slot->object = 0;
		slot->owner = owner;
	}
	return slept;
}

#endif
