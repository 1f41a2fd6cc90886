/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_PAGE_PAGE_GRAPH_H
#define RENDER_PAGE_PAGE_GRAPH_H

#include "analysis/path/wait_graph.h"
#include "render/encode/json_writer.h"
#include "render/page/page_rows.h"

/*
 * Who waits for whom, as `coldspot graph` has it: nodes and edges are columns, the rest a key of
 * the head.
 */
struct page_graph {
	struct arena arena;
	struct wait_graph g;
	bool is_known; /* the profile has wakers */
};

/*
 * Of a profile whose frames are named, not as it is shown, and not divided by wakers. `lanes`: of
 * it, if it has wakers. `memo`: of its causes, or NULL. -ENOMEM or 0; release with
 * page_graph__done() in either case.
 */
int page_graph__init(struct page_graph *graph, const struct profile *p, const struct lanes *lanes,
		     struct cause_memo *memo);
void page_graph__done(struct page_graph *graph);
/* The columns, and the node of each task of `p`. Once. Errors are kept in the rows. */
void page_graph__put_rows(const struct page_graph *graph, const struct profile *p,
			  struct page_rows *rows);
/* The key "graph", if it is known. -ENOMEM or 0. */
int page_graph__put_key(const struct page_graph *graph, struct json *j);

#endif
