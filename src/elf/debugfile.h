/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_DEBUGFILE_H
#define ELF_DEBUGFILE_H

#include "elf/image.h"

/*
 * Finds and opens the separate debug file of an image, below `debug_dir` by build ID, or by debug
 * link beside the image, in .debug/ beside it, and below `debug_dir`. `path` is where the image
 * lies, NULL if unknown. A file is taken only if it surely belongs to the image: equal build IDs,
 * or, where one has none, the checksum of the link. -ENOENT when there is none; -ENOMEM.
 */
int debugfile_open(const struct image *img, const char *path, const char *debug_dir,
		   struct image **ret);

#endif
