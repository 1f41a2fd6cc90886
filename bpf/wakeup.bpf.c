/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * What a waker did while the sleeper waited, by the history of the waker's own waits, and the sums
 * of wakeups. For the hook see waker.bpf.c.
 *
 * A global function that uses a map asks for cfg.wakers itself: before Linux 6.8 the verifier reads
 * it even where every call is dead code, and without --wakers the maps do not exist.
 */
#include "lib/stats.bpf.h"
#include "lib/wake/wakeup.bpf.h"

static __always_inline void past_merge(struct past *into, const struct past *newer)
{
	into->end_ns = newer->end_ns;
	into->runq_ns += newer->runq_ns;
	into->blocked_ns += newer->blocked_ns;
	if (into->wait == newer->wait) {
		into->wait_ns += newer->wait_ns;
	} else if (newer->wait_ns > into->wait_ns) {
		into->wait = newer->wait;
		into->wait_ns = newer->wait_ns;
	}
}

static __always_inline u32 ring_begin(u32 level)
{
	return level ? PAST_SINGLES + (level - 1) * PAST_EACH : 0;
}

static __always_inline u32 ring_size(u32 level)
{
	return level ? PAST_EACH : PAST_SINGLES;
}

/* The entry with this number in a ring; NULL only for the verifier. */
static __always_inline struct past *ring_at(struct task_wakes *tw, u32 level, u32 number)
{
	u32 at = ring_begin(level) + (number & (ring_size(level) - 1));

	return at < PAST_LEN ? &tw->past[at] : NULL;
}

/*
 * Puts `carry` into the ring of this level. True: the ring was full, and its two oldest are now
 * `carry`, for the next one. The last ring keeps them.
 */
static __always_inline bool ring_push(struct task_wakes *tw, u32 level, struct past *carry)
{
	u32 n = tw->ring[level].pushed;
	struct past *oldest = ring_at(tw, level, n);
	struct past *second = ring_at(tw, level, n + 1);
	struct past older;

	if (!oldest || !second)
		return false;
	tw->ring[level].pushed = n + 1;
	if (tw->ring[level].len < ring_size(level)) {
		*oldest = *carry;
		tw->ring[level].len++;
		return false;
	}
	older = *oldest;
	past_merge(&older, second);
	*oldest = *carry;
	if (level == PAST_LEVELS - 1) {
		*second = older;
		return false;
	}
	tw->ring[level].len--;
	*carry = older;
	return true;
}

/*
 * Unrolled, for the verifier before Linux 6.3: it refuses a loop whose body falls through into its
 * head (push_insn() with loop_ok false), and clang lays this one out so.
 */
__noinline int past_push(struct task_wakes *tw)
{
	struct past carry;
	u32 level;

	if (!tw)
		return 0;
	carry = tw->newest;
#pragma unroll
	for (level = 0; level < PAST_LEVELS; level++) {
		if (!ring_push(tw, level, &carry))
			break;
	}
	return 0;
}

static __always_inline u64 later(u64 a, u64 b)
{
	return a > b ? a : b;
}

/* part / span of `of`, which is at most `span`; products stay within 64 bits for three days. */
static __always_inline u64 share_of_span(u64 of, u64 part, u64 span)
{
	u32 shift = span >> 30 ? 16 : 0;

	return span >> shift ? ((of >> shift) * (part >> shift) / (span >> shift)) << shift : 0;
}

static __always_inline void add_did(struct wakeup *u, u64 wait, u64 ns)
{
	u32 i;

	for (i = 0; i < WAKE_DIDS; i++) {
		if (!wait || !ns)
			break;
		if (i >= u->dids) {
			u->did[i].wait = wait;
			u->did[i].ns = ns;
			u->dids = i + 1;
			return;
		}
		if (u->did[i].wait == wait) {
			u->did[i].ns += ns;
			return;
		}
	}
	u->ns[CS_DOING_BLOCKED] += ns;
}

/*
 * The waker's past from p's begin, or from_ns, to t_ns: returns where that begins. Of a wait that
 * is only partly inside, the end is: that is when it waited for a CPU.
 */
__noinline u64 blame_past(struct wakeup *u, const struct past *p, u64 from_ns, u64 t_ns)
{
	u64 at, span, inside, runq, blocked, known;

	if (!u || !p || !p->end_ns || t_ns <= from_ns)
		return t_ns;
	at = later(p->end_ns, from_ns);
	if (at < t_ns) {
		u->ns[CS_DOING_RUNNING] += t_ns - at;
		t_ns = at;
	}
	at = later(p->begin_ns, from_ns);
	if (at >= t_ns)
		return t_ns;
	span = p->end_ns - p->begin_ns;
	inside = t_ns - at;
	runq = p->runq_ns;
	blocked = p->blocked_ns;
	known = p->wait_ns;
	if (inside < span && runq + blocked == span) {
		runq = runq < inside ? runq : inside;
		known = known == blocked ? inside - runq : 0;
		blocked = inside - runq;
	} else if (inside < span) {
		runq = share_of_span(runq, inside, span);
		blocked = share_of_span(blocked, inside, span);
		known = share_of_span(known, inside, span);
	}
	if (runq > inside)
		runq = inside;
	if (blocked > inside - runq)
		blocked = inside - runq;
	if (known > blocked)
		known = blocked;
	u->ns[CS_DOING_RUNQ] += runq;
	u->ns[CS_DOING_RUNNING] += inside - runq - blocked;
	u->ns[CS_DOING_BLOCKED] += blocked - known;
	add_did(u, p->wait, known);
	return at;
}

__noinline int wakeup_blame(struct wakeup *u, const struct task_slot *waker,
			    struct task_wakes *past, u64 from_ns)
{
	u64 t, begin;
	u32 level, n;

	if (!u || !waker || !past)
		return 0;
	t = u->at_ns;
	if (t <= from_ns)
		return 0;
	begin = waker->rec.begin_ns;
	if (!past->newest.end_ns) {
		/* It has not left its CPU since it was born, or taken into the trace. */
		begin = later(begin, from_ns);
		if (begin < t) {
			u->ns[CS_DOING_RUNNING] += t - begin;
			t = begin;
		}
	}
	t = blame_past(u, &past->newest, from_ns, t);
	for (level = 0; level < PAST_LEVELS; level++) {
		for (n = 0; n < ring_size(level); n++) {
			if (t <= from_ns)
				return 0;
			if (n < past->ring[level].len)
				t = blame_past(u,
					       ring_at(past, level,
						       past->ring[level].pushed - 1 - n),
					       from_ns, t);
		}
	}
	if (t <= from_ns)
		return 0;
	if (waker->rec.flags & CS_TASK_BORN && t <= waker->rec.begin_ns)
		u->ns[CS_DOING_UNBORN] += t - from_ns;
	else
		u->ns[CS_DOING_UNKNOWN] += t - from_ns;
	return 0;
}

static __always_inline u64 waker_hash(const struct cs_waker *w)
{
	const u64 *word = (const u64 *)w;
	u64 h = 0x9e3779b97f4a7c15ULL;
	u32 i;

	for (i = 0; i < sizeof(*w) / sizeof(*word); i++) {
		h = (h ^ word[i]) * 0xd6e8feb86659fd93ULL;
		h ^= h >> 32;
	}
	return h;
}

__noinline u64 waker_keep(u32 named)
{
	struct wake_scratch *ws = cfg.wakers ? this_wake_scratch() : NULL;
	const struct cs_waker *w;
	u64 id, depth = 0;
	long r;

	if (!ws)
		return 0;
	w = named ? &ws->named : &ws->waker;
	if (w->next)
		depth = (w->next & CS_WAKER_DEPTH_MASK) + 1;
	id = (waker_hash(w) & ~(CS_STACK_SIDE | CS_WAKER_DEPTH_MASK)) |
	     (control.salt & CS_STACK_SIDE) | (depth & CS_WAKER_DEPTH_MASK);
	if (bpf_map_lookup_elem(&wakers, &id))
		return id;
	r = bpf_map_update_elem(&wakers, &id, w, BPF_NOEXIST);
	return r && r != -EEXIST ? CS_WAKER_ID_OTHER : id;
}

static const struct cs_wake_sum no_wake = {};

static __always_inline struct cs_wake_sum *wake_sum_of(const struct cs_wake_key *key, u64 window)
{
	struct cs_wake_sum *sum;

	if (window & 1) {
		sum = bpf_map_lookup_elem(&wakes_odd, key);
		if (sum)
			return sum;
		bpf_map_update_elem(&wakes_odd, key, &no_wake, BPF_NOEXIST);
		return bpf_map_lookup_elem(&wakes_odd, key);
	}
	sum = bpf_map_lookup_elem(&wakes, key);
	if (sum)
		return sum;
	bpf_map_update_elem(&wakes, key, &no_wake, BPF_NOEXIST);
	return bpf_map_lookup_elem(&wakes, key);
}

/* What the sleeper did after a listed wakeup: it ran for ran_ns, and waits again. */
static __always_inline void add_brief(const struct listed_wake *listed, u64 ran_ns, bool again)
{
	struct cs_wake_key key = { .wait = listed->wait, .waker = listed->waker };
	struct cs_wake_sum *sum;

	if (listed->window & 1)
		sum = bpf_map_lookup_elem(&wakes_odd, &key);
	else
		sum = bpf_map_lookup_elem(&wakes, &key);
	if (!sum)
		return;
	sum->brief += listed->count;
	sum->brief_ns += ran_ns * listed->count;
	if (again)
		sum->again += listed->count;
}

__noinline int wakes_left(struct task_wakes *tw, u64 place, u64 now)
{
	u64 ran_ns;

	if (!cfg.wakers || !tw)
		return 0;
	ran_ns = tw->ran_ns + clock_since(tw->newest.end_ns, now);
	/* The sums of an earlier window have been read. */
	if (tw->listed.count && ran_ns < CS_BRIEF_NS && in_window(now) &&
	    tw->listed.window == window_at(now))
		add_brief(&tw->listed, ran_ns, place && place == tw->place);
	tw->listed.count = 0;
	tw->ran_ns = 0;
	tw->place = place;
	return 0;
}

/* Adds to a row that has only a part of what the waker did. Full: stays with the row of all. */
__noinline u64 wake_add_did(u64 wait, u64 waker, u64 did, u64 window, u64 ns)
{
	struct cs_wake_key key = { .wait = wait, .waker = waker, .did = did };
	struct cs_wake_sum *sum = cfg.wakers && ns ? wake_sum_of(&key, window) : NULL;

	if (!sum)
		return 0;
	sum->ns[CS_DOING_BLOCKED] += ns;
	return ns;
}

/* Of what is left to distribute, the share of one part of what is left of the whole. */
struct rest {
	u64 share_ns;
	u64 whole_ns;
};

static __always_inline u64 rest_take(struct rest *rest, u64 ns)
{
	u64 take = rest->share_ns == rest->whole_ns ?
			   ns :
			   share_of_span(ns, rest->share_ns, rest->whole_ns);

	if (ns >= rest->whole_ns || take > rest->share_ns)
		take = rest->share_ns;
	rest->share_ns -= take;
	rest->whole_ns -= ns < rest->whole_ns ? ns : rest->whole_ns;
	return take;
}

/* Who woke it is all that is known of a waker that did not seem worth a stack. */
static __always_inline u64 waker_of(struct wake_scratch *ws)
{
	const struct wakeup *u = &ws->ended;
	struct cs_waker *w = &ws->named;

	if (u->waker && waker_is_current(u->waker))
		return u->waker;
	w->start_boottime_ns = u->start_boottime_ns;
	w->thread = u->thread;
	w->context = u->context;
	w->flags = u->flags;
	w->end = u->context ? CS_CHAIN_INTERRUPT : CS_CHAIN_UNKNOWN;
	return waker_keep(true);
}

__noinline int wake_add(u64 wait, u64 window, const struct cs_share *share)
{
	struct wake_scratch *ws = cfg.wakers ? this_wake_scratch() : NULL;
	struct rest rest = {};
	struct cs_wake_key key = { .wait = wait };
	struct cs_wake_sum *sum;
	struct wakeup *u;
	u64 ns;
	u32 i;

	if (!ws || !share)
		return 0;
	u = &ws->ended;
	rest.share_ns = share->blocked_ns;
	for (i = 0; i < CS_DOING_CNT; i++)
		rest.whole_ns += u->ns[i];
	for (i = 0; i < WAKE_DIDS; i++)
		rest.whole_ns += i < u->dids ? u->did[i].ns : 0;
	key.waker = waker_of(ws);
	sum = wake_sum_of(&key, window);
	if (!sum) {
		STAT_ADD(wake_lost, share->count);
		return 0;
	}
	ws->added = (struct listed_wake){
		.wait = wait,
		.waker = key.waker,
		.window = window,
		.count = share->count,
	};
	sum->count += share->count;
	sum->bursts += u->first ? share->count : 0;
	sum->crowd += u->crowd ? share->count : 0;
	sum->ns[CS_DOING_WOKEN] += share->runq_ns;
	for (i = 0; i < WAKE_DIDS; i++) {
		if (i >= u->dids)
			break;
		ns = rest_take(&rest, u->did[i].ns);
		sum->ns[CS_DOING_BLOCKED] +=
			ns - wake_add_did(wait, key.waker, u->did[i].wait, window, ns);
	}
	for (i = CS_DOING_RUNNING; i < CS_DOING_CNT; i++)
		sum->ns[i] += rest_take(&rest, u->ns[i]);
	/*
	 * A wakeup before the sleeper had left the CPU: it did nothing in between.
	 */
	sum->ns[CS_DOING_UNKNOWN] += rest.share_ns;
	return 0;
}
