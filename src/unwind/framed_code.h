/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UNWIND_FRAMED_CODE_H
#define UNWIND_FRAMED_CODE_H

#include "elf/image.h"
#include "unwind/known_code.h"

/*
 * Adds the functions that set up a frame pointer, in a file with little or no CFI, with the
 * resulting rules. They apply only where the file has no CFI of its own. Only x86-64, and only
 * functions in the file's own symbol tables. The image is borrowed for the call only. -ENOMEM or 0.
 */
int framed_code__add(struct known_code *k, const struct image *img);

#endif
