/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASYNC_TASK_TASK_THREADS_H
#define ASYNC_TASK_TASK_THREADS_H

#include "base/map64.h"
#include "base/types.h"

/*
 * The threads of a process, by the numbers that it knows itself: those of its own PID namespace.
 * Sources: /proc/PID/status and /proc/PID/task. Not thread-safe.
 */
struct task_threads {
	u32 tgid;
	bool is_known; /* whether it has numbers of its own was looked up */
	bool has_own;
	struct map64 own; /* its numbers to ours */
	u64 read_ns; /* when its threads were read last */
};

void task_threads__init(struct task_threads *t, u32 tgid);
/* NULL is fine. */
void task_threads__done(struct task_threads *t);
/* Our number of a thread, whether it exists or not; 0: it has none. -ENOMEM or 0. */
int task_threads__find(struct task_threads *t, u64 number, u32 *ret_tid);
/* Whether such a thread exists. */
bool task_threads__has(struct task_threads *t, u64 number);

#endif
