/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_FILE_ID_H
#define BASE_FILE_ID_H

#include "base/types.h"

/*
 * Identifies a file. A path is not enough, because it may lead elsewhere by now. Neither is an
 * inode number: ext4 reuses it as soon as the old file is deleted, so a compiler that rewrites a
 * program usually gets the same number. The inode's generation differs then.
 *
 * Two ids are equal if all bytes are. Generation 0 means that the generation is unknown (the text
 * of /proc/PID/maps has none) or that the file system has none; it equals only 0. A file of unknown
 * generation therefore never equals one whose generation is known, even if only one has that
 * number: the other may have been deleted before anyone looked. See proc/mapfile.h for how a file
 * is opened by id.
 */
struct file_id {
	u64 dev; /* as in struct stat */
	u64 ino; /* 0: no file */
	u32 generation;
	u32 pad; /* 0, because ids are keys of tables */
};

_Static_assert(sizeof(struct file_id) == 24, "no padding in a key");

#endif
