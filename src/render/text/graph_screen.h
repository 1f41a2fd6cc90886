/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_TEXT_GRAPH_SCREEN_H
#define RENDER_TEXT_GRAPH_SCREEN_H

#include "analysis/path/wait_graph.h"
#include "base/sink.h"
#include "profile/profile.h"

/* A wait-for graph for people; so many `rows` of each table, 0: 15. */
void graph_screen_put(const struct profile *p, const struct wait_graph *g, u32 rows,
		      struct sink *out);
/* The same for Graphviz: edges of at least half a percent of the time, as wide as their time. */
void graph_dot_put(const struct wait_graph *g, struct sink *out);

#endif
