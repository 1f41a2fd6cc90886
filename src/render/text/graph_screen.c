/* SPDX-License-Identifier: Apache-2.0 */
#include "render/text/graph_screen.h"

#include "analysis/cause/cause.h"
#include "base/text/units.h"
#include "base/text/utf8.h"
#include "render/words/graph_text.h"
#include "render/words/loss_text.h"

#define ROWS 15

struct graph_screen {
	const struct wait_graph *g;
	struct sink *out;
	u32 rows;
	u64 open_ns; /* of waits that were not over */
};

static void put_time(const struct graph_screen *s, u64 ns)
{
	char time[32];

	units_format_ns(ns, time, sizeof(time));
	sink__printf(s->out, "%*s", utf8_pad(time, 9), time);
}

static void put_share(const struct graph_screen *s, u64 ns)
{
	u64 whole_ns = s->g->ns - s->open_ns;

	sink__printf(s->out, "%6.1f%%", whole_ns ? 100. * (double)ns / (double)whole_ns : 0);
}

static void put_node(const struct graph_screen *s, const struct graph_node *n)
{
	put_time(s, n->ended_ns);
	put_share(s, n->ended_ns);
	if (n->kind == GRAPH_THREADS)
		put_time(s, n->waited_ns);
	else
		sink__printf(s->out, "%9s", "-");
	sink__puts(s->out, "  ");
	graph_put_node(n, s->out);
	if (n->knot)
		sink__printf(s->out, "  [knot %u]", n->knot);
	sink__puts(s->out, "\n");
}

static void put_nodes(const struct graph_screen *s)
{
	u32 i, shown = 0;

	sink__puts(s->out, "\n    ended  share   waited  node\n");
	for (i = 0; i < s->g->nodes_len && shown < s->rows; i++) {
		const struct graph_node *n = &s->g->nodes[i];

		if (n->kind == GRAPH_OPEN || (!n->ended_ns && !n->waited_ns))
			continue;
		put_node(s, n);
		shown++;
	}
}

static void put_edge(const struct graph_screen *s, const struct graph_edge *e)
{
	char time[32];

	put_time(s, e->ns);
	put_share(s, e->ns);
	put_time(s, e->full_ns);
	sink__puts(s->out, "  ");
	graph_put_node(&s->g->nodes[e->from], s->out);
	sink__puts(s->out, " > ");
	graph_put_node(&s->g->nodes[e->to], s->out);
	sink__printf(s->out, ": %s", cause_name((enum cause)e->cause));
	units_format_ns(e->runq_ns, time, sizeof(time));
	if (e->runq_ns * 10 > e->ns)
		sink__printf(s->out, "; %s of it for a CPU", time);
	sink__puts(s->out, "\n");
}

static void put_edges(const struct graph_screen *s)
{
	u32 left = 0, shown = 0, i;

	sink__puts(s->out, "\n   waited  share  in full  who waits > for whom: most of it in\n");
	for (i = 0; i < s->g->edges_len; i++) {
		if (s->g->nodes[s->g->edges[i].to].kind == GRAPH_OPEN)
			continue;
		if (shown++ < s->rows)
			put_edge(s, &s->g->edges[i]);
		else
			left++;
	}
	if (left)
		sink__printf(s->out, "%*s%u more: --top shows them\n", 27, "", left);
}

static void put_knots(const struct graph_screen *s)
{
	char time[32];
	u32 i;

	sink__puts(s->out, "\n");
	if (!s->g->knots_len)
		sink__puts(s->out, "No knot: no threads wait only for each other.\n");
	for (i = 0; i < s->g->knots_len; i++) {
		const struct graph_knot *k = &s->g->knots[i];

		sink__printf(s->out, "Knot %u: ", i + 1);
		graph_put_knot(s->g, k, s->out);
		units_format_ns(k->threshold_ns, time, sizeof(time));
		sink__printf(s->out, " (without edges below %s).\n", time);
	}
}

void graph_screen_put(const struct profile *p, const struct wait_graph *g, u32 rows,
		      struct sink *out)
{
	struct graph_screen s = { .g = g, .out = out, .rows = rows ? rows : ROWS };
	char time[32];
	u32 i;

	units_format_ns(g->ns, time, sizeof(time));
	sink__printf(out, "Wait-for graph: blocked %s, %u thread%s\n", time, g->threads,
		     units_plural(g->threads));
	for (i = 0; i < g->nodes_len; i++)
		s.open_ns += g->nodes[i].kind == GRAPH_OPEN ? g->nodes[i].ended_ns : 0;
	units_format_ns(s.open_ns, time, sizeof(time));
	if (s.open_ns)
		sink__printf(out,
			     "%s of it in waits that were not over at the end: left out below\n",
			     time);
	if (g->is_direct)
		sink__puts(out, "The recording has no instants (record --events), so all of a wait "
				"belongs to who ended it\n");
	put_nodes(&s);
	put_edges(&s);
	put_knots(&s);
	sink__puts(out, "\n");
	losses_put(p, out);
}
