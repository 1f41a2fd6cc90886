/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/summary.h"

#include <errno.h>

#include "analysis/cause_memo.h"
#include "profile/estimate.h"

static u64 less(u64 a, u64 b)
{
	return a > b ? a - b : 0;
}

static void split_blocked(struct summary *s, const struct profile *p, const struct causes *causes)
{
	u64 idle_by_state_ns[PROFILE_STATES] = { 0 };
	u32 i;

	for (i = 1; i < p->waits_len; i++) {
		const struct profile_wait *w = &p->waits[i];
		enum wait_class class = causes__class(causes, i);

		if (class == CLASS_BAD)
			s->bad_ns += w->blocked_ns;
		if (class != CLASS_IDLE || w->state >= PROFILE_STATES)
			continue;
		idle_by_state_ns[w->state] += w->blocked_ns;
		s->idle_var_us2 = estimate_add_var(s->idle_var_us2, w->var_us2);
	}
	for (i = 0; i < PROFILE_STATES; i++) {
		u64 all = s->budget.blocked_by_state_ns[i];

		s->blocked_by_state_ns[i] = less(all, idle_by_state_ns[i]);
		s->blocked_ns += s->blocked_by_state_ns[i];
		s->idle_ns += all - s->blocked_by_state_ns[i];
	}
}

int summary__build(const struct profile *p, struct cause_memo *memo, struct arena *a,
		   struct summary *ret, struct err *err)
{
	struct causes causes;
	int r;

	memset(ret, 0, sizeof(*ret));
	if (profile__budget(p, &ret->budget))
		return err__nomem(err);
	r = causes__recall(&causes, p, memo, err);
	if (!r)
		split_blocked(ret, p, &causes);
	causes__done(&causes);
	if (!r)
		r = top__build(p, TOP_BY_CAUSE, memo, a, &ret->kinds, err);
	return r ? r : top__build(p, TOP_BY_PLACE, memo, a, &ret->waits, err);
}

u64 summary_busy_ns(const struct top *t)
{
	u64 ns = 0;
	u32 i;

	for (i = 0; i < t->len - t->idle; i++)
		ns += top_row__ns(&t->rows[i]);
	return ns;
}

static u64 each(u64 ns, unsigned __int128 requests)
{
	return (u64)((unsigned __int128)ns * 1000000000000ULL / requests);
}

static u64 in_threads(u64 ns, u64 window_ns)
{
	return (u64)((unsigned __int128)ns * 1000 / window_ns);
}

void summary_requests_of(const struct profile *p, const struct summary *s, u64 milli_per_s,
			 struct summary_requests *ret)
{
	const struct profile_budget *b = &s->budget;
	u64 window_ns = less(p->hdr.window_ns, p->hdr.gap_ns);
	u64 runq_ns = b->preempted_ns + b->runq_ns;
	unsigned __int128 requests = (unsigned __int128)milli_per_s * window_ns; /* * 1e-12 */

	*ret = (struct summary_requests){ .milli_per_s = milli_per_s };
	if (!requests)
		return;
	ret->on_ns = each(b->on_ns, requests);
	ret->runq_ns = each(runq_ns, requests);
	ret->blocked_ns = each(s->blocked_ns, requests);
	ret->threads_milli = in_threads(b->wall_ns, window_ns);
	ret->busy_milli = in_threads(b->on_ns + runq_ns + s->blocked_ns, window_ns);
	ret->on_milli = in_threads(b->on_ns, window_ns);
}
