/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_GOPCLNTAB_H
#define ELF_GOPCLNTAB_H

#include "base/err.h"
#include "base/types.h"
#include "elf/image.h"

/*
 * The table that every Go program contains for its own stack traces: its functions, and the file
 * and line of each instruction. Stripping does not remove it. Formats of Go 1.2 and newer.
 * Addresses are those of image__vaddr_of_offset(). Immutable, so threads may share one.
 */
struct gopclntab;

/*
 * Finds the table by its section, or by its first bytes. Borrows `img`, which must not be freed or
 * released before it. -ENOENT if it is not a Go program; -EINVAL if the table is damaged or its
 * format unknown; -ENOMEM.
 */
int gopclntab__open(const struct image *img, struct gopclntab **ret, struct err *err);
/* The same for a table in memory, which begins at `vaddr`; `text` is where the code begins. */
int gopclntab__open_mem(struct view bytes, u64 vaddr, u64 text, struct gopclntab **ret,
			struct err *err);
/* NULL is fine. */
void gopclntab__free(struct gopclntab *gp);

/* Number of functions; they are sorted by their start. */
size_t gopclntab__len(const struct gopclntab *gp);
/* The range and name of one; false if the table is damaged. *ret_name lives with `img`. */
bool gopclntab__func(const struct gopclntab *gp, size_t idx, u64 *ret_start, u64 *ret_end,
		     const char **ret_name);
/*
 * Bytes between the stack pointer before an instruction and the return address of its function,
 * whose name is *ret_name. False if the table does not say.
 */
bool gopclntab__frame(const struct gopclntab *gp, u64 vaddr, u32 *ret_sz, const char **ret_name);
/* The function that contains an address. */
bool gopclntab__find(const struct gopclntab *gp, u64 vaddr, size_t *ret_idx);
/*
 * The source line of an instruction. False in inlined code; before Go 1.16, the line inside the
 * inlined function. *ret_file lives with `img`.
 */
bool gopclntab__line(const struct gopclntab *gp, u64 vaddr, const char **ret_file, u32 *ret_line);

#endif
