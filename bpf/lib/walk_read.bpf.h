/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_WALK_READ_BPF_H
#define LIB_WALK_READ_BPF_H

/* How a walk reads memory and registers, and records what it depends on; see lib/memo.bpf.h. */
#include "lib/walk.bpf.h"

#if defined(__TARGET_ARCH_x86)
#define USER_END (1ULL << 47)
#else
#define USER_END (1ULL << 52) /* arm64, with the largest addresses that there are */
#endif

/* Whether an object of an interpreter could be there. */
static __always_inline bool user_ptr(u64 p)
{
	return p >= 4096 && p < USER_END && !(p & 7);
}

static __always_inline void walk_leave_trail(struct user_walk *w, u64 addr)
{
	u64 off = addr - w->trail_sp;
	u32 n = w->trail_len;

	if (n >= TRAIL_MAX || off > TRAIL_SPAN - 8 || off & 7) {
		w->trail_len = TRAIL_LOST;
		return;
	}
	w->trail[n] = off;
	w->trail_len = n + 1;
}

/*
 * The walk depends on this register. Saved registers on which it never depends may have any value.
 */
static __always_inline u64 walk_use_fp(struct user_walk *w)
{
	if (w->fp_from == FROM_BEGIN)
		w->used |= WALK_FP;
	else if (w->fp_from != FROM_TRAIL)
		walk_leave_trail(w, w->fp_from);
	w->fp_from = w->fp_from == FROM_BEGIN ? FROM_BEGIN : FROM_TRAIL;
	return w->fp;
}

static __always_inline u64 walk_use_bx(struct user_walk *w)
{
	if (w->bx_from == FROM_BEGIN)
		w->used |= WALK_BX;
	else if (w->bx_from != FROM_TRAIL)
		walk_leave_trail(w, w->bx_from);
	w->bx_from = w->bx_from == FROM_BEGIN ? FROM_BEGIN : FROM_TRAIL;
	return w->bx;
}

/*
 * A word of memory, aligned or not, on which the walk may not depend. Returns WALK_ON with *ret,
 * else the step must return too.
 */
static __always_inline int walk_peek(struct user_walk *w, u64 addr, u64 *ret)
{
	u64 off = addr - w->chunk_addr;
	u32 i = 0;
	int r;

	if (w->sleeping) {
		i = w->word_i++ & (WALK_WORDS - 1);
		if (i < w->words) {
			*ret = w->word[i];
			return WALK_ON;
		}
	}
	if (off > WALK_CHUNK - 8 || off + 8 > w->chunk_len) {
		r = walk_load(w, addr);
		if (r)
			return r;
		off = 0;
	}
	*ret = *(u64 *)(w->chunk + off);
	if (w->sleeping) {
		w->word[i] = *ret;
		w->words = i + 1;
	}
	return WALK_ON;
}

/* One on which the walk depends. */
static __always_inline int walk_word(struct user_walk *w, u64 addr, u64 *ret)
{
	int r = walk_peek(w, addr, ret);

	if (!r)
		walk_leave_trail(w, addr);
	return r;
}

/*
 * Up to WALK_CHUNK bytes at any address, for readers of other memory than the stack. Returns
 * WALK_ON; WALK_NEED: return it, and repeat the call; or WALK_DONE: a fault. A reader that needs
 * several pieces at once must request them in the same order each time and keep what it got.
 */
static __always_inline int walk_read(struct user_walk *w, void *dst, u32 sz, u64 addr)
{
	u64 off = addr - w->chunk_addr;

	if (!__builtin_constant_p(sz))
		barrier_var(sz); /* so that the verifier of 6.1 sees this: */
	if (sz > WALK_CHUNK)
		return WALK_DONE;
	if (!w->sleeping)
		return bpf_probe_read_user(dst, sz, (const void *)addr) ? WALK_DONE : WALK_ON;
	if (off > WALK_CHUNK - sz || off + sz > w->chunk_len) {
		if (w->need_failed) {
			w->need_failed = 0;
			return WALK_DONE;
		}
		w->need_addr = addr;
		return WALK_NEED;
	}
	/* The verifier of 6.1 has lost what the compiler knows of it. */
	barrier_var(off);
	off &= WALK_CHUNK - 1;
	return bpf_probe_read_kernel(dst, sz, w->chunk + off) ? WALK_DONE : WALK_ON;
}

#endif
