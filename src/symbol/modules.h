/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYMBOL_MODULES_H
#define SYMBOL_MODULES_H

#include "base/err.h"
#include "base/file_id.h"
#include "base/intern.h"
#include "elf/image.h"
#include "elf/srcline.h"
#include "elf/symtab.h"
#include "profile/profile.h"
#include "symbol/variables.h"

/* A file that contains code, as far as it has been read. */
struct module_code {
	int fd; /* given and not read yet; -1: none */
	enum frame_reason reason; /* FRAME_NAMED: image and symtab are there */
	bool tried; /* `reason` is known */
	struct image *image;
	struct symtab *symtab;
	bool has_source; /* `source` is there */
	struct srcline_file source; /* for debug information; its descriptors are open */
	char *path; /* of a file that was read, to read it again; NULL: none */
	u64 since_ns; /* as in module_search, when it was first needed */
	u64 used_pass; /* when it was last needed */
	u64 used_ns;
};

/* What to look for, and where. Borrowed. */
struct module_search {
	struct symtab_options where; /* except the path, which differs for each file */
	bool source; /* keep the file with the debug information open */
	u64 since_ns; /* files were first seen after this: proc/mapfile.h's file_sight */
};

/* All files seen, by id. A file is read when it is first needed. */
struct modules {
	struct intern table; /* of struct module_entry */
	struct variables variables;
	u64 pass; /* counts profiles; set by modules__begin() */
	u64 now_ns; /* CLOCK_MONOTONIC, likewise */
	u64 looked_ns; /* when all processes were last asked what they map */
};

/* -ENOMEM or 0. */
int modules__init(struct modules *m);
/* NULL is fine. */
void modules__done(struct modules *m);
/* Takes `fd`, also on error. A second one for the same file is closed. -ENOMEM or 0. */
int modules__give(struct modules *m, const struct file_id *file, int fd);
/* The build ID of a file that was given, or "". */
const char *modules__build_id(struct modules *m, const struct file_id *file);
/*
 * The variable at an offset of the data of a file that was given; see elf/variable.h. A file that
 * was read and released since is opened by its path again, in our root or in one of search->where.
 */
bool modules__variable(struct modules *m, const struct file_id *file, const char *path, u64 off,
		       const struct module_search *search, struct object_variable *ret);
/*
 * The file, read. If none was given, opens `path` as in proc/mapfile.h. The pointer is valid until
 * the next call. NULL when out of memory.
 */
const struct module_code *modules__get(struct modules *m, const struct file_id *file,
				       const char *path, const struct module_search *search);

/* Call it before the names of each profile are looked up: it counts when files are used. */
void modules__begin(struct modules *m, u64 now_mono_ns);
/*
 * Releases what was read of files that no profile needed for MODULE_KEPT_NS, or for the last one if
 * our memory is short. A file is released only if its path still leads to it, so that it can be
 * read again, or if no process maps it. -ENOMEM or 0.
 */
#define MODULE_KEPT_NS (300 * NSEC_PER_SEC)
int modules__release_unused(struct modules *m, const struct module_search *search);

/* Reads the symbols of `code->image`, then releases the file. -ENOMEM or 0. */
int module_code__load(struct module_code *code, const char *path,
		      const struct module_search *search);
/* The function that contains a byte of the file, or false with the reason in *ret_reason. */
bool module_code__find(const struct module_code *code, u64 off, const char **ret_name,
		       u64 *ret_name_off, enum frame_reason *ret_reason);
/*
 * The function that begins at a byte, if no function contains the byte before: known only if all
 * functions have names. Otherwise false.
 */
bool module_code__begins(const struct module_code *code, u64 off, const char **ret_name);
void module_code__done(struct module_code *code);

#endif
