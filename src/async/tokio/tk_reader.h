/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASYNC_TOKIO_TK_READER_H
#define ASYNC_TOKIO_TK_READER_H

#include "async/task/task_seen.h"
#include "async/tokio/tk_awaits.h"
#include "async/tokio/tk_layout.h"
#include "async/tokio/tk_list.h"
#include "async/tokio/tk_program.h"
#include "async/tokio/tk_shelf.h"

/* Tasks read at once: see GO_CHUNK. */
#define TK_CHUNK 16

/* The tasks of Tokio in a process. All zero: there are none. */
struct tk_tasks {
	struct tk_program program;
	struct tk_layout layout;
	struct tk_list list;
	struct tk_shelf *shelf; /* borrowed; NULL: chains are not read */
	const struct tk_book *book; /* of the shelf; NULL: not looked for */
	bool bound; /* the types know their futures */
};

/* A task while it is read. */
struct tk_item {
	const struct tk_node *node;
	const struct tk_type *type;
	u8 before[TK_HEADER_SZ];
	u8 after[TK_HEADER_SZ];
	u8 body[TK_FUTURE_SZ]; /* its future, as it was read last */
	bool ok; /* both readings */
	bool again;
	struct tk_awaits awaits;
	char reason[TASK_REASON_SZ];
	bool changed; /* the second chain is another one */
};

/* Reads tasks. Needs some room, so one serves all processes. Not thread-safe. */
struct tk_reader {
	struct tk_item items[TK_CHUNK];
	struct tk_awaits second;
	struct task_place places[TK_STEPS_MAX];
};

/*
 * The Tokio in the program of a process, whose file is `fd`, which is borrowed, as the shelf is.
 * What it returns is as from tk_program__open().
 */
int tk_tasks__open(struct tk_tasks *t, int fd, const char *path, struct tk_shelf *shelf,
		   struct err *err);
/* NULL and all zero are fine. */
void tk_tasks__done(struct tk_tasks *t);
/*
 * Finds its tasks, if it is time to search for them. -EAGAIN: there are none yet; -ENOTSUP with a
 * sentence; -EACCES, -ESRCH, -ENOMEM.
 */
int tk_tasks__find(struct tk_tasks *t, struct task_memory *mem, struct err *err);
/*
 * Shows the tasks of a pass that are not over. *ret_len: how many there are; *ret_list_ns:
 * CPU time that their lists took, however many are chosen. -ESRCH: the process has ended or runs
 * something else; -EACCES: we may not read it; -ENOMEM; or what pass->each returns.
 */
int tk_reader__pass(struct tk_reader *reader, struct tk_tasks *t, struct task_memory *mem,
		    const struct task_pass *pass, u64 *ret_len, u64 *ret_list_ns);

#endif
