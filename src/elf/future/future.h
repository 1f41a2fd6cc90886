/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_FUTURE_FUTURE_H
#define ELF_FUTURE_FUTURE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/map64.h"
#include "base/types.h"
#include "base/vec.h"
#include "elf/dwarf/dwarf_child.h"
#include "elf/srcline.h"

/*
 * How the futures of a program in Rust lie in memory, from its debug information: where an async
 * function says at which .await it is, and where the future is that it awaits there. Only what
 * tasks of Tokio can be is read. Addresses are those of image__vaddr_of_offset().
 */

enum future_kind {
	FUTURE_LEAF = 0, /* it awaits nothing that is known */
	FUTURE_ASYNC, /* an async function or block: its cases are its states */
	FUTURE_CHOICE, /* an enum: likewise, but no function */
	FUTURE_POINTER, /* to a future */
	FUTURE_DYN, /* the same, and behind it a pointer to a vtable that says which */
	FUTURE_KINDS,
};

/* A type of future. The first one of a table is a leaf without a name. */
struct future_type {
	const char *name; /* "shop::serve" */
	u32 kind; /* enum future_kind */
	u32 sz; /* bytes */
	u32 at; /* offset of the word that says which case it is, or of the pointer */
	u32 width; /* bytes of that word: 1, 2, 4 or 8; 0: there is one case */
	u32 first,
		len; /* its cases in the table; a pointer has one: where the future is behind it */
};

/* A state of an async function, or one of an enum. */
struct future_case {
	u64 value; /* of the word */
	const char *file; /* as the compiler wrote it; "": unknown */
	u32 line; /* of the .await; 0: unknown */
	u32 at; /* offset of what it awaits */
	u32 next; /* type of that; 0: none */
	bool rest; /* what no other case says */
	bool suspended; /* at an .await: it has begun, and is not over */
};

/* A future that tasks run: `poll` is the task::raw::poll of these. */
struct future_root {
	u64 poll;
	u32 type;
	u32 at; /* offset in the task */
	u32 id; /* offsets of others, to compare: of the task's number, */
	u32 trailer; /* and of what follows the future */
};

struct future_table {
	struct vec types; /* struct future_type */
	struct vec cases; /* struct future_case */
	struct vec roots; /* struct future_root, at most one for each address */
	struct map64 vtables; /* of a vtable of `dyn Future`: the type behind it, and where */
	struct arena strings;
};

/* Of all offsets, and of types in a table. */
#define FUTURE_SZ_MAX (64U << 20)
#define FUTURE_TYPES_MAX 65536U
#define FUTURE_CASES_MAX 4096U

void future_table__init(struct future_table *t);
/* NULL and all zero are fine. */
void future_table__done(struct future_table *t);
/*
 * Takes what the child has written: every number in it is checked, so a table can be followed
 * without more. -EINVAL if it is malformed; -ENOMEM.
 */
int future_table__parse(struct future_table *t, struct view records);

/* The type behind a vtable of `dyn Future`, and how far behind its pointer; 0: not known. */
u32 future_table__behind(const struct future_table *t, u64 vtable, u32 *ret_at);

/*
 * Begins to read the types of the tasks whose task::raw::poll are at `polls`, in a child process.
 * The file is borrowed until it ends. An error is as from dwarf_child__start().
 */
int future_read(struct dwarf_child *child, const struct srcline_file *file, const u64 *polls,
		size_t len, u64 limit_ns, struct err *err);

#endif
