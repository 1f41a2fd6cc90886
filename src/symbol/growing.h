/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYMBOL_GROWING_H
#define SYMBOL_GROWING_H

#include "base/types.h"
#include "base/view.h"

/* At most this much of a file is in memory at once, and no record may be longer. */
#define GROWING_WINDOW_SZ (256UL << 10)
#define GROWING_TAIL_SZ 64

/* At most this much is read in one go: a file can say that it is larger than any disk. */
#define GROWING_READ_MAX_SZ (1ULL << 30)

/*
 * How far a file that others append to has been read: each read goes on where the one before ended.
 * All zero is a file of which nothing was read.
 */
struct growing {
	u64 dev;
	u64 ino;
	u64 off;
	u8 tail[GROWING_TAIL_SZ]; /* the last bytes before `off`: has it been written anew? */
	size_t tail_len;
};

/*
 * Takes whole records from the start of `bytes` and returns how many bytes are done with, which may
 * be more than there are: those that follow are then not read. 0 when the first record is not all
 * there. Negative errno ends the reading.
 */
typedef s64 (*growing_take_fn)(void *arg, struct view bytes);

/*
 * True when the file is not the one that was read, or does not hold any more what was read: it is
 * to be read from its start, into an empty object, after growing__restart().
 */
bool growing__is_another(const struct growing *g, int fd);
void growing__restart(struct growing *g);
/*
 * Reads on from where it ended, at most GROWING_READ_MAX_SZ: the next read goes on there. -ENOMEM,
 * an error of reading, or of `take`.
 */
int growing__read(struct growing *g, int fd, growing_take_fn take, void *arg);

#endif
