/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASYNC_PY_RUNNING_H
#define ASYNC_PY_RUNNING_H

#include "async/py_chain.h"

/*
 * The functions of a task that runs: a coroutine that runs does not say what it awaits, but the
 * thread that runs it has a list of frames, from the innermost function to that of the loop. Puts
 * those up to the outermost coroutine into the chain, instead of that one alone, if they are found.
 * *thread: where to look first, and where it was found. -ENOMEM or 0.
 */
int py_running__read(struct py_chain *c, const struct py_reading *r, u32 *thread);

#endif
