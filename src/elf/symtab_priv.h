/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_SYMTAB_PRIV_H
#define ELF_SYMTAB_PRIV_H

#include "elf/image.h"
#include "elf/spans.h"

/*
 * Functions from one or more ELF symbol tables, before overlaps are resolved. `rank` of a range
 * says how good its name is, and whether its size is known.
 */
struct collection {
	const struct image *img; /* the image that has these addresses */
	struct spans *names;
	struct vec ranges; /* of struct span */
	bool complete; /* one of the tables had local functions */
};

enum symbol_table {
	TABLE_SYMTAB,
	TABLE_DYNSYM,
};

/* In `rank`: its size is known, so it is not just a label. */
#define SYMTAB_RANK_SIZED (1ULL << 50)

void collection__init(struct collection *c, const struct image *img, struct spans *names);
void collection__done(struct collection *c);
/*
 * Adds the functions of one table of `from`, which is the image itself or another file with its
 * symbols. Adds nothing if that table is missing. -ENOMEM or 0.
 */
int collection__add(struct collection *c, const struct image *from, enum symbol_table table);
/* The same from the table of a Go program; *ret_any: there was one. */
int collection__add_go(struct collection *c, bool *ret_any);
/*
 * Adds `_start` for the entry of a program whose tables have no function there: where the kernel or
 * the dynamic linker starts a program is in the file's header, which stripping leaves. -ENOMEM or
 * 0.
 */
int collection__add_entry(struct collection *c);
/* Puts the ranges into the order and form that spans__build() expects. */
void collection__settle(struct collection *c);

#endif
