/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_PATH_WAIT_GRAPH_PRIV_H
#define ANALYSIS_PATH_WAIT_GRAPH_PRIV_H

#include "analysis/path/critical_path.h"
#include "analysis/path/wait_graph.h"
#include "base/intern.h"
#include "base/map64.h"
#include "base/strtab.h"

struct graph_making {
	const struct lanes *lanes;
	const struct profile *p;
	struct causes causes;
	struct strtab names;
	struct intern nodes; /* struct node */
	struct intern edges; /* struct edge */
	struct intern edge_causes; /* struct edge_cause */
	u32 *node_of_task; /* id; 0: not looked up yet */
	struct map64 known; /* of waits that no recorded thread ended: node by struct graph_end */
};

/* Nodes are ids of `nodes`. */
struct graph_addend {
	u32 from;
	u32 to;
	u32 wait; /* of `from`; 0: none */
	u64 ns;
	u64 runq_ns;
	u64 full_ns;
};

/* How a wait ended that no recorded thread ended. */
struct graph_end {
	enum path_kind kind;
	u32 wait; /* its index */
	u32 waker; /* 0: nobody known */
};

/* These four: -ENOMEM or 0. */
int wait_graph_node_of_task(struct graph_making *m, u32 task, u32 *ret);
int wait_graph_node_of_end(struct graph_making *m, const struct graph_end *end, u32 *ret);
int wait_graph_add_edge(struct graph_making *m, const struct graph_addend *add);
/* All edges of a profile without moments. In wait_graph_direct.c. */
int wait_graph_add_direct(struct graph_making *m);
/* Blocked time of the threads of a node. */
void wait_graph_add_waited(struct graph_making *m, u32 node, u64 ns);
/* Finds the knots of a graph that has its nodes and edges. `window_ns`: see wait_graph_knots.c. */
int wait_graph_find_knots(struct wait_graph *g, u64 window_ns, struct arena *a);

#endif
