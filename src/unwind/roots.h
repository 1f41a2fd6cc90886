/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UNWIND_ROOTS_H
#define UNWIND_ROOTS_H

#include "elf/image.h"
#include "unwind/known_code.h"

/*
 * Adds functions that begin a stack although the file does not say so: where the kernel enters a
 * program, musl's `__clone`, and glibc's `__start_context`, which makecontext() puts below a
 * coroutine. Only x86-64. The image is borrowed for the call only. -ENOMEM or 0.
 */
int roots__add(struct known_code *k, const struct image *img);

#endif
