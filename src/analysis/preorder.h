/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_PREORDER_H
#define ANALYSIS_PREORDER_H

#include "base/types.h"

/*
 * Where the nodes of a tree are in preorder, children of a node in an order that the caller knows.
 * Ids are such that parents have lower ones than their children; 0 is the root, and stays there.
 */
struct preorder {
	u32 *sorted; /* the ids but 0: parents before their children */
	u32 *size; /* by id: nodes of the subtree, itself among them */
	u32 *place; /* by id */
	u32 *next; /* internal */
};

struct preorder_of {
	u32 len; /* nodes, at least 1 */
	u32 (*parent)(const void *tree, u32 id);
	/* Of two ids of one parent; for qsort_r(). */
	int (*compare)(const void *a, const void *b, void *tree);
	void *tree;
};

/* -ENOMEM or 0. preorder__done() in any case. */
int preorder__init(struct preorder *o, const struct preorder_of *of);
void preorder__done(struct preorder *o);

#endif
