/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASYNC_PY_LIST_H
#define ASYNC_PY_LIST_H

#include "async/py_layout.h"
#include "base/vec.h"

/* Entries of a set at most. */
#define PY_LIST_MAX (1UL << 24)

/* A task that was chosen. */
struct py_ref {
	u64 addr; /* of a weak reference to it, or of itself */
	u32 weight; /* so many tasks it stands for */
	bool direct; /* it is the task itself */
	bool certain; /* it was not left to chance */
};

/* Loops whose tasks are looked for. */
#define PY_LOOPS_MAX 8

/* The tasks that loops run, of one instant. */
struct py_current {
	u64 at[PY_LOOPS_MAX];
	size_t len;
};

/* How much of the tasks is read. */
struct py_part {
	u32 one_in; /* 1: all of them */
	u64 seed; /* random: what is chosen depends on it alone */
};

struct py_list {
	struct vec refs; /* struct py_ref */
	struct py_current current; /* of a part: those among refs that are certain */
	u64 len; /* elements of the sets, chosen or not */
};

void py_list__init(struct py_list *list);
/* NULL and all zero are fine. */
void py_list__done(struct py_list *list);
/*
 * Chooses elements of the sets of tasks. If not all of them are read, these are the tasks that run,
 * at random positions, and a random part of the others, of which each has the same chance. Weights
 * add up to the number of all. -ESRCH: they are no sets any more; -EACCES, -ENOMEM.
 */
int py_list__read(struct py_list *list, const struct py_layout *l, struct py_types *types,
		  struct task_memory *mem, const struct py_part *part);
/* Elements of the sets, without reading them; 0: unknown. */
u64 py_list__count(const struct py_layout *l, struct py_types *types, struct task_memory *mem);

#endif
