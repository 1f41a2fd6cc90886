/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_FILE_ID_H
#define BASE_FILE_ID_H

#include "base/types.h"

/*
 * A file of a file system. A path is not enough, as it may lead elsewhere by now, and neither is
 * the number of an inode: ext4 gives it to the next file as soon as the old one is deleted, so a
 * compiler that writes a program anew mostly gets the number of the one before. The generation of
 * the inode is what differs then.
 *
 * Two are equal when all bytes are. Generation 0 says that it is not known (the text of
 * /proc/PID/maps has none) or that the file system has none; it equals 0 only. So a file of unknown
 * generation is never taken for one whose generation is known, even if there is only one of that
 * number: the other may have been gone before anyone looked. Where a file is opened for an id, see
 * proc/mapfile.h.
 */
struct file_id {
	u64 dev; /* as stat() has it */
	u64 ino; /* 0: no file */
	u32 generation;
	u32 pad; /* 0, as ids are keys of tables */
};

_Static_assert(sizeof(struct file_id) == 24, "no padding in a key");

#endif
