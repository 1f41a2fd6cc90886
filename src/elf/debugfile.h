/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_DEBUGFILE_H
#define ELF_DEBUGFILE_H

#include "elf/debuginfod.h"
#include "elf/image.h"

#define SYMTAB_DEBUG_DIR "/usr/lib/debug"

/* Where, besides in the image itself, symbols may be looked for. All is borrowed. */
struct symtab_options {
	const char *path; /* of the image, to find its debug link from; NULL: unknown */
	const char *debug_dir; /* NULL: SYMTAB_DEBUG_DIR; "": no separate files */
	/* other roots, of containers, where SYMTAB_DEBUG_DIR and `path` may lie: O_PATH */
	const int *root_fds;
	size_t root_fds_len;
	struct debuginfod *debuginfod; /* asked last; NULL: nobody */
};

/*
 * Finds and opens the separate debug file of an image, below `debug_dir` by build ID, or by debug
 * link beside the image, in .debug/ beside it, and below `debug_dir`; then the same in the other
 * roots; then by debuginfod. A file is taken only if it surely belongs to the image: equal build
 * IDs, or, where one has none, the checksum of the link. -ENOENT when there is none; -ENOMEM.
 */
int debugfile_open(const struct image *img, const struct symtab_options *opt, struct image **ret);

/*
 * Opens for reading the file that dwz made for several debug files, as .gnu_debugaltlink names it:
 * by build ID, by absolute path, by debuginfod. A descriptor to close, or -ENOENT. The caller must
 * see whether it is the right one.
 */
int debugfile_open_alt(const char *path, const char *build_id, const struct symtab_options *opt);

#endif
