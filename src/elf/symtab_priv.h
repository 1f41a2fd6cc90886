/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_SYMTAB_PRIV_H
#define ELF_SYMTAB_PRIV_H

#include "elf/image.h"
#include "elf/spans.h"

/*
 * Functions as they come out of one or more ELF symbol tables, before overlaps are settled. `rank`
 * of a range here says how good its name is, and whether its size is known.
 */
struct collection {
	const struct image *img; /* whose addresses these are */
	struct spans *names;
	struct vec ranges; /* of struct span */
	bool complete; /* a table with local functions was among them */
};

enum symbol_table {
	TABLE_SYMTAB,
	TABLE_DYNSYM,
};

/* In `rank`: its size is known, so it is not a mere label. */
#define SYMTAB_RANK_SIZED (1ULL << 50)

void collection__init(struct collection *c, const struct image *img, struct spans *names);
void collection__done(struct collection *c);
/*
 * Adds the functions of one table of `from`, which is the image itself or another file with its
 * symbols. Without that table nothing is added. -ENOMEM or 0.
 */
int collection__add(struct collection *c, const struct image *from, enum symbol_table table);
/* The same from the table of a Go program; *ret_any tells whether there was one. */
int collection__add_go(struct collection *c, bool *ret_any);
/* Puts the ranges in the order and form that spans__build() wants. */
void collection__settle(struct collection *c);

#endif
