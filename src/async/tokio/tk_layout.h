/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASYNC_TOKIO_TK_LAYOUT_H
#define ASYNC_TOKIO_TK_LAYOUT_H

#include <string.h>

#include "async/task/task_home.h"
#include "async/task/task_memory.h"
#include "async/tokio/tk_program.h"
#include "base/err.h"
#include "base/map64.h"
#include "base/vec.h"
#include "elf/future/future.h"

/*
 * Where a live process keeps the tasks of Tokio. A task is known by its vtable, whose first
 * function is a task::raw::poll; each runtime has a list of its tasks, or several, between which
 * their numbers decide. The lists are found by the tasks in them: see tk_search.h.
 * Sources: runtime/task/core.rs, raw.rs, state.rs and list.rs, util/linked_list.rs and
 * sharded_list.rs of Tokio 1.24.2 and 1.53.1.
 */

/* Header, of all versions. */
#define TK_STATE 0
#define TK_VTABLE 16
#define TK_OWNER 24
#define TK_HEADER_SZ 32

/* Bits of the state; above them, references are counted. */
#define TK_RUNNING 1U
#define TK_COMPLETE 2U
#define TK_NOTIFIED 4U
#define TK_FLAGS 63U
#define TK_REF_SHIFT 6

/* Pointers to the neighbours in a list: previous, next. */
#define TK_LINKS_SZ 16
/* Words of a trailer that may be the first of these. */
#define TK_LINKS_PLACES 4

static inline u64 tk_word(const u8 *bytes, u32 off)
{
	u64 w;

	memcpy(&w, bytes + off, sizeof(w));
	return w;
}

/* The vtable of a type of tasks. */
struct tk_type {
	u64 addr;
	u64 poll; /* link-time addresses */
	u64 dealloc;
	u32 id; /* offsets in a task */
	u32 trailer;
	char name[TK_NAME_SZ]; /* "": not known */
	u64 number; /* of the name; 0 if there is none */
	const struct future_root *root; /* where its future is; NULL: not known. Of a table */
};

/* A list of tasks: words that point to its first and its last one. */
struct tk_place {
	u64 at;
	u64 owner; /* number of the runtime; 0: not known */
	u64 len; /* tasks in it, when it was read last */
	u32 missed; /* readings since it last was a list */
	u64 first; /* its first task, when it was read last */
	size_t from; /* where in all tasks its own begin */
};

struct tk_layout {
	u64 bias; /* from link-time addresses to those of the process */
	struct vec types; /* struct tk_type */
	struct map64 by_addr; /* of a vtable: its index */
	u64 first, last; /* vtables lie between these addresses */
	u32 links; /* offset in a trailer */
	struct vec places; /* struct tk_place */
	u64 count; /* what the search took for tasks: a guess before they are read */
	u32 failures; /* searches without a list, though there are tasks in one */
	u64 searched_ns; /* CLOCK_MONOTONIC; 0: never */
	u64 search_cost_ns; /* CPU time */
};

void tk_layout__init(struct tk_layout *l);
/* NULL and all zero are fine. */
void tk_layout__done(struct tk_layout *l);
/*
 * Finds the vtables in memory. -ENOTSUP with a sentence: they are not as expected; -EAGAIN: the
 * program is not mapped; -ENOMEM.
 */
int tk_layout__find(struct tk_layout *l, const struct tk_program *p, struct task_memory *mem,
		    const struct task_home *home, struct err *err);
/* The type of a task with that vtable; NULL: none. */
const struct tk_type *tk_layout__type(const struct tk_layout *l, u64 vtable);
/* Whether the words of a vtable are what they should be, except the first. Pure. */
bool tk_vtable_fits(const u64 words[10], const struct map_range *code);

#endif
