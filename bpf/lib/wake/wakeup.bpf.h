/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_WAKE_WAKEUP_BPF_H
#define LIB_WAKE_WAKEUP_BPF_H

/*
 * Who ends waits. Only with cfg.wakers; otherwise all of it is dead code and uses no memory.
 *
 * sched_waking runs in the waker, before the sleeper is queued, so `current` is the waker even
 * where the wakeup itself is done by another CPU (ttwu_queue). It writes to the sleeper's storage
 * under the sleeper's pi_lock. The sleeper reads that when its wait ends, and lists the wakeup
 * beside the wait: see lib/wait.bpf.h. docs/adr/0042.
 */
#include "lib/clock.bpf.h"
#include "lib/kernel/kernel_word.bpf.h"
#include "lib/regs.bpf.h"
#include "lib/wake/wake_maps.bpf.h"

static __always_inline struct wake_scratch *this_wake_scratch(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&wake_scratch, &zero);
}

static __always_inline struct task_wakes *task_wakes_of(struct task_struct *task)
{
	return bpf_task_storage_get(&task_wakes, task, 0, 0);
}

/* A thread that enters the trace. Without memory its waits have no wakers: counted as missed. */
static __always_inline void wakes_new(struct task_struct *task)
{
	if (cfg.wakers)
		bpf_task_storage_get(&task_wakes, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

/* In wakeup.bpf.c, global functions, so that the verifier reads each once. */

/* Adds tw->newest to the history. */
int past_push(struct task_wakes *tw);
/* Fills in what the waker, with slot and history, did between from_ns and u->at_ns. */
int wakeup_blame(struct wakeup *u, const struct task_slot *waker, struct task_wakes *past,
		 u64 from_ns);
/*
 * The id of the waker in this CPU's scratch memory, `named` or `waker`, which is stored if new;
 * CS_WAKER_ID_OTHER if there is no room. Not by its address: before Linux 6.2 an argument in memory
 * cannot be the value of a map update.
 */
u64 waker_keep(u32 named);
/*
 * Adds the wakeup in this CPU's scratch memory to the sums of a window, beside the wait with this
 * hash, to which `share` was added.
 */
int wake_add(u64 wait, u64 window, const struct cs_share *share);
/* The thread has left its CPU to wait in `place`; 0: not known. */
int wakes_left(struct task_wakes *tw, u64 place, u64 now);

/* Ids of an older side may be gone any time, as those of stacks. */
static __always_inline bool waker_is_current(u64 id)
{
	return id == CS_WAKER_ID_OTHER || !((id ^ control.salt) & CS_STACK_SIDE);
}

/* The wait that has just been listed on this CPU was the last one of this thread. */
static __always_inline void wakes_listed(struct task_struct *task)
{
	struct task_wakes *tw = cfg.wakers ? task_wakes_of(task) : NULL;
	struct wake_scratch *ws = cfg.wakers ? this_wake_scratch() : NULL;

	if (!tw || !ws)
		return;
	ws->ended_task = 0;
	if (ws->added.count)
		tw->listed = ws->added;
	tw->newest.wait = ws->listed;
	tw->newest.wait_ns = tw->newest.blocked_ns;
}

/* What is listed next on this CPU is a wait whose waker is not known. */
static __always_inline void wakes_forget(void)
{
	struct wake_scratch *ws = cfg.wakers ? this_wake_scratch() : NULL;

	if (!ws)
		return;
	ws->ended_task = 0;
	ws->added.count = 0;
}

/*
 * Where a thread waits: its code and its stack pointer. Not the address of the futex, which
 * alternates between waits for one condition variable. Of kernel threads it is not known.
 */
static __always_inline u64 place_of_wait(struct task_struct *task)
{
	const struct pt_regs *regs;

	if (task->flags & PF_KTHREAD)
		return 0;
	regs = task_regs(task);
	return (regs_ip(regs) ^ regs_raw_sysno(regs) << 48) * 0xd6e8feb86659fd93ULL ^ regs->sp;
}

/* The thread leaves its CPU. Its slot has the wait that begins. */
static __always_inline void wakes_leave(const struct task_slot *slot, struct task_struct *task,
					u64 now)
{
	struct task_wakes *tw = cfg.wakers ? task_wakes_of(task) : NULL;

	if (!tw)
		return;
	/* Preempted: it goes on with the same run. */
	if (!slot->raw_state)
		tw->ran_ns += clock_since(tw->newest.end_ns, now);
	else
		wakes_left(tw, place_of_wait(task), now);
}

/*
 * The wait [since, end) of a thread is over, and was woken at `wake`. Adds it to the thread's
 * history, and hands the wakeup to whoever lists the wait on this CPU.
 */
static __always_inline void wakes_end(struct task_struct *task, const struct task_slot *slot,
				      u64 since, u64 wake, u64 end)
{
	struct wake_scratch *ws = cfg.wakers ? this_wake_scratch() : NULL;
	struct task_wakes *tw = cfg.wakers ? task_wakes_of(task) : NULL;
	bool known;

	if (!ws)
		return;
	ws->ended_task = 0;
	ws->listed = 0;
	ws->added.count = 0;
	if (!tw)
		return;
	if (tw->newest.end_ns)
		past_push(tw);
	if (wake < since)
		wake = since;
	if (wake > end)
		wake = end;
	/* One by one: a whole one would be made on the stack first, which has no room for it. */
	tw->newest.begin_ns = since;
	tw->newest.end_ns = end;
	tw->newest.runq_ns = end - wake;
	tw->newest.blocked_ns = wake - since;
	tw->newest.wait = 0;
	tw->newest.wait_ns = 0;
	/* Preempted, or new: nobody woke it. */
	if (!slot->raw_state || slot->raw_state & CS_RAW_NEW)
		return;
	/* If the kernel hid the switch, `end` is of sched_info, and may be before the wakeup. */
	known = tw->last.at_ns && (tw->last.at_ns >= since || (tw->last.early && slot->early_wake));
	tw->block_wake_ns = wake;
	tw->block_waker = 0;
	tw->listed.count = 0;
	tw->ran_ns = 0;
	if (!known)
		return;
	tw->block_waker = tw->last.waker;
	ws->ended = tw->last;
	ws->ended_task = slot->rec.id;
	tw->last.at_ns = 0;
}

#endif
