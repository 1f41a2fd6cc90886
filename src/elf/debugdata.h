/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_DEBUGDATA_H
#define ELF_DEBUGDATA_H

#include "elf/image.h"

/*
 * The small ELF file that some distributions pack into .gnu_debugdata: symbols of functions that
 * .dynsym lacks. *ret borrows *ret_data until image__free(); then the caller frees it with
 * mem_free(). -ENOENT if there is none, -EINVAL if it cannot be unpacked or exceeds a limit,
 * -ENOMEM.
 */
int debugdata_open(const struct image *img, void **ret_data, struct image **ret, struct err *err);

#endif
