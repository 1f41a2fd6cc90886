/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of the query alone: a recording has the begins and ends, and what a request is shows only
 * when all of its windows are together.
 */
#include <string.h>

#include "base/clock.h"
#include "store/query_priv.h"

#define REQUEST_COLUMNS 16
#define WAIT_COLUMNS 6
#define CLASS_COLUMNS 7

static const char tables[] =
	"CREATE TABLE requests(request INTEGER PRIMARY KEY, class TEXT NOT NULL,"
	" begin TEXT NOT NULL, begin_s REAL NOT NULL, tgid INTEGER NOT NULL,"
	" process TEXT NOT NULL, tid INTEGER NOT NULL, comm TEXT NOT NULL, wall_s REAL NOT NULL,"
	" on_s REAL NOT NULL, runq_s REAL NOT NULL, blocked_s REAL NOT NULL,"
	" idle_s REAL NOT NULL, unknown_s REAL NOT NULL, overlaps INTEGER NOT NULL,"
	" trace TEXT NOT NULL);"
	"CREATE TABLE request_waits(request INTEGER NOT NULL, begin_s REAL NOT NULL,"
	" seconds REAL NOT NULL, cause TEXT NOT NULL, class TEXT NOT NULL, place TEXT NOT NULL);"
	"CREATE INDEX request_waits_by_request ON request_waits(request);"
	"CREATE TABLE request_classes(class TEXT PRIMARY KEY, requests INTEGER NOT NULL,"
	" began_before INTEGER NOT NULL, open INTEGER NOT NULL, nested INTEGER NOT NULL,"
	" handed INTEGER NOT NULL, overlapping INTEGER NOT NULL);";

bool query_requests_has(const char *table)
{
	return !strcmp(table, "requests") || !strcmp(table, "request_waits") ||
	       !strcmp(table, "request_classes");
}

int query_requests_create(struct store_query *q, struct err *err)
{
	int r = database__exec(q->d, tables, err);

	if (!r)
		r = row__begin(&q->request_row, q->d, "requests", REQUEST_COLUMNS, "", err);
	if (!r)
		r = row__begin(&q->wait_row, q->d, "request_waits", WAIT_COLUMNS, "", err);
	if (!r)
		r = row__begin(&q->class_row, q->d, "request_classes", CLASS_COLUMNS, "", err);
	return r;
}

void query_requests_done(struct store_query *q)
{
	sqlite3_finalize(q->request_row.stmt);
	sqlite3_finalize(q->wait_row.stmt);
	sqlite3_finalize(q->class_row.stmt);
}

bool store_query__needs_requests(const struct store_query *q)
{
	return q->needs_requests;
}

static void put_seconds(struct row *row, u64 ns)
{
	sqlite3_bind_double(row->stmt, ++row->col, (double)ns / 1e9);
}

int store_query__add_request(struct store_query *q, const struct query_request *req,
			     struct err *err)
{
	struct row *row = &q->request_row;
	char begin[32];

	clock_format_wall(req->begin_wall_ns, begin, sizeof(begin));
	row__u64(row, ++q->requests);
	row__text(row, req->class);
	row__text(row, begin);
	put_seconds(row, req->begin_ns);
	row__u64(row, req->tgid);
	row__text(row, req->process);
	row__u64(row, req->tid);
	row__text(row, req->comm);
	put_seconds(row, req->wall_ns);
	put_seconds(row, req->on_ns);
	put_seconds(row, req->runq_ns);
	put_seconds(row, req->blocked_ns);
	put_seconds(row, req->idle_ns);
	put_seconds(row, req->unknown_ns);
	row__u64(row, req->overlaps);
	row__text(row, req->trace);
	return row__end(row, err);
}

int store_query__add_request_wait(struct store_query *q, const struct query_request_wait *w,
				  struct err *err)
{
	struct row *row = &q->wait_row;

	row__u64(row, q->requests);
	put_seconds(row, w->begin_ns);
	put_seconds(row, w->ns);
	row__text(row, w->cause);
	row__text(row, w->class);
	row__text(row, w->place);
	return row__end(row, err);
}

int store_query__add_request_class(struct store_query *q, const struct query_request_class *c,
				   struct err *err)
{
	struct row *row = &q->class_row;

	row__text(row, c->class);
	row__numbers(row,
		     (u64[]){ c->count, c->began_before, c->open, c->nested, c->handed,
			      c->overlapping },
		     6);
	return row__end(row, err);
}
