/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_MODEL_TREE_CAUSE_H
#define ANALYSIS_MODEL_TREE_CAUSE_H

#include "analysis/cause/cause_memo.h"
#include "analysis/model/tree.h"

/* The causes of the waits under each node of a tree. */
struct tree_cause {
	u32 cause; /* of causes__shown(), the one with most of its total_ns; CAUSE_CNT: no time */
	u64 ns; /* the time of that cause */
	u64 idle_ns; /* of waits for work */
};

struct tree_causes {
	struct tree_cause *of_node;
	u64 ns[CAUSE_SHOWN_CNT]; /* of the whole tree */
};

/* At least two thirds of the time has that cause, so it may stand for the node. */
bool tree_cause__is_clear(const struct tree_cause *c, const struct tree_node *n);
/*
 * `p` is the profile of the tree. In the arena. Between causes with equal time, the first of the
 * enum wins. `memo`: of causes, or NULL (cause_memo.h). -ENOMEM or 0.
 */
int tree_causes__build(const struct profile *p, const struct tree *t, struct arena *a,
		       struct cause_memo *memo, struct tree_causes *ret_causes, struct err *err);

#endif
