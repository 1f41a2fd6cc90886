/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_VIEW_PREORDER_H
#define ANALYSIS_VIEW_PREORDER_H

#include "base/types.h"

/*
 * Where the nodes of a tree are in preorder, with siblings in an order that the caller defines.
 * Parents have lower ids than their children; 0 is the root, and stays at 0.
 */
struct preorder {
	u32 *sorted; /* the ids except 0: parents before their children */
	u32 *size; /* by id: nodes of the subtree, including itself */
	u32 *place; /* by id */
	u32 *next; /* internal */
};

struct preorder_of {
	u32 len; /* nodes, at least 1 */
	u32 (*parent)(const void *tree, u32 id);
	/* Compares two ids with the same parent; for qsort_r(). */
	int (*compare)(const void *a, const void *b, void *tree);
	void *tree;
};

/* -ENOMEM or 0. preorder__done() in any case. */
int preorder__init(struct preorder *o, const struct preorder_of *of);
void preorder__done(struct preorder *o);

#endif
