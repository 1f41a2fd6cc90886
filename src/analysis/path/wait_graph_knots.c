/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A knot is a strongly connected component without an edge that leaves it (Tarjan's algorithm, with
 * a stack of its own, because there may be as many groups as threads). A single node is one only if
 * its threads wait for each other.
 *
 * Almost all groups have waited for almost all others once, for a moment, so edges below half a
 * percent of the time are left out. If a knot still has more nodes than a person can look at, the
 * limit is doubled. A wait that was not over says nothing about who would have ended it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/path/wait_graph_priv.h"
#include "base/mem.h"

#define THRESHOLD_PER_MILLE 5
#define READABLE 8
#define NO_NODE 0xffffffff

struct seeking {
	struct wait_graph *g;
	u64 threshold_ns;
	u32 *first; /* by node: of its edges in `targets`; one more at the end */
	u32 *targets;
	u32 *order; /* by node, 1 + number of arrival; 0: not visited */
	u32 *low;
	u32 *component; /* by node, NO_NODE: not known yet */
	u32 *stack; /* nodes without a component */
	u32 *path; /* nodes from the root of the search */
	u32 *next; /* by node: its next edge */
	u32 stack_len;
	u32 path_len;
	u32 visited;
	u32 components;
};

static bool counts(const struct seeking *s, const struct graph_edge *e)
{
	return e->ns && e->ns >= s->threshold_ns && s->g->nodes[e->to].kind != GRAPH_OPEN;
}

static void index_edges(struct seeking *s)
{
	const struct wait_graph *g = s->g;
	u32 i;

	memset(s->first, 0, ((size_t)g->nodes_len + 2) * sizeof(*s->first));
	for (i = 0; i < g->edges_len; i++)
		s->first[g->edges[i].from + 2] += counts(s, &g->edges[i]);
	for (i = 2; i < g->nodes_len + 2; i++)
		s->first[i] += s->first[i - 1];
	for (i = 0; i < g->edges_len; i++) {
		if (counts(s, &g->edges[i]))
			s->targets[s->first[g->edges[i].from + 1]++] = g->edges[i].to;
	}
}

static void enter(struct seeking *s, u32 node)
{
	s->order[node] = s->low[node] = ++s->visited;
	s->next[node] = s->first[node];
	s->stack[s->stack_len++] = node;
	s->path[s->path_len++] = node;
}

static void leave(struct seeking *s, u32 node)
{
	u32 at;

	s->path_len--;
	if (s->path_len && s->low[node] < s->low[s->path[s->path_len - 1]])
		s->low[s->path[s->path_len - 1]] = s->low[node];
	if (s->low[node] != s->order[node])
		return;
	do {
		at = s->stack[--s->stack_len];
		s->component[at] = s->components;
	} while (at != node);
	s->components++;
}

static void search(struct seeking *s, u32 root)
{
	enter(s, root);
	while (s->path_len) {
		u32 node = s->path[s->path_len - 1], to;

		if (s->next[node] == s->first[node + 1]) {
			leave(s, node);
			continue;
		}
		to = s->targets[s->next[node]++];
		if (!s->order[to])
			enter(s, to);
		else if (s->component[to] == NO_NODE && s->order[to] < s->low[node])
			s->low[node] = s->order[to];
	}
}

static void find_components(struct seeking *s)
{
	u32 i;

	index_edges(s);
	s->visited = s->components = 0;
	for (i = 0; i < s->g->nodes_len; i++) {
		s->order[i] = 0;
		s->component[i] = NO_NODE;
	}
	for (i = 0; i < s->g->nodes_len; i++) {
		if (!s->order[i])
			search(s, i);
	}
}

/* What is known of a component. */
struct component {
	u32 len;
	bool is_left; /* an edge goes to another one */
	bool has_edge; /* one is inside of it */
	bool has_user;
	u64 ns;
	u64 in_ns;
};

static void sum_components(const struct seeking *s, struct component *list)
{
	const struct wait_graph *g = s->g;
	u32 i;

	memset(list, 0, ((size_t)g->nodes_len + 1) * sizeof(*list));
	for (i = 0; i < g->nodes_len; i++) {
		struct component *c = &list[s->component[i]];

		c->len++;
		c->has_user |= g->nodes[i].kind == GRAPH_THREADS && !g->nodes[i].is_kernel;
	}
	for (i = 0; i < g->edges_len; i++) {
		const struct graph_edge *e = &g->edges[i];
		u32 from = s->component[e->from], to = s->component[e->to];

		if (from == to)
			list[to].ns += e->ns;
		else
			list[to].in_ns += e->ns;
		list[from].is_left |= from != to && counts(s, e);
		list[from].has_edge |= from == to && counts(s, e);
	}
}

static bool is_knot(const struct component *c)
{
	return !c->is_left && c->has_edge && c->has_user;
}

static u32 largest(const struct seeking *s, const struct component *list)
{
	u32 most = 0, i;

	for (i = 0; i < s->components; i++) {
		if (is_knot(&list[i]) && list[i].len > most)
			most = list[i].len;
	}
	return most;
}

static int most_first(const void *a, const void *b)
{
	const struct graph_knot *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->nodes[0] < y->nodes[0] ? -1 : x->nodes[0] > y->nodes[0];
}

/* Nodes are in the order of the graph: the one with most time first. */
static int add_knot(const struct seeking *s, u32 id, const struct component *c, struct arena *a)
{
	u32 *nodes = arena__array(a, c->len, sizeof(*nodes)), len = 0, i;

	if (!nodes)
		return -ENOMEM;
	for (i = 0; i < s->g->nodes_len; i++) {
		if (s->component[i] == id)
			nodes[len++] = i;
	}
	s->g->knots[s->g->knots_len++] = (struct graph_knot){
		.nodes = nodes,
		.len = len,
		.ns = c->ns,
		.in_ns = c->in_ns,
		.threshold_ns = s->threshold_ns,
	};
	return 0;
}

static int give(const struct seeking *s, const struct component *list, struct arena *a)
{
	struct wait_graph *g = s->g;
	u32 i, k;
	int r = 0;

	g->knots = arena__array(a, (size_t)s->components + 1, sizeof(*g->knots));
	if (!g->knots)
		return -ENOMEM;
	for (i = 0; i < s->components && !r; i++) {
		if (is_knot(&list[i]))
			r = add_knot(s, i, &list[i], a);
	}
	if (!r && g->knots_len)
		qsort(g->knots, g->knots_len, sizeof(*g->knots), most_first);
	for (i = 0; i < g->knots_len; i++) {
		for (k = 0; k < g->knots[i].len; k++)
			g->nodes[g->knots[i].nodes[k]].knot = i + 1;
	}
	return r;
}

static bool begin(struct seeking *s)
{
	size_t nodes = (size_t)s->g->nodes_len + 2;

	s->first = mem_array(nodes, sizeof(u32));
	s->targets = mem_array((size_t)s->g->edges_len + 1, sizeof(u32));
	s->order = mem_array(nodes, sizeof(u32));
	s->low = mem_array(nodes, sizeof(u32));
	s->component = mem_array(nodes, sizeof(u32));
	s->stack = mem_array(nodes, sizeof(u32));
	s->path = mem_array(nodes, sizeof(u32));
	s->next = mem_array(nodes, sizeof(u32));
	return s->first && s->targets && s->order && s->low && s->component && s->stack &&
	       s->path && s->next;
}

static void end(struct seeking *s)
{
	mem_free(s->first);
	mem_free(s->targets);
	mem_free(s->order);
	mem_free(s->low);
	mem_free(s->component);
	mem_free(s->stack);
	mem_free(s->path);
	mem_free(s->next);
}

int wait_graph_find_knots(struct wait_graph *g, u64 window_ns, struct arena *a)
{
	struct seeking s = { .g = g };
	struct component *list = mem_array((size_t)g->nodes_len + 1, sizeof(*list));
	int r = begin(&s) && list ? 0 : -ENOMEM;

	s.threshold_ns = window_ns / 1000 * THRESHOLD_PER_MILLE;
	while (!r) {
		find_components(&s);
		sum_components(&s, list);
		if (largest(&s, list) <= READABLE || s.threshold_ns > g->ns)
			break;
		s.threshold_ns = 2 * s.threshold_ns + 1;
	}
	if (!r)
		r = give(&s, list, a);
	mem_free(list);
	end(&s);
	return r;
}
