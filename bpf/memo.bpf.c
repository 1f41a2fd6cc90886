/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * A small table per CPU, in which a stack has one possible place: another stack with the same place
 * replaces it. The hooks run with preemption off, so nobody else uses an entry of this CPU.
 */
#include "lib/maps.bpf.h"
#include "lib/memo.bpf.h"
#include "lib/runtime/python.bpf.h"
#include "lib/vma.bpf.h"

__noinline u64 memo_hash(struct memo *m)
{
	struct memo_words *words;
	u64 h = 0x9e3779b97f4a7c15ULL;
	u32 zero = 0, span, i;

	words = bpf_map_lookup_elem(&memo_words, &zero);
	if (!m || !words)
		return 0;
	span = m->span;
	if (span > TRAIL_SPAN || bpf_probe_read_user(words->byte, span, (const void *)m->sp))
		return 0;
	for (i = 0; i < TRAIL_MAX; i++) {
		u32 off = m->trail[i];

		if (i >= m->len)
			break;
		off &= TRAIL_SPAN - 8;
		h = (h ^ *(u64 *)(words->byte + off)) * 0xd6e8feb86659fd93ULL;
		h ^= h >> 32;
	}
	return h | 1;
}

__noinline bool memo_is_mapped(struct memo *m)
{
	u64 prints = 0;
	u32 i;

	if (!m || !vmas_are_marked() || m->vmas > WALK_VMAS)
		return false;
	for (i = 0; i < WALK_VMAS; i++) {
		if (i >= m->vmas)
			break;
		prints = vma_prints_add(prints, vma_print(m->vma[i], m->mm));
	}
	return prints == m->vma_prints;
}

static __always_inline struct memo_chain *chain_of(const struct user_walk *w)
{
	u32 slot = (w->print ^ w->made) * 0x9e3779b97f4a7c15ULL >> 32 &
		   (MEMOS - 1) >> cfg.memo_shift;

	return bpf_map_lookup_elem(&memo_chains, &slot);
}

__noinline u64 memo_recall_chain(struct user_walk *w, const struct memo *m)
{
	const struct memo_chain *c;

	if (!w || !m)
		return 0;
	w->made = m->made;
	w->print = python_print(w, m->python);
	c = w->print ? chain_of(w) : NULL;
	return c && c->made == w->made && c->print == w->print ? c->stack : 0;
}

/* The memo compares all that this walk used: one that was cut short used less. */
static __always_inline bool memo_covers(const struct user_walk *w, const struct memo *m)
{
	return w->trail_len <= m->len && w->vmas <= m->vmas;
}

static __always_inline void chain_keep(const struct user_walk *w, u64 stack)
{
	struct memo_chain *c = w->print ? chain_of(w) : NULL;

	if (!c)
		return;
	c->made = w->made;
	c->print = w->print;
	c->stack = stack;
}

static __always_inline void chain_begin(struct user_walk *w, struct memo *m)
{
	struct memo_words *words;
	u32 zero = 0;

	w->made = 0;
	m->python = w->py.met ? w->py.module : 0;
	words = bpf_map_lookup_elem(&memo_words, &zero);
	if (!words || !m->python)
		return;
	m->made = ++words->made;
	w->made = m->made;
	w->print = python_print(w, m->python);
}

__noinline int memo_keep(struct user_walk *w, u64 stack)
{
	u32 i, more, span = 0;
	struct memo *m;

	if (!w || !stack || !w->trail_len || w->trail_len > TRAIL_MAX ||
	    w->stack.end == CS_END_FAULT || w->stack.end == CS_END_NO_TABLE)
		return 0;
	m = memo_of(w);
	if (!m)
		return 0;
	if (w->made && m->made == w->made && memo_covers(w, m)) {
		chain_keep(w, stack);
		return 0;
	}
	for (i = 0; i < TRAIL_MAX; i++) {
		u16 off = w->trail[i];

		if (i >= w->trail_len)
			break;
		m->trail[i] = off;
		/*
		 * The maximum, without a branch: that would be two paths for the verifier in every
		 * iteration.
		 */
		more = off + 8 - span;
		more &= (more >> 31) - 1;
		barrier_var(more);
		span += more;
	}
	for (i = 0; i < WALK_VMAS; i++)
		m->vma[i] = w->vma[i];
	m->vmas = w->vmas;
	m->vma_prints = w->vma_prints;
	m->len = w->trail_len;
	m->span = span;
	m->mm = w->mm;
	m->image = w->image;
	m->maps_version = w->maps_version;
	m->ip = w->regs_ip;
	m->sp = w->trail_sp;
	m->fp = w->regs_fp;
	m->bx = w->regs_bx;
	m->used = w->used;
	m->tables_gen = w->tables_gen;
	m->until_ns = w->now_ns + maps_believed_ns();
	m->stack = stack;
	m->hash = memo_hash(m);
	if (!m->hash) {
		m->mm = 0; /* a page between the words is away: nothing could be compared */
		return 0;
	}
	chain_begin(w, m);
	if (w->made)
		chain_keep(w, stack);
	return 0;
}
