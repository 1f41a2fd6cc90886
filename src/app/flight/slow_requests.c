/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same rules as analysis/path/request.c, which pairs marks when all windows are together. Here
 * they come one after the other, for as long as the recording lasts, so what is over is forgotten,
 * and names are kept apart from the profile that had them.
 */
#include "app/flight/slow_requests.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/map64.h"

/* A client that is gone leaves a request that nobody answers, such as the "quit" of a protocol. */
#define FORGET_NS (600 * NSEC_PER_SEC)

struct open_request {
	u64 start_boottime_ns; /* 0 of a connection */
	u32 tid; /* likewise */
	u32 connection;
	u32 probe; /* the class; 0 of a connection */
	u32 pad;
	u64 begin_ns; /* not part of the key from here on */
	u64 depth; /* of calls; 1 since the first read; 0: none */
	u64 answered_ns; /* the last write; 0: none since the read */
	u64 known_ns; /* how long it was, when somebody looked last */
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
			 offsetof(struct open_request, begin_ns));
	return r ? r : strtab__init(&s->classes);
}

void slow_requests__done(struct slow_requests *s)
{
	intern__done(&s->open);
	strtab__done(&s->classes);
}

/* Somebody is to know that it is at least so long. */
static int tell(struct looking *l, struct open_request *o, u64 end_ns, bool is_open)
{
	u64 ns = end_ns - o->begin_ns, before_ns = o->known_ns;
	struct slow_request *to;

	if (ns <= before_ns)
		return 0;
	o->known_ns = ns;
	if (ns <= l->least_ns)
		return 0;
	to = vec__push(l->ret);
	if (!to)
		return -ENOMEM;
	*to = (struct slow_request){ .begin_ns = o->begin_ns,
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

static int begin(const struct looking *l, struct open_request *o, const struct profile_mark *m,
		 u64 at_ns)
{
	const struct profile_task *task = &l->p->tasks[m->task];

	o->depth = 1;
	o->begin_ns = at_ns;
	o->answered_ns = 0;
	o->known_ns = 0;
	o->is_handed = false;
	o->is_anew = m->kind == MARK_BEGIN_ANEW;
	o->reader_tid = task->tid;
	o->reader_start_ns = task->start_boottime_ns;
	snprintf(o->comm, sizeof(o->comm), "%s", profile__str(l->p, task->comm));
	return strtab__add(&l->s->classes, profile__str(l->p, m->class), &o->class);
}

static int take_bytes(struct looking *l, struct open_request *o, const struct profile_mark *m,
		      u64 at_ns)
{
	const struct profile_task *task = &l->p->tasks[m->task];

	if (m->kind == MARK_BEGIN) {
		return o->depth && !o->answered_ns ? 0 : begin(l, o, m, at_ns);
	}
	if (!o->depth)
		return 0;
	o->answered_ns = at_ns;
	o->is_handed |= task->tid != o->reader_tid || task->start_boottime_ns != o->reader_start_ns;
	return tell(l, o, at_ns, false);
}

static int take_call(struct looking *l, struct open_request *o, const struct profile_mark *m,
		     u64 at_ns)
{
	if (m->kind != MARK_END) {
		if (o->depth && m->kind == MARK_BEGIN)
			o->depth++;
		else
			return begin(l, o, m, at_ns);
		return 0;
	}
	if (!o->depth || --o->depth)
		return 0;
	return tell(l, o, at_ns, false);
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
	return m->connection ? take_bytes(l, o, m, at_ns) : take_call(l, o, m, at_ns);
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

	if (!o->depth)
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
			r = tell(l, o, s->passed_ns, true);
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
