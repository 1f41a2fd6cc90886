/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_STACK_BPF_H
#define LIB_STACK_BPF_H

/*
 * Stacks and their table. A stack is stored once, under the 64-bit hash of its addresses. Such a
 * hash has practically no collisions, unlike BPF_MAP_TYPE_STACK_TRACE with its one slot per 32-bit
 * hash, which loses the hottest stacks.
 */
#include "lib/event.bpf.h"
#include "lib/maps.bpf.h"
#include "lib/regs.bpf.h"
#include "lib/stats.bpf.h"

/* One in this many stacks found by a fast path is also recorded in full and compared. */
#define AUDIT_EVERY 1024

/* The id of what is kept now under a hash: an older one of the other side may be gone any time. */
static __always_inline u64 stack_id_of(u64 hash)
{
	return (hash & ~CS_STACK_SIDE) | (control.salt & CS_STACK_SIDE);
}

/* A global function, in stack.bpf.c: the verifier reads it once. */
u64 stack_hash(const struct cs_stack *st);

/* Whether a stack is stored under this id. Likewise. */
int stack_is_kept(u64 id);

static __always_inline const struct cs_stack *stack_find(u64 id)
{
	const struct cs_stack *st = bpf_map_lookup_elem(&short_stacks, &id);

	if (!st)
		st = bpf_map_lookup_elem(&medium_stacks, &id);
	return st ? st : bpf_map_lookup_elem(&stacks, &id);
}

/* Stores a stack under a new id; returns the id, or 0 if the tables are full. */
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

/* The id of a stack, which is stored if new; 0 if it is empty or the tables are full. */
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
	st->gap = 0;
	st->flags = flags;
	st->end = CS_END_ROOT;
	st->image = 0;
}

/* The kernel stack of the running thread; its first frames are those of our own programs. */
static __always_inline void stack_read_kernel(void *ctx, struct cs_stack *st)
{
	long sz = bpf_get_stack(ctx, st->pc, CS_STACK_DEFAULT * sizeof(u64), 0);

	stack_init(st, 0);
	if (sz <= 0)
		return;
	st->len = sz / sizeof(u64);
	if (cfg.resume == CS_RESUME_KPROBE)
		st->pc[0] = regs_probe_leaf(ctx, st->pc[0]);
	if (st->len >= cfg.kstack_len) {
		st->flags = CS_STACK_CUT;
		STAT_INC(kstack_cut);
	}
}

#endif
