/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows are put together before their marks are paired, so a request may begin in one window and
 * end in another. Which write was the last of an answer shows only when the next read comes, or
 * never: so it is found here, and not where marks are made.
 */
#include "analysis/path/request.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "profile/request/mark_pair.h"

/* What a thread does of a class, or what happens on a connection. */
struct state {
	u32 task; /* 0: of a connection */
	u32 probe; /* the class; 0 of a connection, whose requests may be of several */
	u32 connection;
	u32 pad;
	struct mark_pair pair; /* not part of the key from here on */
	u32 reader; /* the thread of the first read */
	u32 writer; /* that of the last write; 0: nobody wrote */
	u64 taken_ns; /* when the writer was done with other connections */
	u32 class;
	u32 trace; /* at its begin */
	u32 end_trace; /* at its last end or write that has one; 0: none has */
	bool is_seen; /* something happened before */
};

/* What a thread did last on any connection, and when it was at another one than that. */
struct thread_last {
	u64 at_ns;
	u64 other_ns; /* 0: never */
	u32 connection; /* 0: none yet */
};

struct pairing {
	const struct profile *p;
	struct requests *rs;
	struct thread_last *lasts; /* by task */
};

static struct request_rest *rest_of(struct requests *rs, u32 class)
{
	struct request_rest *rest;
	size_t i;

	for (i = 0; i < rs->rests.len; i++) {
		rest = vec__at(&rs->rests, i);
		if (rest->class == class)
			return rest;
	}
	rest = vec__push(&rs->rests);
	if (rest)
		rest->class = class;
	return rest;
}

static int add(struct requests *rs, const struct state *s, u32 task, u64 end_ns)
{
	struct profile_request *req = vec__push(&rs->list);

	if (!req)
		return -ENOMEM;
	*req = (struct profile_request){
		.begin_ns = s->pair.begin_ns,
		.end_ns = end_ns,
		.task = task,
		.class = s->class,
		.connection = s->connection,
		/* a header is of this request; what a thread writes later may be a message */
		.trace = s->end_trace && !(s->connection && s->trace) ? s->end_trace : s->trace,
	};
	if (s->connection && s->writer != task) {
		req->writer = s->writer;
		req->taken_ns = s->taken_ns;
	}
	return 0;
}

/* The last write is known. */
static int finish(struct requests *rs, const struct state *s)
{
	struct request_rest *rest = rest_of(rs, s->class);

	if (!rest)
		return -ENOMEM;
	rest->handed += s->writer != s->reader;
	return add(rs, s, s->reader, s->pair.answered_ns);
}

static u64 see(struct thread_last *last, const struct profile_mark *m)
{
	if (last->connection && last->connection != m->connection)
		last->other_ns = last->at_ns;
	last->connection = m->connection;
	last->at_ns = m->at_ns;
	return last->other_ns;
}

/* Of several writes of a thread, the first says since when it may have had the request. */
static void take_write(struct state *s, u32 task, u64 other_ns)
{
	if (s->writer == task)
		return;
	s->writer = task;
	s->taken_ns = other_ns > s->pair.begin_ns ? other_ns : s->pair.begin_ns;
}

/* The thread itself says so, and knows it best when it has the answer. */
static void take_end_trace(struct state *s, const struct profile_mark *m)
{
	if (m->trace)
		s->end_trace = m->trace;
}

static bool tells_more(const struct profile *p, const struct state *s, const struct profile_mark *m)
{
	return mark_class_tells_more(profile__str(p, s->class), profile__str(p, m->class));
}

/*
 * A server that writes first greets; one write without a read is an answer to what was read before
 * the recording.
 */
static int take_bytes(const struct pairing *pg, struct state *s, const struct profile_mark *m)
{
	struct requests *rs = pg->rs;
	const struct state before = *s;
	enum mark_step step = mark_pair__take(&s->pair, m->kind, true, m->at_ns);
	u64 other_ns = see(&pg->lasts[m->task], m);
	struct request_rest *rest;

	s->is_seen = true;
	if (step == MARK_STRAY && !before.is_seen) {
		rest = rest_of(rs, m->class);
		if (!rest)
			return -ENOMEM;
		rest->before++;
	}
	if (step == MARK_WROTE) {
		take_write(s, m->task, other_ns);
		take_end_trace(s, m);
	}
	if (step == MARK_BEGAN || (step == MARK_INSIDE && tells_more(pg->p, s, m))) {
		s->class = m->class;
		s->trace = m->trace;
	}
	if (step != MARK_BEGAN)
		return 0;
	s->reader = m->task;
	s->writer = 0;
	s->end_trace = 0;
	return before.pair.depth ? finish(rs, &before) : 0;
}

static int take(const struct pairing *pg, struct state *s, const struct profile_mark *m)
{
	struct requests *rs = pg->rs;
	struct request_rest *rest;
	bool was_open = s->pair.depth != 0;

	if (m->connection)
		return take_bytes(pg, s, m);
	rest = rest_of(rs, m->class);
	if (!rest)
		return -ENOMEM;
	switch (mark_pair__take(&s->pair, m->kind, false, m->at_ns)) {
	case MARK_BEGAN:
		rest->open += was_open;
		s->trace = m->trace;
		s->end_trace = 0;
		return 0;
	case MARK_STRAY:
		rest->before++;
		return 0;
	case MARK_ENDED:
		take_end_trace(s, m);
		return add(rs, s, m->task, m->at_ns);
	default:
		rest->nested += m->kind == MARK_END;
		return 0;
	}
}

/* What has not ended. An answer that was begun is taken for a whole one. */
static int end(struct requests *rs, const struct state *s)
{
	struct request_rest *rest;

	if (s->pair.depth && s->pair.answered_ns)
		return finish(rs, s);
	if (!s->pair.depth)
		return 0;
	rest = rest_of(rs, s->class);
	if (!rest)
		return -ENOMEM;
	rest->open++;
	return 0;
}

static int pair(const struct pairing *pg, struct intern *states, const struct profile *p)
{
	u32 i, id;
	int r = 0;

	for (i = 0; i < p->marks_len && !r; i++) {
		const struct profile_mark *m = &p->marks[i];
		const struct state key = { .task = m->connection ? 0 : m->task,
					   .probe = m->connection ? 0 : m->class,
					   .connection = m->connection,
					   .class = m->class };

		r = intern__add(states, &key, &id);
		if (!r)
			r = take(pg, intern__at(states, id), m);
	}
	for (i = 1; i < intern__len(states) && !r; i++)
		r = end(pg->rs, intern__at(states, i));
	return r;
}

static int by_end(const void *a, const void *b)
{
	const struct profile_request *x = a, *y = b;

	if (x->end_ns != y->end_ns)
		return x->end_ns < y->end_ns ? -1 : 1;
	return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

static int by_thread(const void *a, const void *b)
{
	const struct profile_request *x = a, *y = b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	if (x->begin_ns != y->begin_ns)
		return x->begin_ns < y->begin_ns ? -1 : 1;
	return by_end(a, b);
}

/* Of requests of one thread in the order of their begins, one that overlaps any overlaps `last`. */
static void find_overlaps(struct requests *rs)
{
	struct profile_request *list = rs->list.data, *last = NULL;
	size_t i;

	qsort(list, rs->list.len, sizeof(*list), by_thread);
	for (i = 0; i < rs->list.len; i++) {
		if (!list[i].connection || list[i].writer)
			continue;
		if (last && last->task == list[i].task && last->end_ns > list[i].begin_ns)
			last->overlaps = list[i].overlaps = true;
		if (!last || last->task != list[i].task || last->end_ns < list[i].end_ns)
			last = &list[i];
	}
	qsort(list, rs->list.len, sizeof(*list), by_end);
	for (i = 0; i < rs->list.len; i++) {
		struct request_rest *rest = list[i].overlaps ? rest_of(rs, list[i].class) : NULL;

		if (rest)
			rest->overlapping++;
	}
}

static int by_name(const void *a, const void *b, void *arg)
{
	const struct request_rest *x = a, *y = b;

	return strcmp(profile__str(arg, x->class), profile__str(arg, y->class));
}

int requests__init(struct requests *rs, const struct profile *p)
{
	struct pairing pg = { p, rs, mem_array((size_t)p->tasks_len + 1, sizeof(*pg.lasts)) };
	struct intern states;
	int r;

	vec__init(&rs->list, sizeof(struct profile_request));
	vec__init(&rs->rests, sizeof(struct request_rest));
	r = intern__init(&states, sizeof(struct state), offsetof(struct state, pair));
	if (!r)
		r = pg.lasts ? pair(&pg, &states, p) : -ENOMEM;
	intern__done(&states);
	mem_free(pg.lasts);
	if (!r && rs->list.len)
		find_overlaps(rs);
	if (!r && rs->rests.len > 1)
		qsort_r(rs->rests.data, rs->rests.len, sizeof(struct request_rest), by_name,
			(void *)(uintptr_t)p);
	return r;
}

void requests__done(struct requests *rs)
{
	vec__done(&rs->list);
	vec__done(&rs->rests);
}
