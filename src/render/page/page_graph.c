/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The graph is computed here, and not in the page: it needs the paths of all threads, and what it
 * says must be what `coldspot graph` says. A path of one thread is computed in the page, because
 * its reader chooses thread and time.
 */
#include "render/page/page_graph.h"

#include <errno.h>
#include <string.h>

#include "render/page/page_rows_priv.h"
#include "render/words/graph_text.h"

int page_graph__init(struct page_graph *graph, const struct profile *p, const struct lanes *lanes,
		     struct cause_memo *memo)
{
	memset(graph, 0, sizeof(*graph));
	arena__init(&graph->arena);
	graph->is_known = p->hdr.wakers;
	if (!graph->is_known)
		return 0;
	return wait_graph__build(lanes, memo, &graph->arena, &graph->g, NULL);
}

void page_graph__done(struct page_graph *graph)
{
	arena__done(&graph->arena);
}

static void put_node(struct page_builder *b, const struct graph_node *n)
{
	page_rows__put_text(b, COL_NODE_NAME, n->name);
	page_rows__put(b, COL_NODE_KIND, n->kind);
	page_rows__put(b, COL_NODE_THREADS, n->threads);
	page_rows__put(b, COL_NODE_WAITED, n->waited_ns);
	page_rows__put(b, COL_NODE_ENDED, n->ended_ns);
	page_rows__put(b, COL_NODE_KNOT, n->knot);
}

static void put_edge(struct page_builder *b, const struct graph_edge *e)
{
	page_rows__put(b, COL_EDGE_FROM, e->from);
	page_rows__put(b, COL_EDGE_TO, e->to);
	page_rows__put(b, COL_EDGE_CAUSE, e->cause);
	page_rows__put(b, COL_EDGE_NS, e->ns);
	page_rows__put(b, COL_EDGE_FULL, e->full_ns);
	page_rows__put(b, COL_EDGE_RUNQ, e->runq_ns);
}

void page_graph__put_rows(const struct page_graph *graph, const struct profile *p,
			  struct page_rows *rows)
{
	struct page_builder b = { .rows = rows, .p = p };
	u32 i;

	for (i = 0; i < graph->g.nodes_len; i++)
		put_node(&b, &graph->g.nodes[i]);
	for (i = 0; i < graph->g.edges_len; i++)
		put_edge(&b, &graph->g.edges[i]);
	for (i = 1; graph->is_known && i < p->tasks_len; i++)
		page_rows__put(&b, COL_TASK_NODE, graph->g.node_of_task[i]);
}

static int put_knot(const struct wait_graph *g, const struct graph_knot *k, struct json *j)
{
	struct sink sentence;
	int r;

	sink__init_mem(&sentence);
	graph_put_knot(g, k, &sentence);
	r = sink__finish(&sentence, NULL);
	json__object(j, NULL);
	json__u64(j, "ns", k->ns);
	json__u64(j, "in_ns", k->in_ns);
	json__u64(j, "threshold_ns", k->threshold_ns);
	json__text(j, "sentence", r ? NULL : sentence.buf);
	json__end_object(j);
	sink__done(&sentence);
	return r;
}

int page_graph__put_key(const struct page_graph *graph, struct json *j)
{
	const struct wait_graph *g = &graph->g;
	u32 i;
	int r = 0;

	if (!graph->is_known)
		return 0;
	json__line(j);
	json__object(j, "graph");
	json__u64(j, "blocked_ns", g->ns);
	json__u64(j, "threads", g->threads);
	json__bool(j, "redistributed", !g->is_direct);
	json__array(j, "knots");
	for (i = 0; i < g->knots_len && !r; i++)
		r = put_knot(g, &g->knots[i], j);
	json__end_array(j);
	json__end_object(j);
	return r;
}
