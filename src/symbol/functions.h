/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYMBOL_FUNCTIONS_H
#define SYMBOL_FUNCTIONS_H

#include "base/intern.h"
#include "base/types.h"
#include "profile/interpreted.h"

/* Functions of interpreters, by program and code object. Not thread-safe. */
struct functions {
	struct intern table; /* of struct function */
	char *text; /* the last name that was asked for */
};

/*
 * What is shown of a path: from "site-packages/" or "dist-packages/" on, what comes behind; of the
 * standard library, what comes behind "lib/python3.x/"; else the last two parts. A part of `path`.
 */
const char *functions_short_path(const char *path);

/* -ENOMEM or 0. */
int functions__init(struct functions *f);
/* NULL is fine. */
void functions__done(struct functions *f);
/* Copies `code`; what was given before under the same number is forgotten. -ENOMEM or 0. */
int functions__give(struct functions *f, const struct interpreted_code *code);
/*
 * "file:function:line" for a frame: without the line where its table has none, with "?" for what
 * could not be read; ';' and control characters are replaced. *ret_name is NULL when nothing is
 * known of the function, and lives until the next question. -ENOMEM or 0.
 */
int functions__name(struct functions *f, u64 image, u64 addr, const char **ret_name);

#endif
