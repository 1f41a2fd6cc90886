/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_PATH_WAIT_GRAPH_PRIV_H
#define ANALYSIS_PATH_WAIT_GRAPH_PRIV_H

#include "analysis/path/wait_graph.h"

/* Finds the knots of a graph that has its nodes and edges. `window_ns`: see wait_graph_knots.c. */
int wait_graph_find_knots(struct wait_graph *g, u64 window_ns, struct arena *a);

#endif
