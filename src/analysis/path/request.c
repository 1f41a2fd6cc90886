/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows are put together before their marks are paired, so a request may begin in one window and
 * end in another.
 */
#include "analysis/path/request.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"

/* What a thread does of a class. */
struct state {
	u32 task;
	u32 class;
	u64 begin_ns; /* of the outermost one */
	u64 depth;
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

static int add(struct requests *rs, const struct state *s, u64 end_ns)
{
	struct profile_request *req = vec__push(&rs->list);

	if (!req)
		return -ENOMEM;
	*req = (struct profile_request){ s->begin_ns, end_ns, s->task, s->class };
	return 0;
}

static int take(struct requests *rs, struct state *s, const struct profile_mark *m)
{
	struct request_rest *rest = rest_of(rs, m->class);

	if (!rest)
		return -ENOMEM;
	if (m->kind == MARK_BEGIN) {
		if (!s->depth)
			s->begin_ns = m->at_ns;
		s->depth++;
		return 0;
	}
	if (!s->depth) {
		rest->before++;
		return 0;
	}
	s->depth--;
	rest->nested += s->depth != 0;
	return s->depth ? 0 : add(rs, s, m->at_ns);
}

static int pair(struct requests *rs, struct intern *states, const struct profile *p)
{
	u32 i, id;
	int r = 0;

	for (i = 0; i < p->marks_len && !r; i++) {
		const struct state key = { .task = p->marks[i].task, .class = p->marks[i].class };

		r = intern__add(states, &key, &id);
		if (!r)
			r = take(rs, intern__at(states, id), &p->marks[i]);
	}
	for (i = 1; i < intern__len(states) && !r; i++) {
		const struct state *s = intern__at(states, i);
		struct request_rest *rest = rest_of(rs, s->class);

		if (!rest)
			return -ENOMEM;
		rest->open += s->depth != 0;
	}
	return r;
}

static int by_name(const void *a, const void *b, void *arg)
{
	const struct request_rest *x = a, *y = b;

	return strcmp(profile__str(arg, x->class), profile__str(arg, y->class));
}

int requests__init(struct requests *rs, const struct profile *p)
{
	struct intern states;
	int r;

	vec__init(&rs->list, sizeof(struct profile_request));
	vec__init(&rs->rests, sizeof(struct request_rest));
	r = intern__init(&states, sizeof(struct state), offsetof(struct state, begin_ns));
	if (!r)
		r = pair(rs, &states, p);
	intern__done(&states);
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
