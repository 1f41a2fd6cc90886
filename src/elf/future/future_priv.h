/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_FUTURE_FUTURE_PRIV_H
#define ELF_FUTURE_FUTURE_PRIV_H

#include <elfutils/libdw.h>

#include "base/sink.h"
#include "elf/future/future.h"

/*
 * What the child sends: records that begin with their tag. Types are numbered in the order of their
 * records, from 1; a record may mention a type that comes later.
 */
enum future_tag {
	FUTURE_TAG_TYPE = 1, /* u32 kind, sz, at, width, cases; name, NUL; the cases */
	FUTURE_TAG_ROOT = 2, /* u64 poll; u32 type, at, id, trailer */
	FUTURE_TAG_VTABLE = 3, /* u64 address; u32 type, offset in it */
};

/* A case is u64 value; u32 flags, line, at, next; file, NUL. */
#define FUTURE_CASE_REST 1U
#define FUTURE_CASE_SUSPENDED 2U

struct future_job {
	const struct srcline_file *file;
	const u64 *polls;
	size_t len;
};

/* A name with the names around it: "shop", in no other, or "serve" in "shop". */
struct future_scope {
	u32 parent;
	u32 pad;
	const char *name;
	u64 hash; /* of all of it */
};

/* A task::raw::poll that is wanted, or a vtable of `dyn Future`. */
struct future_found {
	u64 vaddr;
	Dwarf_Off die;
};

/* The types of a program, by where they are and by what they are called. */
struct future_index {
	struct vec scopes; /* struct future_scope; [0] is the outermost one, without a name */
	struct map64 scope_of; /* entry of a struct: its scope */
	struct map64 by_name; /* hash of a full name: the entry; 0: there are different ones */
	struct vec polls; /* struct future_found */
	struct vec vtables; /* struct future_found */
};

/* In the child: one walk through all units. `bias` is subtracted from addresses. -ENOMEM or 0. */
int future_index__read(struct future_index *x, Dwarf *dwarf, const struct future_job *job);
/* The entry of the struct that is called `name` in the `scope`, or 0. */
Dwarf_Off future_index__find(const struct future_index *x, const char *scope, const char *name);
/* The definition of a struct that is only declared here; false: there is none. */
bool future_index__define(const struct future_index *x, Dwarf *dwarf, Dwarf_Die *die);

/* Names are cut to this size, with the NUL; it holds any name that is compared. */
#define FUTURE_NAME_SZ 256
/* The full name of a struct, as the compiler wrote it: "core::pin::Pin<...>". */
void future_index__path(const struct future_index *x, Dwarf_Die *die, char ret[FUTURE_NAME_SZ]);
/*
 * What a reader calls it: "shop::serve" for "shop::{impl#2}::serve::{async_fn_env#0}<T>". Pure.
 */
void future_readable(const char *path, char ret[FUTURE_NAME_SZ]);

/* In the child: writes all types that are found, and what leads to them. */
int future_types__write(const struct future_index *x, Dwarf *dwarf, struct sink *out);

#endif
