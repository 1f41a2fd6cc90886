/* SPDX-License-Identifier: Apache-2.0 */
#include "render/words/graph_text.h"

#include "base/text/units.h"
#include "base/text/utf8.h"

void graph_put_node(const struct graph_node *n, struct sink *out)
{
	utf8_put_harmless(out, n->name);
	if (n->kind == GRAPH_UNRECORDED)
		sink__puts(out, " (not recorded)");
	else if (n->threads > 1)
		sink__printf(out, " (%u threads)", n->threads);
}

static void put_names(const struct wait_graph *g, const struct graph_knot *k, struct sink *out)
{
	u32 i;

	for (i = 0; i < k->len; i++) {
		if (i)
			sink__puts(out, i + 1 < k->len ? ", " : " and ");
		graph_put_node(&g->nodes[k->nodes[i]], out);
	}
}

void graph_put_knot(const struct wait_graph *g, const struct graph_knot *k, struct sink *out)
{
	char time[32];

	if (k->len == 1) {
		sink__printf(out, "%u threads of ", g->nodes[k->nodes[0]].threads);
		utf8_put_harmless(out, g->nodes[k->nodes[0]].name);
	} else {
		put_names(g, k, out);
	}
	units_format_ns(k->ns, time, sizeof(time));
	sink__printf(out, " wait for each other and for little else: %s", time);
	units_format_ns(k->in_ns, time, sizeof(time));
	if (k->in_ns)
		sink__printf(out, ", and others wait for them: %s", time);
	sink__printf(out, "; %s limit%s the throughput", k->len > 1 ? "one of them" : "they",
		     k->len > 1 ? "s" : "");
}
