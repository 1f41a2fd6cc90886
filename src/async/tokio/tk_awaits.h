/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASYNC_TOKIO_TK_AWAITS_H
#define ASYNC_TOKIO_TK_AWAITS_H

#include "async/task/task_memory.h"
#include "elf/future/future.h"

/* Steps from future to future; more than that is a circle. */
#define TK_STEPS_MAX 256
/* What is read of a future at once; the rest is read as it is needed. */
#define TK_FUTURE_SZ 2048

/* How a chain ends. */
enum tk_end {
	TK_END_LEAF =
		0, /* at a future that awaits nothing that is known: `leaf`, if it has a name */
	TK_END_NEW, /* at one that has not begun */
	TK_END_BAD, /* at what cannot be, or cannot be read: it changed meanwhile */
};

/* The futures of a task that await each other, outermost first. */
struct tk_awaits {
	enum tk_end end;
	const char *leaf; /* "tokio::time::sleep::Sleep"; "": unknown. Of the table */
	u64 leaf_at; /* its address */
	bool far; /* some of it is behind a pointer */
	u32 len;
	u32 awaits[TK_STEPS_MAX]; /* async functions: the case of the table that they are in */
	u32 types[TK_STEPS_MAX]; /* and their types */
};

/* The memory in which a chain is. Borrowed. */
struct tk_body {
	struct task_memory *mem;
	u64 bias; /* of the program, as in tk_layout */
	u64 at; /* address of the outermost future */
	const u8 *bytes; /* its first ones, which have been read */
	u32 sz; /* so many; 0 is fine */
};

/* Follows the chain from a type of the table that lies at body->at. Pure, except for reading. */
void tk_awaits__read(struct tk_awaits *a, const struct future_table *t, u32 type,
		     const struct tk_body *body);
/* Whether two readings show the same. */
bool tk_awaits__equal(const struct tk_awaits *a, const struct tk_awaits *b);

#endif
