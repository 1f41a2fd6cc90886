/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/model/timeline.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"

struct making {
	struct timeline *t;
	const struct profile *p;
	struct timeline_bounds *bounds; /* by thread */
	u64 *reached_ns; /* by thread: the end of its last step */
};

/* A capture that takes over begins a few ns later: that is no gap. */
static u64 slack_ns(const struct profile *p)
{
	return p->hdr.gap_ns < NSEC_PER_USEC ? p->hdr.gap_ns : 0;
}

/* One window, or several that follow each other. */
static bool is_one_piece(const struct profile *p)
{
	return p->hdr.windows <= 1 || (p->hdr.gap_ns == slack_ns(p) && !p->hdr.overlap_ns);
}

/* What is known of a thread by its waits. */
struct waited {
	u64 begin_ns; /* of the first one */
	u64 end_ns; /* of the last one; 0: there is none */
	u64 ns;
};

static void add_up(const struct profile *p, struct waited *waited)
{
	u32 i;

	for (i = 0; i < p->moments_len; i++) {
		const struct profile_moment *m = &p->moments[i];
		struct waited *of = &waited[p->waits[m->wait].task];

		if (!of->ns)
			of->begin_ns = moment_begin_ns(m);
		of->end_ns = m->end_ns;
		of->ns += m->blocked_ns + m->runq_ns;
	}
}

/*
 * All that the thread waited has its instants, and no time is missing. What lies between two waits
 * may have been between two windows: it is no more than its time on a CPU otherwise.
 */
static bool is_whole(const struct profile *p, u32 task, const struct timeline_bounds *known,
		     u64 waited_ns)
{
	const struct profile_task *t = &p->tasks[task];
	u64 off_ns = t->preempted_ns + t->runq_ns;
	u32 s;

	for (s = 0; s < PROFILE_STATES; s++)
		off_ns += t->blocked_ns[s];
	if (t->unaccounted_ns || off_ns != waited_ns)
		return false;
	return p->hdr.windows <= 1 ||
	       known->end_ns - known->begin_ns <= waited_ns + t->on_ns + slack_ns(p);
}

/* The time of a thread that was not in all windows does not lie in one piece. */
static struct timeline_bounds bounds_of(const struct profile *p, u32 task, const struct waited *w)
{
	const struct profile_task *t = &p->tasks[task];
	u64 end_ns = t->begin_ns + t->wall_ns;
	bool inside = !w->end_ns || (w->begin_ns >= t->begin_ns && w->end_ns <= end_ns);
	struct timeline_bounds b = { .begin_ns = t->begin_ns, .end_ns = end_ns, .is_all = true };

	if (p->hdr.windows > 1 && !(inside && is_one_piece(p)))
		b = (struct timeline_bounds){ .begin_ns = w->begin_ns, .end_ns = w->end_ns };
	b.is_whole = is_whole(p, task, &b, w->ns);
	return b;
}

int timeline_bounds(const struct profile *p, struct timeline_bounds *bounds)
{
	struct waited *waited = mem_array(p->tasks_len, sizeof(*waited));
	u32 i;

	if (!waited)
		return -ENOMEM;
	add_up(p, waited);
	for (i = 1; i < p->tasks_len; i++)
		bounds[i] = bounds_of(p, i, &waited[i]);
	mem_free(waited);
	return 0;
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
		.kind = m->bounds[task].is_whole ? TIMELINE_ON_CPU : TIMELINE_UNKNOWN,
	};

	step.ns = until_ns > step.begin_ns ? until_ns - step.begin_ns : 0;
	return add(m, step);
}

static int add_all(struct making *m)
{
	const struct profile *p = m->p;
	u32 i;
	int r = 0;

	for (i = 1; i < p->tasks_len; i++)
		m->reached_ns[i] = m->bounds[i].begin_ns;
	for (i = 0; !r && i < p->moments_len; i++) {
		const struct profile_moment *at = &p->moments[i];
		u32 task = p->waits[at->wait].task;

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
	for (i = 1; !r && i < p->tasks_len; i++)
		r = add_between(m, i, m->bounds[i].end_ns);
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
	m.bounds = mem_array(p->tasks_len, sizeof(*m.bounds));
	m.reached_ns = mem_array(p->tasks_len, sizeof(*m.reached_ns));
	if (m.bounds && m.reached_ns)
		r = timeline_bounds(p, m.bounds);
	if (!r)
		r = add_all(&m);
	mem_free(m.bounds);
	mem_free(m.reached_ns);
	if (!r && t->steps.len > 1)
		qsort(t->steps.data, t->steps.len, sizeof(struct timeline_step), by_begin);
	return r;
}

void timeline__done(struct timeline *t)
{
	vec__done(&t->steps);
}
