/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASYNC_TOKIO_TK_PROGRAM_H
#define ASYNC_TOKIO_TK_PROGRAM_H

#include "base/arena.h"
#include "base/err.h"
#include "base/map64.h"
#include "base/types.h"
#include "base/vec.h"
#include "base/view.h"
#include "elf/image.h"

/* The versions of Tokio whose tasks can be read: 1.24 to 1.53. */
#define TK_MINOR_MIN 24
#define TK_MINOR_MAX 53
#define TK_VERSION_SZ 32
/* A type of a future is cut to that. */
#define TK_NAME_SZ 160

/*
 * What the file of a program says about Tokio in it. Addresses are link-time addresses. The file is
 * untrusted.
 */
struct tk_program {
	char version[TK_VERSION_SZ]; /* "1.24.2" */
	u32 minor;
	struct image *image;
	struct map64
		polls; /* start of a task::raw::poll<T, S>: its symbol, or 0 if it has several */
	struct map64 drops; /* start of drop_in_place<Cell<T, S>> and alike: likewise */
	struct map64 sizes; /* start of a function from which a type is known: its bytes */
	struct vec symbols; /* const char *, [0] is unused */
	struct arena strings;
};

/*
 * Borrows `fd`. -ENOENT: there is no Tokio in it; -ENOTSUP with a sentence: its tasks cannot be
 * read; -EINVAL, -ENOMEM.
 */
int tk_program__open(struct tk_program *p, int fd, const char *path, struct err *err);
/* NULL and all zero are fine. */
void tk_program__done(struct tk_program *p);
/*
 * The type of the future that a task runs, from the functions in its vtable, into `ret`:
 * "shop::serve". False: symbols do not say, or those of several types are one function.
 */
bool tk_program__type(const struct tk_program *p, u64 poll, u64 dealloc, char ret[TK_NAME_SZ]);
/* Whether symbols say that a poll function is that of one type, and not of several. */
bool tk_program__is_single(const struct tk_program *p, u64 poll);
/*
 * The type of a future in a demangled function of its task: "poll<shop::serve::{async_fn_env#0},
 * alloc::sync::Arc<...>>". Without what the compiler adds to the name of an async function. Pure.
 */
bool tk_type_of(const char *function, char ret[TK_NAME_SZ]);
/* The version in a path of a source file: ".../tokio-1.24.2/src/...". Pure. False: none. */
bool tk_version_of(struct view text, char ret[TK_VERSION_SZ], u32 *ret_minor);

#endif
