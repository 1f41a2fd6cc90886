/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A layout of its own would be a program of its own: `dot -Tsvg` draws this. Names come from
 * programs, so quotes and backslashes in them are escaped.
 */
#include "analysis/cause/cause.h"
#include "base/text/units.h"
#include "base/text/utf8.h"
#include "render/text/graph_screen.h"
#include "render/words/graph_text.h"

/* Per mille of all time that an edge has at least; the width of a line that has all of it. */
#define SHOWN_PER_MILLE 5
#define WIDEST 12.

static bool is_shown(const struct wait_graph *g, const struct graph_edge *e)
{
	return e->ns && e->ns >= g->ns / 1000 * SHOWN_PER_MILLE &&
	       g->nodes[e->to].kind != GRAPH_OPEN;
}

static bool has_edge(const struct wait_graph *g, u32 node)
{
	u32 i;

	for (i = 0; i < g->edges_len; i++) {
		if (is_shown(g, &g->edges[i]) &&
		    (g->edges[i].from == node || g->edges[i].to == node))
			return true;
	}
	return false;
}

static void put_escaped(const char *text, struct sink *out)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			sink__puts(out, "\\");
		sink__put(out, text, 1);
	}
}

static void put_node(const struct wait_graph *g, u32 node, struct sink *out)
{
	static const char *const shapes[GRAPH_NODE_KINDS] = {
		[GRAPH_THREADS] = "box",       [GRAPH_UNRECORDED] = "box",
		[GRAPH_INTERRUPT] = "ellipse", [GRAPH_PEER] = "cds",
		[GRAPH_UNKNOWN] = "plaintext", [GRAPH_OPEN] = "plaintext",
	};
	const struct graph_node *n = &g->nodes[node];
	struct sink name;
	char time[32];

	units_format_ns(n->ended_ns, time, sizeof(time));
	sink__init_mem(&name);
	graph_put_node(n, &name);
	if (!sink__finish(&name, NULL)) {
		sink__printf(out, "\tn%u [shape=%s%s label=\"", node, shapes[n->kind],
			     n->knot ? " style=filled fillcolor=\"#f6c6c0\"" : "");
		put_escaped(name.buf, out);
		sink__printf(out, "\\n%s\"];\n", time);
	} else {
		out->error = name.error;
	}
	sink__done(&name);
}

static void put_edge(const struct wait_graph *g, const struct graph_edge *e, struct sink *out)
{
	double share = (double)e->ns / (double)g->ns;
	char time[32];

	units_format_ns(e->ns, time, sizeof(time));
	sink__printf(out, "\tn%u -> n%u [penwidth=%.1f label=\"%s\\n%s\"];\n", e->from, e->to,
		     1 + share * WIDEST, time, cause_name((enum cause)e->cause));
}

void graph_dot_put(const struct wait_graph *g, struct sink *out)
{
	u32 i;

	sink__puts(out, "digraph \"wait-for\" {\n\trankdir=LR;\n"
			"\tnode [fontname=\"Helvetica\"];\n\tedge [fontname=\"Helvetica\" "
			"fontsize=10];\n");
	for (i = 0; i < g->nodes_len; i++) {
		if (has_edge(g, i))
			put_node(g, i, out);
	}
	for (i = 0; i < g->edges_len; i++) {
		if (is_shown(g, &g->edges[i]))
			put_edge(g, &g->edges[i], out);
	}
	sink__puts(out, "}\n");
}
