/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_JSON_JSON_GRAPH_H
#define RENDER_JSON_JSON_GRAPH_H

#include "analysis/path/wait_graph.h"
#include "base/sink.h"

/* All of a wait-for graph as one JSON object: docs/critical-path.md describes it. -ENOMEM or 0. */
int json_graph_put(const struct wait_graph *g, struct sink *out);

#endif
