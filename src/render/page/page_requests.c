/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What needs all requests is computed here: their quantiles, and the means of two groups of them.
 * Of the slowest, the page has who had each when. What these threads did meanwhile is in their
 * timelines, which the page has anyway.
 */
#include "render/page/page_requests.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "analysis/path/request_span.h"
#include "render/page/page_rows_priv.h"

int page_requests__init(struct page_requests *rq, const struct lanes *lanes,
			struct cause_memo *memo)
{
	int r;

	memset(rq, 0, sizeof(*rq));
	arena__init(&rq->arena);
	rq->lanes = lanes;
	if (!lanes)
		return 0;
	r = request_table__build(lanes, memo, NULL, &rq->arena, &rq->table, NULL);
	if (r)
		return r;
	rq->order = arena__array(&rq->arena, (size_t)rq->table.len + 1, sizeof(*rq->order));
	if (!rq->order)
		return -ENOMEM;
	request_table__by_time(&rq->table, rq->order);
	return 0;
}

void page_requests__done(struct page_requests *rq)
{
	arena__done(&rq->arena);
}

static u32 shown_classes(const struct page_requests *rq)
{
	return rq->table.len < PAGE_CLASSES_MAX ? rq->table.len : PAGE_CLASSES_MAX;
}

static void put_class(struct page_builder *b, const struct request_class *c)
{
	page_rows__put_text(b, COL_CLASS_NAME, c->name);
	page_rows__put(b, COL_CLASS_COUNT, c->len);
	page_rows__put(b, COL_CLASS_BEFORE, c->rest.before);
	page_rows__put(b, COL_CLASS_OPEN, c->rest.open);
	page_rows__put(b, COL_CLASS_NESTED, c->rest.nested);
	page_rows__put(b, COL_CLASS_HANDED, c->rest.handed);
	page_rows__put(b, COL_CLASS_OVERLAPPING, c->rest.overlapping);
	page_rows__put(b, COL_CLASS_P50, request_class__quantile_ns(c, 500));
	page_rows__put(b, COL_CLASS_P90, request_class__quantile_ns(c, 900));
	page_rows__put(b, COL_CLASS_P99, request_class__quantile_ns(c, 990));
	page_rows__put(b, COL_CLASS_MAX, request_class__quantile_ns(c, 1000));
	page_rows__put(b, COL_CLASS_SLOW, c->slow_len);
	page_rows__put(b, COL_CLASS_MIDDLE, c->middle_len);
}

/* Rounded as JSON does. */
static u64 whole_ns(double ns)
{
	return (u64)nearbyint(ns);
}

static void put_row(struct page_builder *b, const struct request_row *row)
{
	page_rows__put(b, COL_DOING_PART, row->part);
	page_rows__put(b, COL_DOING_CAUSE, row->cause);
	page_rows__put(b, COL_DOING_IDLE, row->is_idle);
	page_rows__put_text(b, COL_DOING_PLACE, row->place);
	page_rows__put(b, COL_DOING_NS, row->ns);
	page_rows__put(b, COL_DOING_SLOW, whole_ns(row->slow_ns));
	page_rows__put(b, COL_DOING_MIDDLE, whole_ns(row->middle_ns));
	/* 0: it has none */
	page_rows__put(b, COL_DOING_ERROR, row->error_ns < 0 ? 0 : 1 + whole_ns(row->error_ns));
}

/* Adds a row to those of other places; each is of another part, cause or kind of wait. */
static u32 add_other(struct request_row *others, u32 len, const struct request_row *row)
{
	struct request_row *to = others;

	while (to < others + len &&
	       (to->part != row->part || to->cause != row->cause || to->is_idle != row->is_idle))
		to++;
	if (to == others + len) {
		*to = (struct request_row){ .part = row->part,
					    .cause = row->cause,
					    .is_idle = row->is_idle,
					    .place = PAGE_OTHER_PLACES,
					    .error_ns = -1 };
		len++;
	}
	to->ns += row->ns;
	to->slow_ns += row->slow_ns;
	to->middle_ns += row->middle_ns;
	return len;
}

/* Rows with the largest difference are the first ones. */
static void put_class_rows(struct page_builder *b, const struct request_class *c)
{
	struct request_row others[2 * CAUSE_CNT + REQUEST_UNSPLIT + 1];
	u32 first = b->rows->columns.list[COL_DOING_PART].rows, len = 0, i;

	for (i = 0; i < c->rows_len; i++) {
		if (i < PAGE_CLASS_ROWS_MAX)
			put_row(b, &c->rows[i]);
		else
			len = add_other(others, len, &c->rows[i]);
	}
	for (i = 0; i < len; i++)
		put_row(b, &others[i]);
	page_rows__put(b, COL_CLASS_ROWS, b->rows->columns.list[COL_DOING_PART].rows - first);
}

static void put_spans(struct page_builder *b, const struct lanes *lanes, u32 reader,
		      const struct vec *spans)
{
	for (size_t i = 0; i < spans->len; i++) {
		const struct request_span *span = vec__at(spans, i);

		page_rows__put(b, COL_SPAN_TASK,
			       span->is_split ? lanes->lanes[span->lane].task : reader);
		page_rows__put(b, COL_SPAN_NS, span->end_ns - span->begin_ns);
		page_rows__put(b, COL_SPAN_SPLIT, span->is_split);
	}
}

static int put_slow(struct page_builder *b, const struct lanes *lanes,
		    const struct profile_request *req, struct vec *spans)
{
	int r = request_spans(lanes, req, spans);

	page_rows__put(b, COL_REQUEST_BEGIN, req->begin_ns);
	page_rows__put(b, COL_REQUEST_NS, req->end_ns - req->begin_ns);
	page_rows__put(b, COL_REQUEST_TASK, req->task);
	page_rows__put(b, COL_REQUEST_WRITER, req->writer ? req->writer : req->task);
	page_rows__put_text(b, COL_REQUEST_TRACE, req->trace ? profile__str(b->p, req->trace) : "");
	page_rows__put(b, COL_REQUEST_SPANS, spans->len);
	if (!r)
		put_spans(b, lanes, req->task, spans);
	return r;
}

int page_requests__put_rows(const struct page_requests *rq, struct page_rows *rows)
{
	struct page_builder b = { .rows = rows, .p = rq->lanes ? rq->lanes->p : NULL };
	struct vec spans;
	u32 i, k;
	int r = 0;

	vec__init(&spans, sizeof(struct request_span));
	for (i = 0; i < shown_classes(rq) && !r; i++) {
		const struct request_class *c = &rq->table.classes[rq->order[i]];

		put_class(&b, c);
		put_class_rows(&b, c);
		page_rows__put(&b, COL_CLASS_SLOWEST, c->shown_len);
		for (k = 0; k < c->shown_len && !r; k++)
			r = put_slow(&b, rq->lanes, &c->shown[k], &spans);
	}
	vec__done(&spans);
	return r;
}

void page_requests__put_key(const struct page_requests *rq, struct json *j)
{
	if (!rq->lanes)
		return;
	json__line(j);
	json__object(j, "requests");
	json__u64(j, "classes", shown_classes(rq));
	json__u64(j, "of", rq->table.len);
	json__end_object(j);
}
