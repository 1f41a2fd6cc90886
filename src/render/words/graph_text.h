/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_WORDS_GRAPH_TEXT_H
#define RENDER_WORDS_GRAPH_TEXT_H

#include "analysis/path/wait_graph.h"
#include "base/sink.h"

/* "cc1 (12 threads)", "sh (not recorded)", "[timer interrupt]", "tcp 10.0.0.5:5432". */
void graph_put_node(const struct graph_node *n, struct sink *out);
/*
 * A knot in one sentence: "nginx and postgres (4 threads) wait for each other and for nobody else:
 * 3.20 s, and others 1.10 s for them; one of them limits the throughput".
 */
void graph_put_knot(const struct wait_graph *g, const struct graph_knot *k, struct sink *out);

#endif
