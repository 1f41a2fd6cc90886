/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_POSTPONE_BPF_H
#define LIB_POSTPONE_BPF_H

/*
 * Walks that met a file without a table, CS_END_NO_TABLE, sent to user space to be repeated later.
 * Their stacks are made unlike all others, so that the repeated one takes the place of one only.
 */
#include "lib/scratch.bpf.h"
#include "lib/stack.bpf.h"
#include "lib/walk.bpf.h"

#define POSTPONE_PAGE 4096

/* As regs_to_walk() has it. */
#if defined(__TARGET_ARCH_x86)
#define POSTPONE_BX_KNOWN 1
#else
#define POSTPONE_BX_KNOWN 0
#endif

/* Of a finished walk, by the thread itself, before the stack is kept. In postpone.bpf.c. */
int postpone_walk(struct user_walk *w);

/*
 * Finds the mappings that words of the copied stack lead to: a caller is one of them, and the
 * process may be gone when the walk is repeated. Uses w->map. In postpone.bpf.c.
 */
int postpone_maps(struct user_walk *w, struct cs_postponed *to);

/* Long enough to be worth a copy of the stack: as many as that come in a second at most. */
#define POSTPONE_NS 1000000

static __always_inline bool postpone_pays(const struct wait_parts *p)
{
	return p->blocked_ns + p->runq_ns + p->before_blocked_ns + p->before_runq_ns >= POSTPONE_NS;
}

/* May one more be on its way to user space? A few CPUs at once may each send one more. */
static __always_inline bool postpone_may(void)
{
	return control.postponed - control.postponed_seen < control.postponed_most;
}

/* All but the pages of the stack. */
static __always_inline void postpone_fill(struct cs_postponed *to, struct user_walk *w)
{
	u32 i;

	/* No other walk of this trace has that number, and only the hash has it for files. */
	w->stack.image = __sync_fetch_and_add(&control.postponed, 1) + 1;
	to->kind = CS_EVENT_POSTPONED;
	to->tgid = w->tgid;
	to->image = w->image;
	to->stack = stack_hash(&w->stack);
	to->ip = w->regs_ip;
	to->sp = w->trail_sp;
	to->fp = w->regs_fp;
	to->bx = w->regs_bx;
	to->lr = w->regs_bx;
	to->tls = w->tls;
	for (i = 0; i < CS_POSTPONED_REGS; i++)
		to->reg[i] = w->reg[i];
	to->bx_known = POSTPONE_BX_KNOWN;
	to->tid = w->tid;
	to->host_tgid = w->host_tgid;
	to->pages = 0;
	to->len = 0;
	to->maps_len = 0;
	to->misses = 0;
	to->unused = 0;
}

#endif
