/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_DEBUGFILE_H
#define ELF_DEBUGFILE_H

#include "elf/debuginfod.h"
#include "elf/image.h"

#define SYMTAB_DEBUG_DIR "/usr/lib/debug"

/* Where to look for symbols besides the image itself. Everything is borrowed. */
struct symtab_options {
	const char *path; /* of the image, for its debug link; NULL: unknown */
	const char *debug_dir; /* NULL: SYMTAB_DEBUG_DIR; "": no separate files */
	/*
	 * O_PATH descriptors of other roots (containers) in which SYMTAB_DEBUG_DIR and `path` may
	 * be
	 */
	const int *root_fds;
	size_t root_fds_len;
	struct debuginfod *debuginfod; /* queried last; NULL: not at all */
};

/*
 * Finds and opens the separate debug file of an image: below `debug_dir` by build ID, or by debug
 * link next to the image, in .debug/ next to it, and below `debug_dir`; then the same in the other
 * roots; then from debuginfod. A file is accepted only if it certainly belongs to the image: equal
 * build IDs, or, if one has none, the checksum of the link. -ENOENT if there is none; -ENOMEM.
 */
int debugfile_open(const struct image *img, const struct symtab_options *opt, struct image **ret);

/*
 * Opens the file that dwz made for several debug files, as named by .gnu_debugaltlink: by build ID,
 * by absolute path, from debuginfod. Returns a descriptor, which the caller closes, or -ENOENT. The
 * caller must check that it is the right file.
 */
int debugfile_open_alt(const char *path, const char *build_id, const struct symtab_options *opt);

#endif
