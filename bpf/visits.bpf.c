/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * Visits of all threads, instead of hooks at their switches. A pass is a walk over all tasks that
 * user space starts at an instant which it has drawn. A thread that has not switched since its last
 * visit is in the same wait, and its stacks are not looked at. docs/adr/0049.
 */
#include "lib/account.bpf.h"
#include "lib/asleep.bpf.h"
#include "lib/drain.bpf.h"
#include "lib/move.bpf.h"
#include "lib/throttle.bpf.h"
#include "lib/visit/visit.bpf.h"
#include "lib/wait.bpf.h"

/* Only `key` of it is used, and the record that is written. */
static __always_inline struct drain_task *this_drain(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&drain_task, &zero);
}

static __always_inline bool is_same_wait(const struct task_visit *v, struct task_struct *task)
{
	return (v->point == VISIT_BLOCKED || v->point == VISIT_RUNQ) && !task_on_cpu(task) &&
	       task_switches(task) == v->switches && task->se.sum_exec_runtime == v->exec_ns;
}

static __always_inline u32 sleep_state(struct task_struct *task)
{
	u32 state = task->__state;

	return state & AWAKE_BITS ? 0 : state;
}

/* It has not run yet. */
static __always_inline bool is_new(struct task_struct *task)
{
	return !task->se.sum_exec_runtime && !task_switches(task);
}

/*
 * It had the CPU on which this thread began to look at others: it was queued when this one arrived,
 * at one instant of that run queue's clock. Without the visit it would be running. So was a sleeper
 * that the same timer interrupt woke, but it has not run up to that instant: exec_start is when a
 * thread left its CPU. Interrupts since then only make it look later.
 */
static __always_inline bool is_displaced(struct task_struct *task)
{
	u64 queued = task->sched_info.last_queued;

	return queued && !sleep_state(task) &&
	       queued == bpf_get_current_task_btf()->sched_info.last_arrival &&
	       counters_exec_start(task) >= queued;
}

/* What is known of its wait without looking at stacks. */
static __always_inline void see_wait(struct task_slot *slot, struct task_struct *task)
{
	u32 state = sleep_state(task);

	slot->raw_state = state;
	slot->owner = 0;
	slot->flags = 0;
	if (BPF_CORE_READ_BITFIELD(task, in_iowait))
		slot->flags |= CS_WAIT_IOWAIT;
	if (state & CS_RAW_WAKEKILL)
		slot->flags |= CS_WAIT_KILLABLE;
	if (!state && is_new(task))
		slot->flags |= CS_WAIT_NEW;
	else if (!state && throttle_holds(task))
		slot->flags |= CS_WAIT_THROTTLED;
	else if (!state)
		slot->flags |= CS_WAIT_RUNNABLE;
}

static __always_inline bool is_listed(const struct task_slot *slot)
{
	return cfg.state_any || (slot->raw_state ? slot->raw_state & cfg.state_mask : cfg.state_r);
}

/* `whole`: the thread slept while it was looked at. */
static __always_inline void make_key(struct cs_wait_key *key, const struct task_slot *slot,
				     bool whole)
{
	wait_key_init(key, slot);
	if (!whole) {
		STAT_INC(visit_unread);
		key->flags |= CS_WAIT_NO_RESUME;
		return;
	}
	key->kstack = slot->kstack;
	key->ustack = slot->ustack;
	key->sysno = slot->sysno;
	key->object = slot->object;
	key->owner = slot->owner;
	wait_mark_missing(key, slot->stack_lost, 0);
}

/* Within the window: the iterator that ends it is not at work at the same time. */
static __always_inline u64 visit_instant(void)
{
	u64 now = clock_now(), end = control.end_ns;

	return now < end ? now : end - 1;
}

/* Both under the lock. False: it is no target any more. */
static __always_inline bool account_visit(struct task_slot *slot, struct task_visit *v,
					  struct task_struct *task)
{
	u64 now = visit_instant();

	counters_read(task, now, &v->now);
	visit_account(slot, v, now);
	if (!slot->moved)
		return true;
	visit_ends(v, now);
	return !task_moves(slot, task, now);
}

static __always_inline void visit_changed(struct task_slot *slot, struct task_visit *v,
					  struct task_struct *task)
{
	u64 switches = task_switches(task), exec_ns = task->se.sum_exec_runtime;
	bool off = !task_on_cpu(task) && !is_displaced(task), slept = false;
	struct drain_task *at = this_drain();
	struct scratch *scr;
	u32 zero = 0;

	scr = bpf_map_lookup_elem(&drain_scratch, &zero);
	if (!scr || !at)
		return;
	if (off) {
		see_wait(slot, task);
		off = is_listed(slot);
	}
	if (off)
		slept = take_sleeping(slot, task, scr, true);
	if (!visit_lock(v))
		return;
	if (slot->phase != CS_PHASE_CLOSED && account_visit(slot, v, task)) {
		if (off)
			make_key(&at->key, slot, slept && has_slept(task, switches));
		visit_found(v,
			    !off	    ? VISIT_ON :
			    slot->raw_state ? VISIT_BLOCKED :
					      VISIT_RUNQ,
			    off ? &at->key : NULL, control.pass_ns, switches);
		v->exec_ns = exec_ns;
	}
	visit_unlock(v);
}

SEC("iter.s/task")
int on_task_visit(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task, *self;
	struct task_slot *slot;
	struct task_visit *v;
	u64 rq;

	if (!task || control.pass_ns >= control.end_ns)
		return 0;
	/* This thread has just got its CPU, whose clock is fresh. */
	if (!ctx->meta->seq_num) {
		self = bpf_get_current_task_btf();
		rq = clock_rq(self);
		if (rq)
			clock_follow(rq, clock_now());
	}
	v = visit_of(task);
	if (!v)
		return 0;
	if (is_same_wait(v, task)) {
		STAT_BUMP(visits, 1);
		if (visit_lock(v)) {
			/* exec and exit may have been there before the lock */
			if (is_same_wait(v, task))
				visit_found(v, sleep_state(task) ? VISIT_BLOCKED : VISIT_RUNQ, NULL,
					    control.pass_ns, v->switches);
			visit_unlock(v);
		}
		return 0;
	}
	slot = task_slot(task);
	if (!slot || slot->phase == CS_PHASE_CLOSED || task_has_ended(task))
		return 0;
	STAT_BUMP(visits, 1);
	STAT_BUMP(visits_changed, 1);
	visit_changed(slot, v, task);
	return 0;
}

/* Under the lock: the record of the window, in `at`, and the start of the next one. */
static __always_inline void end_window(struct drain_task *at, struct task_slot *slot,
				       struct task_visit *v, struct task_struct *task, u64 end)
{
	u64 now = clock_now();

	visit_closes(v, control.begin_ns, end, is_same_wait(v, task));
	counters_read(task, now, &v->now);
	visit_account(slot, v, now > end ? now : end);
	read_names(&slot->rec, task);
	at->slot.rec = slot->rec;
	at->slot.rec.end_ns = end;
	at->slot.rec.raw_state = v->now.on_cpu ? 0 : v->now.raw_state;
	if (slot->moved && !task_stays(task, &slot->rec))
		at->slot.rec.flags |= CS_TASK_LEFT;
	visit_opens(slot, v, end);
}

SEC("iter.s/task")
int on_task_visit_end(struct bpf_iter__task *ctx)
{
	u64 end = control.end_ns;
	struct task_struct *task = ctx->task;
	struct drain_task *at;
	struct task_slot *slot;
	struct task_visit *v;
	bool young, closed;

	if (!task)
		return 0;
	slot = task_slot(task);
	if (!slot) {
		count_unmarked(task, control.begin_ns, end);
		return 0;
	}
	v = visit_of(task);
	at = this_drain();
	if (!v || !at || slot->rec.id > control.last_task_id || !visit_lock(v))
		return 0;
	young = slot->rec.begin_ns >= end;
	closed = slot->phase == CS_PHASE_CLOSED || slot->window_ns == end;
	if (!young && !closed)
		end_window(at, slot, v, task, end);
	visit_unlock(v);
	if (young)
		write_young(ctx, slot, at);
	else if (!closed)
		write_record(ctx, at);
	return 0;
}
