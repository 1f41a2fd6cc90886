/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/* The sums of waits. */
#include "lib/visit/visit.bpf.h"
#include "lib/wait.bpf.h"

/* What one takes in the ring, with the header of its record: kernel/bpf/ringbuf.c. */
#define MOMENT_RING_BYTES (sizeof(struct cs_moment) + 8)

static u64 random_point(u64 period_ns)
{
	return cs_sample_point(period_ns, bpf_get_prandom_u32());
}

__noinline u64 wait_points(struct task_slot *slot, u64 ns, u64 period_ns)
{
	u64 to, passed = 0;

	if (!slot)
		return 0;
	if (slot->period_ns != period_ns) {
		slot->period_ns = period_ns;
		slot->waited_ns = 0;
		slot->point_ns = random_point(period_ns);
	}
	to = slot->waited_ns + ns;
	if (slot->waited_ns <= slot->point_ns && slot->point_ns < to)
		passed++;
	if (to >= period_ns) {
		to -= period_ns;
		slot->point_ns = random_point(period_ns);
		if (slot->point_ns < to)
			passed++;
	}
	slot->waited_ns = to;
	return passed;
}

__noinline int choose_parts(struct task_slot *slot, const struct ended_wait *e,
			    struct wait_parts *ret)
{
	u64 len_ns, weight_ns, begin = control.begin_ns;

	if (!slot || !e || !ret)
		return 0;
	len_ns = e->end_ns - e->since_ns;
	ret->before_weight_ns = choose_part(slot, len_ns, &e->before);
	weight_ns = in_window(e->end_ns) ? choose_part(slot, len_ns, &e->part) : 0;
	set_part(ret, slot, e, weight_ns);
	ret->before = begin;
	ret->before_blocked_ns = e->before.blocked_ns;
	ret->before_runq_ns = e->before.runq_ns;
	ret->before_flags = slot->flags | CS_WAIT_OPEN | (e->since_ns < begin ? CS_WAIT_PRE : 0);
	return weight_ns || ret->before_weight_ns;
}

static const struct cs_wait_sum empty_sum = {};

static __always_inline void share_of(u64 blocked_ns, u64 ns, u64 weight_ns, struct cs_share *ret)
{
	if (weight_ns <= ns || !ns)
		cs_share_exact(ret, blocked_ns, ns);
	else
		cs_share_estimate(ret, blocked_ns, ns, weight_ns, bpf_get_prandom_u32());
}

/* Waits that are not added by their resuming thread. */
#define ELSEWHERE (CS_WAIT_OPEN | CS_WAIT_NEW | CS_WAIT_NO_RESUME)

/* There is no other writer: the key contains the thread, which is on one CPU at a time. */
static __always_inline void add_own(struct cs_wait_sum *sum, const struct cs_share *share,
				    u32 bucket)
{
	sum->blocked_ns += share->blocked_ns;
	sum->runq_ns += share->runq_ns;
	sum->count += share->count;
	sum->samples++;
	sum->hist[bucket] += share->count;
	sum->var_us2 += share->var_us2;
}

static __always_inline void add_shared(struct cs_wait_sum *sum, const struct cs_share *share,
				       u32 bucket)
{
	__sync_fetch_and_add(&sum->blocked_ns, share->blocked_ns);
	__sync_fetch_and_add(&sum->runq_ns, share->runq_ns);
	__sync_fetch_and_add(&sum->count, share->count);
	__sync_fetch_and_add(&sum->samples, 1);
	__sync_fetch_and_add(&sum->hist[bucket], share->count);
	__sync_fetch_and_add(&sum->var_us2, share->var_us2);
}

/* The sum of a key in the table of this window; NULL if it is full. */
static __always_inline struct cs_wait_sum *sum_of(const struct cs_wait_key *key, u64 window)
{
	struct cs_wait_sum *sum;

	if (window & 1) {
		sum = bpf_map_lookup_elem(&waits_odd, key);
		if (sum)
			return sum;
		bpf_map_update_elem(&waits_odd, key, &empty_sum, BPF_NOEXIST);
		return bpf_map_lookup_elem(&waits_odd, key);
	}
	sum = bpf_map_lookup_elem(&waits, key);
	if (sum)
		return sum;
	bpf_map_update_elem(&waits, key, &empty_sum, BPF_NOEXIST);
	return bpf_map_lookup_elem(&waits, key);
}

__noinline int sample_add(const struct cs_wait_key *at, u64 window)
{
	struct cs_wait_sum *sum;
	struct cs_wait_key key;

	if (!at)
		return 1;
	key = *at;
	sum = sum_of(&key, window);
	/* A thread is on one CPU at a time, so there is no other writer. */
	if (sum)
		sum->samples++;
	else
		STAT_INC(sample_lost);
	return !sum;
}

__noinline int visit_add(const struct cs_wait_key *at, u64 window, const struct visit_sum *v)
{
	struct cs_wait_sum *sum;
	struct cs_wait_key key;

	if (!at || !v)
		return 1;
	key = *at;
	sum = sum_of(&key, window);
	if (!sum) {
		STAT_ADD(wait_lost, v->samples);
		STAT_ADD(wait_lost_ns, v->blocked_ns + v->runq_ns);
		return 1;
	}
	/* There is no other writer: the key contains the thread, and its visit is locked. */
	sum->blocked_ns += v->blocked_ns;
	sum->runq_ns += v->runq_ns;
	sum->samples += v->samples;
	sum->var_us2 += v->var_us2;
	if (v->max_ns > sum->max_ns)
		sum->max_ns = v->max_ns;
	return 0;
}

__noinline int moment_send(const struct cs_wait_key *at, u64 end_ns, u64 blocked_ns, u64 runq_ns)
{
	struct wake_scratch *ws = cfg.wakers ? this_wake_scratch() : NULL;
	struct cs_moment *m;
	struct cs_wait_key key;
	u64 held;

	if (!at || !cfg.moments)
		return 0;
	key = *at;
	m = bpf_ringbuf_reserve(&moments, sizeof(*m), 0);
	if (!m) {
		STAT_INC(moment_lost);
		STAT_ADD(moment_lost_ns, blocked_ns + runq_ns);
		return 0;
	}
	m->end_ns = end_ns;
	m->wait = cs_wait_hash(&key);
	m->waker = ws && ws->added.count ? ws->added.waker : 0;
	m->blocked_ns = blocked_ns;
	m->runq_ns = runq_ns;
	held = bpf_ringbuf_query(&moments, BPF_RB_AVAIL_DATA) & (CS_MOMENTS_WAKE_BYTES - 1);
	bpf_ringbuf_submit(m, held < MOMENT_RING_BYTES ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP);
	return 0;
}

/* A global function: the number is computed in steps, each of which would be a separate path. */
__noinline u32 wait_bucket(u64 ns)
{
	return cs_hist_bucket(ns);
}

/* Beside the wait that was just added, if it is the one that ended on this CPU. */
static __always_inline void wake_add_of(const struct cs_wait_key *key, u64 window,
					const struct cs_share *share)
{
	struct wake_scratch *ws = this_wake_scratch();
	u64 hash = cs_wait_hash(key);

	if (!ws)
		return;
	ws->listed = hash;
	if (ws->ended_task == key->task)
		wake_add(hash, window, share);
}

__noinline int wait_add(const struct cs_wait_key *at, u64 window, u64 blocked_ns, u64 runq_ns,
			u64 weight_ns)
{
	u64 ns = blocked_ns + runq_ns;
	u32 bucket = wait_bucket(ns) & (CS_HIST_LEN - 1);
	struct cs_wait_sum *sum;
	struct cs_wait_key key;
	struct cs_share share;

	if (!at)
		return 1;
	share_of(blocked_ns, ns, weight_ns, &share);
	/* 6.1 does not accept an argument of a global function as a map key or value. */
	key = *at;
	sum = sum_of(&key, window);
	if (!sum) {
		STAT_ADD(wait_lost, share.count);
		STAT_ADD(wait_lost_ns, share.blocked_ns + share.runq_ns);
		return 1;
	}
	if (key.flags & ELSEWHERE)
		add_shared(sum, &share, bucket);
	else
		add_own(sum, &share, bucket);
	if (ns > sum->max_ns)
		sum->max_ns = ns;
	/* One that is open has no waker yet, and a new thread has none. */
	if (cfg.wakers && !(key.flags & (CS_WAIT_OPEN | CS_WAIT_NEW)))
		wake_add_of(&key, window, &share);
	return 0;
}
