/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_WINDOW_H
#define CAPTURE_WINDOW_H

#include "base/types.h"

/*
 * The window of a trace: hooks count what is in [begin, end) of CLOCK_MONOTONIC. Both are known to
 * all hooks before they come, whatever this process has to wait for meanwhile: only the host or an
 * interrupt of 300 us could come between.
 */
struct programs;

/* Set it to a moment ahead, and return it: the caller waits. */
u64 window_set_begin(struct programs *p);
u64 window_set_end(struct programs *p);
/*
 * Once the end has come: returns when no hook that runs with interrupts off, as those do that close
 * what a thread did, is still at work on something before it.
 */
void window_settle(struct programs *p);

#endif
