/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_IMAGE_PRIV_H
#define ELF_IMAGE_PRIV_H

#include <gelf.h>
#include <libelf.h>

#include "elf/image.h"

/* For the files of this layer that ask libelf themselves. */

/*
 * The next section of that name behind `scn` (NULL: the first one), and its header; NULL when there
 * is none, or no name in the file can be trusted. Reads nothing of it.
 */
Elf_Scn *image__next_section(const struct image *img, Elf_Scn *scn, const char *name,
			     GElf_Shdr *ret_sh);

#endif
