/* SPDX-License-Identifier: Apache-2.0 */
/* Shares no code with the merge that it judges. */
#include "lib/tally.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define DIFFERENCES 10

u64 tally_id(const struct profile_task *t)
{
	return t->start_boottime_ns * 0x9e3779b97f4a7c15ULL ^ t->tid;
}

void tally__init(struct tally *t)
{
	*t = (struct tally){ 0 };
	map64__init(&t->ids);
	vec__init(&t->threads, sizeof(struct tally_thread));
}

void tally__done(struct tally *t)
{
	map64__done(&t->ids);
	vec__done(&t->threads);
}

/* NULL when out of memory. */
static struct tally_thread *thread_of(struct tally *t, const struct profile_task *task)
{
	u64 id = tally_id(task), idx;
	struct tally_thread *thread;

	if (map64__get(&t->ids, id, &idx))
		return vec__at(&t->threads, idx);
	if (map64__set(&t->ids, id, t->threads.len))
		return NULL;
	thread = vec__push(&t->threads);
	if (thread)
		*thread = (struct tally_thread){ .id = id };
	return thread;
}

static int add_task(struct tally *t, const struct profile_task *task)
{
	struct tally_thread *thread = thread_of(t, task);

	if (!thread)
		return -ENOMEM;
#define X(member) thread->member += task->member;
	TALLY_TASK(X)
#undef X
	for (u32 i = 0; i < PROFILE_STATES; i++)
		thread->blocked_by_state_ns[i] += task->blocked_ns[i];
	return 0;
}

static void add_wait(struct tally_thread *thread, const struct profile_wait *w)
{
#define X(member) thread->waits.member += w->member;
	TALLY_WAIT(X)
#undef X
	if (w->max_ns > thread->waits.max_ns)
		thread->waits.max_ns = w->max_ns;
	for (u32 i = 0; i < ARRAY_LEN(thread->waits.flags); i++)
		thread->waits.flags[i] += w->flags >> i & 1 ? w->count : 0;
	for (u32 i = 0; i < PROFILE_HIST_LEN; i++)
		thread->waits.hist[i] += w->hist[i];
}

/* What belongs to no thread, or is large. */
static void add_rest(struct tally *t, const struct profile *p)
{
	for (u32 i = 1; i < p->bins_len; i++)
		t->bins[p->bins[i].kind][p->bins[i].bucket] += p->bins[i].count;
	for (u32 i = 0; i < p->intervals_len; i++)
		t->intervals_ns += p->intervals[i].length_ns;
	for (u32 i = 0; i < p->replicates_len; i++)
		t->replicates_ns += p->replicates[i].ns;
	for (u32 i = 0; i < LOSS_CNT; i++) {
		t->losses[i].events += p->losses[i].events;
		t->losses[i].ns += p->losses[i].ns;
	}
}

int tally__add(struct tally *t, const struct profile *p)
{
	for (u32 i = 1; i < p->tasks_len; i++)
		if (add_task(t, &p->tasks[i]))
			return -ENOMEM;
	for (u32 i = 1; i < p->waits_len; i++)
		add_wait(thread_of(t, &p->tasks[p->waits[i].task]), &p->waits[i]);
	for (u32 i = 1; i < p->hots_len; i++) {
		struct tally_thread *thread = thread_of(t, &p->tasks[p->hots[i].task]);

		thread->hot_ns += p->hots[i].on_ns;
		thread->hot_samples += p->hots[i].samples;
	}
	for (u32 i = 1; i < p->bins_len; i++)
		thread_of(t, &p->tasks[p->bins[i].task])->bins += p->bins[i].count;
	add_rest(t, p);
	return 0;
}

/* Compares sums one by one; `what` says whose. Returns how many differ. */
static u32 differ(const char *what, u64 id, const void *a, const void *b, size_t sz)
{
	const u64 *x = a, *y = b;
	u32 n = 0;

	for (size_t i = 0; i < sz / sizeof(*x); i++)
		if (x[i] != y[i] && ++n <= DIFFERENCES)
			fprintf(stderr, "# %s %llx: sum %zu is %llu and %llu\n", what,
				(unsigned long long)id, i, (unsigned long long)x[i],
				(unsigned long long)y[i]);
	return n;
}

bool tally__equal(const struct tally *a, const struct tally *b)
{
	const u64 x[] = { a->threads.len, a->intervals_ns, a->replicates_ns };
	const u64 y[] = { b->threads.len, b->intervals_ns, b->replicates_ns };
	u32 n = differ("threads, intervals, replicates", 0, x, y, sizeof(x)) +
		differ("losses", 0, a->losses, b->losses, sizeof(a->losses)) +
		differ("histograms", 0, a->bins, b->bins, sizeof(a->bins));

	for (size_t i = 0; i < a->threads.len && n < DIFFERENCES; i++) {
		const struct tally_thread *thread = vec__at(&a->threads, i);
		u64 idx;

		if (map64__get(&b->ids, thread->id, &idx))
			n += differ("thread", thread->id, thread, vec__at(&b->threads, idx),
				    sizeof(*thread));
		else
			n++;
	}
	return !n;
}
