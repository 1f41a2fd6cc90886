/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASYNC_TASK_TURN_H
#define ASYNC_TASK_TURN_H

#include "base/types.h"

/*
 * Real-time priority of the calling thread (SCHED_FIFO, 1) while it waits for rounds and reads. A
 * loop's own bursts would delay it otherwise, so that what tasks do just after a burst is seen too
 * often. Children do not inherit it.
 */
struct task_turn {
	bool refused; /* the kernel does not let us */
	bool taken;
	int policy; /* of before */
	int priority;
};

/* Asks for it once; where it is refused, the thread stays as it is. */
void task_turn__take(struct task_turn *t);
void task_turn__give_back(struct task_turn *t);

#endif
