/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_PATH_WAIT_GRAPH_H
#define ANALYSIS_PATH_WAIT_GRAPH_H

#include "analysis/cause/cause_memo.h"
#include "analysis/path/lanes.h"
#include "base/arena.h"
#include "base/err.h"

/*
 * Who waits for whom. Nodes are groups of threads with one name in processes of one name, kinds of
 * interrupts, and peers of sockets.
 *
 * The time of a wait goes to the edge on which it ended: while A waits for B and B for C, that is
 * time of the edge from B to C, so that a chain of waits leads to its end (cascaded
 * redistribution). The times of all edges add up to the blocked time of all threads.
 */
enum graph_node_kind {
	GRAPH_THREADS,
	GRAPH_UNRECORDED, /* threads that are not recorded */
	GRAPH_INTERRUPT,
	GRAPH_PEER, /* the other end of a socket */
	GRAPH_UNKNOWN,
	GRAPH_OPEN, /* waits that were not over at the end */
	GRAPH_NODE_KINDS,
};

/* "threads", "peer": stable words for formats. */
const char *graph_node_kind_name(enum graph_node_kind kind);

struct graph_node {
	u32 kind; /* enum graph_node_kind */
	const char *name; /* "cc1", or "worker of shop" if the process is called otherwise */
	u32 threads; /* GRAPH_THREADS */
	bool is_kernel; /* all of them are kernel threads */
	u64 waited_ns; /* GRAPH_THREADS: blocked time of its threads */
	u64 ended_ns; /* of edges to this node */
	u32 knot; /* 1 + index; 0: in none */
};

struct graph_edge {
	u32 from; /* index of a node, like `to` */
	u32 to;
	u32 cause; /* enum cause, of most of the time */
	u64 ns; /* after redistribution */
	u64 full_ns; /* of the waits of `from` themselves, whatever `to` waited for meanwhile */
	u64 runq_ns; /* of ns: `to` waited for a CPU */
};

/*
 * A sink of the graph: nodes that wait for each other, directly or in turn, and for nobody else.
 * One of them limits the throughput of all.
 */
struct graph_knot {
	const u32 *nodes; /* indexes, the one with most ended_ns first */
	u32 len;
	u64 ns; /* of the edges between them */
	u64 in_ns; /* of the edges of others to them */
	u64 threshold_ns; /* edges below that were left out to see it */
};

struct wait_graph {
	struct graph_node *nodes; /* most ended_ns first */
	struct graph_edge *edges; /* most ns first; none has ns and full_ns 0 */
	struct graph_knot *knots; /* most ns first */
	u32 *node_of_task; /* index of a node, by task from 1 */
	u32 nodes_len;
	u32 edges_len;
	u32 knots_len;
	u64 ns; /* of all edges: all blocked time; if is_direct, that of listed waits */
	u32 threads;
	/*
	 * Of a profile without moments: nothing is redistributed, and an edge is the time of the
	 * waits of `from` that `to` ended. ns and full_ns are equal, and runq_ns is 0.
	 */
	bool is_direct;
};

/*
 * Of a profile with wakers whose frames are named. Everything is in the arena. `memo`: of causes of
 * its profile, or NULL. -ENOMEM or 0.
 */
int wait_graph__build(const struct lanes *lanes, struct cause_memo *memo, struct arena *a,
		      struct wait_graph *ret, struct err *err);

#endif
