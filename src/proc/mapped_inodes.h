/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_MAPPED_INODES_H
#define PROC_MAPPED_INODES_H

#include "base/map64.h"
#include "base/types.h"

/*
 * The numbers of the inodes whose code some process of our PID namespace maps. Devices do not
 * count, because /proc/PID/maps and stat() disagree on them for btrfs and overlay: a number that is
 * here may be that of another file. One that is not here is mapped by none of the processes that we
 * may read.
 */
struct mapped_inodes {
	struct map64 numbers;
};

/*
 * Initialises *m and reads /proc, which takes about 0.1 ms for each process. It is empty on error.
 * -ENOMEM, or an error of reading /proc itself.
 */
int mapped_inodes__read(struct mapped_inodes *m);
void mapped_inodes__done(struct mapped_inodes *m);
bool mapped_inodes__has(const struct mapped_inodes *m, u64 ino);

#endif
