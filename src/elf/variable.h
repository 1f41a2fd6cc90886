/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_VARIABLE_H
#define ELF_VARIABLE_H

#include "elf/image.h"

/*
 * The variable that holds a byte of the data of a file: its linker name into `buf`, cut to `sz`,
 * and where in it the byte is. `off` is an offset in the file; a writable segment that takes more
 * memory than it has bytes in the file is counted on behind its end. Looks in the .symtab and the
 * .dynsym of the file itself, from their beginning to their end. False when none does. The image
 * must not have been released.
 */
bool variable_find(const struct image *img, u64 off, char *buf, size_t sz, u64 *ret_off);

#endif
