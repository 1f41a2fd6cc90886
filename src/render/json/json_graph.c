/* SPDX-License-Identifier: Apache-2.0 */
#include "render/json/json_graph.h"

#include "analysis/cause/cause.h"
#include "render/encode/json_writer.h"
#include "render/words/graph_text.h"

static void put_node(struct json *j, const struct graph_node *n)
{
	bool is_known = n->kind == GRAPH_THREADS;

	json__line(j);
	json__object(j, NULL);
	json__text(j, "name", n->name);
	json__text(j, "kind", graph_node_kind_name((enum graph_node_kind)n->kind));
	if (is_known) {
		json__u64(j, "threads", n->threads);
		json__u64(j, "waited_ns", n->waited_ns);
	} else {
		json__null(j, "threads");
		json__null(j, "waited_ns");
	}
	json__u64(j, "ended_ns", n->ended_ns);
	json__end_object(j);
}

static void put_edge(struct json *j, const struct graph_edge *e)
{
	json__line(j);
	json__object(j, NULL);
	json__u64(j, "from", e->from);
	json__u64(j, "to", e->to);
	json__text(j, "cause", cause_name((enum cause)e->cause));
	json__u64(j, "ns", e->ns);
	json__u64(j, "full_ns", e->full_ns);
	json__u64(j, "runq_ns", e->runq_ns);
	json__end_object(j);
}

static int put_knot(struct json *j, const struct wait_graph *g, const struct graph_knot *k)
{
	struct sink sentence;
	u32 i;
	int r;

	json__line(j);
	json__object(j, NULL);
	json__array(j, "nodes");
	for (i = 0; i < k->len; i++)
		json__u64(j, NULL, k->nodes[i]);
	json__end_array(j);
	json__u64(j, "ns", k->ns);
	json__u64(j, "in_ns", k->in_ns);
	json__u64(j, "threshold_ns", k->threshold_ns);
	sink__init_mem(&sentence);
	graph_put_knot(g, k, &sentence);
	r = sink__finish(&sentence, NULL);
	json__text(j, "sentence", r ? NULL : sentence.buf);
	sink__done(&sentence);
	json__end_object(j);
	return r;
}

int json_graph_put(const struct wait_graph *g, struct sink *out)
{
	struct json j = JSON_TO(out);
	u32 i;
	int r = 0;

	json__object(&j, NULL);
	json__u64(&j, "blocked_ns", g->ns);
	json__u64(&j, "threads", g->threads);
	json__bool(&j, "redistributed", !g->is_direct);
	json__array(&j, "nodes");
	for (i = 0; i < g->nodes_len; i++)
		put_node(&j, &g->nodes[i]);
	json__end_array(&j);
	json__array(&j, "edges");
	for (i = 0; i < g->edges_len; i++)
		put_edge(&j, &g->edges[i]);
	json__end_array(&j);
	json__array(&j, "knots");
	for (i = 0; i < g->knots_len && !r; i++)
		r = put_knot(&j, g, &g->knots[i]);
	json__end_array(&j);
	json__end_object(&j);
	sink__puts(out, "\n");
	return r;
}
