/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a builder that makes rows add up to the totals of their threads, and says in which
 * interval of the window they were.
 */
#include "profile/builder_priv.h"

#include <errno.h>

#include "base/mem.h"
#include "profile/hot_share.h"
#include "profile/rest.h"

int builder__interval(struct builder *b, const struct profile_interval *iv)
{
	const struct profile_interval *last;
	struct profile_interval *copy;

	if (b->error)
		return b->error;
	last = b->intervals.len ? vec__at(&b->intervals, b->intervals.len - 1) : NULL;
	if (!iv->length_ns || (last && iv->begin_ns <= last->begin_ns))
		return builder__refuse(b, "an interval is empty, or not behind the one before");
	copy = vec__push(&b->intervals);
	if (!copy)
		return builder__settle(b, -ENOMEM);
	*copy = *iv;
	return 0;
}

u32 builder__intervals(const struct builder *b)
{
	return (u32)b->intervals.len;
}

int builder__replicate(struct builder *b, const struct profile_replicate *rep)
{
	struct profile_replicate *copy;

	if (b->error)
		return b->error;
	if (!rep->wait || rep->wait >= intern__len(&b->waits) || rep->interval >= b->intervals.len)
		return builder__refuse(b,
				       "a replicate is of a wait or interval that does not exist");
	if (!rep->ns)
		return 0;
	copy = vec__push(&b->replicates);
	if (!copy)
		return builder__settle(b, -ENOMEM);
	*copy = *rep;
	return 0;
}

void builder__drop_replicates(struct builder *b)
{
	vec__done(&b->intervals);
	vec__done(&b->replicates);
}

static u64 waits_of(const struct builder *b, u32 task)
{
	return task < b->task_waits.len ? *(u64 *)vec__at(&b->task_waits, task) : 0;
}

int builder__add_rest_waits(struct builder *b)
{
	struct rest_listed *by_task;
	struct profile_wait w;
	u32 i;

	by_task = mem_array(b->tasks.len, sizeof(*by_task));
	if (!by_task)
		return builder__settle(b, -ENOMEM);
	rest_list(intern__at(&b->waits, 0), intern__len(&b->waits), by_task);
	for (i = 1; i < b->tasks.len && !b->error; i++) {
		w = rest_wait(&b->hdr, vec__at(&b->tasks, i), waits_of(b, i), &by_task[i]);
		w.task = i;
		if (w.blocked_ns || w.runq_ns)
			builder__wait(b, &w);
	}
	mem_free(by_task);
	return b->error;
}

/* What the list has more of a state than the totals know of it. */
static void unknown_of(const struct profile_task *t, const struct rest_listed *l,
		       u64 want[PROFILE_STATES], u64 *ret_sum)
{
	u32 s;

	*ret_sum = 0;
	for (s = 1; s < PROFILE_STATES; s++) {
		want[s] = l->blocked_ns[s] > t->blocked_ns[s] ?
				  l->blocked_ns[s] - t->blocked_ns[s] :
				  0;
		*ret_sum += want[s];
	}
}

/* A thread that no visit found asleep is taken to have slept in state S. */
static void share_blocked(struct profile_task *t, const struct rest_listed *l)
{
	u64 want[PROFILE_STATES], sum, ns = t->blocked_ns[0], left = ns;
	u32 s;

	unknown_of(t, l, want, &sum);
	t->blocked_ns[0] = 0;
	for (s = 2; s < PROFILE_STATES && sum; s++) {
		u64 part = (u64)((unsigned __int128)ns * want[s] / sum);

		t->blocked_ns[s] += part;
		left -= part;
	}
	t->blocked_ns[1] += left;
}

int builder__share_blocked(struct builder *b)
{
	struct rest_listed *by_task;
	u32 i;

	if (b->error)
		return b->error;
	by_task = mem_array(b->tasks.len, sizeof(*by_task));
	if (!by_task)
		return builder__settle(b, -ENOMEM);
	rest_list(intern__at(&b->waits, 0), intern__len(&b->waits), by_task);
	for (i = 1; i < b->tasks.len; i++)
		share_blocked(vec__at(&b->tasks, i), &by_task[i]);
	mem_free(by_task);
	return 0;
}

int builder__add_rest_hots(struct builder *b)
{
	struct profile_hot rest = { .sysno = -1, .flags = HOT_NOT_SAMPLED };
	u64 *by_task = mem_array(b->tasks.len, sizeof(*by_task));
	u32 i;

	if (!by_task)
		return builder__settle(b, -ENOMEM);
	for (i = 1; i < intern__len(&b->hots); i++) {
		const struct profile_hot *h = intern__at(&b->hots, i);

		by_task[h->task] += h->on_ns;
	}
	for (i = 1; i < b->tasks.len && !b->error; i++) {
		const struct profile_task *t = vec__at(&b->tasks, i);

		rest.task = i;
		rest.on_ns = t->on_ns > by_task[i] ? t->on_ns - by_task[i] : 0;
		if (rest.on_ns)
			builder__hot(b, &rest);
	}
	mem_free(by_task);
	return b->error;
}

int builder__share_on_cpu(struct builder *b)
{
	struct hot_tally *by_task;

	if (b->error)
		return b->error;
	by_task = mem_array(b->tasks.len, sizeof(*by_task));
	if (!by_task)
		return builder__settle(b, -ENOMEM);
	hot_share(intern__at(&b->hots, 0), intern__len(&b->hots), vec__at(&b->tasks, 0), by_task);
	mem_free(by_task);
	return builder__add_rest_hots(b);
}

int builder__order_replicates(struct builder *b)
{
	int r = replicates_sort(&b->replicates);

	while (!r && (b->intervals.len > PROFILE_INTERVALS_MAX ||
		      (b->replicates.len > PROFILE_REPLICATES_MAX && b->intervals.len > 1)))
		r = replicates_coarsen(&b->intervals, &b->replicates);
	return r ? builder__refuse(b, "replicates add up to more than a number can hold") : 0;
}
