/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SPLIT_BPF_H
#define LIB_SPLIT_BPF_H

/*
 * Divides a wait at the wakeup: blocked before it, waiting for a CPU after it. docs/adr/0019. And
 * when a wait ended whose switch the kernel did not report.
 */
#include "lib/clock.bpf.h"
#include "lib/maps.bpf.h"
#include "lib/scratch.bpf.h"
#include "lib/stats.bpf.h"
#include "lib/task.bpf.h"

enum wait_end {
	WAIT_ENDS, /* the thread is about to run */
	WAIT_ARRIVED, /* it runs already, and sched_info knows it */
	WAIT_OPEN, /* it may still be asleep */
};

/*
 * The wakeup according to sched_info: run_delay grows by every finished stay on a run queue, and
 * last_queued is the start of the current one. A wait that is open at `end` may have been woken
 * since: sched_info is current, and `end` may be long ago.
 */
static __always_inline u64 noted_wake(struct task_slot *slot, struct task_struct *task, u64 end,
				      enum wait_end how)
{
	u64 since = slot->since_ns, queued = task->sched_info.last_queued;
	u64 runq = task->sched_info.run_delay - slot->run_delay_ns;

	if (how == WAIT_OPEN) {
		queued = queued ? clock_from_rq(queued) : end;
		if (queued >= end && queued - end >= runq)
			return end;
		end = queued;
	} else if (how == WAIT_ENDS && queued) {
		queued = clock_from_rq(queued);
		if (queued < end)
			runq += end - queued;
	}
	return end > since && runq < end - since ? end - runq : since;
}

/* Neither an event nor sched_info shows the wakeup: shown as blocked, and counted. */
static __always_inline u64 wake_unknown(u64 from, u64 end)
{
	if (from < control.first_ns)
		from = control.first_ns;
	STAT_INC(split_missing);
	if (end > from)
		STAT_ADD(split_missing_ns, end - from);
	return end;
}

/* The first event of a thread ends the state in which it was found. */
static __always_inline void adopt_mark(struct task_slot *slot)
{
	slot->raw_state = slot->mark_state;
	slot->run_delay_ns = slot->mark_run_delay_ns;
	slot->flags |= slot->mark_flags;
}

/* Of a sleeper that was moved: from then on sched_info says that it waits for a CPU. */
static __always_inline u64 moved_wake(struct task_slot *slot, u64 end, enum wait_end how)
{
	u64 moved = slot->moved_ns, wake = slot->wake_ns;

	if (how != WAIT_OPEN)
		__sync_fetch_and_sub((u32 *)&moved_sleepers.asleep, 1);
	if (wake >= moved && wake <= end)
		return wake;
	return how == WAIT_OPEN ? end : wake_unknown(moved, end);
}

/* The instant at which the wait [since, end) became a wait for a CPU. */
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
			return since; /* no later wakeup, so this was the one */
		if (how == WAIT_OPEN)
			return end;
	}
	/* With CS_SPLIT_WAKING too: if a wakeup was not reported, sched_info has to serve. */
	if (!clock_has_notes())
		return wake_unknown(since, end);
	if (slot->moved_ns)
		return moved_wake(slot, end, how);
	return noted_wake(slot, task, end, how);
}

/* The part of the wait [since, end) after `from`. */
static __always_inline void split_wait(u64 since, u64 wake, u64 from, u64 end, struct split *ret)
{
	if (since < from)
		since = from;
	if (end < since)
		end = wake = since;
	if (wake > end)
		wake = end;
	if (wake < since)
		wake = since;
	ret->blocked_ns = wake - since;
	ret->runq_ns = end - wake;
}

static __always_inline u64 split_ns(const struct split *s)
{
	return s->blocked_ns + s->runq_ns;
}

/*
 * When the thread came to its CPU, according to sched_info; `now` if that is not known. 0: before
 * its slot began, so it has not waited. The run queue's clock can be tens of us old: an instant
 * before the wait that it ended is no such thing.
 */
static __always_inline u64 arrival_of(const struct task_slot *slot, struct task_struct *task,
				      u64 now)
{
	u64 arrival = clock_has_notes() ? clock_from_rq(task->sched_info.last_arrival) : now;

	if (arrival < slot->since_ns)
		return slot->phase == CS_PHASE_UNSEEN ? 0 : now;
	return arrival < now ? arrival : now;
}

/*
 * A wait that the kernel's notes end before `window`, where its end is first seen, is taken to have
 * lasted a ns longer than the window before: it ends in one window, and only once.
 */
static __always_inline u64 arrival_in_window(u64 arrival, u64 window, u64 now)
{
	if (arrival >= window)
		return arrival;
	return now > window ? window + 1 : window;
}

#endif
