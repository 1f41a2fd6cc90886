/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * What threads do while on a CPU: a timer on each CPU records the stacks of the thread running
 * there, with the same walk and the same type of key as for waits. How long a thread was on a CPU
 * is known exactly from its switches; samples only show how that time was spent.
 *
 * The timer's interrupt may hit the resume hook of this CPU in the middle of a walk. The walk of
 * the sample then uses its own memory, down to the node of a maple tree, and avoids the cache of
 * mappings. Its stacks are like those of any other sample: our program is on the kernel stack.
 */
#include "lib/account.bpf.h"
#include "lib/stack_walk.bpf.h"
#include "lib/task.bpf.h"
#include "lib/wait.bpf.h"

struct pt_regs;

struct bpf_perf_event_data {
	struct pt_regs regs;
};

/* The kernel stack where the interrupt hit; none if that was in user space. */
static __always_inline void sample_read_kernel(void *ctx, struct cs_stack *st)
{
	long sz = bpf_get_stack(ctx, st->pc, CS_STACK_DEFAULT * sizeof(u64), 0);

	stack_init(st, CS_STACK_SAMPLE);
	st->len = sz > 0 ? sz / sizeof(u64) : 0;
	if (st->len >= cfg.kstack_len) {
		st->flags |= CS_STACK_CUT;
		STAT_INC(kstack_cut);
	}
}

static __always_inline void sample_stacks(void *ctx, struct task_struct *task,
					  const struct task_slot *slot, struct scratch *scr,
					  u64 begin_ns, struct cs_wait_key *key)
{
	bool lost = false;

	if (cfg.kernel_stacks) {
		sample_read_kernel(ctx, &scr->kstack);
		if (scr->kstack.len)
			key->kstack = stack_keep(&scr->kstack, &lost);
	}
	if (cfg.user_stacks && !(task->flags & PF_KTHREAD)) {
		stack_walk_user(&scr->walk, task, slot, begin_ns);
		key->ustack = stack_keep(&scr->walk.stack, &lost);
	}
	wait_mark_missing(key, lost, 0);
}

static __always_inline struct scratch *free_scratch(void)
{
	struct scratch *scr;
	u32 which = 0;

	scr = bpf_map_lookup_elem(&scratches, &which);
	if (!scr || !scr->busy)
		return scr;
	which = 1;
	scr = bpf_map_lookup_elem(&scratches, &which);
	if (scr)
		scr->walk.nested = 1;
	return scr;
}

SEC("perf_event")
int on_cpu_sample(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_slot *slot = task_slot(task);
	struct cs_wait_key key = { .sysno = CS_SYSNO_NONE, .flags = CS_WAIT_ON_CPU };
	u64 begin_ns = bpf_ktime_get_ns();
	struct scratch *scr;

	if (!slot || !in_window(begin_ns))
		return 0;
	scr = free_scratch();
	if (!scr)
		return 0;
	key.task = slot->rec.id;
	if (!(task->flags & PF_KTHREAD))
		key.sysno = regs_sysno((struct pt_regs *)bpf_task_pt_regs(task));
	sample_stacks(ctx, task, slot, scr, begin_ns, &key);
	STAT_INC(samples);
	sample_add(&key, window_at(begin_ns));
	STAT_INC(self_runs);
	STAT_ADD(self_ns, bpf_ktime_get_ns() - begin_ns);
	return 0;
}
