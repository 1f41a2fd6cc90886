/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_VARIABLE_VARIABLE_H
#define ELF_VARIABLE_VARIABLE_H

#include "elf/image.h"

/*
 * The variable that contains a byte of a file's data: its linker name into `buf`, cut to `sz`, and
 * the position of the byte in it. `off` is an offset in the file; if a writable segment is larger
 * in memory than in the file, offsets continue past its end. Searches all of the file's own .symtab
 * and .dynsym. False if no variable contains it. The image must not have been released.
 */
bool variable_find(const struct image *img, u64 off, char *buf, size_t sz, u64 *ret_off);

#endif
