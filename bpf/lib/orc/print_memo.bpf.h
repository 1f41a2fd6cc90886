/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_ORC_PRINT_MEMO_BPF_H
#define LIB_ORC_PRINT_MEMO_BPF_H

/*
 * Fingerprints of kernel stacks without a walk, if an earlier one took the same path: its words are
 * read at once, without table lookups in between.
 */
#include "lib/orc/orc_walk.bpf.h"

#ifdef __TARGET_ARCH_x86

/*
 * Whether every word that the walk of `m` followed is in its place. Written without branches on
 * what is read, each of which would be two paths for the verifier in every iteration.
 */
static __always_inline bool orc_same_way(const struct print_memo *m, u64 sp, u64 top)
{
	u64 moved = top - sp - m->depth, here = sp, from, at;
	u32 i, len = m->len;

	if (!len || (moved && m->last_fp >= PRINT_MEMO_WORDS))
		return false;
	for (i = 0; i < PRINT_MEMO_WORDS; i++) {
		at = m->at[i];
		from = here + (at & ~7ULL);
		here += moved & ((u64)(i ^ m->last_fp) - 1) >> 32;
		if (kernel_word(from) - (here & (0 - (at & 1))) != m->word[i])
			return false;
		if (i + 1 >= len)
			return true;
	}
	return false;
}

/*
 * The same from the cache of an earlier walk, if it took the same path. A global function, so that
 * the verifier reads it once.
 */
__noinline u64 orc_fingerprint(u64 sp, struct scratch *scr)
{
	u64 top = kernel_stack_end(sp), mix;
	struct print_memo *m;
	u32 place;

	if (!cfg.orc || !scr)
		return 0; /* see orc_search() */
	/* The system call, and the caller of schedule(), distinguish most stacks. */
	mix = kernel_word(top - control.orc.regs_sz + __builtin_offsetof(struct pt_regs, orig_ax));
	mix = (mix << 32) + kernel_word(sp + scr->print_at);
	place = mix * 0x9e3779b97f4a7c15ULL >> 32 & (PRINT_MEMOS - 1) >> cfg.cache_shift;
	m = bpf_map_lookup_elem(&print_memos, &place);
	if (!m)
		return 0;
	if (orc_same_way(m, sp, top))
		return m->print;
	mix = orc_walk(sp, &scr->orc, m);
	if (!scr->print_at && m->len > 3)
		scr->print_at = m->at[3] & ~7U;
	return mix;
}

#else

#define PRINT_FRAMES 0

static __always_inline u64 orc_fingerprint(u64 sp, struct scratch *scr)
{
	(void)sp;
	(void)scr;
	return 0;
}

#endif

#endif
