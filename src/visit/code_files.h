/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VISIT_CODE_FILES_H
#define VISIT_CODE_FILES_H

#include "base/err.h"
#include "base/file_id.h"
#include "base/map64.h"
#include "base/notices.h"
#include "base/types.h"
#include "base/vec.h"
#include "proc/maps.h"
#include "abi/python.h"
#include "capture/object/capture_files.h"
#include "unwind/rules.h"
#include "unwind/table.h"

#define CODE_FILE_VDSO 1

/* A file with code that a visited process maps. */
struct code_file {
	struct file_id file; /* all 0 for the vDSO */
	char *path; /* as the process sees it */
	int fd; /* -1: not open, or handed over */
	bool given; /* to the resolver */
	bool keeps_fp; /* code without a row keeps frame pointers */
	struct table *table; /* NULL: none */
	struct cs_python *python; /* the layout of the CPython in it; NULL: none that we can read */
};

/*
 * Such files with their unwind tables, each opened and read once, when a stack first leads into it.
 * Not thread-safe.
 */
struct code_files {
	struct vec files; /* struct code_file; [0] is unused, [1] the vDSO */
	struct map64 by_id; /* hash of a file_id to an index */
	struct rules rules;
	struct cs_unwind_rule *dictionary;
	struct notices notices; /* interpreters whose functions cannot be shown */
};

/* -ENOMEM or 0. */
int code_files__init(struct code_files *cf);
/* NULL and all zero are fine. */
void code_files__done(struct code_files *cf);
/*
 * The index of the file of a mapping of a live process, 0 for memory without a file. A file that
 * cannot be opened has no table. -ENOMEM or 0.
 */
int code_files__find(struct code_files *cf, u32 tgid, const struct map_range *range, u32 *ret);
/* Hands files that were opened since the last call to whoever makes names. */
int code_files__give(struct code_files *cf, const struct capture_files *files);
struct code_file *code_files__at(const struct code_files *cf, u32 idx);

#endif
