/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * The loops over stacks, as functions of their own for the verifier's sake.
 */
#include "lib/stack.bpf.h"

__noinline u64 stack_hash(const struct cs_stack *st)
{
	u64 h = 0x9e3779b97f4a7c15ULL;
	u32 i;

	if (!st)
		return 0;
	h ^= ((u64)st->flags << 32) ^ st->len;
	for (i = 0; i < CS_STACK_LEN; i++) {
		if (i >= st->len)
			break;
		h = (h ^ st->pc[i]) * 0xd6e8feb86659fd93ULL;
		h ^= h >> 32;
	}
	return h | 1; /* 0 is no stack */
}

/* Takes the chunk of memory from w->fp to the end of its page. */
static __always_inline bool walk_load(struct user_walk *w)
{
	u64 fp = w->fp;
	u64 sz = WALK_CHUNK - (fp & (WALK_CHUNK - 1));

	if (sz < 16)
		sz = 16; /* a frame across two pages: just this one */
	if (sz > WALK_CHUNK)
		sz = WALK_CHUNK;
	if (bpf_probe_read_user(w->chunk, sz, (const void *)fp))
		return false;
	w->chunk_addr = fp;
	w->chunk_len = sz;
	return true;
}

/*
 * One frame up the chain of frame pointers: [fp] is the caller's frame pointer, [fp + 8] the return
 * address. Returns 0 to go on. A global function, so that the verifier reads it once and not for
 * every turn of the loop.
 */
__noinline int walk_step(struct user_walk *w)
{
	u64 off, next_fp, ra;
	u32 n;

	if (!w)
		return 1;
	n = w->stack.len;
	if ((w->fp & 7) || w->fp < WALK_CHUNK || w->fp >= USER_ADDR_MAX)
		return 1;
	if (n >= CS_STACK_LEN) {
		w->stack.flags |= CS_STACK_CUT;
		return 1;
	}
	off = w->fp - w->chunk_addr;
	if (!w->chunk_addr || off + 16 > w->chunk_len) {
		if (!walk_load(w)) {
			w->stack.flags |= CS_STACK_FAULT;
			return 1;
		}
		off = 0;
	}
	if (off > WALK_CHUNK - 16)
		return 1;
	next_fp = *(u64 *)(w->chunk + off);
	ra = *(u64 *)(w->chunk + off + 8);
	if (ra < WALK_CHUNK)
		return 1;
	w->stack.pc[n] = ra;
	w->stack.len = n + 1;
	/* Chains grow upwards; anything else is not a chain, or its end. */
	if ((s64)(next_fp - w->fp) <= 0)
		return 1;
	w->fp = next_fp;
	return 0;
}
