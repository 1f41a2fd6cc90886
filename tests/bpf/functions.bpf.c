/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * Doors to our BPF functions for tests: each program runs one of them on what the test put into
 * `call`, in the kernel, in the context of the test itself.
 */
/* Calls of kernel functions are put in by capture, which does not load this. */
#define bpf_untrusted_task(task, btf_id) (task)

#include "lib/stack_walk.bpf.h"
#include "lib/wait.bpf.h"

struct call {
	/* walk_user */
	u64 ip;
	u64 fp;
	u32 limit;
	u32 end;
	u32 len;
	u32 flags;
	u64 pc[CS_STACK_MAX];
	/* add_wait */
	struct cs_wait_key key;
	u64 blocked_ns;
	u64 runq_ns;
	u64 weight_ns;
	/* choose */
	u64 len_ns;
	u64 ns;
	u64 period_ns;
	u64 slot_period_ns;
	u64 slot_waited_ns;
	u64 slot_point_ns;
	u32 raw_state;
	/* match */
	char pattern[CS_COMM_LEN];
	char comm[CS_COMM_LEN];
	/* results */
	u64 hash;
	u64 lost;
	s64 result;
};

struct call call = {};

static __always_inline struct scratch *own_scratch(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&drain_scratch, &zero);
}

/* A walk of the stack at call.fp, from code at call.ip, in the mappings of the test itself. */
SEC("syscall")
int walk_user(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct scratch *scr = own_scratch();
	struct task_slot slot = { .rec.image = 7 };
	const struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	struct walk_owner owner;
	struct user_walk *w;
	int i;

	if (!scr)
		return 1;
	w = &scr->walk;
	stack_owner(&owner, &slot);
	if (!stack_walk_aim(w, task, regs, &owner))
		return 2;
	stack_walk_begin(w, task, regs, false);
	w->ip = call.ip;
	w->sp = call.fp;
	w->fp = call.fp;
	w->limit = call.limit;
	w->now_ns = bpf_ktime_get_ns() * 1000; /* no mapping of an earlier test is believed */
	walk_all(w);
	call.len = w->stack.len;
	call.flags = w->stack.flags;
	call.end = w->stack.end;
	for (i = 0; i < CS_STACK_MAX; i++)
		call.pc[i] = w->stack.pc[i];
	return 0;
}

SEC("syscall")
int keep_stack(void *ctx)
{
	struct scratch *scr = own_scratch();
	bool lost = false;
	int i;

	if (!scr)
		return 1;
	stack_init(&scr->kstack, call.flags);
	scr->kstack.len = call.len;
	for (i = 0; i < CS_STACK_MAX; i++)
		scr->kstack.pc[i] = call.pc[i];
	call.hash = stack_keep(&scr->kstack, &lost);
	call.lost = lost;
	return 0;
}

SEC("syscall")
int add_wait(void *ctx)
{
	struct cs_wait_key key;

	__builtin_memcpy(&key, &call.key, sizeof(key));
	call.result = wait_add(&key, 0, call.blocked_ns, call.runq_ns, call.weight_ns);
	return 0;
}

SEC("syscall")
int choose(void *ctx)
{
	struct task_slot slot = {};

	control.period_ns = call.period_ns;
	slot.period_ns = call.slot_period_ns;
	slot.waited_ns = call.slot_waited_ns;
	slot.point_ns = call.slot_point_ns;
	slot.raw_state = call.raw_state;
	call.result = wait_weight(&slot, call.len_ns, call.ns);
	call.slot_period_ns = slot.period_ns;
	call.slot_waited_ns = slot.waited_ns;
	call.slot_point_ns = slot.point_ns;
	return 0;
}

SEC("syscall")
int match_comm(void *ctx)
{
	char pattern[CS_COMM_LEN], comm[CS_COMM_LEN];

	__builtin_memcpy(pattern, call.pattern, sizeof(pattern));
	__builtin_memcpy(comm, call.comm, sizeof(comm));
	call.result = cs_glob_match(pattern, comm);
	return 0;
}
