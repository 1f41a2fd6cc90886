/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_LOOKUP_H
#define ELF_LOOKUP_H

#include "base/types.h"
#include "base/view.h"
#include "elf/image.h"

/*
 * Things of a file by their names, for those who know what they look for. Addresses are those that
 * the linker gave.
 */
enum lookup_table {
	LOOKUP_DYNSYM, /* what the file exports */
	LOOKUP_SYMTAB, /* all of it; there is none in a stripped file */
};

/* `name` lives until the function returns. False: enough. */
typedef bool (*lookup_fn)(void *arg, const char *name, u64 vaddr, u64 sz);

/* Calls `fn` for each symbol that is defined in the file, in the order of the table. */
void lookup_symbols(const struct image *img, enum lookup_table table, lookup_fn fn, void *arg);
/*
 * `sz` bytes of memory as they are when the file is loaded and not yet relocated; they live as long
 * as the image. False where the file has no such bytes.
 */
bool lookup_bytes(const struct image *img, u64 vaddr, u64 sz, struct view *ret);

/* The code of one function or of a part of one, as the index of .eh_frame tells it. */
struct lookup_piece {
	u64 start;
	u64 end;
};

/*
 * The piece where the compiler put what of the function [start, end) is seldom run: GCC's ".cold"
 * part, which has no name in a stripped file. It is where the function's jumps to the outside lead.
 * x86-64 only; false when there is none.
 */
bool lookup_cold_piece(const struct image *img, u64 start, u64 end, struct lookup_piece *ret);

#endif
