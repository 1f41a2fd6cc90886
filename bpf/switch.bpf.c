/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * Two of the scheduler's moments of a thread: it leaves a CPU, and it comes back; see wake.bpf.c.
 *
 * sched_switch runs under the run queue's lock and does only arithmetic; stacks are taken by the
 * resume hook, which runs as the thread that came back, after the lock was let go, and only for a
 * wait that was chosen when its length was known. Kernels without such a hook take stacks when a
 * thread leaves, before it is known whether they are wanted.
 *
 * The kernel does not always report a switch (seen in virtual machines, also by ftrace). The resume
 * hook notices when the thread it runs in is not the one that sched_switch named last, and closes
 * the wait then. Without that hook phases are checked at every step, and what happened around a
 * missing switch is worked out from sched_info where it can be, else counted as missed; never
 * guessed.
 */
#include "lib/account.bpf.h"
#include "lib/event.bpf.h"
#include "lib/hist.bpf.h"
#include "lib/lock.bpf.h"
#include "lib/measure.bpf.h"
#include "lib/object.bpf.h"
#include "lib/owner.bpf.h"
#include "lib/stack_walk.bpf.h"
#include "lib/take.bpf.h"
#include "lib/task.bpf.h"
#include "lib/throttle.bpf.h"
#include "lib/wait.bpf.h"

/* Its part in the window. */
static __always_inline u64 split_ns(const struct split *s)
{
	return s->blocked_ns + s->runq_ns;
}

/* A wait whose stacks were taken when its thread left the CPU. */
static __always_inline void add_early(struct cs_wait_key *key, const struct task_slot *slot,
				      const struct split *s, u64 weight_ns)
{
	key->kstack = slot->kstack;
	key->ustack = slot->ustack;
	key->sysno = slot->sysno;
	key->object = slot->object;
	key->owner = slot->owner;
	wait_count_lost_stack(slot->stack_lost, weight_ns);
	count_lost_object(key->object, weight_ns);
	if (slot->raw_state)
		count_unknown_holder(slot->lock, slot->owner, weight_ns);
	wait_add(key, s->blocked_ns, s->runq_ns, weight_ns);
}

/* prev is on the CPU by its slot's word, or was seen neither leaving nor coming since marked. */
static __always_inline void close_on_slice(struct task_slot *slot, struct task_struct *prev,
					   u64 now)
{
	u64 since = slot->since_ns;
	u64 ns = clock_is_inside(since, now) ? now - since : clock_clip(since, now);

	slot->rec.totals.on_ns += ns;
	/* What a record begins with had begun before. */
	if (cfg.hist_unit_ns && since != slot->rec.begin_ns)
		hist_slice(prev, since, ns);
}

/*
 * prev leaves the CPU but was last seen leaving it: its coming back was not reported. With the run
 * queue's clock the scheduler's own notes say when that was.
 */
static __noinline void repair_missed_in(struct task_slot *slot, struct task_struct *prev, u64 now)
{
	struct cs_wait_key key;
	struct split s;
	u64 arrival = 0, weight_ns, on_ns;

	STAT_INC(missed_in);
	if (clock_has_notes())
		arrival = clock_from_rq(prev->sched_info.last_arrival);
	if (!clock_has_notes() || arrival < slot->since_ns || arrival > now) {
		u64 ns = clock_clip(slot->since_ns, now);

		slot->rec.totals.missed_ns += ns;
		STAT_ADD(missed_in_ns, ns);
		return;
	}
	split_wait(slot, wake_instant(slot, prev, arrival, WAIT_ARRIVED), arrival, &s);
	account_wait(slot, &s);
	hist_wait(slot, prev, &s);
	throttle_returns(slot, prev, arrival - slot->since_ns);
	STAT_ADD(missed_in_ns, split_ns(&s));
	weight_ns = wait_weight(slot, arrival - slot->since_ns, split_ns(&s));
	if (weight_ns) {
		wait_key_init(&key, slot);
		if (cfg.resume == CS_RESUME_SWITCH_OUT) {
			add_early(&key, slot, &s, weight_ns);
		} else {
			key.flags |= CS_WAIT_NO_RESUME;
			key.owner = slot->owner;
			if (slot->raw_state)
				count_unknown_holder(slot->lock, slot->owner, weight_ns);
			wait_add(&key, s.blocked_ns, s.runq_ns, weight_ns);
		}
	}
	on_ns = clock_clip(arrival, now);
	slot->rec.totals.on_ns += on_ns;
	hist_slice(prev, arrival, on_ns);
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

/* A traced thread is gone: its totals go to user space, as its storage goes with it. */
static __always_inline void finish_dead(struct task_slot *slot, struct task_struct *prev, u64 now)
{
	slot->rec.raw_state = CS_RAW_DEAD;
	if (in_window(now))
		STAT_INC(exits);
	task_send(slot, prev, now, CS_TASK_EXITED);
}

/* After the window: only a death matters, for the drain will not find the thread any more. */
static __noinline void switch_out_late(struct task_slot *slot, struct task_struct *prev,
				       u32 prev_state, u64 now)
{
	struct split s;

	if (!(prev_state & CS_RAW_DEAD))
		return;
	if (close_at_end(slot, prev, true, &s) != CS_PHASE_CLOSED)
		finish_dead(slot, prev, now);
}

/* Who holds what `task` is about to wait for, as cs_wait_key.owner. */
static __always_inline u32 owner_of_wait(struct task_slot *slot, struct task_struct *task)
{
	u32 owner;

	if (slot->lock) {
		owner = owner_of_lock(slot);
		if (slot->lock)
			return owner;
	}
	return task->flags & PF_KTHREAD ? 0 : owner_of_call(task_regs(task));
}

static __always_inline void open_wait(struct task_slot *slot, bool preempt,
				      struct task_struct *prev, u32 prev_state, u64 now)
{
	/* Preempted on its way to sleep: the kernel keeps it on the run queue. */
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
	/* One that lost its CPU is held up by nobody. */
	if (cfg.objects)
		slot->owner = slot->raw_state ? owner_of_wait(slot, prev) : 0;
	if (in_window(now)) {
		slot->rec.totals.switches++;
		if (!slot->raw_state)
			slot->rec.totals.preemptions++;
	}
}

/* False: no wait has begun. */
static __always_inline bool switch_out(struct task_slot *slot, bool preempt,
				       struct task_struct *prev, u32 prev_state, u64 now)
{
	if (now >= control.end_ns) {
		switch_out_late(slot, prev, prev_state, now);
		return false;
	}
	if (slot->phase == CS_PHASE_OFF)
		repair_missed_in(slot, prev, now);
	else
		close_on_slice(slot, prev, now);
	if (prev_state & CS_RAW_DEAD) {
		slot->phase = CS_PHASE_CLOSED;
		finish_dead(slot, prev, now);
		return false;
	}
	open_wait(slot, preempt, prev, prev_state, now);
	return true;
}

/*
 * The resume hook of an earlier wait did not come on this CPU: list that wait without stacks. A
 * global function, so that the verifier reads it once.
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
	key.flags = pend->flags | CS_WAIT_NO_RESUME;
	key.owner = pend->thread_owner;
	STAT_INC(resume_missed);
	STAT_ADD(resume_missed_ns, pend->weight_ns);
	count_unknown_holder(pend->lock, pend->thread_owner, pend->weight_ns);
	wait_add(&key, pend->blocked_ns, pend->runq_ns, pend->weight_ns);
	pend->host_tid = 0;
	return 0;
}

/* `sp`: the kernel stack of a thread that is still off the CPU; 0: it runs and writes over it. */
static __always_inline void list_wait(struct task_slot *slot, u64 sp, const struct split *s,
				      u64 now, struct scratch *scr)
{
	struct pending_wait *pend = &scr->pending;
	struct cs_wait_key key;
	u64 weight_ns;

	if (!split_ns(s))
		return; /* over before the window, or begun after it */
	STAT_BUMP(waits, 1);
	weight_ns = wait_weight(slot, now - slot->since_ns, split_ns(s));
	if (!weight_ns)
		return;
	STAT_BUMP(chosen, 1);
	wait_key_init(&key, slot);
	if (now >= control.end_ns)
		key.flags |= CS_WAIT_OPEN;
	/* A new thread comes back through another door, and has no stack to speak of. */
	if (slot->raw_state & CS_RAW_NEW) {
		wait_add(&key, s->blocked_ns, s->runq_ns, weight_ns);
		return;
	}
	if (cfg.resume == CS_RESUME_SWITCH_OUT) {
		add_early(&key, slot, s, weight_ns);
		return;
	}
	pend->task = slot->rec.id;
	pend->blocked_ns = s->blocked_ns;
	pend->runq_ns = s->runq_ns;
	pend->weight_ns = weight_ns;
	pend->kprint = 0;
	pend->thread_owner = slot->owner;
	pend->lock = slot->raw_state ? slot->lock : 0;
	pend->lock_kind = slot->lock_kind;
	if (cfg.user_stacks || cfg.objects)
		stack_owner(&pend->owner, slot);
	if (sp && cfg.kernel_stacks && cfg.orc && !(control.slow & CS_SLOW_KERNEL))
		pend->kprint = orc_fingerprint(sp, scr);
	pend->state = key.state;
	pend->flags = key.flags;
	pend->host_tid = slot->rec.host_tid;
}

/* After the window a wait belongs to whoever closes it first: this hook, or the drain. */
static __always_inline void switch_in_late(struct task_slot *slot, struct task_struct *next,
					   u64 now, struct scratch *scr)
{
	u32 phase = slot->phase;
	struct split s;

	if (phase != CS_PHASE_OFF && phase != CS_PHASE_UNSEEN)
		return;
	split_wait(slot, wake_instant(slot, next, now, WAIT_ENDS), now, &s);
	slot->late_wake_ns = s.wake_ns;
	throttle_returns(slot, next, now - slot->since_ns);
	if (__sync_val_compare_and_swap(&slot->phase, phase, CS_PHASE_LATE) == phase)
		list_wait(slot, kernel_stack_sp(next), &s, now, scr);
}

static __always_inline void close_wait(struct task_slot *slot, struct task_struct *next, u64 now,
				       enum wait_end how, struct scratch *scr)
{
	bool fresh = slot->raw_state & CS_RAW_NEW;
	struct split s;

	split_wait(slot, wake_instant(slot, next, now, how), now, &s);
	account_wait(slot, &s);
	hist_wait(slot, next, &s);
	throttle_returns(slot, next, now - slot->since_ns);
	if (in_window(now) && !fresh) {
		if (slot->raw_state)
			slot->rec.totals.wakeups++;
		if (slot->phase == CS_PHASE_OFF && slot->cpu != bpf_get_smp_processor_id())
			slot->rec.totals.migrations++;
	}
	list_wait(slot, how == WAIT_ENDS ? kernel_stack_sp(next) : 0, &s, now, scr);
}

static __always_inline void switch_in(struct task_slot *slot, struct task_struct *next,
				      struct scratch *scr)
{
	u64 now = scr->switch_ns;

	if (now >= control.end_ns) {
		switch_in_late(slot, next, now, scr);
		return;
	}
	if (slot->phase == CS_PHASE_ON) {
		u64 ns = clock_clip(slot->since_ns, now);

		STAT_INC(missed_out);
		STAT_ADD(missed_out_ns, ns);
		slot->rec.totals.missed_ns += ns;
	} else {
		close_wait(slot, next, now, WAIT_ENDS, scr);
	}
	slot->since_ns = now;
	slot->phase = CS_PHASE_ON;
	slot->early_wake = 0;
}

/*
 * When the switch is. Where no traced thread takes part it need not be exact, only often enough to
 * keep the distance of the clocks, for ours is the dear one.
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

/* `early`: stacks are taken here, of prev. */
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
	/* The idle threads, one for each CPU with pid 0, are nobody's time and have no slot. */
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
	if (out && switch_out(out, preempt, prev, prev_state, scr->switch_ns) && early)
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

/* Before it, the state is read again, and may be that of a waker who was quick. */
SEC("tp_btf/sched_switch")
int BPF_PROG(on_sched_switch_3args, bool preempt, struct task_struct *prev,
	     struct task_struct *next)
{
	return handle_switch(ctx, preempt, prev, next, prev->__state,
			     cfg.resume == CS_RESUME_SWITCH_OUT);
}

/*
 * The switch to this thread was not reported, but here it is: its wait is closed as sched_switch
 * would have, at the instant the scheduler noted, or now.
 */
static __noinline void switch_in_unreported(struct task_struct *task, struct scratch *scr)
{
	struct task_slot *slot = task_slot(task);
	u64 now = clock_now();

	scr->host_tid = task->pid;
	scr->switch_ns = now;
	if (clock_has_notes()) {
		u64 arrival = clock_from_rq(task->sched_info.last_arrival);

		if (arrival < now)
			now = arrival;
	}
	if (!slot || now >= control.end_ns || now < slot->since_ns)
		return;
	if (slot->phase != CS_PHASE_OFF && slot->phase != CS_PHASE_UNSEEN)
		return;
	STAT_INC(unreported);
	close_wait(slot, task, now, WAIT_ARRIVED, scr);
	slot->since_ns = now;
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

/* In kernels of 2025 and later; capture looks for it. */
SEC("tp_btf/sched_exit_tp")
int BPF_PROG(on_sched_exit, bool is_switch)
{
	return handle_resume(ctx);
}

/* Before it. Capture finds the symbol, which compilers like to rename. */
SEC("kprobe")
int on_finish_task_switch(struct pt_regs *ctx)
{
	return handle_resume(ctx);
}
