/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_SYMTAB_H
#define ELF_SYMTAB_H

#include "base/err.h"
#include "base/types.h"
#include "elf/debugfile.h"
#include "elf/image.h"

/*
 * The functions of an ELF file: from .symtab, else from a separate debug file (by build ID, or by
 * debug link with its checksum), else from .gnu_debugdata, else from the table of a Go program; and
 * always from .dynsym. A stripped program has `_start` at its entry. Sorted and copied: the image
 * may be freed. Immutable, so threads may share one.
 */
struct symtab;

/*
 * A file without symbols gives an empty table. Broken parts of a file give a smaller table. -ENOMEM
 * is the only error.
 */
int symtab__load(const struct image *img, const struct symtab_options *opt, struct symtab **ret,
		 struct err *err);
/* NULL is fine. */
void symtab__free(struct symtab *st);

/*
 * The function that contains `vaddr` (as of image__vaddr_of_offset()), with its linker name without
 * "@VERSION", and its start. False if no symbol covers it: the nearest one would be a guess. Among
 * names for one address, global or weak beats local, then fewer leading underscores, then global,
 * then shorter, then .symtab.
 */
bool symtab__find(const struct symtab *st, u64 vaddr, const char **ret_name, u64 *ret_start);

/*
 * Where most names came from; SYMTAB_DYNSYM only if there was nothing better, SYMTAB_NONE if the
 * tables have none, even if the entry has its name.
 */
enum symtab_source {
	SYMTAB_NONE = 0,
	SYMTAB_OWN, /* .symtab of the file */
	SYMTAB_SEPARATE, /* .symtab of a separate debug file */
	SYMTAB_DEBUGDATA, /* .gnu_debugdata of the file */
	SYMTAB_DYNSYM,
	SYMTAB_GO, /* .gopclntab of a Go program, and .dynsym */
};
enum symtab_source symtab__source(const struct symtab *st);

/* Number of ranges. */
size_t symtab__len(const struct symtab *st);

#endif
