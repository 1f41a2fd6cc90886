/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_STACK_BPF_H
#define LIB_STACK_BPF_H

/*
 * Stacks and their table. A stack is kept once, under the 64-bit hash of its addresses; a hash of
 * 64 bits has no collision to speak of, unlike BPF_MAP_TYPE_STACK_TRACE with its one slot for each
 * 32-bit hash, which loses the hottest stacks.
 */
#include "lib/event.bpf.h"
#include "lib/maps.bpf.h"
#include "lib/regs.bpf.h"
#include "lib/stats.bpf.h"

/* A global function, in stack.bpf.c: the verifier reads it once. */
u64 stack_hash(const struct cs_stack *st);

/* Is a stack kept under this id? Likewise. */
int stack_is_kept(u64 id);

static __always_inline const struct cs_stack *stack_find(u64 id)
{
	const struct cs_stack *st = bpf_map_lookup_elem(&short_stacks, &id);

	if (!st)
		st = bpf_map_lookup_elem(&medium_stacks, &id);
	return st ? st : bpf_map_lookup_elem(&stacks, &id);
}

/* Keeps a stack under an id that it does not have yet; the id, or 0 when the tables are full. */
static __always_inline u64 stack_add(u64 id, const struct cs_stack *st, bool *ret_lost)
{
	long r = -7 /* E2BIG */;

	if (st->len <= CS_STACK_SHORT)
		r = bpf_map_update_elem(&short_stacks, &id, st, BPF_NOEXIST);
	if (r == -7 && st->len <= CS_STACK_MEDIUM)
		r = bpf_map_update_elem(&medium_stacks, &id, st, BPF_NOEXIST);
	if (r == -7)
		r = bpf_map_update_elem(&stacks, &id, st, BPF_NOEXIST);
	if (r && r != -17 /* EEXIST: another CPU was faster */) {
		*ret_lost = true;
		return 0;
	}
	return id;
}

/* The id of a stack, which is kept if it is new; 0 when it is empty or the tables are full. */
static __always_inline u64 stack_keep(const struct cs_stack *st, bool *ret_lost)
{
	u64 hash;

	if (!st->len && !st->end)
		return 0;
	hash = stack_hash(st);
	return stack_is_kept(hash) ? hash : stack_add(hash, st, ret_lost);
}

static __always_inline void stack_init(struct cs_stack *st, u32 flags)
{
	st->len = 0;
	st->flags = flags;
	st->end = CS_END_ROOT;
	st->image = 0;
}

/* The kernel stack of the running thread; its first frames are those of our own programs. */
static __always_inline void stack_read_kernel(void *ctx, struct cs_stack *st)
{
	long sz = bpf_get_stack(ctx, st->pc, CS_STACK_DEFAULT * sizeof(u64), 0);

	stack_init(st, 0);
	if (sz <= 0) {
		STAT_INC(kstack_failed);
		return;
	}
	st->len = sz / sizeof(u64);
	if (cfg.resume == CS_RESUME_KPROBE)
		st->pc[0] = regs_probe_leaf(ctx, st->pc[0]);
	if (st->len >= cfg.kstack_len) {
		st->flags = CS_STACK_CUT;
		STAT_INC(kstack_cut);
	}
}

#endif
