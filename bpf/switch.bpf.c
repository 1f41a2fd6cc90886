/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * A thread leaves a CPU, and it resumes; for wakeups see wake.bpf.c.
 *
 * sched_switch runs under the run queue's lock and does only arithmetic. Stacks are taken by the
 * resume hook, which runs as the resumed thread after the lock was released, and only for a wait
 * that was chosen once its length was known. Kernels without such a hook take stacks when a thread
 * leaves, before it is known whether they are needed.
 *
 * The kernel does not always report a switch (seen in virtual machines, also by ftrace). The resume
 * hook notices when its thread is not the one that sched_switch named last, and closes the wait
 * then. Without that hook, every step checks the phase, and the time around a missing switch is
 * taken from sched_info if possible, else counted as missed. It is never guessed.
 */
#include "lib/account.bpf.h"
#include "lib/cost/measure.bpf.h"
#include "lib/event.bpf.h"
#include "lib/hist.bpf.h"
#include "lib/lock.bpf.h"
#include "lib/move.bpf.h"
#include "lib/object/object.bpf.h"
#include "lib/owner.bpf.h"
#include "lib/split.bpf.h"
#include "lib/stack_walk.bpf.h"
#include "lib/take.bpf.h"
#include "lib/throttle.bpf.h"
#include "lib/wait.bpf.h"

/* Lists a wait whose stacks were taken when its thread left the CPU. */
static __always_inline void add_early(struct cs_wait_key *key, const struct task_slot *slot,
				      const struct wait_parts *parts)
{
	key->kstack = slot->kstack;
	key->ustack = slot->ustack;
	key->sysno = slot->sysno;
	key->object = slot->object;
	key->owner = slot->owner;
	list_parts(key, parts, slot->stack_lost, slot->raw_state ? slot->lock : 0);
}

/* According to its slot, prev is on the CPU, or no hook has seen it since it was marked. */
static __always_inline void close_on_slice(struct task_slot *slot, struct task_struct *prev,
					   u64 now)
{
	u64 since = slot->since_ns;

	close_slice(slot, prev, now);
	/* The first slice of a record began earlier, and a move cuts the last one. */
	if (cfg.hist_unit_ns && since != slot->rec.begin_ns && !slot->moved)
		hist_slice(prev, since, now);
}

/* The wait [slot->since_ns, end) is over: adds its time to the totals. */
static __always_inline void end_wait(struct task_slot *slot, struct task_struct *task, u64 end,
				     enum wait_end how, struct ended_wait *ret)
{
	u64 wake = wake_instant(slot, task, end, how);

	ret->since_ns = slot->since_ns;
	ret->wake_ns = wake;
	ret->end_ns = end;
	ret->window = window_at(end);
	ret->before = (struct split){};
	if (ret->since_ns < ret->window)
		task_roll(slot, task, ret->window, wake, &ret->before);
	split_wait(ret->since_ns, wake, ret->window, end, &ret->part);
	account_wait(slot, &ret->part);
	if (cfg.hist_unit_ns && wake >= ret->since_ns && wake <= end)
		hist_wait(slot, task, ret->since_ns, wake, end);
	throttle_returns(slot, task, end - ret->since_ns);
}

/* Counts the end of a wait at `now`, once the totals are those of its window. */
static __always_inline void count_end(struct task_slot *slot, u64 now)
{
	if (!in_window(now) || slot->raw_state & CS_RAW_NEW)
		return;
	if (slot->raw_state)
		slot->rec.totals.wakeups++;
	if (slot->phase == CS_PHASE_OFF && slot->cpu != bpf_get_smp_processor_id())
		slot->rec.totals.migrations++;
}

/*
 * prev leaves the CPU but was last seen leaving it, so its resuming was not reported. With the run
 * queue's clock, sched_info says when it resumed.
 */
static __noinline void repair_missed_in(struct task_slot *slot, struct task_struct *prev, u64 now,
					struct scratch *scr)
{
	struct wait_parts *parts = &scr->pending.parts;
	u64 arrival = 0, window = window_at(now);
	struct ended_wait *e = &scr->ended;
	struct cs_wait_key key;

	STAT_INC(missed_in);
	if (clock_has_notes())
		arrival = clock_from_rq(prev->sched_info.last_arrival);
	if (!clock_has_notes() || arrival < slot->since_ns || arrival > now) {
		u64 ns;

		if (slot->since_ns < window)
			task_roll(slot, prev, window, window, &e->before);
		ns = clock_since(slot->since_ns, now);
		slot->rec.totals.missed_ns += ns;
		count_end(slot, now);
		if (in_window(now))
			STAT_ADD(missed_in_ns, ns);
		return;
	}
	arrival = arrival_in_window(arrival, window, now);
	end_wait(slot, prev, arrival, WAIT_ARRIVED, e);
	count_end(slot, arrival);
	if (in_window(now))
		STAT_ADD(missed_in_ns, split_ns(&e->part) + split_ns(&e->before));
	wakes_forget();
	if (choose_parts(slot, e, parts)) {
		wait_key_init(&key, slot);
		if (cfg.resume == CS_RESUME_SWITCH_OUT) {
			add_early(&key, slot, parts);
		} else {
			parts->flags |= CS_WAIT_NO_RESUME;
			parts->before_flags |= CS_WAIT_NO_RESUME;
			key.owner = slot->owner;
			list_parts(&key, parts, false, slot->raw_state ? slot->lock : 0);
		}
	}
	slot->rec.totals.on_ns += now - arrival;
	if (cfg.hist_unit_ns)
		hist_slice(prev, arrival, now);
}

static __always_inline void take_stacks_early(void *ctx, struct task_slot *slot,
					      struct task_struct *prev, struct scratch *scr)
{
	bool lost = false;

	slot->kstack = 0;
	slot->ustack = 0;
	slot->sysno = CS_SYSNO_NONE;
	slot->object = 0;
	if (cfg.kernel_stacks) {
		stack_read_kernel(ctx, &scr->kstack);
		slot->kstack = stack_keep(&scr->kstack, &lost);
	}
	if (!(prev->flags & PF_KTHREAD)) {
		const struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(prev);

		slot->sysno = regs_sysno(regs);
		take_object_early(slot, prev, regs, scr);
		if (cfg.user_stacks) {
			stack_walk_user(&scr->walk, prev, slot, scr->switch_ns);
			slot->ustack = stack_keep(&scr->walk.stack, &lost);
		}
	} else {
		take_kthread_object_early(slot, prev, scr);
	}
	slot->stack_lost = lost;
}

/* A traced thread has exited: sends its totals, because its storage is freed with it. */
static __always_inline void finish_dead(struct task_slot *slot, struct task_struct *prev, u64 now)
{
	slot->rec.raw_state = CS_RAW_DEAD;
	if (in_window(now))
		STAT_INC(exits);
	task_send(slot, hist_of(prev), now, CS_TASK_EXITED);
}

/* The owner of what `task` is about to wait for, as cs_wait_key.owner. */
static __always_inline u32 owner_of_wait(struct task_slot *slot, struct task_struct *task)
{
	u32 owner;

	if (slot->lock) {
		owner = owner_of_lock(slot);
		if (slot->lock)
			return owner;
	}
	return task->flags & PF_KTHREAD ? 0 : owner_of_call(task_regs(task), slot->raw_state);
}

static __always_inline void open_wait(struct task_slot *slot, bool preempt,
				      struct task_struct *prev, u32 prev_state, u64 now)
{
	/* Preempted before it slept: the kernel keeps it on the run queue. */
	slot->raw_state = preempt ? 0 : prev_state;
	slot->flags = preempt ? CS_WAIT_PREEMPTED : 0;
	if (BPF_CORE_READ_BITFIELD(prev, in_iowait))
		slot->flags |= CS_WAIT_IOWAIT;
	if (slot->raw_state & CS_RAW_WAKEKILL)
		slot->flags |= CS_WAIT_KILLABLE;
	if (!slot->raw_state)
		throttle_leaves(slot, prev);
	if (clock_has_notes())
		slot->run_delay_ns = prev->sched_info.run_delay;
	slot->wake_ns = 0;
	slot->moved_ns = 0;
	slot->cpu = bpf_get_smp_processor_id();
	slot->since_ns = now;
	slot->phase = CS_PHASE_OFF;
	/* A preempted thread waits for no owner. */
	if (cfg.objects)
		slot->owner = slot->raw_state ? owner_of_wait(slot, prev) : 0;
	if (in_window(now)) {
		slot->rec.totals.switches++;
		if (!slot->raw_state)
			slot->rec.totals.preemptions++;
	}
}

/* False: no wait has begun that counts. */
static __always_inline bool switch_out(struct task_slot *slot, bool preempt,
				       struct task_struct *prev, u32 prev_state, u64 now,
				       struct scratch *scr)
{
	if (slot->phase == CS_PHASE_OFF)
		repair_missed_in(slot, prev, now, scr);
	else
		close_on_slice(slot, prev, now);
	if (prev_state & CS_RAW_DEAD) {
		slot->phase = CS_PHASE_CLOSED;
		finish_dead(slot, prev, now);
		return false;
	}
	if (slot->moved && task_moves(slot, prev, now))
		return false;
	open_wait(slot, preempt, prev, prev_state, now);
	wakes_leave(slot, prev, now);
	return now < control.last_ns;
}

/*
 * The resume hook of an earlier wait never ran on this CPU: lists that wait without stacks. A
 * global function: the verifier reads it once.
 */
__noinline int flush_pending(struct scratch *scr)
{
	struct cs_wait_key key = {};
	struct pending_wait *pend;

	if (!scr)
		return 0;
	pend = &scr->pending;
	key.task = pend->task;
	key.sysno = CS_SYSNO_NONE;
	key.state = pend->state;
	key.owner = pend->thread_owner;
	pend->host_tid = 0;
	STAT_INC(resume_missed);
	/* Too late: the sums of its window were read, and the table is in use for another one. */
	if (pend->parts.window != control.begin_ns && pend->parts.window != control.end_ns) {
		STAT_INC(wait_lost);
		STAT_ADD(wait_lost_ns, parts_weight(&pend->parts));
		return 0;
	}
	if (pend->parts.before != control.begin_ns)
		pend->parts.before_weight_ns = 0;
	pend->parts.flags |= CS_WAIT_NO_RESUME;
	pend->parts.before_flags |= CS_WAIT_NO_RESUME;
	list_parts(&key, &pend->parts, false, pend->lock);
	return 0;
}

/* `sp` is the kernel stack of a thread still off the CPU; 0: it runs and overwrites it. */
static __always_inline void list_wait(struct task_slot *slot, u64 sp, const struct ended_wait *e,
				      struct scratch *scr)
{
	struct pending_wait *pend = &scr->pending;
	struct wait_parts *parts = &pend->parts;
	struct cs_wait_key key;

	/* Skips a wait that ended before the first window or began after the last one. */
	if (!choose_wait(slot, e, parts))
		return;
	/* A new thread resumes through another function and has no stack of its own yet. */
	if (cfg.resume == CS_RESUME_SWITCH_OUT || slot->raw_state & CS_RAW_NEW) {
		wait_key_init(&key, slot);
		if (slot->raw_state & CS_RAW_NEW)
			list_parts(&key, parts, false, 0);
		else
			add_early(&key, slot, parts);
		return;
	}
	pend->task = slot->rec.id;
	pend->kprint = 0;
	pend->thread_owner = slot->owner;
	pend->lock = slot->raw_state ? slot->lock : 0;
	pend->lock_kind = slot->lock_kind;
	if (cfg.user_stacks || cfg.objects)
		stack_owner(&pend->owner, slot);
	if (sp && cfg.kernel_stacks && cfg.orc && !control.kernel_slow)
		pend->kprint = orc_fingerprint(sp, scr);
	pend->state = cs_state_of(slot->raw_state);
	pend->host_tid = scr->host_tid; /* an exec changes it before its record ends */
}

static __always_inline void close_wait(struct task_slot *slot, struct task_struct *next, u64 now,
				       enum wait_end how, struct scratch *scr)
{
	struct ended_wait *e = &scr->ended;

	end_wait(slot, next, now, how, e);
	count_end(slot, now);
	wakes_end(next, slot, e->since_ns, e->wake_ns, e->end_ns);
	list_wait(slot, how == WAIT_ENDS ? kernel_stack_sp(next) : 0, e, scr);
	if (cfg.resume == CS_RESUME_SWITCH_OUT || slot->raw_state & CS_RAW_NEW)
		wakes_listed(next);
}

static __always_inline void switch_in(struct task_slot *slot, struct task_struct *next,
				      struct scratch *scr)
{
	u64 now = scr->switch_ns, window = window_at(now), ns;

	if (slot->phase == CS_PHASE_ON) {
		if (slot->since_ns < window)
			task_roll(slot, next, window, ~0ULL, &scr->ended.before);
		ns = clock_since(slot->since_ns, now);
		STAT_INC(missed_out);
		if (in_window(now))
			STAT_ADD(missed_out_ns, ns);
		slot->rec.totals.missed_ns += ns;
	} else {
		close_wait(slot, next, now, WAIT_ENDS, scr);
	}
	if (slot->moved && task_moves(slot, next, now))
		return;
	slot->since_ns = now;
	slot->phase = CS_PHASE_ON;
	slot->early_wake = 0;
}

/*
 * The instant of the switch. If no traced thread takes part, it only has to be read often enough to
 * keep the offset of the clocks, because reading ours is the expensive one.
 */
static __always_inline u64 switch_instant(struct task_struct *prev, struct task_struct *next,
					  struct scratch *scr, bool traced)
{
	u64 rq = clock_rq(next), now;

	if (!rq)
		rq = clock_rq(prev); /* an idle thread may have no cfs_rq */
	if (!traced && rq && rq - scr->followed_rq_ns < FOLLOW_EVERY_NS)
		return clock_from_rq(rq);
	now = clock_now();
	if (rq) {
		scr->followed_rq_ns = rq;
		clock_follow(rq, now);
	}
	return now;
}

/* `early`: takes the stacks of prev here. */
static __always_inline int handle_switch(void *ctx, bool preempt, struct task_struct *prev,
					 struct task_struct *next, u32 prev_state, bool early)
{
	u32 zero = 0;
	struct scratch *scr = bpf_map_lookup_elem(&scratches, &zero);
	struct task_slot *out, *in;
	bool traced = false;
	u64 begin_ns;

	if (!scr)
		return 0;
	begin_ns = measure(scr);
	/* The idle threads, one per CPU with pid 0, are not counted and have no slot. */
	out = task_slot(prev);
	in = task_slot(next);
	scr->host_tid = next->pid;
	if (out)
		traced = true;
	barrier_var(traced); /* or clang makes one number of the two pointers */
	if (in)
		traced = true;
	scr->switch_ns = switch_instant(prev, next, scr, traced);
	if (in_window(scr->switch_ns))
		STAT_BUMP(switches, 1);
	if (scr->pending.host_tid)
		flush_pending(scr);
	if (out && switch_out(out, preempt, prev, prev_state, scr->switch_ns, scr) && early)
		take_stacks_early(ctx, out, prev, scr);
	if (in)
		switch_in(in, next, scr);
	if (begin_ns)
		measured(begin_ns);
	return 0;
}

/*
 * Since 5.18: fa2c3254d7cf ("sched/tracing: Don't re-read p->state when emitting sched_switch").
 * Not with CS_RESUME_SWITCH_OUT: all that walks stacks would have to be taken out by the verifier,
 * which before 6.8 reads it first.
 */
SEC("tp_btf/sched_switch")
int BPF_PROG(on_sched_switch, bool preempt, struct task_struct *prev, struct task_struct *next,
	     unsigned int prev_state)
{
	return handle_switch(ctx, preempt, prev, next, prev_state, false);
}

/* The same with it. */
SEC("tp_btf/sched_switch")
int BPF_PROG(on_sched_switch_early, bool preempt, struct task_struct *prev,
	     struct task_struct *next, unsigned int prev_state)
{
	return handle_switch(ctx, preempt, prev, next, prev_state, true);
}

/* Before 5.18 the state is read again here, and a waker may already have changed it. */
SEC("tp_btf/sched_switch")
int BPF_PROG(on_sched_switch_3args, bool preempt, struct task_struct *prev,
	     struct task_struct *next)
{
	return handle_switch(ctx, preempt, prev, next, prev->__state,
			     cfg.resume == CS_RESUME_SWITCH_OUT);
}

/*
 * The switch to this thread was not reported, but it runs: closes its wait as sched_switch would
 * have.
 */
static __noinline void switch_in_unreported(struct task_struct *task, struct scratch *scr)
{
	struct task_slot *slot = task_slot(task);
	u64 now = clock_now(), window = window_at(now), arrival;

	scr->host_tid = task->pid;
	scr->switch_ns = now;
	if (!slot || (slot->phase != CS_PHASE_OFF && slot->phase != CS_PHASE_UNSEEN))
		return;
	arrival = arrival_of(slot, task, now);
	if (arrival)
		arrival = arrival_in_window(arrival, window, now);
	if (arrival < slot->since_ns)
		return;
	STAT_INC(unreported);
	close_wait(slot, task, arrival, WAIT_ARRIVED, scr);
	slot->since_ns = arrival;
	slot->phase = CS_PHASE_ON;
	slot->early_wake = 0;
}

static __always_inline int handle_resume(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct scratch *scr;
	u64 begin_ns;
	u32 zero = 0;

	scr = bpf_map_lookup_elem(&scratches, &zero);
	if (!scr)
		return 0;
	begin_ns = measure(scr);
	if (scr->host_tid != (u32)task->pid && task->pid)
		switch_in_unreported(task, scr);
	if (scr->pending.host_tid && scr->pending.host_tid == (u32)task->pid) {
		scr->busy = 1;
		take_stacks(ctx, task, scr);
		scr->busy = 0;
	}
	if (begin_ns)
		measured(begin_ns);
	return 0;
}

/* In kernels since 2025; user space checks for it. */
SEC("tp_btf/sched_exit_tp")
int BPF_PROG(on_sched_exit, bool is_switch)
{
	return handle_resume(ctx);
}

/* In kernels before that. User space finds the symbol, which compilers may rename. */
SEC("kprobe")
int on_finish_task_switch(struct pt_regs *ctx)
{
	return handle_resume(ctx);
}
