/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASYNC_TOKIO_TK_SEARCH_H
#define ASYNC_TOKIO_TK_SEARCH_H

#include "async/tokio/tk_layout.h"

/*
 * Searches the memory of a process for tasks of Tokio, and with these for the lists that they are
 * in, which it adds to those of the layout. Only pages in memory are read, and no stacks of main
 * threads. -ENOTSUP with a sentence: there are tasks, but they do not look as expected; -EACCES,
 * -ESRCH; -ENOMEM. Without tasks it finds nothing and returns 0.
 */
int tk_search(struct tk_layout *l, struct task_memory *mem, const struct maps *maps,
	      const struct tk_program *p, struct err *err);
/*
 * Whether it is time to search again: one CPU in 200 is spent on it at most. `now_ns` is of
 * CLOCK_MONOTONIC.
 */
bool tk_search_is_due(const struct tk_layout *l, u64 now_ns);

#endif
