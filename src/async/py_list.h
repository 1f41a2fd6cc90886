/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASYNC_PY_LIST_H
#define ASYNC_PY_LIST_H

#include "async/py_layout.h"
#include "base/vec.h"

/* Entries of a set at most. */
#define PY_LIST_MAX (1UL << 24)
/* In an entry of the list: it is a task itself, not a weak reference to one. */
#define PY_LIST_DIRECT 1ULL

/*
 * Appends the elements of the sets of tasks to `list` (u64). -ESRCH: they are no sets any more;
 * -EACCES, -ENOMEM.
 */
int py_list__read(const struct py_layout *l, struct py_types *types, struct task_memory *mem,
		  struct vec *list);

#endif
