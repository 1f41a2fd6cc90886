/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The division is a ratio estimate: its denominator, the blocked time of all intervals in which the
 * thread moved, is exact. The error is that of a share of n visits, B^2 * p * (1 - p) / n. It is an
 * upper bound: visits are spread over the window and not thrown at it.
 *
 * Counters may lag: the time of a running thread counts up to the last tick, a wait for a CPU when
 * it is over. So a difference may exceed its interval; then the excess was before it, and only the
 * sums of a window are believed.
 */
#include "visit/tally.h"

#include <errno.h>

typedef unsigned __int128 wide;

/* The share of a key, made if it is new; NULL when out of memory. */
static struct tally_share *share_of(struct visit_tally *t, u32 key, u32 state)
{
	struct tally_share *s;

	for (size_t i = 0; i < t->shares.len; i++) {
		s = vec__at(&t->shares, i);
		if (s->key == key && s->state == state) {
			t->last_share = (u32)i;
			return s;
		}
	}
	s = vec__push(&t->shares);
	if (!s)
		return NULL;
	s->key = key;
	s->state = state;
	t->last_share = (u32)t->shares.len - 1;
	return s;
}

static int find(struct visit_tally *t, u32 key, u32 state)
{
	struct tally_share *s = NULL;

	t->visits++;
	t->last_key = key;
	if (key) {
		s = share_of(t, key, state);
		if (!s)
			return -ENOMEM;
		s->visits++;
	}
	return 0;
}

int visit_tally__begin(struct visit_tally *t, const struct tally_reading *now, u32 key, u32 state)
{
	struct vec shares = t->shares;

	*t = (struct visit_tally){ .first = *now, .last = *now, .shares = shares };
	if (!shares.elem_sz)
		vec__init(&t->shares, sizeof(struct tally_share));
	vec__reset(&t->shares);
	return find(t, key, state);
}

void visit_tally__done(struct visit_tally *t)
{
	if (t)
		vec__done(&t->shares);
}

bool visit_tally__is_same(const struct visit_tally *t, const struct tally_reading *now)
{
	return t->last_key && now->runs != TALLY_RUNS_UNKNOWN && now->runs == t->last.runs &&
	       now->on_ns == t->last.on_ns;
}

static void add_evidence(struct visit_tally *t, u64 ns)
{
	struct tally_share *s = t->last_key ? vec__at(&t->shares, t->last_share) : NULL;

	if (s)
		s->evidence_ns += ns;
	else
		t->evidence_ns += ns;
}

int visit_tally__visit(struct visit_tally *t, const struct tally_reading *now, u32 key, u32 state)
{
	u64 dt = now->at_ns - t->last.at_ns;
	int r;

	add_evidence(t, dt / 2);
	r = find(t, key, state);
	if (r)
		return r;
	add_evidence(t, dt - dt / 2);
	t->moved_visits++;
	t->last = *now;
	return 0;
}

void visit_tally__stay(struct visit_tally *t, const struct tally_reading *now)
{
	struct tally_share *s = vec__at(&t->shares, t->last_share);

	t->visits++;
	s->visits++;
	s->same_ns += now->at_ns - t->last.at_ns;
	t->last = *now;
}

static u64 less(u64 a, u64 b)
{
	return a < b ? a : b;
}

/* Counters only grow, except where another thread has taken the number. */
static u64 grown(u64 first, u64 last)
{
	return last > first ? last - first : 0;
}

/* The totals; *ret_blocked is what is left of the wall-clock time. */
static void find_totals(struct visit_tally *t, u64 *ret_blocked)
{
	t->wall_ns = t->last.at_ns - t->first.at_ns;
	t->on_ns = less(grown(t->first.on_ns, t->last.on_ns), t->wall_ns);
	t->runq_ns = less(grown(t->first.runq_ns, t->last.runq_ns), t->wall_ns - t->on_ns);
	*ret_blocked = t->wall_ns - t->on_ns - t->runq_ns;
}

static u64 part(u64 whole, u64 share, u64 of)
{
	return of ? (u64)((wide)whole * share / of) : 0;
}

/* B^2 * p * (1 - p) / n, in us^2. */
static u64 variance(u64 blocked_ns, u64 share, u64 of, u32 n)
{
	wide b_us = blocked_ns / 1000;
	wide rest = of - share;

	if (!of || !n || !share)
		return 0;
	return (u64)(b_us * share / of * b_us * rest / of / n);
}

/*
 * The time in waits that a visit found twice is exact, if it is no more than there is. The rest is
 * divided by the evidence, and what rounding leaves goes to the last one.
 */
static void divide(struct visit_tally *t, u64 blocked)
{
	u64 same = 0, evidence = 0, moved, given = 0;
	struct tally_share *s = NULL;

	for (size_t i = 0; i < t->shares.len; i++) {
		s = vec__at(&t->shares, i);
		same += s->same_ns;
		evidence += s->evidence_ns;
	}
	moved = blocked > same ? blocked - same : 0;
	for (size_t i = 0; i < t->shares.len; i++) {
		s = vec__at(&t->shares, i);
		s->blocked_ns = same <= blocked ? s->same_ns : part(blocked, s->same_ns, same);
		s->blocked_ns += part(moved, s->evidence_ns, evidence);
		s->var_us2 = variance(moved, s->evidence_ns, evidence, t->moved_visits);
		given += s->blocked_ns;
	}
	if (s && (evidence || same >= blocked))
		s->blocked_ns += blocked - given;
	else
		t->blocked_ns = blocked - given;
}

void visit_tally__finish(struct visit_tally *t, u64 waits)
{
	u64 blocked;

	find_totals(t, &blocked);
	t->blocked_ns = 0;
	t->unaccounted_ns = 0;
	if (!t->shares.len && !waits)
		t->unaccounted_ns = blocked;
	else
		divide(t, blocked);
}
