/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYMBOL_GROWING_H
#define SYMBOL_GROWING_H

#include "base/types.h"
#include "base/view.h"

/* At most this much of a file is in memory at once, and no record may be longer. */
#define GROWING_WINDOW_SZ (256UL << 10)
#define GROWING_TAIL_SZ 64

/* Limit for one read: a file can claim to be larger than any disk. */
#define GROWING_READ_MAX_SZ (1ULL << 30)

/*
 * How much of a file that others append to has been read: each read continues where the last one
 * ended. All zero: not read yet.
 */
struct growing {
	u64 dev;
	u64 ino;
	u64 off;
	u8 tail[GROWING_TAIL_SZ]; /* the last bytes before `off`, to detect a rewritten file */
	size_t tail_len;
};

/*
 * Takes complete records from the start of `bytes` and returns how many bytes it consumed. That may
 * exceed the bytes given: the excess is skipped in the file. 0 if the first record is incomplete. A
 * negative errno stops the reading.
 */
typedef s64 (*growing_take_fn)(void *arg, struct view bytes);

/*
 * True if it is a different file, or no longer contains what was read. It must then be read from
 * its start, into an empty object, after growing__restart().
 */
bool growing__is_another(const struct growing *g, int fd);
void growing__restart(struct growing *g);
/*
 * Continues where the last read ended. 1 if it stopped after GROWING_READ_MAX_SZ with more to read:
 * the next read continues from there. -ENOMEM, a read error, or an error of `take`.
 */
int growing__read(struct growing *g, int fd, growing_take_fn take, void *arg);

#endif
