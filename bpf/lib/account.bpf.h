/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_ACCOUNT_BPF_H
#define LIB_ACCOUNT_BPF_H

/*
 * The arithmetic of a thread's time: it closes what the thread did until now and opens what it does
 * next.
 *
 * Hooks run before the first window begins and after the last one ends. In a window, on + preempted
 * + run queue + blocked + missed equals the thread's wall time to the ns.
 *
 * A window ends for a thread when a hook first sees it after the end: task_roll() closes what the
 * thread did across the end, sends its totals, and begins new ones. For a thread that no hook sees,
 * the walk at the end of the window does the same with a copy: bpf/iter.bpf.c. docs/adr/0037.
 */
#include "lib/clock.bpf.h"
#include "lib/event.bpf.h"
#include "lib/gap.bpf.h"
#include "lib/hist.bpf.h"
#include "lib/maps.bpf.h"
#include "lib/scratch.bpf.h"
#include "lib/split.bpf.h"
#include "lib/task.bpf.h"

/* Adds a wait, or its part in the window, to the totals of its thread. */
static __always_inline void account_wait(struct task_slot *slot, const struct split *s)
{
	struct cs_totals *t = &slot->rec.totals;
	/* + 0: for a known state the verifier would follow a path of its own. */
	u32 state = cs_state_of(slot->raw_state) + control.zero;

	if (!slot->raw_state)
		t->preempted_ns += s->runq_ns;
	else
		t->runq_ns += s->runq_ns;
	if (state < CS_STATE_CNT)
		t->blocked_ns[state] += s->blocked_ns;
	/* Counts like the list of all waits: a wait without time in the window is not in it. */
	if (s->blocked_ns + s->runq_ns)
		t->waits++;
}

static __always_inline void totals_reset(struct task_slot *slot, u64 window)
{
	__builtin_memset(&slot->rec.totals, 0, sizeof(slot->rec.totals));
	slot->window_ns = window;
}

/*
 * Closes what the thread does across the end of the window `begin`, in its slot or a copy. `wake`
 * is the wakeup of its wait, or ~0 when it is on a CPU. *ret is the part of the wait in the window.
 */
static __always_inline void close_at_end(struct task_slot *slot, u64 since, u64 wake, u64 begin,
					 u64 end, struct split *ret)
{
	/* It did the same throughout this window and the ones before. */
	if (slot->window_ns != begin)
		totals_reset(slot, begin);
	if (wake == ~0ULL) {
		slot->rec.totals.on_ns += end - (since < begin ? begin : since);
		return;
	}
	/* Here, before the paths that the verifier follows become many. */
	if (cfg.gap_from_ns && begin == control.first_ns && since < begin)
		slot->rec.totals.gap_ns = gap_part(slot, since, begin);
	split_wait(since, wake, begin, end, ret);
	account_wait(slot, ret);
}

/*
 * Called when a hook first sees a thread in a window. The store to since_ns comes before anything
 * else, because the walk at the end of a window checks it after making its copy. Whoever sets
 * reported_ns first sends the totals of the window before and lists the wait that was open at its
 * end. `wake` and *ret as above; *ret is empty if the walk was first, or if there was no window.
 * `hist` is the thread's, or NULL. In account.bpf.c, a global function: the verifier reads it once,
 * not on each path that leads to it.
 */
int slot_roll(struct task_slot *slot, struct cs_task_hist *hist, u64 window, u64 wake,
	      struct split *ret);

static __always_inline void task_roll(struct task_slot *slot, struct task_struct *task, u64 window,
				      u64 wake, struct split *ret)
{
	read_names(&slot->rec, task);
	slot_roll(slot, hist_of(task), window, wake, ret);
}

/*
 * The thread has moved to another cgroup v2, or (0) is no target any more. Its record ends at `now`
 * and the next one begins; 1 if none does, and the slot is empty. Called by the thread's hooks once
 * its time until `now` is accounted for. In account.bpf.c, global like slot_roll().
 */
int slot_moves(struct task_slot *slot, struct cs_task_hist *hist, u64 cgroup_id, u64 now);

/* The thread was on a CPU until now. */
static __always_inline void close_slice(struct task_slot *slot, struct task_struct *task, u64 now)
{
	u64 window = window_at(now);
	struct split none = {};

	if (slot->since_ns < window)
		task_roll(slot, task, window, ~0ULL, &none);
	slot->rec.totals.on_ns += clock_since(slot->since_ns, now);
}

#endif
