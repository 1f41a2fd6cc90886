/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UNWIND_TABLE_H
#define UNWIND_TABLE_H

#include "base/err.h"
#include "base/types.h"
#include "base/vec.h"
#include "elf/image.h"
#include "unwind/rules.h"
#include "unwind/space.h"

/* Code that a table can cover: pages of 4 KiB from the first with code to the last. 1 GiB. */
#define TABLE_PAGES_MAX (1U << 18)

#define TABLE_BUILD_ID_SZ (2 * IMAGE_BUILD_ID_MAX + 1)

/* How to unwind one file: the rows of each page, by file offset, with the shared rules. */
struct table {
	struct vec rows; /* struct cs_unwind_row */
	struct vec pages; /* u32: first row of each page, plus one entry for the end */
	u32 first_page; /* of the file */
	bool keeps_fp; /* code without a row keeps frame pointers (CS_MODULE_FP) */
	char build_id[TABLE_BUILD_ID_SZ]; /* lower-case hex, or "" */
};

/*
 * Reads the call frame information of a file; `name` is for messages. The image is borrowed for the
 * call only. -ENODATA if the file has none, or is for a machine other than x86-64 and arm64;
 * -EINVAL if it is not an ELF file; -E2BIG for more code or rows than any program has; -ENOMEM; or
 * a read error. If a file fails half way, its rules stay in the dictionary.
 */
int table__build(const struct image *img, const char *name, struct rules *rules, struct table **ret,
		 struct err *err);
/* The same for an open file, which is borrowed for the call, and for one in memory (the vDSO). */
int table__build_fd(int fd, const char *name, struct rules *rules, struct table **ret,
		    struct err *err);
/*
 * The same as table__build_fd() for a caller with something to do meanwhile: a large file takes a
 * tenth of a second. `pause` is called now and then.
 */
struct table_pause {
	void (*fn)(void *arg); /* NULL: never */
	void *arg;
};
int table__build_with_pauses(int fd, const char *name, struct rules *rules,
			     const struct table_pause *pause, struct table **ret, struct err *err);
int table__build_mem(const void *data, size_t sz, const char *name, struct rules *rules,
		     struct table **ret, struct err *err);
/* NULL is fine. */
void table__free(struct table *t);
u32 table__page_cnt(const struct table *t);
/* The minimum size in a space; at segment edges and in holes it may take some KiB more. */
u64 table__bytes(const struct table *t);

/* A table's location in the space: the contents of struct cs_module, and what to free. */
struct place {
	u32 index;
	u32 first_page;
	u32 pages;
	struct vec extents; /* struct space_extent */
};

/*
 * Writes the table into the space; the table itself is not needed afterwards. On failure all
 * addresses are freed: -ENOSPC if the budget is used up, -ENOMEM.
 */
int table__place(const struct table *t, struct space *s, struct place *ret, struct err *err);
/* Frees the addresses; no walk may still read them. NULL and a zeroed one are fine. */
void place__free(struct place *p, struct space *s);
u64 place__bytes(const struct place *p);

#endif
