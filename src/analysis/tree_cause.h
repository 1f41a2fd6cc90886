/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_TREE_CAUSE_H
#define ANALYSIS_TREE_CAUSE_H

#include "analysis/cause_memo.h"
#include "analysis/tree.h"

/* What the waits under each node of a tree were for. */
struct tree_cause {
	u32 cause; /* of causes__shown(), that with the most of its total_ns; CAUSE_CNT: no time */
	u64 ns; /* as much as that */
};

struct tree_causes {
	struct tree_cause *of_node;
	u64 ns[CAUSE_SHOWN_CNT]; /* of the whole tree */
};

/* At least two thirds of the time is of that cause: the rest does not hide it. */
bool tree_cause__is_clear(const struct tree_cause *c, const struct tree_node *n);
/*
 * `p` is what the tree was built from. Lives in the arena. Of causes with equal time the first of
 * the enum. `memo`: of causes, or NULL (cause_memo.h). -ENOMEM or 0.
 */
int tree_causes__build(const struct profile *p, const struct tree *t, struct arena *a,
		       struct cause_memo *memo, struct tree_causes *ret_causes, struct err *err);

#endif
