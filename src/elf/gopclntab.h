/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_GOPCLNTAB_H
#define ELF_GOPCLNTAB_H

#include "base/err.h"
#include "base/types.h"
#include "elf/image.h"

/*
 * The table that every Go program carries for its own stack traces: its functions, and the file and
 * line of each instruction. It stays when the program is stripped. Formats of Go 1.2 and newer.
 * Addresses are those of image__vaddr_of_offset(). Immutable, so several threads may read one.
 */
struct gopclntab;

/*
 * Finds the table by its section, or by its first bytes. Borrows `img`, which must not be freed or
 * released before it. -ENOENT for what is not a Go program; -EINVAL for a table that is damaged or
 * of a format that is not known; -ENOMEM.
 */
int gopclntab__open(const struct image *img, struct gopclntab **ret, struct err *err);
/* The same for a table in memory, which begins at `vaddr`; `text` is where the code begins. */
int gopclntab__open_mem(struct view bytes, u64 vaddr, u64 text, struct gopclntab **ret,
			struct err *err);
/* NULL is fine. */
void gopclntab__free(struct gopclntab *gp);

/* Number of functions; they are sorted by their start. */
size_t gopclntab__len(const struct gopclntab *gp);
/* The range and the name of one; false where the table is damaged. *ret_name lives with `img`. */
bool gopclntab__func(const struct gopclntab *gp, size_t idx, u64 *ret_start, u64 *ret_end,
		     const char **ret_name);
/* The function that holds an address. */
bool gopclntab__find(const struct gopclntab *gp, u64 vaddr, size_t *ret_idx);
/*
 * The source line of an instruction. None where a function was inlined, but with Go before 1.16 the
 * line in that. *ret_file lives with `img`.
 */
bool gopclntab__line(const struct gopclntab *gp, u64 vaddr, const char **ret_file, u32 *ret_line);

#endif
