/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASYNC_TASK_TASK_MEMORY_H
#define ASYNC_TASK_TASK_MEMORY_H

#include "base/types.h"

/* So many pieces are read in one call. */
#define TASK_MEMORY_PIECES 64

/* A piece of the memory of another process, and where it goes. */
struct task_piece {
	u64 addr;
	void *buf;
	size_t sz;
	bool ok; /* all of it was read */
};

/*
 * The memory of a process that is not stopped, by process_vm_readv(2). What is read in one call is
 * of nearly one instant; nothing is atomic.
 */
struct task_memory {
	u32 tgid;
	bool denied; /* the kernel does not let us */
	bool gone; /* the process has ended */
	u64 calls;
};

/* False if not all of it can be read. */
bool task_memory__read(struct task_memory *m, u64 addr, void *buf, size_t sz);
/* Sets `ok` of each of at most TASK_MEMORY_PIECES pieces. */
void task_memory__read_pieces(struct task_memory *m, struct task_piece *pieces, size_t n);

#endif
