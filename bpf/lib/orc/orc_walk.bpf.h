/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_ORC_ORC_WALK_BPF_H
#define LIB_ORC_ORC_WALK_BPF_H

/*
 * Identifies kernel stacks for a fortieth of the time that the kernel's helper takes to read one, 2
 * us.
 *
 * The kernel stack of a thread off the CPU does not change, so our own walk by the kernel's ORC
 * tables sees the same frames as the helper, and hashes them. The helper reads the stack itself
 * when its hash is first seen, and occasionally afterwards, to compare.
 *
 * The walk is that of arch/x86/kernel/unwind_orc.c, without what cannot occur in a thread that left
 * the CPU by __schedule().
 */
#include "lib/orc/orc.bpf.h"
#include "lib/orc/orc_print.bpf.h"
#include "lib/scratch.bpf.h"

#ifdef __TARGET_ARCH_x86

#define FRAMES_MAX 31
/* struct inactive_task_frame: r15 to bx, then these; 64-bit. */
#define INACTIVE_BP 40
#define INACTIVE_IP 48
#define INACTIVE_SZ 56

/* Maximum number of frames per call of orc_steps(). */
#define ORC_STEPS 4
enum { ORC_ON, ORC_OVER };

/* One word that the walk followed. */
static __always_inline void orc_trail(struct print_memo *m, u64 at, u64 word)
{
	u32 i = m->len++;

	if (i >= PRINT_MEMO_WORDS)
		return;
	m->at[i] = at;
	m->word[i] = word;
}

static __always_inline int orc_walked(struct print_memo *m, u64 hash, u32 frames)
{
	m->print = orc_print(hash, frames);
	if (m->len > PRINT_MEMO_WORDS)
		m->len = 0;
	return ORC_OVER;
}

static __always_inline int orc_lost(struct print_memo *m)
{
	m->print = 0;
	m->len = 0;
	return ORC_OVER;
}

/* Some steps of a walk; ORC_ON: there are more. The result is in m->print, 0: failed. */
__noinline int orc_steps(struct orc_walk *w, struct print_memo *m)
{
	u64 begin, top, ip, bp, orc, next, sp, h;
	volatile u64 *bp_at;
	u32 i;

	if (!cfg.orc || !w || !m)
		return ORC_OVER; /* see orc_search() */
	begin = w->begin;
	top = kernel_stack_end(begin);
	ip = w->ip;
	next = w->next;
	h = w->hash;
	/* In memory, because the verifier would follow separate paths for each known value. */
	bp_at = &w->bp_at;
	for (i = 0; i < ORC_STEPS; i++) {
		h = orc_hash(h, ip);
		if (w->frames++ >= FRAMES_MAX)
			return orc_lost(m);
		orc = orc_of(ip - 1);
		if ((orc & 7) == ORC_END)
			return orc_walked(m, h, w->frames);
		if (!orc)
			return orc_lost(m);
		sp = next;
		switch (orc >> 4 & 15) {
		case ORC_SP:
			break;
		case ORC_BP:
			bp = kernel_word(*bp_at);
			m->last_fp = m->len;
			orc_trail(m, (*bp_at - begin) | 1, bp - begin);
			next = bp;
			break;
		default:
			return orc_lost(m);
		}
		next += (orc >> 20 & 0xfff) * 8;
		/* The thread came from user space here; kernel interrupts are left. */
		if ((orc & 7) == ORC_REGS)
			return next == top - control.orc.regs_sz ? orc_walked(m, h, w->frames) :
								   orc_lost(m);
		if (next < sp || next > top)
			return orc_lost(m);
		ip = kernel_word(next - 8);
		orc_trail(m, next - 8 - begin, ip);
		if (!ip)
			return orc_walked(m, h, w->frames);
		switch (orc >> 8 & 15) {
		case ORC_PREV_SP:
			*bp_at = next + (s64)(s8)(orc >> 12) * 8;
			break;
		case ORC_BP: /* of some entries from user space, where a walk ends */
			return orc_lost(m);
		}
	}
	w->ip = ip;
	w->next = next;
	w->hash = h;
	return ORC_ON;
}

/* A walk whose first return address is `ip_at` above `begin`, where its words are counted from. */
static __always_inline void orc_begin(struct orc_walk *w, struct print_memo *m, u64 begin,
				      u64 ip_at)
{
	m->len = 0;
	m->last_fp = PRINT_MEMO_WORDS;
	m->depth = kernel_stack_end(begin) - begin;
	w->begin = begin;
	w->frames = 0;
	w->hash = ORC_HASH;
	w->ip = kernel_word(begin + ip_at);
	orc_trail(m, ip_at, w->ip);
	w->next = begin + ip_at + sizeof(u64);
}

static __always_inline u64 orc_go(struct orc_walk *w, struct print_memo *m)
{
	u32 i;

	for (i = 0; i <= FRAMES_MAX; i += ORC_STEPS)
		if (orc_steps(w, m) != ORC_ON)
			return m->print;
	return 0;
}

/*
 * The fingerprint of the kernel stack of a thread off the CPU: `sp` is its thread.sp. 0: it
 * contains something that only the helper can unwind. The walk is recorded in `m`. The verifier
 * reads a few steps once, instead of all possible ones.
 */
__noinline u64 orc_walk(u64 sp, struct orc_walk *w, struct print_memo *m)
{
	if (!cfg.orc || !w || !m)
		return 0; /* see orc_search() */
	orc_begin(w, m, sp, INACTIVE_IP);
	w->bp_at = sp + INACTIVE_BP;
	return orc_go(w, m);
}

/*
 * Of a running thread, the frame pointer is not known: a step that needs it before it is found on
 * the stack leaves the stack, and ends the walk.
 */
__noinline u64 orc_walk_running(u64 at, struct orc_walk *w, struct print_memo *m)
{
	if (!cfg.orc || !w || !m)
		return 0; /* see orc_search() */
	orc_begin(w, m, at, 0);
	w->bp_at = at;
	return orc_go(w, m);
}

#endif

#endif
