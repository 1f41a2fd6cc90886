/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDING_WRITER_H
#define RECORDING_WRITER_H

#include "base/err.h"
#include "base/sink.h"
#include "base/types.h"
#include "profile/profile.h"
#include "recording/labels.h"

struct database;

/* Writes a recording: profiles in, a file of windows out (docs/format.md). Not thread-safe. */
struct recorder;

/*
 * A new file; -EEXIST if it exists. Each window is a transaction: if we are killed at any moment,
 * the file has all windows added so far, with "PATH-wal" next to it, and readers use both. Free
 * with recorder__free() in any case.
 */
int recorder__create(const char *path, struct recorder **ret, struct err *err);
/* In memory, for recorder__write(), if files can no longer be created by path. */
int recorder__create_in_memory(struct recorder **ret, struct err *err);

/*
 * Likewise a new file, with fewer rows for queries: only `windows`, `causes`, `losses` and
 * `imports`. The others would be larger than the blocks, and can be made from them.
 */
int recorder__create_lean(const char *path, struct recorder **ret, struct err *err);
/*
 * An existing file, which may have been left by a writer that was killed; the next window follows
 * its last one. Borrows `path`, as those above. -ENOENT; -EOPNOTSUPP if another version wrote it,
 * -EBADMSG if it is damaged or no recording, or a disk error.
 */
int recorder__continue(const char *path, struct recorder **ret, struct err *err);
/* The database that it writes (recording/database.h); borrowed. */
struct database *recorder__database(struct recorder *rec);
/* Windows in the file: the number of the last one. */
u32 recorder__windows(const struct recorder *rec);

/*
 * Adds a window: the profile, which is checked first (profile__check(): -EINVAL), and the rows for
 * queries. `labels` are by wait id, with an element 0 that is not read; NULL: all waits have the
 * first cause and the class "none". The causes must add up to the listed waits, or -EINVAL. On
 * error nothing of it is in the file: -ENOMEM, or a disk error. Windows are added in order of time.
 */
int recorder__add(struct recorder *rec, const struct profile *p,
		  const struct recording_cause *causes, size_t causes_len,
		  const struct recording_label *labels, struct err *err);

/* Makes the file self-contained, without a log next to it, and closes it. */
int recorder__finish(struct recorder *rec, struct err *err);
/* For one in memory: the bytes of the file. An error of `out` is reported by sink__finish(). */
int recorder__write(struct recorder *rec, struct sink *out, struct err *err);
/* NULL is fine. Without recorder__finish() the file is left as if we had been killed. */
void recorder__free(struct recorder *rec);

#endif
