/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_DEBUGDATA_H
#define ELF_DEBUGDATA_H

#include "elf/image.h"

/*
 * The small ELF file that some distributions pack into .gnu_debugdata: the symbols of functions
 * that .dynsym does not have. *ret_data is borrowed by *ret until image__free(), then the caller
 * frees it with mem_free(). -ENOENT when there is none, -EINVAL when it cannot be unpacked or would
 * take more than a bound, -ENOMEM.
 */
int debugdata_open(const struct image *img, void **ret_data, struct image **ret, struct err *err);

#endif
