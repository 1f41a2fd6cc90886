/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps by thread, because a path jumps from thread to thread and looks for an instant there. The
 * timeline is sorted by time already, so distributing its steps keeps their order in each lane.
 */
#include "analysis/path/lanes.h"

#include <errno.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"

struct thread {
	u64 start_boottime_ns;
	u32 tid;
	u32 one; /* so that no key is all zero */
};

static int find_threads(struct lanes *l, const struct profile *p)
{
	struct intern threads;
	u32 i, id;
	int r = intern__init(&threads, sizeof(struct thread), sizeof(struct thread));

	for (i = 1; i < p->tasks_len && !r; i++) {
		struct thread key = {
			.start_boottime_ns = p->tasks[i].start_boottime_ns,
			.tid = p->tasks[i].tid,
			.one = 1,
		};

		r = intern__add(&threads, &key, &id);
		if (!r)
			l->of_task[i] = id - 1;
	}
	l->len = intern__len(&threads) ? intern__len(&threads) - 1 : 0;
	intern__done(&threads);
	return r;
}

static void count_steps(struct lanes *l, const struct timeline *t)
{
	u32 first = 0, i;

	for (i = 0; i < t->steps.len; i++) {
		const struct timeline_step *s = vec__at(&t->steps, i);

		l->lanes[l->of_task[s->task]].len++;
	}
	for (i = 0; i < l->len; i++) {
		l->lanes[i].first = first;
		first += l->lanes[i].len;
		l->lanes[i].len = 0;
	}
}

static void add_step(struct lanes *l, const struct timeline_step *s)
{
	struct lane *lane = &l->lanes[l->of_task[s->task]];

	if (!lane->len) {
		lane->task = s->task;
		lane->begin_ns = s->begin_ns;
	}
	lane->last_task = s->task;
	lane->end_ns = s->begin_ns + s->ns;
	l->steps[lane->first + lane->len++] = *s;
}

static int distribute(struct lanes *l, const struct profile *p, const struct timeline *t)
{
	u32 i;

	l->lanes = mem_array((size_t)l->len + 1, sizeof(*l->lanes));
	l->steps = mem_array(t->steps.len + 1, sizeof(*l->steps));
	if (!l->lanes || !l->steps)
		return -ENOMEM;
	for (i = p->tasks_len - 1; i >= 1; i--) {
		l->lanes[l->of_task[i]].task = i;
		if (!l->lanes[l->of_task[i]].last_task)
			l->lanes[l->of_task[i]].last_task = i;
	}
	count_steps(l, t);
	for (i = 0; i < t->steps.len; i++)
		add_step(l, vec__at(&t->steps, i));
	return 0;
}

int lanes__init(struct lanes *l, const struct profile *p)
{
	struct timeline t;
	int r;

	memset(l, 0, sizeof(*l));
	l->p = p;
	r = timeline__init(&t, p);
	l->of_task = mem_array(p->tasks_len, sizeof(*l->of_task));
	if (!r && l->of_task)
		r = find_threads(l, p);
	if (!r && l->of_task)
		r = distribute(l, p, &t);
	timeline__done(&t);
	return r || !l->of_task ? -ENOMEM : 0;
}

void lanes__done(struct lanes *l)
{
	if (!l)
		return;
	mem_free(l->steps);
	mem_free(l->lanes);
	mem_free(l->of_task);
	memset(l, 0, sizeof(*l));
}

u32 lanes__find(const struct lanes *l, u32 lane, u64 at_ns)
{
	u32 low = l->lanes[lane].first, high = low + l->lanes[lane].len;

	while (low < high) {
		u32 mid = low + (high - low) / 2;

		if (l->steps[mid].begin_ns + l->steps[mid].ns > at_ns)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

static bool goes_on(const struct lanes *l, const struct timeline_step *s)
{
	const struct profile_wait *w = &l->p->waits[l->p->moments[s->moment].wait];
	const struct profile_wait *next;

	if (!(w->flags & WAIT_OPEN) || s[1].kind != TIMELINE_WAIT ||
	    s[1].begin_ns != s->begin_ns + s->ns)
		return false;
	next = &l->p->waits[l->p->moments[s[1].moment].wait];
	return next->flags & WAIT_PRE && next->state == w->state;
}

u32 lanes__last_of_wait(const struct lanes *l, u32 lane, u32 step)
{
	u32 last = l->lanes[lane].first + l->lanes[lane].len - 1;

	while (!l->p->moments[l->steps[step].moment].waker && step < last &&
	       goes_on(l, &l->steps[step]))
		step++;
	return step;
}
