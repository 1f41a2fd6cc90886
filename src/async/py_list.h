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

/*
 * Appends elements of the sets of tasks to `list` (struct py_ref): a random part of each, of which
 * every element has the same chance. The weights of a part add up to the number of its elements.
 * If they are not all, the tasks in *ret are appended as well, at random positions: whoever goes
 * through the list leaves these tasks out where they were left to chance. *ret_len: elements of the
 * sets. -ESRCH: they are no sets any more; -EACCES, -ENOMEM.
 */
int py_list__read(const struct py_layout *l, struct py_types *types, struct task_memory *mem,
		  const struct py_part *part, struct vec *list, struct py_current *ret,
		  u64 *ret_len);
/* Elements of the sets, without reading them; 0: unknown. */
u64 py_list__count(const struct py_layout *l, struct py_types *types, struct task_memory *mem);

#endif
