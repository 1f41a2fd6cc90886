/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/path/request_report.h"

#include <errno.h>
#include <string.h>

#include "analysis/path/path_thread.h"
#include "analysis/path/request_span.h"

/* A table needs the parts, and not how the path came to them. */
static int append(struct vec *parts, const struct critical_path *path)
{
	struct path_part *to;

	if (!path->parts.len)
		return 0;
	to = vec__push_n(parts, path->parts.len);
	if (!to)
		return -ENOMEM;
	memcpy(to, path->parts.data, path->parts.len * sizeof(*to));
	for (size_t i = 0; i < path->parts.len; i++)
		to[i].link = 0;
	return 0;
}

static int put_unsplit(struct vec *parts, const struct request_span *span, u32 task)
{
	struct path_part *part = vec__push(parts);

	if (!part)
		return -ENOMEM;
	*part = (struct path_part){ .begin_ns = span->begin_ns,
				    .ns = span->end_ns - span->begin_ns,
				    .task = task,
				    .kind = PATH_UNSPLIT };
	return 0;
}

/* Of each thread, only while it had the request. */
static int collect_one(struct critical_path *one, const struct profile_request *req,
		       struct vec *spans, struct vec *parts)
{
	int r = request_spans(one->lanes, req, spans);

	for (size_t i = 0; i < spans->len && !r; i++) {
		const struct request_span *span = vec__at(spans, i);

		if (!span->is_split) {
			r = put_unsplit(parts, span, req->task);
			continue;
		}
		r = critical_path__again(one, (struct path_range){ span->lane, span->begin_ns,
								   span->end_ns });
		if (!r)
			r = append(parts, one);
	}
	return r;
}

static int collect(struct critical_path *one, const struct request_class *c, struct vec *parts)
{
	struct vec spans;
	u32 i;
	int r = 0;

	vec__init(&spans, sizeof(struct request_span));
	for (i = 0; i < c->len && !r; i++)
		r = collect_one(one, &c->requests[i], &spans, parts);
	vec__done(&spans);
	return r;
}

/* All requests of a class as one table, which adds up to their lengths, without row_of_part. */
static int build_path(const struct lanes *lanes, const struct request_class *c,
		      struct cause_memo *memo, struct arena *a, struct path_table *ret,
		      struct err *err)
{
	struct critical_path one = { 0 }, all = { .lanes = lanes };
	int r;

	vec__init(&all.parts, sizeof(struct path_part));
	r = critical_path__init(&one, lanes, (struct path_range){ 0, 0, 1 });
	if (!r)
		r = collect(&one, c, &all.parts);
	r = r ? err__nomem(err) : path_table__build(&all, memo, a, ret, err);
	critical_path__done(&one);
	vec__done(&all.parts);
	return r;
}

static int build_paths(const struct lanes *lanes, struct cause_memo *memo, struct arena *a,
		       struct request_report *rr, struct err *err)
{
	int r = path_thread_check(lanes->p, err);
	u32 i;

	if (r)
		return r;
	rr->paths = arena__array(a, (size_t)rr->table.len + 1, sizeof(*rr->paths));
	if (!rr->paths)
		return err__nomem(err);
	for (i = 0; i < rr->table.len && !r; i++)
		r = build_path(lanes, &rr->table.classes[i], memo, a, &rr->paths[i], err);
	return r;
}

int request_report__build(const struct lanes *lanes, struct cause_memo *memo, struct arena *a,
			  struct request_report *rr, struct err *err)
{
	/* somebody who asks for one request wants its chain, if that was recorded */
	bool has_paths = rr->critical_path || (rr->trace && lanes->p->hdr.wakers);
	int r = request_table__build(lanes, memo, rr->trace, a, &rr->table, err);

	rr->paths = NULL;
	return r || !has_paths ? r : build_paths(lanes, memo, a, rr, err);
}
