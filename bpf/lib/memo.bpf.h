/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_MEMO_BPF_H
#define LIB_MEMO_BPF_H

/*
 * User stacks that have not changed since they were last walked.
 *
 * A walk depends on the registers it begins with and uses, on the stack words it follows, and on
 * tables and mappings. A thread that waits at the same place again has the same registers and
 * usually the same words: reading those at once and comparing their hash takes a tenth of the time
 * of the walk. What cannot be compared (rare rules) is not cached. If the process has mapped or
 * unmapped anything since, or after the time for which mappings are trusted, those of the stack are
 * checked; see lib/vma.bpf.h.
 *
 * Python frames are on no stack of the thread, and the same native frames run many chains of them.
 * They are read at each wait and hashed; the native frames and this print lead to the whole stack.
 */
#include "lib/maps.bpf.h"
#include "lib/vma.bpf.h"
#include "lib/walk.bpf.h"

#define MEMOS 2048 /* for each CPU */

struct memo {
	u64 mm;
	u64 image;
	u64 maps_version;
	u64 ip;
	u64 sp;
	u64 fp;
	u64 bx;
	u64 until_ns;
	u64 hash; /* of the words */
	u64 stack; /* its id in the table of stacks */
	u32 tables_gen;
	u32 span; /* bytes from sp to the end of the last word */
	u32 len;
	u32 used; /* enum walk_reg: compared too */
	u16 trail[TRAIL_MAX];
	/* Its mappings, as in struct user_walk. */
	u64 vma[WALK_VMAS];
	u64 vma_prints;
	u32 vmas;
	u32 python; /* the module whose interpreter loops are in it; 0: none */
	u64 made; /* no other memo of this CPU has this number */
};

/* A stack with Python frames: the memo of the native ones, and the print of the others. */
struct memo_chain {
	u64 made;
	u64 print;
	u64 stack;
};

struct memos_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, MEMOS);
	__type(key, u32);
	__type(value, struct memo);
};

struct memo_chains_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, MEMOS);
	__type(key, u32);
	__type(value, struct memo_chain);
};

/* The stack words that are compared. */
struct memo_words {
	u8 byte[TRAIL_SPAN];
	u64 made; /* memos on this CPU so far */
};

struct memo_words_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct memo_words);
};

extern struct memos_map memos SEC(".maps");
extern struct memo_chains_map memo_chains SEC(".maps");
extern struct memo_words_map memo_words SEC(".maps");

/* The current hash of the words of a memo; 0 if they cannot be read. */
u64 memo_hash(struct memo *m);
/* Whether all its mappings are unchanged. */
bool memo_is_mapped(struct memo *m);
/* The id of the stack of these native frames and the current Python frames, or 0 if it is new. */
u64 memo_recall_chain(struct user_walk *w, const struct memo *m);
/* Caches the walk that has just ended with the stack `stack`, if possible. */
int memo_keep(struct user_walk *w, u64 stack);

static __always_inline struct memo *memo_of(const struct user_walk *w)
{
	/* From memory, where it is a number; in a register the verifier sees a pointer. */
	u64 mm = *(const volatile u64 *)&w->mm;
	u64 mix = (w->trail_sp >> 3) + w->regs_ip + (mm >> 6);
	u32 slot = mix * 0x9e3779b97f4a7c15ULL >> 32 & (MEMOS - 1) >> cfg.memo_shift;

	return bpf_map_lookup_elem(&memos, &slot);
}

/* What is cached for the walk that has just ended was wrong. */
static __always_inline void memo_forget(const struct user_walk *w)
{
	struct memo *m = memo_of(w);

	if (m)
		m->mm = 0;
}

/* The id of the stack that the coming walk would find, or 0 if only the walk can tell. */
static __always_inline u64 memo_recall(struct user_walk *w)
{
	struct memo *m = memo_of(w);

	if (!m || m->ip != w->ip || m->sp != w->sp || (m->used & WALK_FP && m->fp != w->fp) ||
	    (m->used & WALK_BX && m->bx != w->regs_bx) || m->mm != *(const volatile u64 *)&w->mm ||
	    m->image != w->image || m->tables_gen != control.tables_gen ||
	    (m->stack ^ control.salt) & CS_STACK_SIDE)
		return 0;
	if (m->maps_version != w->maps_version || w->now_ns >= m->until_ns) {
		if (!memo_is_mapped(m))
			return 0;
		m->maps_version = w->maps_version;
		m->until_ns = w->now_ns + maps_believed_ns();
	}
	if (memo_hash(m) != m->hash)
		return 0;
	return m->python ? memo_recall_chain(w, m) : m->stack;
}

#endif
