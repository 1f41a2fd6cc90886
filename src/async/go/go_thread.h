/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASYNC_GO_GO_THREAD_H
#define ASYNC_GO_GO_THREAD_H

#include "async/task/task_memory.h"
#include "async/task/task_threads.h"

/*
 * The thread that runs a goroutine, or makes its system call: g.m leads to a struct m, which has
 * its number. Sources: struct m in runtime/runtime2.go of Go 1.18 to 1.26.
 */

/* Offset of m in a g, in all versions; NULL unless a thread runs it. */
#define GO_G_M 48
/* As much of an m as is read. */
#define GO_M_SZ 128

struct go_threads {
	u32 number; /* offset of m.procid; 0: not known yet */
	bool fits[GO_M_SZ / 8];
	struct task_threads ids;
};

void go_threads__init(struct go_threads *t, u32 tgid);
/* NULL and all zero are fine. */
void go_threads__done(struct go_threads *t);
/* *ret_tid: the thread that runs the goroutine `g`; 0: none, or not known. -ENOMEM or 0. */
int go_threads__find(struct go_threads *t, struct task_memory *mem, const u8 *g, u32 *ret_tid);

#endif
