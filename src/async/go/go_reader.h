/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASYNC_GO_GO_READER_H
#define ASYNC_GO_GO_READER_H

#include "async/go/go_layout.h"
#include "async/go/go_stack.h"
#include "async/go/go_thread.h"
#include "async/task/task_seen.h"
#include "base/vec.h"

/*
 * Goroutines read at once: their structs, their stacks, their structs again. More at once are more
 * often torn: 16 % of them in a chunk of 512, 0.4 % in one of 16.
 */
#define GO_CHUNK 16

/* Reads goroutines. Needs some room, so one serves all processes. Not thread-safe. */
struct go_reader {
	struct vec list; /* u64: addresses of all goroutines */
	u64 chosen[GO_CHUNK]; /* those of a chunk */
	u8 before[GO_CHUNK][GO_G_MAX];
	u8 after[GO_CHUNK][GO_G_MAX];
	u8 inner[GO_CHUNK][GO_STACK_BYTES];
	u8 whole[GO_STACK_BYTES_MAX]; /* of a stack that is deeper than these */
	struct host_stack stack;
};

void go_reader__init(struct go_reader *r);
/* NULL and all zero are fine. */
void go_reader__done(struct go_reader *r);
/*
 * Shows the goroutines of a pass; dead ones are left out. Those that are chosen lie apart in the
 * list: neighbours often do the same, and would say less. Of one that runs, or is in a system call,
 * the thread is looked at as well. *ret_len: how many there are in the list, dead or not. -ESRCH:
 * the process has ended or runs something else; -EACCES: we may not read it; -ENOMEM; or what
 * pass->each returns.
 */
int go_reader__pass(struct go_reader *r, const struct go_layout *l, struct go_threads *threads,
		    struct task_memory *mem, const struct task_pass *pass, u64 *ret_len);

#endif
