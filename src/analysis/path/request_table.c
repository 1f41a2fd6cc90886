/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two groups are compared by their means: a mean of each row adds up to that of the whole, so the
 * differences explain all of the difference in length. Quantiles of rows would not.
 */
#include "analysis/path/request_table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/name/place.h"
#include "analysis/path/request_trace.h"
#include "base/intern.h"

/* Requests of a class from which on two groups are compared. */
#define COMPARED_FROM 5

enum group {
	GROUP_SLOW,
	GROUP_MIDDLE,
	GROUP_NONE,
};

struct row_key {
	u32 part;
	u32 cause;
	u32 is_idle;
	u32 place; /* text; 0 is "" */
	u32 one; /* so that no key is all zero */
};

struct row {
	struct row_key key;
	u32 request; /* 1 + index of the one that `own_ns` is of */
	u64 own_ns;
	u64 ns;
	double sum[GROUP_NONE]; /* over the requests of a group */
	double squares[GROUP_NONE];
};

struct building {
	const struct lanes *lanes;
	const struct profile *p;
	struct labels labels;
	struct places places;
	struct causes causes;
	struct strtab texts;
	struct intern rows; /* struct row, of the class at hand */
	struct vec pieces;
	struct arena *a;
};

static int by_length(const void *a, const void *b)
{
	const struct profile_request *x = a, *y = b;
	u64 x_ns = x->end_ns - x->begin_ns, y_ns = y->end_ns - y->begin_ns;

	if (x_ns != y_ns)
		return x_ns < y_ns ? -1 : 1;
	if (x->begin_ns != y->begin_ns)
		return x->begin_ns < y->begin_ns ? -1 : 1;
	return (x->task > y->task) - (x->task < y->task);
}

static int find_place(struct building *b, const struct profile_wait *w, u32 *ret)
{
	u32 text;
	int r = places__wait(&b->places, w, &text);

	return r ? r : strtab__add(&b->texts, places__text(&b->places, text), ret);
}

static int key_of(struct building *b, const struct request_piece *piece, struct row_key *key)
{
	u32 wait;

	*key = (struct row_key){ .part = piece->part, .cause = CAUSE_UNKNOWN, .one = 1 };
	if (piece->part != REQUEST_BLOCKED)
		return 0;
	wait = b->p->moments[piece->moment - 1].wait;
	key->cause = causes__of(&b->causes, wait);
	key->is_idle = causes__class(&b->causes, wait) == CLASS_IDLE;
	return find_place(b, &b->p->waits[wait], &key->place);
}

static void add_up(struct request_class *c, const struct row_key *key, u64 ns)
{
	c->wall_ns += ns;
	if (key->part == REQUEST_ON_CPU)
		c->on_ns += ns;
	else if (key->part == REQUEST_RUNQ)
		c->runq_ns += ns;
	else if (key->part == REQUEST_UNKNOWN)
		c->unknown_ns += ns;
	else if (key->part == REQUEST_UNSPLIT)
		c->unsplit_ns += ns;
	else if (key->is_idle)
		c->idle_ns += ns;
	else
		c->cause_ns[key->cause] += ns;
}

/* A row may have several pieces of a request: its square is that of their sum. */
static void add_to_row(struct row *row, u32 request, enum group group, u64 ns)
{
	double before, after;

	if (row->request != request + 1)
		row->own_ns = 0;
	row->request = request + 1;
	before = (double)row->own_ns;
	row->own_ns += ns;
	after = (double)row->own_ns;
	row->ns += ns;
	if (group == GROUP_NONE)
		return;
	row->sum[group] += (double)ns;
	row->squares[group] += after * after - before * before;
}

/* The slowest are at the end, and the others are around the middle. */
static enum group group_of(const struct request_class *c, u32 request)
{
	u32 first = (c->len - c->middle_len) / 2;

	if (request >= c->len - c->slow_len)
		return GROUP_SLOW;
	return request >= first && request < first + c->middle_len ? GROUP_MIDDLE : GROUP_NONE;
}

static int add_request(struct building *b, struct request_class *c, u32 request)
{
	size_t i;
	int r = request_pieces(b->lanes, &c->requests[request], &b->pieces);

	for (i = 0; i < b->pieces.len && !r; i++) {
		const struct request_piece *piece = vec__at(&b->pieces, i);
		struct row fresh = { 0 };
		u32 id;

		r = key_of(b, piece, &fresh.key);
		if (!r)
			r = intern__add(&b->rows, &fresh, &id);
		if (r)
			return r;
		add_up(c, &fresh.key, piece->ns);
		add_to_row(intern__at(&b->rows, id), request, group_of(c, request), piece->ns);
	}
	return r;
}

/* Of the mean of a group; requests without the row have 0 of it. */
static double variance(const struct row *row, enum group group, u32 len)
{
	double mean = row->sum[group] / len;
	double spread = row->squares[group] / len - mean * mean;

	return spread > 0 ? spread / (len - 1) : 0;
}

static int fill_row(struct building *b, const struct request_class *c, const struct row *from,
		    struct request_row *to)
{
	*to = (struct request_row){
		.part = from->key.part,
		.cause = from->key.cause,
		.is_idle = from->key.is_idle,
		.place = arena__strdup(b->a, strtab__get(&b->texts, from->key.place)),
		.ns = from->ns,
		.error_ns = -1,
	};
	if (c->middle_len) {
		to->slow_ns = from->sum[GROUP_SLOW] / c->slow_len;
		to->middle_ns = from->sum[GROUP_MIDDLE] / c->middle_len;
	}
	if (c->slow_len > 1 && c->middle_len > 1)
		to->error_ns = sqrt(variance(from, GROUP_SLOW, c->slow_len) +
				    variance(from, GROUP_MIDDLE, c->middle_len));
	return to->place ? 0 : -ENOMEM;
}

static int largest_first(const void *a, const void *b)
{
	const struct request_row *x = a, *y = b;
	double x_ns = x->slow_ns - x->middle_ns, y_ns = y->slow_ns - y->middle_ns;

	if (x_ns < y_ns || x_ns > y_ns)
		return x_ns > y_ns ? -1 : 1;
	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return strcmp(x->place, y->place);
}

static int fill_class(struct building *b, struct request_class *c)
{
	u32 i;
	int r = 0;

	qsort(c->requests, c->len, sizeof(*c->requests), by_length);
	c->slow_len = (c->len + 99) / 100;
	if (c->len >= COMPARED_FROM)
		c->middle_len = c->len / 5;
	for (i = 0; i < c->len && !r; i++)
		r = add_request(b, c, i);
	c->rows_len = intern__len(&b->rows) - 1;
	c->rows = arena__array(b->a, (size_t)c->rows_len + 1, sizeof(*c->rows));
	if (r || !c->rows)
		return -ENOMEM;
	for (i = 0; i < c->rows_len && !r; i++)
		r = fill_row(b, c, intern__at(&b->rows, i + 1), &c->rows[i]);
	qsort(c->rows, c->rows_len, sizeof(*c->rows), largest_first);
	return r;
}

static int by_begin(const void *a, const void *b)
{
	const struct profile_request *x = a, *y = b;

	if (x->begin_ns != y->begin_ns)
		return x->begin_ns < y->begin_ns ? -1 : 1;
	return by_length(b, a);
}

/* A trace is read like a story, and every part of it was asked for. */
static int choose_shown(struct building *b, struct request_class *c, bool is_trace)
{
	u32 i;

	c->shown_len = is_trace || c->len < REQUESTS_SLOWEST ? c->len : REQUESTS_SLOWEST;
	c->shown = arena__array(b->a, (size_t)c->shown_len + 1, sizeof(*c->shown));
	if (!c->shown)
		return -ENOMEM;
	for (i = 0; i < c->shown_len; i++)
		c->shown[i] = c->requests[c->len - 1 - i];
	if (is_trace)
		qsort(c->shown, c->shown_len, sizeof(*c->shown), by_begin);
	return 0;
}

static int build_class(struct building *b, const struct requests *rs, bool is_trace,
		       struct request_class *c)
{
	size_t i;
	int r;

	c->name = arena__strdup(b->a, profile__str(b->p, c->rest.class));
	c->requests = arena__array(b->a, rs->list.len + 1, sizeof(*c->requests));
	if (!c->name || !c->requests)
		return -ENOMEM;
	for (i = 0; i < rs->list.len; i++) {
		const struct profile_request *req = vec__at(&rs->list, i);

		if (req->class == c->rest.class)
			c->requests[c->len++] = *req;
	}
	r = intern__init(&b->rows, sizeof(struct row), sizeof(struct row_key));
	if (!r)
		r = fill_class(b, c);
	if (!r)
		r = choose_shown(b, c, is_trace);
	intern__done(&b->rows);
	return r;
}

static int build(struct building *b, struct cause_memo *memo, const struct requests *rs,
		 struct request_table *ret, struct err *err)
{
	u32 i;
	int r = labels__init(&b->labels, b->p, err);

	if (!r)
		r = places__init(&b->places, b->p, &b->labels, err);
	if (!r)
		r = causes__recall(&b->causes, b->p, memo, err);
	if (!r)
		r = strtab__init(&b->texts);
	ret->classes = arena__array(b->a, rs->rests.len + 1, sizeof(*ret->classes));
	if (!ret->classes)
		r = -ENOMEM;
	for (i = 0; i < rs->rests.len && !r; i++) {
		ret->classes[i].rest = *(const struct request_rest *)vec__at(&rs->rests, i);
		r = build_class(b, rs, ret->trace, &ret->classes[i]);
	}
	ret->len = (u32)rs->rests.len;
	return r;
}

int request_table_check(const struct profile *p, struct err *err)
{
	return p->marks_len ? 0 :
			      err__set(err, -EINVAL,
				       "the recording has no requests: record with --request, and "
				       "while there are some");
}

int request_table__build(const struct lanes *lanes, struct cause_memo *memo, const char *trace,
			 struct arena *a, struct request_table *ret, struct err *err)
{
	struct building b = { .lanes = lanes, .p = lanes->p, .a = a };
	struct requests rs;
	int r;

	*ret = (struct request_table){ .trace = trace };
	vec__init(&b.pieces, sizeof(struct request_piece));
	r = requests__init(&rs, lanes->p);
	if (!r && trace)
		r = request_trace_keep(&rs, lanes->p, trace, err);
	if (!r)
		r = build(&b, memo, &rs, ret, err);
	requests__done(&rs);
	vec__done(&b.pieces);
	strtab__done(&b.texts);
	causes__done(&b.causes);
	places__done(&b.places);
	labels__done(&b.labels);
	return r == -ENOMEM ? err__nomem(err) : r;
}

u64 request_class__quantile_ns(const struct request_class *c, u32 permille)
{
	const struct profile_request *req;
	u64 rank = ((u64)c->len * permille + 999) / 1000;

	if (!c->len)
		return 0;
	req = &c->requests[rank ? rank - 1 : 0];
	return req->end_ns - req->begin_ns;
}

static int by_wall(const void *a, const void *b, void *arg)
{
	const struct request_class *classes = arg;
	u64 x = classes[*(const u32 *)a].wall_ns, y = classes[*(const u32 *)b].wall_ns;

	if (x != y)
		return x > y ? -1 : 1;
	return *(const u32 *)a < *(const u32 *)b ? -1 : 1;
}

void request_table__by_time(const struct request_table *t, u32 *ret_order)
{
	for (u32 i = 0; i < t->len; i++)
		ret_order[i] = i;
	qsort_r(ret_order, t->len, sizeof(*ret_order), by_wall, t->classes);
}
