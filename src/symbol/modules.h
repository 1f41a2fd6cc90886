/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYMBOL_MODULES_H
#define SYMBOL_MODULES_H

#include "base/err.h"
#include "base/intern.h"
#include "elf/image.h"
#include "elf/symtab.h"
#include "profile/profile.h"

/* One file that code came from, as far as it has been read. */
struct module_code {
	int fd; /* given and not read yet; -1: none */
	enum frame_reason reason; /* FRAME_NAMED: image and symtab are there */
	bool tried; /* `reason` is known */
	struct image *image;
	struct symtab *symtab;
};

/* All files seen, by device and inode. Files are read when they are first asked for. */
struct modules {
	struct intern table; /* of struct module_entry */
};

/* -ENOMEM or 0. */
int modules__init(struct modules *m);
/* NULL is fine. */
void modules__done(struct modules *m);
/* Takes `fd`, also on error. A second one for the same file is closed. -ENOMEM or 0. */
int modules__give(struct modules *m, u64 dev, u64 ino, int fd);
/* The build ID of a file that was given, or "". */
const char *modules__build_id(struct modules *m, u64 dev, u64 ino);
/*
 * The file, read; without one that was given, `path` is opened. The pointer lives until the next
 * call. NULL when memory is short.
 */
const struct module_code *modules__get(struct modules *m, u64 dev, u64 ino, const char *path,
				       const char *debug_dir);

/* Reads the symbols of `code->image`, then gives back the file. -ENOMEM or 0. */
int module_code__load(struct module_code *code, const char *path, const char *debug_dir);
/* The function that holds a byte of the file, or false with the reason in *ret_reason. */
bool module_code__find(const struct module_code *code, u64 off, const char **ret_name,
		       u64 *ret_name_off, enum frame_reason *ret_reason);
void module_code__done(struct module_code *code);

#endif
