/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/path/request.c pairs marks when all windows are together. Here they come one after the
 * other, for as long as the recording lasts, so what is over is forgotten, and names are kept apart
 * from the profile that had them.
 */
#include "app/flight/slow_requests.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/map64.h"
#include "profile/request/mark_pair.h"

/* A client that is gone leaves a request that nobody answers, such as the "quit" of a protocol. */
#define FORGET_NS (600 * NSEC_PER_SEC)

struct open_request {
	u64 start_boottime_ns; /* 0 of a connection */
	u32 tid; /* likewise */
	u32 connection;
	u32 probe; /* the class; 0 of a connection */
	u32 pad;
	struct mark_pair pair; /* not part of the key from here on */
	u64 known_ns; /* how long it was when it was reported last */
	u64 seen_ns; /* the last mark */
	u64 reader_start_ns; /* who began it */
	u32 reader_tid;
	u32 class;
	char comm[16];
	bool is_handed; /* another thread wrote */
	bool is_anew; /* by MARK_BEGIN_ANEW */
};

struct looking {
	struct slow_requests *s;
	const struct profile *p;
	u64 least_ns;
	struct vec *ret;
};

int slow_requests__init(struct slow_requests *s)
{
	int r;

	*s = (struct slow_requests){ 0 };
	r = intern__init(&s->open, sizeof(struct open_request),
			 offsetof(struct open_request, pair));
	return r ? r : strtab__init(&s->classes);
}

void slow_requests__done(struct slow_requests *s)
{
	intern__done(&s->open);
	strtab__done(&s->classes);
}

/* It is at least so long: reported if that is news. */
static int report(struct looking *l, struct open_request *o, u64 end_ns, bool is_open)
{
	u64 ns = end_ns - o->pair.begin_ns, before_ns = o->known_ns;
	struct slow_request *to;

	if (ns <= before_ns)
		return 0;
	o->known_ns = ns;
	if (ns <= l->least_ns)
		return 0;
	to = vec__push(l->ret);
	if (!to)
		return -ENOMEM;
	*to = (struct slow_request){ .begin_ns = o->pair.begin_ns,
				     .end_ns = end_ns,
				     .before_ns = before_ns,
				     .start_boottime_ns = o->reader_start_ns,
				     .tid = o->reader_tid,
				     .class = o->class,
				     .is_open = is_open,
				     .is_handed = o->is_handed };
	snprintf(to->comm, sizeof(to->comm), "%s", o->comm);
	return 0;
}

static int begin(const struct looking *l, struct open_request *o, const struct profile_mark *m)
{
	const struct profile_task *task = &l->p->tasks[m->task];

	o->known_ns = 0;
	o->is_handed = false;
	o->is_anew = m->kind == MARK_BEGIN_ANEW;
	o->reader_tid = task->tid;
	o->reader_start_ns = task->start_boottime_ns;
	snprintf(o->comm, sizeof(o->comm), "%s", profile__str(l->p, task->comm));
	return strtab__add(&l->s->classes, profile__str(l->p, m->class), &o->class);
}

static int take_mark(struct looking *l, struct open_request *o, const struct profile_mark *m,
		     u64 at_ns)
{
	const struct profile_task *task = &l->p->tasks[m->task];
	const char *class = profile__str(l->p, m->class);

	switch (mark_pair__take(&o->pair, m->kind, m->connection != 0, at_ns)) {
	case MARK_BEGAN:
		return begin(l, o, m);
	case MARK_WROTE:
		o->is_handed |= task->tid != o->reader_tid ||
				task->start_boottime_ns != o->reader_start_ns;
		return report(l, o, at_ns, false);
	case MARK_ENDED:
		return report(l, o, at_ns, false);
	case MARK_INSIDE:
		if (m->connection &&
		    mark_class_tells_more(strtab__get(&l->s->classes, o->class), class))
			return strtab__add(&l->s->classes, class, &o->class);
		return 0;
	default:
		return 0;
	}
}

static int take(struct looking *l, const struct profile_mark *m)
{
	const struct profile_task *task = &l->p->tasks[m->task];
	struct open_request key = { .connection = m->connection }, *o;
	u64 at_ns = l->s->passed_ns + m->at_ns;
	u32 id;
	int r = 0;

	if (!m->connection) {
		r = strtab__add(&l->s->classes, profile__str(l->p, m->class), &key.probe);
		key.tid = task->tid;
		key.start_boottime_ns = task->start_boottime_ns;
	}
	if (!r)
		r = intern__add(&l->s->open, &key, &id);
	if (r)
		return r;
	o = intern__at(&l->s->open, id);
	o->seen_ns = at_ns;
	return take_mark(l, o, m, at_ns);
}

/* Threads that live on: their starts by TID. */
static int find_living(const struct profile *p, struct map64 *living)
{
	u32 i;
	int r = 0;

	for (i = 1; i < p->tasks_len && !r; i++)
		if (!(p->tasks[i].flags & TASK_EXITED))
			r = map64__set(living, p->tasks[i].tid, p->tasks[i].start_boottime_ns);
	return r;
}

struct keeping {
	const struct slow_requests *s;
	const struct map64 *living;
};

/* A thread that has exited ends no call. */
static bool goes_on(void *arg, void *item)
{
	const struct keeping *k = arg;
	const struct open_request *o = item;
	u64 start_ns;

	if (!o->pair.depth)
		return false;
	if (o->connection)
		return k->s->passed_ns - o->seen_ns < FORGET_NS;
	return map64__get(k->living, o->tid, &start_ns) && start_ns == o->start_boottime_ns;
}

/*
 * Only what goes on is kept, and calls may have got too long by now. What began anew may have
 * failed, which has no mark: its thread may be idle.
 */
static int end_window(struct looking *l)
{
	struct slow_requests *s = l->s;
	struct map64 living;
	u32 i;
	int r;

	map64__init(&living);
	r = find_living(l->p, &living);
	if (!r)
		intern__retain(&s->open, goes_on, &(struct keeping){ s, &living });
	map64__done(&living);
	for (i = 1; i < intern__len(&s->open) && !r; i++) {
		struct open_request *o = intern__at(&s->open, i);

		if (!o->connection && !o->is_anew)
			r = report(l, o, s->passed_ns, true);
	}
	return r;
}

static int longest_first(const void *pa, const void *pb)
{
	const struct slow_request *a = pa, *b = pb;
	u64 a_ns = slow_request_ns(a), b_ns = slow_request_ns(b);

	if (a_ns != b_ns)
		return a_ns > b_ns ? -1 : 1;
	return (a->end_ns > b->end_ns) - (a->end_ns < b->end_ns);
}

int slow_requests__look(struct slow_requests *s, const struct profile *p, u64 least_ns,
			struct vec *ret)
{
	struct looking l = { s, p, least_ns, ret };
	int r = 0;
	u32 i;

	for (i = 0; i < p->marks_len && !r; i++)
		r = take(&l, &p->marks[i]);
	s->passed_ns += p->hdr.window_ns;
	if (!r)
		r = end_window(&l);
	if (ret->len)
		qsort(ret->data, ret->len, sizeof(struct slow_request), longest_first);
	return r;
}
