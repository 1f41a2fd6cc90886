/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UNWIND_TABLE_H
#define UNWIND_TABLE_H

#include "base/err.h"
#include "base/types.h"
#include "base/vec.h"
#include "elf/image.h"
#include "unwind/rules.h"
#include "unwind/space.h"

/* Code that a table can hold: pages of 4 KiB from the first with code to the last. 1 GiB. */
#define TABLE_PAGES_MAX (1U << 18)

#define TABLE_BUILD_ID_SZ (2 * IMAGE_BUILD_ID_MAX + 1)

/* How to unwind one file: the rows of each page, by file offset, with the shared rules. */
struct table {
	struct vec rows; /* struct cs_unwind_row */
	struct vec pages; /* u32: first row of each page, and one more for the end */
	u32 first_page; /* of the file */
	char build_id[TABLE_BUILD_ID_SZ]; /* lower-case hex, or "" */
};

/*
 * Reads the call frame information of a file; `name` is for messages. The image is borrowed for
 * the call only. -ENODATA when the file has none, or is for another machine than x86-64 and arm64;
 * -EINVAL for what is no ELF file; -E2BIG for more code or rows than any program has; -ENOMEM; or
 * an error of reading. The rules of a file that fails half way stay in the dictionary.
 */
int table__build(const struct image *img, const char *name, struct rules *rules, struct table **ret,
		 struct err *err);
/* The same for an open file, which is borrowed for the call, and for one in memory (the vDSO). */
int table__build_fd(int fd, const char *name, struct rules *rules, struct table **ret,
		    struct err *err);
int table__build_mem(const void *data, size_t sz, const char *name, struct rules *rules,
		     struct table **ret, struct err *err);
/* NULL is fine. */
void table__free(struct table *t);
u32 table__page_cnt(const struct table *t);
/* What it takes of a space at least; at segment edges and in holes it may be some KiB more. */
u64 table__bytes(const struct table *t);

/* Where a table lies in the space: what struct cs_module has to say, and what is to be freed. */
struct place {
	u32 index;
	u32 first_page;
	u32 pages;
	struct vec extents; /* struct space_extent */
};

/*
 * Writes the table into the space; the table itself is not needed any more then. On failure all
 * addresses are given back: -ENOSPC when the budget is used up, -ENOMEM.
 */
int table__place(const struct table *t, struct space *s, struct place *ret, struct err *err);
/* Gives the addresses back; no walk may read them any more. NULL and a zeroed one are fine. */
void place__free(struct place *p, struct space *s);
u64 place__bytes(const struct place *p);

#endif
