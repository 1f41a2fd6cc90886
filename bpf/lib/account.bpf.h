/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_ACCOUNT_BPF_H
#define LIB_ACCOUNT_BPF_H

/*
 * The arithmetic of a thread's time: closing what it did until now, opening what it does next.
 *
 * Time is cut to the window at every addition, so hooks may run before it opens and after it ends,
 * and on + preempted + run queue + blocked + missed is the wall time of the thread to the ns.
 */
#include "lib/clock.bpf.h"
#include "lib/maps.bpf.h"
#include "lib/stats.bpf.h"

/* A wait, split. [since, wake) is blocked, [wake, end) is run queue. */
struct split {
	u64 wake_ns;
	u64 blocked_ns; /* inside the window */
	u64 runq_ns;
};

enum wait_end {
	WAIT_ENDS, /* the thread is about to run */
	WAIT_ARRIVED, /* it runs already, and the scheduler has noted it */
	WAIT_OPEN, /* it may still be asleep */
};

/*
 * The wakeup by the scheduler's notes: run_delay grows by every finished stay on a run queue,
 * last_queued is the begin of the present one.
 */
static __always_inline u64 noted_wake(struct task_slot *slot, struct task_struct *task, u64 end,
				      enum wait_end how)
{
	u64 since = slot->since_ns, queued = task->sched_info.last_queued;
	u64 runq = task->sched_info.run_delay - slot->run_delay_ns;

	if (how != WAIT_ARRIVED && queued) {
		queued = clock_from_rq(queued);
		if (queued < end)
			runq += end - queued;
	}
	return runq < end - since ? end - runq : since;
}

/* Neither an event nor the notes tell: shown as blocked, and counted. */
static __always_inline u64 wake_unknown(u64 from, u64 end)
{
	STAT_INC(split_missing);
	STAT_ADD(split_missing_ns, clock_clip(from, end));
	return end;
}

/* The first that is seen of a thread is the end of what it was found in. */
static __always_inline void adopt_mark(struct task_slot *slot)
{
	slot->raw_state = slot->mark_state;
	slot->run_delay_ns = slot->mark_run_delay_ns;
	slot->flags |= slot->mark_flags;
}

/* When did the wait [since, end) turn into waiting for a CPU? */
static __always_inline u64 wake_instant(struct task_slot *slot, struct task_struct *task, u64 end,
					enum wait_end how)
{
	u64 since = slot->since_ns;

	if (slot->phase == CS_PHASE_UNSEEN)
		adopt_mark(slot);
	if (!slot->raw_state || slot->raw_state & CS_RAW_NEW)
		return since;
	if (cfg.split == CS_SPLIT_WAKING) {
		if (slot->wake_ns >= since && slot->wake_ns <= end)
			return slot->wake_ns;
		if (slot->early_wake)
			return since; /* nobody woke it later, so that wakeup was the one */
		if (how == WAIT_OPEN)
			return end;
	}
	/* With CS_SPLIT_WAKING too: wakeups go unreported as switches do, so the notes must do. */
	if (!clock_has_notes())
		return wake_unknown(since, end);
	if (slot->moved_ns)
		return how == WAIT_OPEN ? end : wake_unknown(slot->moved_ns, end);
	return noted_wake(slot, task, end, how);
}

static __always_inline void split_wait(struct task_slot *slot, u64 wake, u64 end, struct split *ret)
{
	if (end < slot->since_ns)
		end = wake = slot->since_ns;
	if (wake > end)
		wake = end;
	ret->wake_ns = wake;
	if (wake >= slot->since_ns && clock_is_inside(slot->since_ns, end)) {
		ret->blocked_ns = wake - slot->since_ns;
		ret->runq_ns = end - wake;
		return;
	}
	ret->blocked_ns = clock_clip(slot->since_ns, wake);
	ret->runq_ns = clock_clip(wake, end);
}

/* Adds a finished (or still open, at the end) wait to the totals of its thread. */
static __always_inline void account_wait(struct task_slot *slot, const struct split *s)
{
	struct cs_totals *t = &slot->rec.totals;
	/* + 0: a state that it knew would be a way of its own to the verifier. */
	u32 state = cs_state_of(slot->raw_state) + control.zero;

	if (!slot->raw_state)
		t->preempted_ns += s->runq_ns;
	else
		t->runq_ns += s->runq_ns;
	if (state < CS_STATE_CNT)
		t->blocked_ns[state] += s->blocked_ns;
}

/*
 * Closes what a thread does across the end of the window. The slot is taken by moving its phase,
 * so that of the drain and a late hook only one does it. Returns the phase it was in, or
 * CS_PHASE_CLOSED when somebody else was first. *ret is the open wait, if it is one.
 */
static __always_inline u32 close_at_end(struct task_slot *slot, struct task_struct *task,
					bool on_cpu, struct split *ret)
{
	u32 phase = slot->phase;
	u64 end = control.end_ns;

	if (phase == CS_PHASE_CLOSED ||
	    __sync_val_compare_and_swap(&slot->phase, phase, CS_PHASE_CLOSED) != phase)
		return CS_PHASE_CLOSED;
	if (phase == CS_PHASE_UNSEEN) {
		adopt_mark(slot);
		phase = on_cpu ? CS_PHASE_ON : CS_PHASE_OFF;
	}
	if (phase == CS_PHASE_ON) {
		slot->rec.totals.on_ns += clock_clip(slot->since_ns, end);
		return phase;
	}
	split_wait(slot,
		   phase == CS_PHASE_LATE ? slot->late_wake_ns :
					    wake_instant(slot, task, end, WAIT_OPEN),
		   end, ret);
	account_wait(slot, ret);
	return phase;
}

static __always_inline bool in_window(u64 now)
{
	return now >= control.begin_ns && now < control.end_ns;
}

static __always_inline void wait_key_init(struct cs_wait_key *key, const struct task_slot *slot)
{
	key->kstack = 0;
	key->ustack = 0;
	key->task = slot->rec.id;
	key->sysno = CS_SYSNO_NONE;
	key->state = cs_state_of(slot->raw_state);
	key->flags = slot->flags;
	key->object = 0;
	key->owner = 0;
	if (slot->since_ns < control.begin_ns)
		key->flags |= CS_WAIT_PRE;
}

#endif
