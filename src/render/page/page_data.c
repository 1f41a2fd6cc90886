/* SPDX-License-Identifier: Apache-2.0 */
/* The data of one profile; diff_page.c has two. */
#include "render/page/page_data.h"

#include <string.h>

#include "analysis/cause/cause_memo.h"
#include "render/page/page_graph.h"
#include "render/page/page_head.h"
#include "render/page/page_requests.h"
#include "render/page/page_rows_priv.h"
#include "render/render_view.h"

typedef int add_rows(struct page_rows *rows, const struct page_side *side);

static int put_shown(const struct profile *p, const struct render_options *opt,
		     enum wakers_shown wakers, add_rows *add, struct page_rows *rows)
{
	struct shown_options shown_opt = render_shown(p, opt, VIEW_WALL);
	struct labels labels = { 0 };
	struct causes causes = { 0 };
	struct shown shown;
	struct page_side side = { .sides = opt->sides, .causes = &causes, .labels = &labels };
	int r;

	shown_opt.wakers = wakers;
	r = shown__init(&shown, p, &shown_opt, NULL);
	side.p = shown.p;
	if (!r)
		r = labels__init(&labels, side.p, NULL);
	if (!r)
		r = causes__recall(&causes, side.p, opt->memo, NULL);
	if (!r)
		r = add(rows, &side);
	causes__done(&causes);
	labels__done(&labels);
	shown__done(&shown);
	return r;
}

/* What threads did in turn, and what follows from it. */
struct page_paths {
	struct lanes lanes; /* empty: nothing needs them */
	struct page_graph graph;
	struct page_requests requests;
};

/* `paths` is all 0. */
static int paths_init(struct page_paths *paths, const struct profile *p,
		      const struct render_options *opt)
{
	bool requests = p->marks_len || opt->requests;
	int r = 0;

	if (p->hdr.wakers || requests)
		r = lanes__init(&paths->lanes, p);
	if (!r)
		r = page_graph__init(&paths->graph, p, &paths->lanes, opt->memo);
	if (!r)
		r = page_requests__init(&paths->requests, requests ? &paths->lanes : NULL,
					opt->memo);
	return r;
}

static void paths_done(struct page_paths *paths)
{
	page_requests__done(&paths->requests);
	page_graph__done(&paths->graph);
	lanes__done(&paths->lanes);
}

/* Equal numbers are one thread, which called exec. */
static void put_threads(const struct lanes *lanes, struct page_rows *rows)
{
	struct page_builder b = { .rows = rows, .p = lanes->p };
	u32 i;

	for (i = 1; lanes->p && i < lanes->p->tasks_len; i++)
		page_rows__put(&b, COL_TASK_THREAD, lanes->of_task[i]);
}

static int put_profile(const struct profile *p, const struct render_options *opt,
		       const struct page_paths *paths, struct page_rows *rows)
{
	enum wakers_shown wakers = opt->wakers ? (enum wakers_shown)opt->wakers : WAKERS_ONE;
	int r = put_shown(p, opt, WAKERS_HIDDEN, page_rows__add, rows);

	if (!r && p->hdr.wakers)
		r = put_shown(p, opt, wakers, page_rows__add_divided, rows);
	if (!r) {
		page_graph__put_rows(&paths->graph, p, rows);
		put_threads(&paths->lanes, rows);
		r = page_requests__put_rows(&paths->requests, rows);
	}
	return r ? r : page_rows__finish(rows);
}

/* Which timelines the page has. */
static void put_timelines(const struct page_moments *m, struct json *j)
{
	if (!m->are_kept)
		return;
	json__line(j);
	json__object(j, "timelines");
	json__u64(j, "waits", m->len);
	json__u64(j, "of", m->all);
	if (m->until_ns)
		json__u64(j, "until_ns", m->until_ns);
	json__end_object(j);
}

int page_data_put(const struct profile *p, const struct render_options *opt, struct sink *out,
		  struct err *err)
{
	struct page_rows rows;
	struct page_paths paths;
	struct sink keys;
	struct json j = JSON_TO(&keys);
	int r;

	memset(&paths, 0, sizeof(paths));
	sink__init_mem(&keys);
	r = page_rows__init(&rows, false);
	if (!r)
		r = paths_init(&paths, p, opt);
	if (!r)
		r = put_profile(p, opt, &paths, &rows);
	if (!r)
		r = page_keys_put(p, opt, &j);
	json__u64(&j, "divided", rows.divided);
	json__bool(&j, "wakers_shown", opt->wakers != WAKERS_HIDDEN);
	put_timelines(&rows.moments, &j);
	if (!r)
		r = page_graph__put_key(&paths.graph, &j);
	page_requests__put_key(&paths.requests, &j);
	if (!r)
		r = page_data_join(&keys, &rows, out);
	sink__done(&keys);
	paths_done(&paths);
	page_rows__done(&rows);
	return r ? err__nomem(err) : 0;
}
