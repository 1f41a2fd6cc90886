/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "base/err.h"
#include "base/types.h"
#include "profile/profile.h"
#include "store/day.h"

/*
 * A store, read: a directory of recordings, one for each UTC day, to which an agent adds windows
 * (docs/adr/0052). Reading takes no lock and changes nothing; files may grow and disappear
 * meanwhile. Not thread-safe.
 */
struct store;

/*
 * Where a reader is: all windows up to this one were read. Windows are in the order in which they
 * were written, which is that of time unless the clock was set back. All zero: before the first.
 */
struct store_cursor {
	struct store_day file;
	u32 window; /* its number in the file */
};

int store_cursor_compare(const struct store_cursor *a, const struct store_cursor *b);

/* A finished window. */
struct store_window {
	struct store_cursor at;
	u64 begin_wall_ns; /* CLOCK_REALTIME */
	u64 begin_mono_ns; /* CLOCK_MONOTONIC */
	u64 window_ns; /* length */
	const char *host; /* borrowed until the next call */
};

struct store_file {
	struct store_day file;
	const char *path; /* borrowed until store__look() */
	u64 bytes; /* on disk, with its log */
};

/* Lists the directory; it may be empty. -ENOENT, -ENOTDIR or another error of opening it. */
int store__open(const char *dir, struct store **ret, struct err *err);
/* The same of one that has a file: -ENOENT with a sentence if not. *ret is closed by the caller. */
int store__open_used(const char *dir, struct store **ret, struct err *err);
/* NULL is fine. */
void store__close(struct store *s);
/* Lists it again, for days that came or went. */
int store__look(struct store *s, struct err *err);

/* The files, in order. */
size_t store__files_len(const struct store *s);
struct store_file store__file(const struct store *s, size_t idx);

/*
 * The first finished window after the cursor; also one that was written since the last call. 1, 0
 * if there is none, or -ENOMEM. A file that cannot be read is passed over and reported by
 * store__damage(). A cursor whose file was removed continues with the next file.
 */
int store__next(struct store *s, const struct store_cursor *after, struct store_window *ret,
		struct err *err);
/*
 * The profile of a window, as recording__read() gives it; the caller frees it. -ENOENT if it was
 * removed meanwhile.
 */
int store__read(struct store *s, const struct store_cursor *at, struct profile **ret,
		struct err *err);
/*
 * The last window of the last file that has one; with `skip`, of a file before, by so many that
 * have one. -ENOENT if there is none.
 */
int store__last(struct store *s, size_t skip, struct store_window *ret, struct err *err);
/*
 * When the first window begins and the last one ends (CLOCK_REALTIME). -ENOENT if there is none.
 */
int store__span(struct store *s, u64 *ret_first_ns, u64 *ret_last_ns, struct err *err);

/* What is known to be lost so far, in sentences; NULL after the last one. */
const char *store__damage(const struct store *s, size_t idx);

#endif
