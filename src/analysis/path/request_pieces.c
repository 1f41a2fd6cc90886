/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/path/request_pieces.h"

#include <errno.h>

#include "analysis/path/request_span.h"

struct cutting {
	const struct lanes *l;
	struct vec *pieces;
	u64 end_ns; /* of the span */
	u64 reached_ns; /* everything before has its piece */
};

/* The part of it that is in the request and has no piece yet. */
static int put(struct cutting *c, u64 until_ns, u32 part, u32 moment)
{
	struct request_piece *piece;
	u64 end_ns = until_ns < c->end_ns ? until_ns : c->end_ns;

	if (end_ns <= c->reached_ns)
		return 0;
	piece = vec__push(c->pieces);
	if (!piece)
		return -ENOMEM;
	*piece = (struct request_piece){ c->reached_ns, end_ns - c->reached_ns, part, moment };
	c->reached_ns = end_ns;
	return 0;
}

static int put_step(struct cutting *c, const struct timeline_step *s)
{
	const u64 end_ns = s->begin_ns + s->ns;
	int r = put(c, s->begin_ns, REQUEST_UNKNOWN, 0);

	if (r || s->kind != TIMELINE_WAIT)
		return r ? r :
			   put(c, end_ns,
			       s->kind == TIMELINE_ON_CPU ? REQUEST_ON_CPU : REQUEST_UNKNOWN, 0);
	r = put(c, s->begin_ns + c->l->p->moments[s->moment].blocked_ns, REQUEST_BLOCKED,
		s->moment + 1);
	return r ? r : put(c, end_ns, REQUEST_RUNQ, s->moment + 1);
}

static int put_span(struct cutting *c, const struct request_span *span)
{
	const struct lanes *l = c->l;
	const u32 end = l->lanes[span->lane].first + l->lanes[span->lane].len;
	u32 i;
	int r = 0;

	c->reached_ns = span->begin_ns;
	c->end_ns = span->end_ns;
	if (!span->is_split)
		return put(c, span->end_ns, REQUEST_UNSPLIT, 0);
	for (i = lanes__find(l, span->lane, span->begin_ns); i < end && !r; i++) {
		if (l->steps[i].begin_ns >= span->end_ns)
			break;
		r = put_step(c, &l->steps[i]);
	}
	return r ? r : put(c, span->end_ns, REQUEST_UNKNOWN, 0);
}

int request_pieces(const struct lanes *l, const struct profile_request *req, struct vec *pieces)
{
	struct cutting c = { .l = l, .pieces = pieces };
	struct vec spans;
	int r;

	vec__init(&spans, sizeof(struct request_span));
	vec__reset(pieces);
	r = request_spans(l, req, &spans);
	for (size_t i = 0; i < spans.len && !r; i++)
		r = put_span(&c, vec__at(&spans, i));
	vec__done(&spans);
	return r;
}
