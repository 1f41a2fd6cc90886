/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STORE_STORE_WRITER_H
#define STORE_STORE_WRITER_H

#include "base/err.h"
#include "base/types.h"
#include "recording/writer.h"

/* A store, written: by one process at a time, while others read. Not thread-safe. */
struct store_writer;

/* What may stay in the store. */
struct store_limits {
	u32 days; /* 0: unlimited */
	u64 bytes; /* on disk; 0: unlimited */
};

/* What was removed. */
struct store_removed {
	u32 files;
	u64 bytes;
	bool over; /* what must stay takes more than the limit */
	/* what stays */
	u32 kept_files;
	u64 kept_bytes;
};

/*
 * Creates the directory if it does not exist, and locks it: -EBUSY if another process writes to it.
 * The lock ends with the process. Other errors are those of the directory.
 */
int store_writer__open(const char *dir, struct store_writer **ret, struct err *err);
/* Makes the current file self-contained. NULL is fine. */
void store_writer__close(struct store_writer *w);

/*
 * The recorder for a window that begins at `begin_wall_ns`: that of its day, which continues after
 * a crash. Borrowed until the next call. A file of more than `part_bytes` (0: unlimited) is
 * finished, and the day continues in another part. Errors are those of recorder__create(); the
 * writer can be used again.
 */
int store_writer__recorder(struct store_writer *w, u64 begin_wall_ns, u64 part_bytes,
			   struct recorder **ret, struct err *err);
/* The current file cannot be written: closes it, and the next window begins another part. */
void store_writer__set_aside(struct store_writer *w);

/*
 * Removes whole files, oldest first, until the limits hold; never the current one. Days count only
 * if `by_age`: a caller whose clock may be wrong must not remove everything. The first error.
 */
int store_writer__retain(struct store_writer *w, const struct store_limits *limits, u64 now_wall_ns,
			 bool by_age, struct store_removed *ret, struct err *err);

#endif
