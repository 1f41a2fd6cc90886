/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASYNC_TOKIO_TK_LIST_H
#define ASYNC_TOKIO_TK_LIST_H

#include "async/task/task_memory.h"
#include "async/tokio/tk_layout.h"
#include "base/vec.h"

/* Tasks of a process at most. */
#define TK_LIST_MAX (1UL << 22)

/* A task in a list. */
struct tk_node {
	u64 at;
	u64 vtable;
	u64 owner;
	u64 previous;
	u64 next;
	bool ok; /* it is a task */
};

/*
 * The tasks of all lists of a process. The lists change while they are read, so each step is
 * checked: a task must point back to the one that leads to it, and be of the same runtime.
 */
struct tk_list {
	struct vec nodes; /* struct tk_node, list by list */
	struct vec before; /* those of the last reading, as of now */
	u64 lost; /* tasks that should be there, behind a step that could not be checked */
	u64 cost_ns; /* CPU time of the last reading */
	u64 saved_ns; /* and what was granted since */
};

void tk_list__init(struct tk_list *list);
/* NULL and all zero are fine. */
void tk_list__done(struct tk_list *list);
/* Whether all that passes grant, of which each calls this, is enough to read it again. */
bool tk_list__is_due(struct tk_list *list, u64 budget_ns);
/* -ESRCH: the process has ended; -EACCES: we may not read it; -ENOMEM. */
int tk_list__read(struct tk_list *list, struct tk_layout *l, struct task_memory *mem);
/* One task as it is now; `ok` is false if there is no task. */
void tk_node__read(struct tk_node *n, const struct tk_layout *l, struct task_memory *mem);
/* The same of several whose vtables are known: `ok` is false where there is another one. */
void tk_nodes__read(struct tk_node *nodes, size_t n, const struct tk_layout *l,
		    struct task_memory *mem);

#endif
