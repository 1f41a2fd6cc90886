/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/path/request_pieces.h"

#include <errno.h>

struct cutting {
	const struct lanes *l;
	const struct profile_request *req;
	struct vec *pieces;
	u64 reached_ns; /* everything before has its piece */
};

/* The part of it that is in the request and has no piece yet. */
static int put(struct cutting *c, u64 until_ns, u32 part, u32 moment)
{
	struct request_piece *piece;
	u64 end_ns = until_ns < c->req->end_ns ? until_ns : c->req->end_ns;

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

int request_pieces(const struct lanes *l, const struct profile_request *req, struct vec *pieces)
{
	struct cutting c = { .l = l, .req = req, .pieces = pieces, .reached_ns = req->begin_ns };
	const u32 lane = l->of_task[req->task];
	const u32 end = l->lanes[lane].first + l->lanes[lane].len;
	u32 i;
	int r = 0;

	vec__reset(pieces);
	for (i = lanes__find(l, lane, req->begin_ns); i < end && !r; i++) {
		if (l->steps[i].begin_ns >= req->end_ns)
			break;
		r = put_step(&c, &l->steps[i]);
	}
	return r ? r : put(&c, req->end_ns, REQUEST_UNKNOWN, 0);
}
