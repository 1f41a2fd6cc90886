/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_GOPCLNTAB_PRIV_H
#define ELF_GOPCLNTAB_PRIV_H

#include "elf/image.h"

/* Where the table is in a file; a guess if it was found by its first bytes. */
struct go_table {
	struct view bytes; /* from its first byte; may extend beyond its end */
	u64 vaddr;
};

/* The first bytes of a table: magic number, two zero bytes, quantum of code, size of a pointer. */
#define GO_HEAD_SZ 8
bool go_head_is_known(const u8 *head);

/*
 * Calls `take` with every place where the table may be, most likely first, until it returns
 * anything but -EINVAL. -ENOENT if there is none, else the last result of `take`.
 */
typedef int (*go_table_fn)(void *arg, const struct go_table *table);
int go_table_search(const struct image *img, go_table_fn take, void *arg);

/*
 * What the dynamic linker will write to `vaddr` in a position-independent program, where the file
 * may contain zeros; false if nothing.
 */
bool go_relocated(const struct image *img, u64 vaddr, u64 *ret);
/* Where the section of code begins; false without section headers. */
bool go_text_start(const struct image *img, u64 *ret);

#endif
