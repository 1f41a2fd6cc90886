/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYMBOL_VARIABLES_H
#define SYMBOL_VARIABLES_H

#include "base/file_id.h"
#include "base/intern.h"

/*
 * Variables of programs that were looked up, also those that were not found. Windows ask for the
 * same few again and again, and their files have been released since. Not thread-safe.
 */
struct variables {
	struct intern table; /* struct variable_entry, by file and offset */
};

/* -ENOMEM or 0. */
int variables__init(struct variables *v);
/* All zero is fine. */
void variables__done(struct variables *v);
/*
 * Was the byte at `off` of `file` looked up? Then *ret_name is the linker name of its variable,
 * borrowed until variables__done(), or NULL if there is none, and *ret_off the place of the byte
 * in it.
 */
bool variables__get(const struct variables *v, const struct file_id *file, u64 off,
		    const char **ret_name, u64 *ret_off);
/* Keeps a copy of `name` (NULL: no variable). -ENOMEM or 0. */
int variables__add(struct variables *v, const struct file_id *file, u64 off, const char *name,
		   u64 name_off);

#endif
