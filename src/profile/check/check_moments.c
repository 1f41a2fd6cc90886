/* SPDX-License-Identifier: Apache-2.0 */
/* Moments: each of a wait, one after the other for a thread, and together no more than the wait. */
#include "profile/check/check_priv.h"

#include <errno.h>

#include "base/mem.h"

struct moment_sums {
	u64 blocked_ns;
	u64 runq_ns;
	u64 count;
};

struct checking {
	const struct profile *p;
	struct moment_sums *by_wait;
	u64 *end_of_task; /* of its last moment */
};

static int refuse(u32 i, const char *what, struct err *err)
{
	return err__set(err, -EINVAL, "moment %u %s", i, what);
}

/* The bounds of a thread's time are of one window only: those of several are put together. */
static bool is_in_time(const struct profile *p, const struct profile_moment *m,
		       const struct profile_task *t)
{
	return p->hdr.windows > 1 ||
	       (moment_begin_ns(m) >= t->begin_ns && m->end_ns <= p->hdr.window_ns);
}

static int check_moment(struct checking *c, u32 i, struct err *err)
{
	const struct profile *p = c->p;
	const struct profile_moment *m = &p->moments[i];
	struct moment_sums *sums;
	u64 ns;
	u32 task;

	if (!m->wait || m->wait >= p->waits_len || m->waker >= p->wakers_len)
		return refuse(i, "is of a wait or waker that does not exist", err);
	if (__builtin_add_overflow(m->blocked_ns, m->runq_ns, &ns) || !ns || ns > m->end_ns)
		return refuse(i, "has no time, or began before the window", err);
	if (i && m[-1].end_ns > m->end_ns)
		return refuse(i, "is not in order", err);
	task = p->waits[m->wait].task;
	if (!is_in_time(p, m, &p->tasks[task]))
		return refuse(i, "is outside the time of its thread", err);
	if (moment_begin_ns(m) < c->end_of_task[task])
		return refuse(i, "began before the one before of its thread had ended", err);
	c->end_of_task[task] = m->end_ns;
	sums = &c->by_wait[m->wait];
	/* They do not overflow: the moments of a thread follow each other. */
	sums->blocked_ns += m->blocked_ns;
	sums->runq_ns += m->runq_ns;
	sums->count++;
	return 0;
}

static int compare(const struct checking *c, struct err *err)
{
	const struct profile *p = c->p;
	bool whole = !p->losses[LOSS_MOMENTS].events;
	u32 i;

	for (i = 1; i < p->waits_len; i++) {
		const struct profile_wait *w = &p->waits[i];
		const struct moment_sums *s = &c->by_wait[i];
		bool equal = s->blocked_ns == w->blocked_ns && s->runq_ns == w->runq_ns;

		if (s->blocked_ns > w->blocked_ns || s->runq_ns > w->runq_ns)
			return err__set(err, -EINVAL,
					"the moments of wait %u are more than its sum", i);
		if (whole && !equal && !(w->flags & WAIT_LOST))
			return err__set(err, -EINVAL,
					"the moments of wait %u are less than its sum", i);
	}
	return 0;
}

int check_marks(const struct profile *p, struct err *err)
{
	u8 trace[MARK_TRACE_BYTES];
	u32 i;

	for (i = 0; i < p->marks_len; i++) {
		const struct profile_mark *m = &p->marks[i];

		if (!m->task || m->task >= p->tasks_len || !*profile__str(p, m->class) ||
		    m->kind >= MARK_KINDS)
			return err__set(err, -EINVAL,
					"mark %u is of a thread or class that does not exist", i);
		if (m->trace && !mark_trace_bytes(profile__str(p, m->trace), trace))
			return err__set(err, -EINVAL, "mark %u has a wrong trace id", i);
		if (m->at_ns > p->hdr.window_ns || (i && m[-1].at_ns > m->at_ns))
			return err__set(err, -EINVAL, "mark %u is not in order", i);
	}
	return 0;
}

int check_moments(const struct profile *p, struct err *err)
{
	struct checking c = { .p = p };
	u32 i;
	int r = 0;

	if (!p->hdr.max_moments && p->moments_len)
		return err__set(err, -EINVAL, "there are moments, and none were recorded");
	if (!p->hdr.max_moments || p->hdr.windows > 1)
		return 0;
	c.by_wait = mem_array(p->waits_len, sizeof(*c.by_wait));
	c.end_of_task = mem_array(p->tasks_len, sizeof(*c.end_of_task));
	if (!c.by_wait || !c.end_of_task)
		r = err__nomem(err);
	for (i = 0; !r && i < p->moments_len; i++)
		r = check_moment(&c, i, err);
	if (!r)
		r = compare(&c, err);
	mem_free(c.by_wait);
	mem_free(c.end_of_task);
	return r;
}
