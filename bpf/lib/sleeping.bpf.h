/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SLEEPING_BPF_H
#define LIB_SLEEPING_BPF_H

/* The user stack of a thread that sleeps: only a sleepable iterator may read another's memory. */
#include "lib/postpone.bpf.h"
#include "lib/stack_walk.bpf.h"
#include "lib/task.bpf.h"

#define PAGE_SZ 4096
/* Turns of a walk: frames, and pieces of memory to fetch. A method of Java asks for a dozen. */
#define SLEEPING_TURNS (24 * CS_STACK_MAX)

/* What a walk of a thread that sleeps asked for; pages are faulted in. */
static __always_inline void fetch_memory(struct user_walk *w, struct task_struct *task)
{
	u64 addr = w->need_addr;
	u32 sz = WALK_CHUNK;

	w->chunk_len = 0;
	if (bpf_copy_from_user_task(w->chunk, sz, (void *)addr, task, 0)) {
		/* The end of the memory there: what is before the end of the page. */
		sz = PAGE_SZ - (addr & (PAGE_SZ - 1));
		if (sz > WALK_CHUNK)
			sz = WALK_CHUNK;
		if (sz < 8 || bpf_copy_from_user_task(w->chunk, sz, (void *)addr, task, 0)) {
			w->need_failed = 1;
			return;
		}
	}
	w->chunk_addr = addr;
	w->chunk_len = sz;
}

struct sleeping_walk {
	struct user_walk *w;
	struct task_struct *task;
};

/* For bpf_loop(), 5.17: a loop of so many turns is too much for the verifier. */
static long sleeping_turn(u32 i, struct sleeping_walk *ctx)
{
	int r = walk_step(ctx->w);

	if (r == WALK_NEED)
		fetch_memory(ctx->w, ctx->task);
	return r && r != WALK_NEED;
}

/* The same walk as for a running thread; only the reader of memory differs. */
static __always_inline void walk_sleeping(struct user_walk *w, struct task_struct *task,
					  const struct task_slot *slot)
{
	const struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	struct sleeping_walk ctx = { .w = w, .task = task };
	struct walk_owner owner;

	stack_owner(&owner, slot);
	if (!stack_walk_aim(w, task, regs, &owner))
		return;
	stack_walk_begin(w, task, regs, true);
	w->now_ns = bpf_ktime_get_ns();
	if (bpf_loop(SLEEPING_TURNS, sleeping_turn, &ctx, 0) >= SLEEPING_TURNS)
		w->stack.end = CS_END_DEPTH;
	stack_walk_end(w, regs);
}

static __always_inline u64 task_switches(struct task_struct *task)
{
	return task->nvcsw + task->nivcsw;
}

static __always_inline bool has_slept(struct task_struct *task, u64 switches)
{
	return !task_on_cpu(task) && task_switches(task) == switches;
}

/* Its pages are faulted in. False: the thread went on meanwhile. */
static __always_inline bool copy_sleeping(struct cs_postponed *to, struct task_struct *task,
					  u64 switches)
{
	u32 i, off = 0, sz = POSTPONE_PAGE - (to->sp & (POSTPONE_PAGE - 1));

	for (i = 0; i < CS_POSTPONED_PAGES; i++) {
		barrier_var(off);
		barrier_var(sz);
		if (off > CS_POSTPONED_SZ - POSTPONE_PAGE || sz > POSTPONE_PAGE)
			break;
		if (!bpf_copy_from_user_task(to->bytes + off, sz, (void *)(to->sp + off), task,
					     0)) {
			to->pages |= 1U << i;
			to->len = off + sz;
		}
		off += sz;
		sz = POSTPONE_PAGE;
	}
	return has_slept(task, switches);
}

/* The thread sleeps on, and the table of the file that its walk met comes too late for it. */
static __always_inline void postpone_sleeping(struct user_walk *w, struct task_struct *task,
					      u64 switches)
{
	struct cs_postponed *to;

	if (!cfg.postpone || w->stack.end != CS_END_NO_TABLE || !postpone_may())
		return;
	to = bpf_ringbuf_reserve(&events, sizeof(*to), 0);
	if (!to)
		return;
	postpone_fill(to, w);
	if (copy_sleeping(to, task, switches)) {
		postpone_maps(w, to);
		bpf_ringbuf_submit(to, 0);
		return;
	}
	bpf_ringbuf_discard(to, 0);
	__sync_fetch_and_add(&control.postponed_seen, 1);
}

#endif
