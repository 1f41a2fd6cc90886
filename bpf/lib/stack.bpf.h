/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_STACK_BPF_H
#define LIB_STACK_BPF_H

/*
 * Stacks and their table. A stack is kept once, under the 64-bit hash of its addresses; a hash of
 * 64 bits has no collision to speak of, unlike BPF_MAP_TYPE_STACK_TRACE with its one slot for each
 * 32-bit hash, which loses the hottest stacks.
 */
#include "lib/maps.bpf.h"
#include "lib/regs.bpf.h"
#include "lib/stats.bpf.h"

/* A frame pointer that leads outside of user space ends the walk. */
#define USER_ADDR_MAX (1ULL << 47)

/*
 * Global functions, in stack.bpf.c: the verifier reads each once, not at every turn of the loop
 * that calls it.
 */
u64 stack_hash(const struct cs_stack *st);
/* One frame up the chain of frame pointers of the running thread. Returns 0 to go on. */
int walk_step(struct user_walk *w);

/* The id of a stack, which is kept if it is new; 0 when it is empty or the table is full. */
static __always_inline u64 stack_keep(const struct cs_stack *st, bool *ret_lost)
{
	u64 hash;
	long r;

	if (!st->len)
		return 0;
	hash = stack_hash(st);
	if (bpf_map_lookup_elem(&stacks, &hash))
		return hash;
	r = bpf_map_update_elem(&stacks, &hash, st, BPF_NOEXIST);
	if (r && r != -17 /* EEXIST: another CPU was faster */) {
		*ret_lost = true;
		return 0;
	}
	return hash;
}

/* The kernel stack of the running thread; its first frames are those of our own programs. */
static __always_inline void stack_read_kernel(void *ctx, struct cs_stack *st)
{
	long sz = bpf_get_stack(ctx, st->pc, sizeof(st->pc), 0);

	st->flags = 0;
	st->len = 0;
	if (sz <= 0) {
		STAT_INC(kstack_failed);
		return;
	}
	st->len = sz / sizeof(u64);
	if (st->len >= cfg.kstack_len) {
		st->flags = CS_STACK_CUT;
		STAT_INC(kstack_cut);
	}
}

/*
 * The one walker of user stacks: the running thread, by frame pointers. The stack is in w->stack.
 */
static __always_inline void stack_walk_user(struct user_walk *w, struct task_struct *task)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	int i;

	w->stack.flags = CS_STACK_USER;
	w->stack.pc[0] = regs_ip(regs);
	w->stack.len = 1;
	w->chunk_addr = 0;
	w->chunk_len = 0;
	w->fp = regs_fp(regs);
	if (!regs_64bit(regs)) {
		/* A 32-bit program: its frames are of another size; only the leaf is sure. */
		w->stack.flags |= CS_STACK_FAULT;
		return;
	}
	for (i = 0; i < CS_STACK_LEN; i++)
		if (walk_step(w))
			break;
	if (w->stack.flags & CS_STACK_CUT)
		STAT_INC(ustack_cut);
}

#endif
