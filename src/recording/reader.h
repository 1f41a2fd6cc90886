/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDING_READER_H
#define RECORDING_READER_H

#include "base/err.h"
#include "base/types.h"
#include "profile/profile.h"

/*
 * A recording, read: a file of windows, each of them a profile (docs/format.md). The file is never
 * changed. All that is given out was checked by a checksum; what fails it is lost, and said to be.
 * Not thread-safe.
 */
struct recording;

/* What is known of a window without reading it. */
struct recording_window {
	u32 id; /* in the file, ascending; for messages: "window 3" */
	u64 begin_wall_ns; /* CLOCK_REALTIME */
	u64 begin_mono_ns; /* CLOCK_MONOTONIC */
	u64 window_ns; /* length */
	/* borrowed from the recording; never NULL */
	const char *host;
	const char *kernel;
	const char *version; /* of the coldspot that recorded it */
	const char *command;
	const char *target;
};

/*
 * Opens the file and finds its windows. A damaged file opens as long as one window is left, see
 * recording__damage(). -ENOENT and the like when there is no such file, -EINVAL when it is no
 * recording, -EBADMSG when it is one and nothing of it can be read, -EOPNOTSUPP when it was made by
 * a version so new that it cannot be read right, -ENOMEM. Free with recording__close().
 */
int recording__open(const char *path, struct recording **ret, struct err *err);
/* NULL is fine. */
void recording__close(struct recording *rec);

/* Windows of which something can be read, in the order of their ids, that is of time. */
size_t recording__windows_len(const struct recording *rec);
/* Window `idx`, which must exist; borrowed until recording__close(). */
const struct recording_window *recording__window(const struct recording *rec, size_t idx);

/*
 * The profile of window `idx`, which the caller frees with profile__free(). It is frozen and
 * passes profile__check(). Its frames have the names they were stored with; those without one have
 * the reason, and a resolver may name them anew: addresses, paths and build IDs are there. Where
 * the list of waits or the stacks are lost, the totals of threads still are right: the waits are
 * then without stacks, or rests, the profile has LOSS_DAMAGED and recording__damage() a sentence.
 * -EBADMSG when nothing of the window can be used, -EOPNOTSUPP as for recording__open(), -ENOMEM.
 */
int recording__read(struct recording *rec, size_t idx, struct profile **ret, struct err *err);

/*
 * What is known to be lost, in sentences without a full stop, as far as the file was read; NULL
 * behind the last one. Readers show them all: "window 2 is lost: its threads fail their checksum".
 */
const char *recording__damage(const struct recording *rec, size_t idx);

#endif
