/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * What the verifier is to read once and not at each place.
 */
#include "lib/stack.bpf.h"

__noinline u64 stack_hash(const struct cs_stack *st)
{
	u64 h = 0x9e3779b97f4a7c15ULL;
	u32 i;

	if (!st)
		return 0;
	h ^= (u64)st->image << 32 ^ (u64)st->end << 24 ^ (u64)st->flags << 16 ^ st->len;
	for (i = 0; i < CS_STACK_MAX; i++) {
		if (i >= st->len)
			break;
		h = (h ^ st->pc[i]) * 0xd6e8feb86659fd93ULL;
		h ^= h >> 32;
	}
	return h | 1; /* 0 is no stack */
}

__noinline int stack_is_kept(u64 id)
{
	return stack_find(id) ? 1 : 0;
}
