/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_LOOKUP_H
#define ELF_LOOKUP_H

#include "base/types.h"
#include "base/view.h"
#include "elf/image.h"

/*
 * Symbols and memory of a file, for callers that look for a specific name. Addresses are link-time
 * addresses.
 */
enum lookup_table {
	LOOKUP_DYNSYM, /* what the file exports */
	LOOKUP_SYMTAB, /* everything; absent in a stripped file */
};

/* `name` lives until the function returns. Returns false to stop. */
typedef bool (*lookup_fn)(void *arg, const char *name, u64 vaddr, u64 sz);

/* Calls `fn` for each symbol defined in the file, in the order of the table. */
void lookup_symbols(const struct image *img, enum lookup_table table, lookup_fn fn, void *arg);
/*
 * `sz` bytes of memory as they are when the file is loaded but not yet relocated; they live as long
 * as the image. False if the file has no such bytes.
 */
bool lookup_bytes(const struct image *img, u64 vaddr, u64 sz, struct view *ret);

/* The code of one function or of part of one, from the index of .eh_frame. */
struct lookup_piece {
	u64 start;
	u64 end;
};

/*
 * The piece to which the compiler moved the rarely executed code of the function [start, end):
 * GCC's ".cold" part, which has no name in a stripped file. It is the target of the function's
 * jumps to the outside. x86-64 only; false if there is none.
 */
bool lookup_cold_piece(const struct image *img, u64 start, u64 end, struct lookup_piece *ret);

#endif
