/* SPDX-License-Identifier: Apache-2.0 */
#include "app/past/query_requests.h"

#include <errno.h>

#include "analysis/cause/cause_memo.h"
#include "analysis/name/place.h"
#include "analysis/path/request_pieces.h"

struct adding {
	struct store_query *q;
	const struct profile *p;
	struct lanes lanes;
	struct requests requests;
	struct labels labels;
	struct places places;
	struct cause_memo memo;
	struct causes causes;
	struct vec pieces;
};

static int prepare(struct adding *a, struct err *err)
{
	int r = labels__init(&a->labels, a->p, err);

	if (!r)
		r = places__init(&a->places, a->p, &a->labels, err);
	if (!r)
		r = causes__recall(&a->causes, a->p, &a->memo, err);
	if (!r)
		r = lanes__init(&a->lanes, a->p);
	return r ? r : requests__init(&a->requests, a->p);
}

static void add_up(const struct adding *a, const struct request_piece *piece,
		   struct query_request *to)
{
	to->wall_ns += piece->ns;
	if (piece->part == REQUEST_ON_CPU)
		to->on_ns += piece->ns;
	else if (piece->part == REQUEST_RUNQ)
		to->runq_ns += piece->ns;
	else if (piece->part == REQUEST_UNKNOWN || piece->part == REQUEST_UNSPLIT)
		to->unknown_ns += piece->ns;
	else if (causes__class(&a->causes, a->p->moments[piece->moment - 1].wait) == CLASS_IDLE)
		to->idle_ns += piece->ns;
	else
		to->blocked_ns += piece->ns;
}

static int add_wait(struct adding *a, const struct request_piece *piece, struct err *err)
{
	u32 wait = a->p->moments[piece->moment - 1].wait, place;
	int r = places__wait(&a->places, &a->p->waits[wait], &place);
	const struct query_request_wait w = {
		.begin_ns = piece->begin_ns,
		.ns = piece->ns,
		.cause = cause_name(causes__of(&a->causes, wait)),
		.class = class_name(causes__class(&a->causes, wait)),
		.place = r ? "" : places__text(&a->places, place),
	};

	return r ? r : store_query__add_request_wait(a->q, &w, err);
}

static int add_one(struct adding *a, const struct profile_request *req, struct err *err)
{
	const struct profile *p = a->p;
	const struct profile_task *t = &p->tasks[req->task];
	struct query_request to = {
		.class = profile__str(p, req->class),
		.process = profile__str(p, t->group_comm),
		.comm = profile__str(p, t->comm),
		.tgid = t->tgid,
		.tid = t->tid,
		.begin_wall_ns = p->hdr.begin_wall_ns + req->begin_ns,
		.begin_ns = req->begin_ns,
		.overlaps = req->overlaps,
		.trace = profile__str(p, req->trace),
	};
	int r = request_pieces(&a->lanes, req, &a->pieces);

	for (size_t i = 0; i < a->pieces.len; i++)
		add_up(a, vec__at(&a->pieces, i), &to);
	if (!r)
		r = store_query__add_request(a->q, &to, err);
	for (size_t i = 0; i < a->pieces.len && !r; i++) {
		const struct request_piece *piece = vec__at(&a->pieces, i);

		if (piece->part == REQUEST_BLOCKED)
			r = add_wait(a, piece, err);
	}
	return r;
}

static int add_class(struct adding *a, const struct request_rest *rest, struct err *err)
{
	struct query_request_class c = {
		.class = profile__str(a->p, rest->class),
		.began_before = rest->before,
		.open = rest->open,
		.nested = rest->nested,
		.handed = rest->handed,
		.overlapping = rest->overlapping,
	};

	for (size_t i = 0; i < a->requests.list.len; i++)
		c.count += ((struct profile_request *)vec__at(&a->requests.list, i))->class ==
			   rest->class;
	return store_query__add_request_class(a->q, &c, err);
}

static int add_all(struct adding *a, struct err *err)
{
	int r = prepare(a, err);

	for (size_t i = 0; i < a->requests.list.len && !r; i++)
		r = add_one(a, vec__at(&a->requests.list, i), err);
	for (size_t i = 0; i < a->requests.rests.len && !r; i++)
		r = add_class(a, vec__at(&a->requests.rests, i), err);
	return r;
}

int query_requests_add(struct store_query *q, const struct profile *p, const struct ruleset *rules,
		       struct err *err)
{
	struct adding a = { .q = q, .p = p, .memo = { .p = p, .rules = rules } };
	int r;

	vec__init(&a.pieces, sizeof(struct request_piece));
	r = add_all(&a, err);
	vec__done(&a.pieces);
	requests__done(&a.requests);
	lanes__done(&a.lanes);
	causes__done(&a.causes);
	cause_memo__done(&a.memo);
	places__done(&a.places);
	labels__done(&a.labels);
	return r == -ENOMEM ? err__nomem(err) : r;
}
