/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/model/summary.h"

#include <errno.h>

#include "analysis/cause/cause_memo.h"
#include "analysis/model/idle_time.h"

static u64 less(u64 a, u64 b)
{
	return a > b ? a - b : 0;
}

/* A filtered list does not cover the totals: then the header has the idle time. */
static struct idle_time idle_of(const struct profile *p, const struct causes *causes)
{
	struct idle_time idle = { .var_us2 = p->hdr.idle_var_us2 };

	if (!p->hdr.filtered)
		return idle_time_of(p, causes, NULL);
	memcpy(idle.ns, p->hdr.idle_ns, sizeof(idle.ns));
	return idle;
}

static void split_blocked(struct summary *s, const struct profile *p, const struct causes *causes)
{
	struct idle_time idle = idle_of(p, causes);
	u32 i;

	s->idle_known = !p->hdr.filtered || p->hdr.idle_known;
	s->idle_var_us2 = idle.var_us2;
	for (i = 1; i < p->waits_len; i++) {
		if (causes__class(causes, i) == CLASS_BAD)
			s->bad_ns += p->waits[i].blocked_ns;
	}
	for (i = 0; i < PROFILE_STATES; i++) {
		u64 all = s->budget.blocked_by_state_ns[i];

		s->blocked_by_state_ns[i] = i == IDLE_TIME_RUNQ ? all : less(all, idle.ns[i]);
		s->blocked_ns += s->blocked_by_state_ns[i];
		s->idle_ns += all - s->blocked_by_state_ns[i];
	}
	s->woken_ns = s->budget.runq_ns - less(s->budget.runq_ns, idle.ns[IDLE_TIME_RUNQ]);
	s->runq_ns = s->budget.preempted_ns + s->budget.runq_ns - s->woken_ns;
	s->idle_ns += s->woken_ns;
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

struct top_row summary_woken(const struct top *t)
{
	struct top_row woken = { 0 };
	u32 i;

	for (i = t->len - t->idle; i < t->len; i++) {
		woken.runq_ns += t->rows[i].runq_ns;
		woken.count += t->rows[i].count;
		woken.samples += t->rows[i].samples;
	}
	return woken;
}

bool summary_woken_is_next(const struct top *t, u32 row, const struct top_row *woken)
{
	return woken->runq_ns &&
	       (row == t->len - t->idle || woken->runq_ns > top_row__ns(&t->rows[row]));
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
	u64 window_ns = p->hdr.window_ns; /* of several windows: without the gaps between them */
	unsigned __int128 requests = (unsigned __int128)milli_per_s * window_ns; /* * 1e-12 */

	*ret = (struct summary_requests){ .milli_per_s = milli_per_s };
	if (!requests)
		return;
	ret->on_ns = each(b->on_ns, requests);
	ret->runq_ns = each(s->runq_ns, requests);
	ret->blocked_ns = each(s->blocked_ns, requests);
	ret->threads_milli = in_threads(b->wall_ns, window_ns);
	ret->busy_milli = in_threads(b->on_ns + s->runq_ns + s->blocked_ns, window_ns);
	ret->on_milli = in_threads(b->on_ns, window_ns);
}
