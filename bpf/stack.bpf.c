/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/* Functions that the verifier should read once, not at each call site. */
#include "lib/stack.bpf.h"

/* The verifier reads nested global loops as their sum, not as their product. */
#define HASH_PART 16

/* The next frames of a stack. */
__noinline u64 stack_hash_part(const struct cs_stack *st, u32 from, u64 h)
{
	u32 i, at;

	if (!st)
		return 0;
	for (i = 0; i < HASH_PART; i++) {
		at = from + i;
		barrier_var(at); /* otherwise the checked value is not the one that is used */
		if (at >= st->len || at >= CS_STACK_MAX)
			break;
		h = (h ^ st->pc[at]) * 0xd6e8feb86659fd93ULL;
		h ^= h >> 32;
	}
	return h;
}

__noinline u64 stack_hash(const struct cs_stack *st)
{
	u64 h = 0x9e3779b97f4a7c15ULL;
	u32 from;

	if (!st)
		return 0;
	h ^= (u64)st->image << 32 ^ (u64)st->end << 24 ^ (u64)st->flags << 16 ^ (u64)st->gap << 8 ^
	     st->len;
	for (from = 0; from < CS_STACK_MAX; from += HASH_PART) {
		if (from >= st->len)
			break;
		h = stack_hash_part(st, from, h);
	}
	return stack_id_of(h | 1); /* 0 is no stack */
}

__noinline int stack_is_kept(u64 id)
{
	return stack_find(id) ? 1 : 0;
}
