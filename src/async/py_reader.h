/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASYNC_PY_READER_H
#define ASYNC_PY_READER_H

#include "async/py_chain.h"
#include "async/py_list.h"
#include "async/task/task_seen.h"
#include "base/vec.h"

/* Tasks read at once: see GO_CHUNK. */
#define PY_CHUNK 16
/* How many names a program may give to its tasks before all others count by their function. */
#define PY_NAMES_MAX 256
#define PY_NAME_SZ 64

/* The tasks of asyncio in a process, and what is known of its types and functions. */
struct py_tasks {
	struct py_layout layout;
	struct py_types types;
	struct py_codes codes;
	struct map64 named; /* hashes of names that were given to tasks */
	u32 thread; /* that ran a task last; 0: none */
};

/* -ENOMEM or 0. */
int py_tasks__init(struct py_tasks *t, struct python_codes *records);
/* NULL and all zero are fine. */
void py_tasks__done(struct py_tasks *t);

/* A task while it is read. */
struct py_item {
	struct py_ref ref;
	u64 at;
	bool dead; /* it is over */
	bool ok; /* it is a task of the C module */
	u8 before[PY_TASK_SZ];
	u8 after[PY_TASK_SZ];
	u8 small[PY_SMALL_SZ];
	u8 waiter[PY_FUTURE_SZ];
	enum py_kind waits_for;
	u8 name[PY_STRING_HEAD_MAX + PY_NAME_SZ];
	u8 root[PY_CORO_SZ]; /* the second reading of its outermost coroutine */
	struct py_chain chain;
	struct py_chain awaited; /* of the task that it waits for */
	struct task_thread thread; /* that runs it */
};

/* Reads tasks. Needs some room, so one serves all processes. Not thread-safe. */
struct py_reader {
	struct py_list list;
	struct py_item items[PY_CHUNK];
	struct python_frames frames;
};

void py_reader__init(struct py_reader *r);
/* NULL and all zero are fine. */
void py_reader__done(struct py_reader *r);
/*
 * Shows the tasks of a pass that are not over, in no order. *ret_len: how many
 * there are. p->image is what names of functions belong to. -ESRCH: the process has ended or runs
 * something else; -EACCES: we may not read it; -ENOMEM; or what pass->each returns.
 */
int py_reader__pass(struct py_reader *r, struct py_tasks *t, struct task_memory *mem,
		    struct process *p, const struct task_pass *pass, u64 *ret_len);
/*
 * The name under which a task counts that the program has named: "worker-3" is "worker-*", and one
 * that asyncio has named, "Task-3", has none. Pure. False: none.
 */
bool py_task_name(const char *text, char ret[PY_NAME_SZ]);

#endif
