/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * Who wakes a sleeper, where in its code, and what it did while the sleeper waited. Runs in the
 * waker with interrupts off and the sleeper's pi_lock held, so each ns here delays the wakeup:
 * stacks are taken only if the wait, which is not over yet, is already known to be listed.
 */
#include "lib/cost/measure.bpf.h"
#include "lib/cost/turn.bpf.h"
#include "lib/event.bpf.h"
#include "lib/memo.bpf.h"
#include "lib/stack_walk.bpf.h"
#include "lib/task.bpf.h"
#include "lib/wake/context.bpf.h"
#include "lib/wake/wake_print.bpf.h"
#include "lib/wake/wakeup.bpf.h"

/*
 * Longer than the functions that struct cs_wake_code names; what follows them is not on such a
 * stack.
 */
#define IRQ_FUNCTION_SZ 1024

/*
 * The first of the frames, from the leaf on, that lies in these bytes of code; `len` if none does.
 */
__noinline u32 find_frame(const struct cs_stack *st, u32 len, u64 code, u64 sz)
{
	u32 i;

	if (!st)
		return 0;
	for (i = 0; i < CS_STACK_DEFAULT; i++) {
		if (i >= len)
			break;
		if (st->pc[i] - code < sz)
			return i;
	}
	return len;
}

static __always_inline void cut_behind(struct cs_stack *st, u32 frame, u32 len)
{
	st->len = frame < len ? frame + 1 : len;
}

/*
 * Cuts the stack of an interrupt where it begins: what is further out is the thread that it hit. 1
 * if it hit nobody: a thread that sends packets to this host delivers them itself, in a soft
 * interrupt that it serves at the end of its own work on the network.
 */
__noinline int irq_cut(struct cs_stack *st, u32 context)
{
	u64 entry = control.wake_code.entry, entry_sz = control.wake_code.entry_end - entry;
	u32 len, begin, delivers, serves;

	if (!st)
		return 0;
	len = st->len;
	if (!entry) {
		st->len = 0;
		return 0;
	}
	begin = find_frame(st, len, entry, entry_sz);
	if (context != CS_WAKER_SOFTIRQ) {
		cut_behind(st, begin, len);
		return 0;
	}
	delivers = find_frame(st, len, control.wake_code.backlog, IRQ_FUNCTION_SZ);
	serves = find_frame(st, len, control.wake_code.bh_enable, IRQ_FUNCTION_SZ);
	if (delivers < serves && serves < begin && serves < len)
		return 1;
	cut_behind(st, find_frame(st, len, control.wake_code.softirq, IRQ_FUNCTION_SZ), len);
	return 0;
}

/* True if a thread did it after all; the stack is whole then. */
static __always_inline bool read_kernel(void *ctx, struct wake_scratch *ws, u32 context)
{
	long sz = bpf_get_stack(ctx, ws->kstack.pc, CS_STACK_DEFAULT * sizeof(u64), 0);
	u32 len = sz > 0 ? sz / sizeof(u64) : 0;

	stack_init(&ws->kstack, CS_STACK_WAKER);
	ws->kstack.len = len;
	if (ws->kstack.len >= cfg.kstack_len) {
		ws->kstack.flags |= CS_STACK_CUT;
		STAT_INC(kstack_cut);
	}
	if (context == CS_WAKER_THREAD || !irq_cut(&ws->kstack, context))
		return false;
	ws->kstack.len = len;
	return true;
}

/* The kernel stack of a thread that wakes another one. */
static __always_inline u64 waker_kernel_stack(void *ctx, struct wake_scratch *ws, bool *ret_lost)
{
	u64 print = wake_print(ctx, ws), id = print ? stack_id_of(print) : 0;
	bool kept = id && stack_is_kept(id), audit = kept && is_turn(&ws->unaudited, AUDIT_EVERY);

	if (kept && !audit)
		return id;
	read_kernel(ctx, ws, CS_WAKER_THREAD);
	if (!print || ws->kstack.flags & CS_STACK_CUT)
		return stack_keep(&ws->kstack, ret_lost);
	if (print_of_read(&ws->kstack) == print)
		return kept ? id : stack_add(id, &ws->kstack, ret_lost);
	if (audit) {
		STAT_INC(kstack_differs);
		control.kernel_slow = 1;
	}
	return stack_keep(&ws->kstack, ret_lost);
}

static __always_inline u64 waker_user_stack(struct task_struct *me, struct wake_scratch *ws,
					    u64 now, bool *ret_lost)
{
	const struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(me);
	struct user_walk *w = &ws->walk;
	u64 known, id;

	if (!stack_walk_aim(w, me, regs, &ws->owner))
		return stack_keep(&w->stack, ret_lost);
	w->now_ns = now;
	known = cfg.memo && now >= control.user_slow_ns ? memo_recall(w) : 0;
	if (known)
		return known;
	stack_walk_begin(w, me, regs, false);
	walk_all(w);
	stack_walk_end(w, regs);
	id = stack_keep(&w->stack, ret_lost);
	if (cfg.memo && now >= control.user_slow_ns)
		memo_keep(w, id);
	return id;
}

static __always_inline bool same_comm(const char *a, const char *b)
{
	const u64 *x = (const u64 *)a, *y = (const u64 *)b;

	return x[0] == y[0] && x[1] == y[1];
}

/*
 * A waker that is not traced: its names are needed, and it may be gone soon. After exec it has
 * others, which are the ones that people look for.
 */
static __always_inline void see_outsider(struct task_struct *me, struct wake_scratch *ws)
{
	struct cs_outsider_key key = {
		.start_boottime_ns = me->start_boottime,
		.host_tid = me->pid,
	};
	struct cs_outsider *o = &ws->outsider, *known = bpf_map_lookup_elem(&outsiders, &key);

	if (known && same_comm(known->comm, me->comm))
		return;
	o->image = ws->owner.image;
	o->tid = task_tid(me);
	o->tgid = ws->owner.tgid;
	__builtin_memcpy(o->comm, me->comm, sizeof(o->comm));
	BPF_CORE_READ_INTO(&o->group_comm, me, group_leader, comm);
	bpf_map_update_elem(&outsiders, &key, o, BPF_ANY);
}

static __always_inline void see_thread(struct task_struct *me, const struct task_slot *mine,
				       struct task_struct *sleeper, struct wake_scratch *ws)
{
	struct cs_waker *w = &ws->waker;

	w->context = CS_WAKER_THREAD;
	w->flags = (me->flags & PF_KTHREAD ? CS_WAKER_KTHREAD : 0) |
		   (me->flags & PF_EXITING ? CS_WAKER_EXITING : 0) |
		   (me->pid == sleeper->pid ? CS_WAKER_SELF : 0);
	if (mine) {
		w->thread = mine->rec.id;
		stack_owner(&ws->owner, mine);
		return;
	}
	w->flags |= CS_WAKER_OUTSIDE;
	w->thread = me->pid;
	w->start_boottime_ns = me->start_boottime;
	ws->owner.image = task_image(me);
	ws->owner.tgid = task_tgid(me);
	ws->owner.host_tgid = me->tgid;
	see_outsider(me, ws);
}

/*
 * Is a wait that has lasted `ns` already known to be listed? It may last longer than max_ns, or be
 * chosen for the time that it will wait for a CPU: then only its waker's name is known.
 */
static __always_inline bool wakeup_pays(const struct task_slot *slot, u32 state, u64 ns)
{
	u64 period = control.period_ns, to;

	if (!cfg.state_any && !(state & cfg.state_mask))
		return false;
	if (ns < cfg.min_ns || ns > cfg.max_ns)
		return false;
	if (ns >= period)
		return true;
	if (slot->period_ns != period)
		return false;
	to = slot->waited_ns + ns;
	return to >= period || (slot->waited_ns <= slot->point_ns && slot->point_ns < to);
}

/*
 * Why the chain ends at this waker, or who ended the wait from which the waker came. That may have
 * begun before the sleeper's: the owner of a lock often waits already when others come for it.
 */
static __always_inline void link_chain(struct cs_waker *w, const struct task_wakes *mine,
				       u64 since_ns)
{
	w->end = CS_CHAIN_RUNNING;
	w->next = 0;
	if (!mine->block_wake_ns || mine->block_wake_ns <= since_ns)
		return;
	w->end = CS_CHAIN_UNKNOWN;
	if (!mine->block_waker || !waker_is_current(mine->block_waker))
		return;
	w->end = CS_CHAIN_DEPTH;
	if ((mine->block_waker & CS_WAKER_DEPTH_MASK) == CS_WAKER_DEPTH_MASK)
		return;
	w->end = CS_CHAIN_GOES_ON;
	w->next = mine->block_waker;
}

/* A wakeup under way: who wakes whom. */
struct waking {
	struct task_struct *me;
	struct task_slot *mine; /* NULL: not traced */
	struct task_struct *sleeper;
	struct task_wakes *past; /* of the waker; NULL: not traced */
	u64 since_ns; /* the sleeper waits */
};

/*
 * Which wakeup of a burst this is: 1, 2, .. A waker that was preempted in between, as by those
 * that it wakes, goes on with its burst.
 */
static __always_inline u64 number_in_burst(const struct waking *at, struct wake_scratch *ws,
					   const struct wakeup *u)
{
	struct task_wakes *past = u->context == CS_WAKER_THREAD ? at->past : NULL;
	struct burst *b = past ? &past->burst : &ws->burst;
	u64 who = past ? past->block_wake_ns : u->context + ((u64)u->thread << 8);
	u64 gap = u->at_ns - b->last_ns;

	if (past && past->newest.begin_ns >= b->last_ns)
		gap -= past->newest.end_ns - past->newest.begin_ns;
	b->len = b->who != who || gap >= CS_BURST_NS ? 1 : b->len + 1;
	b->who = who;
	b->last_ns = u->at_ns;
	return b->len;
}

/* Everything about a wakeup whose wait is listed. */
static __always_inline void see_whole(void *ctx, const struct waking *at, struct wake_scratch *ws,
				      struct wakeup *u)
{
	u64 waited_ns = u->at_ns - at->since_ns;
	struct cs_waker *w = &ws->waker;
	bool lost = false;

	if (cfg.kernel_stacks && w->context == CS_WAKER_THREAD) {
		w->kstack = waker_kernel_stack(ctx, ws, &lost);
	} else if (cfg.kernel_stacks) {
		if (read_kernel(ctx, ws, w->context))
			see_thread(at->me, at->mine, at->sleeper, ws);
		w->kstack = stack_keep(&ws->kstack, &lost);
	}
	if (w->context != CS_WAKER_THREAD) {
		w->end = CS_CHAIN_INTERRUPT;
		u->ns[CS_DOING_INTERRUPT] = waited_ns;
		goto keep;
	}
	if (cfg.user_stacks && !(at->me->flags & PF_KTHREAD))
		w->ustack = waker_user_stack(at->me, ws, u->at_ns, &lost);
	if (at->past) {
		link_chain(w, at->past, at->since_ns);
		wakeup_blame(u, at->mine, at->past, at->since_ns);
	} else {
		w->end = CS_CHAIN_UNRECORDED;
		u->ns[CS_DOING_UNKNOWN] = waited_ns;
	}
keep:
	if (lost)
		w->flags |= CS_WAKER_STACK_LOST;
	u->waker = waker_keep(false);
}

/* `pays`: it is worth more than a name. */
static __always_inline void see_wakeup(void *ctx, const struct waking *at, struct wake_scratch *ws,
				       struct wakeup *u, bool pays)
{
	struct cs_waker *w = &ws->waker;
	u64 number;

	__builtin_memset(w, 0, sizeof(*w));
	w->context = wake_context(at->me);
	if (w->context == CS_WAKER_THREAD)
		see_thread(at->me, at->mine, at->sleeper, ws);
	if (pays)
		see_whole(ctx, at, ws, u);
	else
		u->ns[w->context ? CS_DOING_INTERRUPT : CS_DOING_UNKNOWN] = u->at_ns - at->since_ns;
	u->start_boottime_ns = w->start_boottime_ns;
	u->thread = w->thread;
	u->context = w->context;
	u->flags = w->flags;
	number = number_in_burst(at, ws, u);
	u->first = number == 1;
	u->crowd = number >= CS_CROWD;
}

/*
 * With --wakers in place of on_sched_waking, whose instant splits waits, so that a wait's blocked
 * time and what its waker did in it are the same time.
 */
SEC("tp_btf/sched_waking")
int BPF_PROG(on_sched_waker, struct task_struct *task)
{
	struct task_slot *slot = task_slot(task);
	struct waking at = { .sleeper = task };
	struct wake_scratch *ws;
	struct task_wakes *tw;
	struct scratch *scr;
	u32 zero = 0, state;
	bool early;
	u64 now;

	if (!slot)
		return 0;
	early = slot->phase == CS_PHASE_ON;
	state = slot->phase == CS_PHASE_UNSEEN ? slot->mark_state : slot->raw_state;
	if (early) {
		slot->early_wake = 1;
		state = 0; /* not known yet */
	} else if (slot->wake_ns || !state) {
		return 0;
	}
	now = clock_now();
	if (!early)
		slot->wake_ns = now;
	tw = task_wakes_of(task);
	ws = this_wake_scratch();
	scr = bpf_map_lookup_elem(&scratches, &zero);
	if (!tw || !ws || !scr)
		return 0;
	__builtin_memset(&tw->last, 0, sizeof(tw->last));
	tw->last.at_ns = now;
	tw->last.early = early;
	at.me = bpf_get_current_task_btf();
	at.mine = task_slot(at.me);
	at.past = at.mine ? task_wakes_of(at.me) : NULL;
	at.since_ns = early ? now : slot->since_ns;
	see_wakeup(ctx, &at, ws, &tw->last,
		   !scr->busy && wakeup_pays(slot, state, now - at.since_ns));
	if (is_measured(scr))
		measured(now);
	return 0;
}
