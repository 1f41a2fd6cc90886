/* SPDX-License-Identifier: Apache-2.0 */
#include "render/json/json_requests.h"

#include "analysis/name/waker_label.h"
#include "render/encode/json_writer.h"
#include "render/words/request_text.h"

struct writing {
	struct json j;
	const struct lanes *lanes;
	const struct profile *p;
	struct causes causes;
	struct vec pieces;
};

static void put_causes(struct json *j, const struct request_class *c)
{
	u32 i;

	json__object(j, "blocked_ns");
	for (i = 0; i < CAUSE_CNT; i++)
		if (c->cause_ns[i])
			json__u64(j, cause_name((enum cause)i), c->cause_ns[i]);
	json__end_object(j);
}

static void put_row(struct json *j, const struct request_class *c, const struct request_row *row)
{
	json__line(j);
	json__object(j, NULL);
	json__text(j, "part", request_part_name(row->part, row->is_idle));
	json__text(j, "cause",
		   row->part == REQUEST_BLOCKED ? cause_name((enum cause)row->cause) : NULL);
	json__text(j, "place", *row->place ? row->place : NULL);
	json__u64(j, "ns", row->ns);
	if (c->middle_len) {
		json__printf(j, "slow_ns", "%.0f", row->slow_ns);
		json__printf(j, "middle_ns", "%.0f", row->middle_ns);
	}
	if (row->error_ns >= 0)
		json__printf(j, "error_ns", "%.0f", row->error_ns);
	json__end_object(j);
}

static void put_piece(struct writing *w, const struct request_piece *piece)
{
	struct json *j = &w->j;
	const struct profile_moment *m = piece->moment ? &w->p->moments[piece->moment - 1] : NULL;
	bool is_blocked = piece->part == REQUEST_BLOCKED;
	char label[WAKER_LABEL_SZ];

	json__object(j, NULL);
	json__u64(j, "begin_ns", piece->begin_ns);
	json__u64(j, "ns", piece->ns);
	json__text(j, "part",
		   request_part_name(piece->part,
				     is_blocked &&
					     causes__class(&w->causes, m->wait) == CLASS_IDLE));
	if (is_blocked) {
		json__text(j, "cause", cause_name(causes__of(&w->causes, m->wait)));
		json__text(j, "waker",
			   m->waker ? waker_label(w->p, m->waker, label, sizeof(label)) : NULL);
	}
	json__end_object(j);
}

static int put_slow(struct writing *w, const struct profile_request *req)
{
	const struct profile_task *t = &w->p->tasks[req->task];
	const u32 writer = req->writer ? req->writer : req->task;
	struct json *j = &w->j;
	size_t i;
	int r = request_pieces(w->lanes, req, &w->pieces);

	json__line(j);
	json__object(j, NULL);
	json__u64(j, "begin_ns", req->begin_ns);
	json__u64(j, "ns", req->end_ns - req->begin_ns);
	json__u64(j, "tid", t->tid);
	json__text(j, "comm", profile__str(w->p, t->comm));
	json__u64(j, "answered_by", w->p->tasks[writer].tid);
	json__text(j, "trace", req->trace ? profile__str(w->p, req->trace) : NULL);
	json__array(j, "parts");
	for (i = 0; i < w->pieces.len; i++)
		put_piece(w, vec__at(&w->pieces, i));
	json__end_array(j);
	json__end_object(j);
	return r;
}

static void put_path(struct json *j, const struct path_table *path)
{
	u32 i;

	json__array(j, "critical_path");
	for (i = 0; i < path->len; i++) {
		const struct path_row *row = &path->rows[i];
		bool is_wait = row->kind != PATH_RUNNING && row->kind != PATH_RUNQ &&
			       row->kind != PATH_LOST && row->kind != PATH_UNSPLIT;

		json__line(j);
		json__object(j, NULL);
		json__text(j, "comm", row->comm);
		json__u64(j, "threads", row->threads);
		json__text(j, "kind", path_kind_name((enum path_kind)row->kind));
		json__text(j, "cause", is_wait ? cause_name((enum cause)row->cause) : NULL);
		json__text(j, "place", *row->place ? row->place : NULL);
		json__u64(j, "ns", row->ns);
		json__end_object(j);
	}
	json__end_array(j);
}

static void put_sums(struct json *j, const struct request_class *c)
{
	json__u64(j, "count", c->len);
	json__u64(j, "began_before", c->rest.before);
	json__u64(j, "open", c->rest.open);
	json__u64(j, "nested", c->rest.nested);
	json__u64(j, "handed", c->rest.handed);
	json__u64(j, "overlapping", c->rest.overlapping);
	json__u64(j, "wall_ns", c->wall_ns);
	json__u64(j, "on_cpu_ns", c->on_ns);
	json__u64(j, "runq_ns", c->runq_ns);
	json__u64(j, "idle_ns", c->idle_ns);
	json__u64(j, "unknown_ns", c->unknown_ns);
	json__u64(j, "not_split_ns", c->unsplit_ns);
	put_causes(j, c);
	json__u64(j, "p50_ns", request_class__quantile_ns(c, 500));
	json__u64(j, "p90_ns", request_class__quantile_ns(c, 900));
	json__u64(j, "p99_ns", request_class__quantile_ns(c, 990));
	json__u64(j, "max_ns", request_class__quantile_ns(c, 1000));
	json__u64(j, "slow", c->slow_len);
	json__u64(j, "middle", c->middle_len);
}

static int put_class(struct writing *w, const struct request_class *c,
		     const struct path_table *path)
{
	struct json *j = &w->j;
	u32 i;
	int r = 0;

	json__line(j);
	json__object(j, NULL);
	json__text(j, "class", c->name);
	put_sums(j, c);
	json__array(j, "rows");
	for (i = 0; i < c->rows_len; i++)
		put_row(j, c, &c->rows[i]);
	json__end_array(j);
	if (path)
		put_path(j, path);
	json__array(j, "slowest");
	for (i = 0; i < c->shown_len && !r; i++)
		r = put_slow(w, &c->shown[i]);
	json__end_array(j);
	json__end_object(j);
	return r;
}

int json_requests_put(const struct lanes *lanes, const struct request_table *table,
		      const struct path_table *paths, struct cause_memo *memo, struct sink *out)
{
	struct writing w = { .j = JSON_TO(out), .lanes = lanes, .p = lanes->p };
	u32 i;
	int r = causes__recall(&w.causes, w.p, memo, NULL);

	vec__init(&w.pieces, sizeof(struct request_piece));
	json__object(&w.j, NULL);
	json__u64(&w.j, "window_ns", w.p->hdr.window_ns);
	json__array(&w.j, "classes");
	for (i = 0; i < table->len && !r; i++)
		r = put_class(&w, &table->classes[i], paths ? &paths[i] : NULL);
	json__end_array(&w.j);
	json__end_object(&w.j);
	sink__puts(out, "\n");
	vec__done(&w.pieces);
	causes__done(&w.causes);
	return r;
}
