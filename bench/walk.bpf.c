/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * Walks the user stack of the thread that runs the program, with our walk or the kernel's, so often
 * that the clock does not matter. Keeps the last stack, because wrong results must not be timed.
 */
/* Calls of kernel functions are put in by capture, which does not load this. */
#define bpf_untrusted_task(task, btf_id) (task)

#include "lib/stack_walk.bpf.h"

#define WALKS 64

struct walked {
	u32 tgid; /* of the thread, in its own namespace */
	u32 pad;
	u64 ns; /* of one walk */
	struct cs_stack stack;
};

struct walked walked = {};

SEC("raw_tp")
int walk_ours(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_slot slot = { .rec.tgid = walked.tgid };
	struct scratch *scr;
	u32 zero = 0;
	u64 begin;
	int i;

	scr = bpf_map_lookup_elem(&scratches, &zero);
	if (!scr)
		return 1;
	begin = bpf_ktime_get_ns();
	for (i = 0; i < WALKS; i++)
		stack_walk_user(&scr->walk, task, &slot, begin);
	walked.ns = (bpf_ktime_get_ns() - begin) / WALKS;
	return bpf_probe_read_kernel(&walked.stack, sizeof(walked.stack), &scr->walk.stack) != 0;
}

SEC("raw_tp")
int walk_kernel(void *ctx)
{
	struct cs_stack *st = &walked.stack;
	u64 begin = bpf_ktime_get_ns();
	long sz = 0;
	int i;

	for (i = 0; i < WALKS; i++)
		sz = bpf_get_stack(ctx, st->pc, CS_STACK_DEFAULT * sizeof(u64), BPF_F_USER_STACK);
	walked.ns = (bpf_ktime_get_ns() - begin) / WALKS;
	st->len = sz > 0 ? sz / sizeof(u64) : 0;
	st->end = CS_END_ROOT; /* it does not say */
	return 0;
}
