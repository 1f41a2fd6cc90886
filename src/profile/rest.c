/* SPDX-License-Identifier: Apache-2.0 */
/* The time of a task that no listed wait covers. */
#include "profile/rest.h"

void rest_list(const struct profile_wait *waits, u32 len, struct rest_listed *by_task)
{
	u32 i;

	for (i = 1; i < len; i++) {
		const struct profile_wait *w = &waits[i];

		by_task[w->task].count += w->count;
		by_task[w->task].blocked_ns[w->state] += w->blocked_ns;
		by_task[w->task].runq_ns += w->runq_ns;
	}
}

static u64 rest_of(u64 total, u64 listed)
{
	return total > listed ? total - listed : 0;
}

/*
 * The rest of one task as one wait. A wait has one state, so it gets the one that lost most; the
 * sum over states must be right, even if the list has more of a state than the totals.
 */
static struct profile_wait lost_wait(const struct profile_task *t, const struct rest_listed *l)
{
	struct profile_wait w = { .sysno = -1, .flags = WAIT_LOST };
	u64 total = 0, listed = 0, most = 0;
	u32 s;

	for (s = 0; s < PROFILE_STATES; s++) {
		u64 rest = rest_of(t->blocked_ns[s], l->blocked_ns[s]);

		total += t->blocked_ns[s];
		listed += l->blocked_ns[s];
		if (rest > most) {
			most = rest;
			w.state = s;
		}
	}
	w.blocked_ns = rest_of(total, listed);
	w.runq_ns = rest_of(t->preempted_ns + t->runq_ns, l->runq_ns);
	if (!w.blocked_ns)
		w.state = 0;
	return w;
}

/*
 * The list of a sampled task differs by chance, up to a bound; only the excess is lost. Then the
 * split into blocked and run queue time is only a guess, but their sum is right.
 */
static void even_out(const struct profile_header *hdr, const struct profile_task *t,
		     const struct rest_listed *l, struct profile_wait *w)
{
	u64 total = t->preempted_ns + t->runq_ns, listed = l->runq_ns, rest;
	u32 s;

	if (!hdr->period_max_ns)
		return;
	for (s = 0; s < PROFILE_STATES; s++) {
		total += t->blocked_ns[s];
		listed += l->blocked_ns[s];
	}
	rest = rest_of(total, listed);
	if (rest <= hdr->period_sum_ns)
		rest = 0;
	if (w->blocked_ns > rest)
		w->blocked_ns = rest;
	w->runq_ns = rest - w->blocked_ns;
	if (!w->blocked_ns)
		w->state = 0;
}

struct profile_wait rest_wait(const struct profile_header *hdr, const struct profile_task *t,
			      u64 waits, const struct rest_listed *l)
{
	struct profile_wait w = lost_wait(t, l);

	w.count = rest_of(waits, l->count);
	even_out(hdr, t, l, &w);
	return w;
}
