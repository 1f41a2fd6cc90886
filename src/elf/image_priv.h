/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_IMAGE_PRIV_H
#define ELF_IMAGE_PRIV_H

#include <gelf.h>
#include <libelf.h>

#include "elf/image.h"

/* For the files of this layer that call libelf themselves. */

/*
 * The next section with that name after `scn` (NULL: the first one), and its header; NULL if no
 * section follows, or if the file's section names are not valid. Does not read its contents.
 */
Elf_Scn *image__next_section(const struct image *img, Elf_Scn *scn, const char *name,
			     GElf_Shdr *ret_sh);

#endif
