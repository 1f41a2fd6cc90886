/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * The arithmetic of visits: the totals of a thread from the scheduler's counters, and the sums of
 * its waits from what each visit found. The programs are in visits.bpf.c. docs/adr/0049.
 */
#include "lib/account.bpf.h"
#include "lib/visit/visit.bpf.h"

/*
 * Some 0.5 ms in all, longer than an interrupt that meets the other one at work. The verifier reads
 * visit_try_lock() once, however often it is called.
 */
#define LOCK_TRIES 128
#define LOCK_TURNS 512

__noinline int visit_try_lock(struct task_visit *v)
{
	u32 i;

	if (!v)
		return 0;
	for (i = 0; i < LOCK_TURNS; i++)
		if (!__sync_lock_test_and_set(&v->busy, 1))
			return 1;
	return 0;
}

__noinline int visit_lock(struct task_visit *v)
{
	u32 i;

	for (i = 0; i < LOCK_TRIES; i++)
		if (visit_try_lock(v))
			return 1;
	STAT_INC(visit_clash);
	return 0;
}

/* A stretch of a thread's time. */
struct stretch {
	u64 on_ns;
	u64 runq_ns;
	u64 blocked_ns;
};

/* A counter that was read with the part since the last tick may seem to go back by some us. */
static __always_inline u64 grown(u64 now, u64 before)
{
	return (s64)(now - before) > 0 ? now - before : 0;
}

/*
 * A thread that has not gone to sleep was on a CPU or waited for one: the time of interrupts, which
 * its run time may lack, is on a CPU, as with hooks.
 */
static __always_inline void stretch_of(const struct visit_counters *was,
				       const struct visit_counters *c, u64 ns, struct stretch *ret)
{
	bool slept = was->raw_state && !was->on_cpu;

	ret->runq_ns = grown(c->delay_ns, was->delay_ns);
	if (ret->runq_ns > ns)
		ret->runq_ns = ns;
	ret->on_ns = grown(c->exec_ns, was->exec_ns);
	if (ret->on_ns > ns - ret->runq_ns || (c->voluntary == was->voluntary && !slept))
		ret->on_ns = ns - ret->runq_ns;
	ret->blocked_ns = ns - ret->runq_ns - ret->on_ns;
}

/* `ns` times part / whole, to a millionth. */
static __always_inline u64 share(u64 ns, u64 part, u64 whole)
{
	u64 ratio;

	if (part >= whole)
		return ns;
	ratio = part >> 43 ? part / ((whole >> 20) | 1) : (part << 20) / whole;
	return (ns >> 20) * ratio + ((ns & 0xfffff) * ratio >> 20);
}

/*
 * The part of a stretch of `whole` ns that lasted for `part`. What a thread did at which instant of
 * it is not known, unless it did the same all the time.
 */
static __always_inline void stretch_part(const struct stretch *s, u64 part, u64 whole,
					 struct stretch *ret)
{
	ret->on_ns = share(s->on_ns, part, whole);
	ret->runq_ns = share(s->runq_ns, part, whole);
	if (ret->on_ns > part)
		ret->on_ns = part;
	if (ret->runq_ns > part - ret->on_ns)
		ret->runq_ns = part - ret->on_ns;
	ret->blocked_ns = part - ret->on_ns - ret->runq_ns;
}

/*
 * The state of its blocked time; CS_STATE_R if it is not known. One sleep: it is the one that is
 * going on at either end.
 */
static __always_inline u32 blocked_state(const struct visit_counters *was,
					 const struct visit_counters *c)
{
	bool slept = was->raw_state && !was->on_cpu, sleeps = c->raw_state && !c->on_cpu;
	u64 begun = c->voluntary - was->voluntary;
	u32 first = cs_state_of(was->raw_state), last = cs_state_of(c->raw_state);

	if (slept && !begun)
		return first;
	if (!slept && sleeps && begun == 1)
		return last;
	return slept && sleeps && begun == 1 && first == last ? first : CS_STATE_R;
}

static __always_inline void add_stretch(struct cs_totals *t, const struct stretch *s, u32 state)
{
	t->on_ns += s->on_ns;
	t->runq_ns += s->runq_ns;
	/* In one register: 6.1 forgets what was compared when it is read from the stack again. */
	barrier_var(state);
	if (state < CS_STATE_CNT)
		t->blocked_ns[state] += s->blocked_ns;
}

static __always_inline void add_counts(struct cs_totals *t, const struct visit_counters *was,
				       const struct visit_counters *c)
{
	u64 begun = c->voluntary - was->voluntary, lost = c->involuntary - was->involuntary;
	u64 ended = begun + (was->raw_state && !was->on_cpu);

	if (c->raw_state && !c->on_cpu && ended)
		ended--;
	t->switches += begun + lost;
	t->preemptions += lost;
	t->wakeups += ended;
	t->migrations += c->moves - was->moves;
	t->waits += begun + lost;
}

/*
 * A thread that has not switched since it was marked waits on at the begin of the first window. The
 * wait of another one may have ended before, a moment after the mark.
 */
static __always_inline u64 visit_gap(const struct task_slot *slot, const struct task_visit *v,
				     u64 marked, u64 begin)
{
	bool stays = !v->now.on_cpu && visit_switches(&v->now) == visit_switches(&v->was);

	return v->was.on_cpu ? 0 : gap_part(slot, marked, stays ? begin : marked);
}

__noinline int visit_account(struct task_slot *slot, struct task_visit *v, u64 now)
{
	u64 begin = control.begin_ns, end = control.end_ns, from, to, ns;
	const struct visit_counters *c;
	struct stretch whole, part;
	u32 state;

	if (!slot || !v)
		return 0;
	c = &v->now;
	from = slot->since_ns;
	if (begin == ~0ULL) { /* nothing counts yet */
		v->was = *c;
		slot->since_ns = now;
		return 0;
	}
	if (now < from)
		now = from;
	ns = now - from;
	stretch_of(&v->was, c, ns, &whole);
	state = blocked_state(&v->was, c) + control.zero;
	if (slot->window_ns != begin && slot->window_ns != end)
		totals_reset(slot, begin);
	to = now < end ? now : end;
	if (slot->window_ns != end) {
		u64 first = from < begin ? begin : from;

		if (first < to) {
			stretch_part(&whole, to - first, ns, &part);
			add_stretch(&slot->rec.totals, &part, state);
		}
		/* Before the first window it may have done anything. */
		if (from >= begin)
			add_counts(&slot->rec.totals, &v->was, c);
		else if (cfg.gap_from_ns && begin == control.first_ns)
			slot->rec.totals.gap_ns = visit_gap(slot, v, from, begin);
	}
	__builtin_memset(&v->after, 0, sizeof(v->after));
	if (now > end) {
		u64 rest = now - (from < end ? end : from);

		stretch_part(&whole, rest, ns, &part);
		if (slot->window_ns == end) {
			add_stretch(&slot->rec.totals, &part, state);
			add_counts(&slot->rec.totals, &v->was, c);
		} else {
			add_stretch(&v->after, &part, state);
		}
	}
	v->was = *c;
	slot->since_ns = now;
	return now >= end && slot->window_ns != end;
}

__noinline int visit_opens(struct task_slot *slot, struct task_visit *v, u64 window)
{
	if (!slot || !v)
		return 0;
	slot->rec.totals = v->after;
	slot->window_ns = window;
	slot->reported_ns = window;
	return 0;
}

static __always_inline bool is_wait(u32 point)
{
	return point == VISIT_BLOCKED || point == VISIT_RUNQ;
}

static __always_inline void add_time(struct visit_sum *sum, u32 point, u64 ns)
{
	if (point == VISIT_BLOCKED)
		sum->blocked_ns += ns;
	else if (point == VISIT_RUNQ)
		sum->runq_ns += ns;
}

/*
 * The variance where a thread enters a key or leaves it between two points: half of the square of
 * their distance. If it switched only once, only the instant is unknown, and that of an instant
 * anywhere in between is a twelfth of the square.
 */
static __always_inline u64 border_var(u64 ns, bool once)
{
	u64 us = ns / 1000;

	return us * us / (once ? 12 : 2);
}

static __always_inline bool same_key(const struct cs_wait_key *a, const struct cs_wait_key *b)
{
	return a->kstack == b->kstack && a->ustack == b->ustack && a->task == b->task &&
	       a->sysno == b->sysno && a->state == b->state && a->flags == b->flags &&
	       a->object == b->object && a->owner == b->owner;
}

/* Moves what is not in the table yet to that of the window. */
static __noinline int flush(struct task_visit *v, u64 window)
{
	if (!v)
		return 0;
	if (v->sum.blocked_ns + v->sum.runq_ns && window)
		visit_add(&v->key, window, &v->sum);
	__builtin_memset(&v->sum, 0, sizeof(v->sum));
	return 0;
}

/* The thread was in a wait at the last point, and has switched since. */
static __always_inline void leave_key(struct task_visit *v, u64 ns, bool once)
{
	v->sum.var_us2 += border_var(ns, once);
	flush(v, control.begin_ns);
}

static __always_inline void enter_key(struct task_visit *v, const struct cs_wait_key *key, u64 ns,
				      bool once)
{
	v->key = *key;
	v->sum.var_us2 = border_var(ns, once);
}

__noinline int visit_found(struct task_visit *v, u32 point, const struct cs_wait_key *key, u64 at,
			   u64 switches)
{
	u64 ns, left = 0, right, seen_ns;
	bool known, stays, once;

	if (!v)
		return 0;
	known = v->point != VISIT_NONE;
	ns = at > v->point_ns ? at - v->point_ns : 0;
	right = known ? ns : control.pass_before_ns;
	if (known && !v->edge) {
		left = ns / 2;
		right = ns - left;
	}
	add_time(&v->sum, v->point, left);
	stays = !key && is_wait(point);
	once = known && switches - v->switches <= 1;
	if (!stays && is_wait(v->point) && (!key || !is_wait(point) || !same_key(&v->key, key)))
		leave_key(v, v->edge ? 0 : ns, once);
	if (!stays && key && is_wait(point)) {
		if (!is_wait(v->point) || !v->sum.samples)
			enter_key(v, key, known && v->edge ? 0 : known ? ns : 2 * right, once);
		v->sum.samples++;
		v->first_ns = at;
	}
	if (is_wait(point)) {
		add_time(&v->sum, point, right);
		seen_ns = at - v->first_ns;
		if (seen_ns > v->sum.max_ns)
			v->sum.max_ns = seen_ns;
	}
	v->point = point;
	v->point_ns = at;
	v->switches = switches;
	v->edge = at == control.begin_ns;
	return 0;
}

__noinline int visit_ends(struct task_visit *v, u64 now)
{
	u64 ns = control.pass_after_ns;

	if (!v)
		return 0;
	if (is_wait(v->point)) {
		if (!v->edge) {
			add_time(&v->sum, v->point, ns);
			v->sum.var_us2 += border_var(2 * ns, false);
		}
		flush(v, window_at(now));
	}
	v->point = VISIT_NONE;
	return 0;
}

__noinline int visit_closes(struct task_visit *v, u64 begin, u64 end, u32 stays)
{
	u64 ns;

	if (!v || v->point == VISIT_NONE)
		return 0;
	ns = end > v->point_ns ? end - v->point_ns : 0;
	if (is_wait(v->point)) {
		add_time(&v->sum, v->point, ns);
		if (stays && end - v->first_ns > v->sum.max_ns)
			v->sum.max_ns = end - v->first_ns;
		flush(v, begin);
		v->sum.samples = 1;
		v->first_ns = end;
	}
	v->point_ns = end;
	v->edge = 1;
	return 0;
}
