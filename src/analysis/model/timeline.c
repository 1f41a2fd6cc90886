/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/model/timeline.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"

struct making {
	struct timeline *t;
	const struct profile *p;
	u64 *moments_ns; /* by thread: the sum of its moments */
	bool *is_whole; /* by thread */
	u64 *reached_ns; /* by thread: the end of its last step */
};

static bool is_one_window(const struct profile *p)
{
	return p->hdr.windows <= 1;
}

/* All that the thread waited has its instants, and no time is missing. */
static bool is_whole(const struct making *m, u32 task)
{
	const struct profile_task *t = &m->p->tasks[task];
	u64 off_ns = t->preempted_ns + t->runq_ns;
	u32 s;

	for (s = 0; s < PROFILE_STATES; s++)
		off_ns += t->blocked_ns[s];
	return !t->unaccounted_ns && off_ns == m->moments_ns[task];
}

static void sum_up(struct making *m)
{
	const struct profile *p = m->p;
	u32 i;

	for (i = 0; i < p->moments_len; i++)
		m->moments_ns[p->waits[p->moments[i].wait].task] +=
			p->moments[i].blocked_ns + p->moments[i].runq_ns;
	for (i = 1; i < p->tasks_len; i++)
		m->is_whole[i] = is_whole(m, i);
}

static int add(struct making *m, struct timeline_step step)
{
	struct timeline_step *copy;

	if (!step.ns)
		return 0;
	copy = vec__push(&m->t->steps);
	if (!copy)
		return -ENOMEM;
	*copy = step;
	return 0;
}

/* What the thread did until then. */
static int add_between(struct making *m, u32 task, u64 until_ns)
{
	struct timeline_step step = {
		.begin_ns = m->reached_ns[task],
		.task = task,
		.kind = m->is_whole[task] ? TIMELINE_ON_CPU : TIMELINE_UNKNOWN,
	};

	step.ns = until_ns > step.begin_ns ? until_ns - step.begin_ns : 0;
	return add(m, step);
}

static int add_all(struct making *m)
{
	const struct profile *p = m->p;
	bool first;
	u32 i;
	int r = 0;

	for (i = 1; i < p->tasks_len; i++)
		m->reached_ns[i] = is_one_window(p) ? p->tasks[i].begin_ns : ~0ULL;
	for (i = 0; !r && i < p->moments_len; i++) {
		const struct profile_moment *at = &p->moments[i];
		u32 task = p->waits[at->wait].task;

		first = m->reached_ns[task] == ~0ULL;
		if (!first)
			r = add_between(m, task, moment_begin_ns(at));
		if (!r)
			r = add(m, (struct timeline_step){
					   .begin_ns = moment_begin_ns(at),
					   .ns = at->blocked_ns + at->runq_ns,
					   .task = task,
					   .kind = TIMELINE_WAIT,
					   .moment = i,
				   });
		m->reached_ns[task] = at->end_ns;
	}
	for (i = 1; !r && is_one_window(p) && i < p->tasks_len; i++)
		r = add_between(m, i, p->tasks[i].begin_ns + p->tasks[i].wall_ns);
	return r;
}

static int by_begin(const void *a, const void *b)
{
	const struct timeline_step *x = a, *y = b;

	if (x->begin_ns != y->begin_ns)
		return x->begin_ns < y->begin_ns ? -1 : 1;
	return (x->task > y->task) - (x->task < y->task);
}

int timeline__init(struct timeline *t, const struct profile *p)
{
	struct making m = { .t = t, .p = p };
	int r = -ENOMEM;

	vec__init(&t->steps, sizeof(struct timeline_step));
	m.moments_ns = mem_array(p->tasks_len, sizeof(*m.moments_ns));
	m.is_whole = mem_array(p->tasks_len, sizeof(*m.is_whole));
	m.reached_ns = mem_array(p->tasks_len, sizeof(*m.reached_ns));
	if (m.moments_ns && m.is_whole && m.reached_ns) {
		sum_up(&m);
		r = add_all(&m);
	}
	mem_free(m.moments_ns);
	mem_free(m.is_whole);
	mem_free(m.reached_ns);
	if (!r && t->steps.len > 1)
		qsort(t->steps.data, t->steps.len, sizeof(struct timeline_step), by_begin);
	return r;
}

void timeline__done(struct timeline *t)
{
	vec__done(&t->steps);
}
