/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * Walks over all tasks, started by user space by reading a file: one takes the threads that exist
 * into the trace, one takes the stacks of those that sleep, where they are needed early, and one
 * closes what is still open at the end and writes the totals.
 */
#include "lib/account.bpf.h"
#include "lib/lock.bpf.h"
#include "lib/module.bpf.h"
#include "lib/object.bpf.h"
#include "lib/owner.bpf.h"
#include "lib/stack_walk.bpf.h"
#include "lib/task.bpf.h"
#include "lib/throttle.bpf.h"
#include "lib/wait.bpf.h"

#define PAGE_SZ 4096
/* Turns of a walk: frames, and pieces of memory to fetch. A method of Java asks for a dozen. */
#define SLEEPING_TURNS (24 * CS_STACK_MAX)

static __always_inline bool task_on_cpu(struct task_struct *task)
{
	return bpf_core_field_exists(task->on_cpu) && task->on_cpu;
}

/* What a walk of a thread that sleeps asked for; pages are faulted in. */
static __always_inline void fetch_memory(struct user_walk *w, struct task_struct *task)
{
	u64 addr = w->need_addr;
	u32 sz = WALK_CHUNK;

	w->chunk_len = 0;
	if (bpf_copy_from_user_task(w->chunk, sz, (void *)addr, task, 0)) {
		/* The end of the memory there: what is before the end of the page. */
		sz = PAGE_SZ - (addr & (PAGE_SZ - 1));
		if (sz > WALK_CHUNK)
			sz = WALK_CHUNK;
		if (sz < 8 || bpf_copy_from_user_task(w->chunk, sz, (void *)addr, task, 0)) {
			w->need_failed = 1;
			return;
		}
	}
	w->chunk_addr = addr;
	w->chunk_len = sz;
}

struct sleeping_walk {
	struct user_walk *w;
	struct task_struct *task;
};

/* For bpf_loop(), 5.17: a loop of so many turns is too much for the verifier. */
static long sleeping_turn(u32 i, struct sleeping_walk *ctx)
{
	int r = walk_step(ctx->w);

	if (r == WALK_NEED)
		fetch_memory(ctx->w, ctx->task);
	return r && r != WALK_NEED;
}

/* The same walk as that of a running thread, but for who reads the memory. */
static __always_inline void walk_sleeping(struct user_walk *w, struct task_struct *task,
					  const struct task_slot *slot)
{
	const struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	struct sleeping_walk ctx = { .w = w, .task = task };
	struct walk_owner owner;

	stack_owner(&owner, slot);
	if (!stack_walk_aim(w, task, regs, &owner))
		return;
	stack_walk_begin(w, task, regs, true);
	w->now_ns = bpf_ktime_get_ns();
	if (bpf_loop(SLEEPING_TURNS, sleeping_turn, &ctx, 0) >= SLEEPING_TURNS)
		w->stack.end = CS_END_DEPTH;
	stack_walk_end(w, regs);
}

static __always_inline void read_sleeping_kernel(struct task_struct *task, struct cs_stack *st)
{
	long sz = bpf_get_task_stack(task, st->pc, CS_STACK_DEFAULT * sizeof(u64), 0);

	stack_init(st, 0);
	st->len = sz > 0 ? sz / sizeof(u64) : 0;
	if (!st->len)
		STAT_INC(kstack_failed);
}

static __always_inline u64 task_switches(struct task_struct *task)
{
	return task->nvcsw + task->nivcsw;
}

static __always_inline bool has_slept(struct task_struct *task, u64 switches)
{
	return !task_on_cpu(task) && task_switches(task) == switches;
}

/*
 * The stacks and the system call of a thread that sleeps, into `scr`. False: it did not sleep all
 * the while, and what was read is of no one moment. When a thread is on a CPU no more, the switch
 * away from it was counted.
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

/*
 * What a thread that sleeps in `state` waits for, and who holds it, if that was not known when it
 * went to sleep. Another's memory can be read only by who may sleep.
 */
static __always_inline void see_sleeping(struct task_slot *slot, struct task_struct *task,
					 struct scratch *scr, u32 state, bool can_sleep)
{
	const struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	struct object_sight *s = &scr->sight;
	struct walk_owner owner;
	u64 addr;

	slot->object = 0;
	if (!cfg.objects || !state)
		return;
	stack_owner(&owner, slot);
	sight_lock(s, slot->lock, slot->lock_kind);
	if (task->flags & PF_KTHREAD ?
		    !sight_begin_kthread(s, task, &owner) :
		    !sight_begin(s, task, regs, regs_sysno(regs), &owner, slot->flags))
		return;
	s->walker = 1;
	s->is_early = 0;
	s->kstack = slot->kstack;
	addr = can_sleep ? sight_address(s) : 0;
	if (addr && !bpf_copy_from_user_task(s->memory, SIGHT_SZ, (void *)addr, task, 0))
		s->has_memory = 1;
	slot->object = object_find(s);
	if (!slot->owner && s->has_memory && regs_in_futex(regs))
		slot->owner = owner_of_futex(regs, s->memory);
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

/* It went on: what it waited in cannot be had any more. */
static __always_inline void forget_sleeping(struct task_struct *task, struct scratch *scr)
{
	if (cfg.kernel_stacks)
		STAT_INC(kstack_failed);
	stack_init(&scr->kstack, 0);
	stack_init(&scr->walk.stack, CS_STACK_USER);
	if (cfg.user_stacks && !(task->flags & PF_KTHREAD))
		scr->walk.stack.end = CS_END_NO_REGS;
}

/* Stacks, system call, object and holder of a thread that sleeps, if it did so all the while. */
static __always_inline void take_sleeping(struct task_slot *slot, struct task_struct *task,
					  struct scratch *scr, bool can_sleep)
{
	u64 switches = task_switches(task);
	bool slept = read_sleeping(slot, task, scr, can_sleep);
	u32 owner = slot->owner;

	if (!slept)
		forget_sleeping(task, scr);
	keep_sleeping(slot, task, scr);
	if (slept)
		see_sleeping(slot, task, scr, slot->raw_state, can_sleep);
	else
		slot->sysno = CS_SYSNO_NONE;
	if (!slept || !has_slept(task, switches)) {
		slot->object = 0;
		slot->owner = owner;
	}
}

/* A thread's first sight goes to user space as a record of its identity. */
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
	if (!task_matches(task, tgid, tid, task->comm) || task_has_ended(task))
		return 0;
	slot = task_mark(task, tgid, tid, CS_PHASE_UNSEEN, task->__state);
	if (slot)
		bpf_seq_write(ctx->meta->seq, &slot->rec, sizeof(slot->rec));
	return 0;
}

/*
 * Stacks that no switch out of the CPU will take any more, for it is done. A walk of its own,
 * because what these processes have mapped must be known by then.
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
	/* One that went on takes its stacks itself when it leaves the CPU. */
	if (scr && read_sleeping(slot, task, scr, can_sleep)) {
		keep_sleeping(slot, task, scr);
		see_sleeping(slot, task, scr, slot->mark_state, can_sleep);
	}
	return 0;
}

/* Since 5.18: user memory of another task can be read. */
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

/* Lists a wait that is not over. */
static __always_inline void list_open(struct task_slot *slot, struct task_struct *task,
				      const struct split *s, bool can_sleep)
{
	u32 zero = 0;
	struct scratch *scr = bpf_map_lookup_elem(&drain_scratch, &zero);
	u64 ns = s->blocked_ns + s->runq_ns, weight_ns;
	struct cs_wait_key key;

	if (!scr || !ns)
		return;
	STAT_INC(waits);
	weight_ns = wait_weight(slot, control.end_ns - slot->since_ns, ns);
	if (!weight_ns)
		return;
	STAT_INC(chosen);
	wait_key_init(&key, slot);
	key.flags |= CS_WAIT_OPEN;
	if (!slot->raw_state && throttle_holds(task))
		key.flags |= CS_WAIT_THROTTLED;
	if (cfg.resume != CS_RESUME_SWITCH_OUT || !(slot->kstack | slot->ustack))
		take_sleeping(slot, task, scr, can_sleep);
	key.object = slot->object;
	key.owner = slot->owner;
	count_lost_object(key.object, weight_ns);
	if (slot->raw_state)
		count_unknown_holder(slot->lock, key.owner, weight_ns);
	key.kstack = slot->kstack;
	key.ustack = slot->ustack;
	key.sysno = slot->sysno;
	wait_count_lost_stack(slot->stack_lost, weight_ns);
	wait_add(&key, s->blocked_ns, s->runq_ns, weight_ns);
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
		    !task_has_ended(task) && control.begin_ns < control.end_ns)
			STAT_INC(unmarked);
		return 0;
	}
	if (slot->rec.id > control.last_task_id)
		return 0;
	phase = close_at_end(slot, task, task_on_cpu(task), &s);
	if (phase == CS_PHASE_CLOSED)
		return 0;
	if (phase == CS_PHASE_OFF)
		list_open(slot, task, &s, can_sleep);
	slot->rec.raw_state = phase == CS_PHASE_ON ? 0 : slot->raw_state;
	slot->rec.end_ns = control.end_ns;
	read_names(&slot->rec, task);
	bpf_seq_write(ctx->meta->seq, &slot->rec, sizeof(slot->rec));
	if (cfg.hist_unit_ns)
		bpf_seq_write(ctx->meta->seq, (void *)hist_or_none(task),
			      sizeof(struct cs_task_hist));
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

/* The histograms of threads so far, while the trace goes on. */
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
 * The executable files that a process has mapped, where they are met for the first time: so that
 * their tables are there before its first wait is over; and whether it makes code at run time. User
 * space has it run for one thread of each process, and for itself: it maps what a program that it
 * is about to start will need. A walk for a thread that is gone by then goes over all threads.
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
		/* the vDSO and its like have operations; code made at run time has none */
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
