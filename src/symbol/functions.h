/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYMBOL_FUNCTIONS_H
#define SYMBOL_FUNCTIONS_H

#include "base/intern.h"
#include "base/types.h"
#include "proc/ended.h"
#include "profile/interpreted.h"

/* Functions of interpreters, by program and code object. Not thread-safe. */
struct functions {
	struct intern table; /* of struct function */
	char *text; /* the last name that was asked for */
};

/* Of a frame; valid until the next lookup. */
struct function_name {
	const char *name; /* NULL: the function is unknown */
	const char *file; /* its whole path; NULL: unknown */
	u32 line; /* 0: unknown */
};

/*
 * The part of a path that is shown: what follows "site-packages/" or "dist-packages/"; for the
 * standard library, what follows "lib/python3.x/"; else the last two components. Points into
 * `path`.
 */
const char *functions_short_path(const char *path);

/* -ENOMEM or 0. */
int functions__init(struct functions *f);
/* NULL is fine. */
void functions__done(struct functions *f);
/* Copies `code`, which replaces an earlier one with the same number. -ENOMEM or 0. */
int functions__give(struct functions *f, const struct interpreted_code *code);
/* Forgets those of programs that have ended. */
void functions__forget(struct functions *f, const struct ended *ended);
/*
 * "file:function:line" for a frame: without the line if its table has none, with "?" for what could
 * not be read; ';' and control characters are replaced. -ENOMEM or 0.
 */
int functions__name(struct functions *f, u64 image, u64 addr, struct function_name *ret);

#endif
