/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDING_WRITER_H
#define RECORDING_WRITER_H

#include "base/err.h"
#include "base/sink.h"
#include "base/types.h"
#include "profile/profile.h"

/*
 * Makes a recording: profiles in, a file of windows out (docs/format.md). Not thread-safe.
 */
struct recorder;

/* A row of the table `causes`: the waits of one kind. Whoever knows kinds of waits fills it in. */
struct recording_cause {
	const char *name; /* stable, distinct within a window */
	u64 waits;
	u64 blocked_ns;
	u64 runq_ns;
	u64 max_ns; /* the longest wait */
};

/* What a wait is called in the table `waits`: the cause is one of those rows. */
struct recording_label {
	const char *cause;
	const char *class; /* what it means to who asks where the time went; stable */
};

/*
 * A new file; one that exists is an error, -EEXIST. Each window is a transaction: killed at any
 * moment, the file has all windows that were added, with "PATH-wal" beside it, and readers take
 * both. Free with recorder__free() in any case.
 */
int recorder__create(const char *path, struct recorder **ret, struct err *err);
/* In memory, for recorder__write(): where no file can be made by its path any more. */
int recorder__create_in_memory(struct recorder **ret, struct err *err);

/*
 * Adds a window: the profile as it is, checked first (profile__check(): -EINVAL), and the rows for
 * people. `labels` are by wait id, with an element 0 that is not read; NULL: all waits are of the
 * first cause, and their class is "none". The causes must add up to the listed waits, or -EINVAL.
 * On error nothing of it is in the file: -ENOMEM, or what the disk said. Windows are added in the
 * order of time.
 */
int recorder__add(struct recorder *rec, const struct profile *p,
		  const struct recording_cause *causes, size_t causes_len,
		  const struct recording_label *labels, struct err *err);

/* Makes the file one file that needs nothing beside it, and closes it. */
int recorder__finish(struct recorder *rec, struct err *err);
/* Of one in memory: the bytes of the file. An error of `out` is its own, see sink__finish(). */
int recorder__write(struct recorder *rec, struct sink *out, struct err *err);
/* NULL is fine. Without recorder__finish() the file is left as if we had been killed. */
void recorder__free(struct recorder *rec);

#endif
