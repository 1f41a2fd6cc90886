/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDING_READER_H
#define RECORDING_READER_H

#include "base/err.h"
#include "base/types.h"
#include "profile/profile.h"

/*
 * A recording, read: a file of windows, each of them a profile (docs/format.md). The file is never
 * changed. Everything returned was verified by a checksum; what fails is dropped and reported. Not
 * thread-safe.
 */
struct recording;

/* What is known about a window without reading it. */
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
 * Opens the file and finds its windows. A damaged file opens if at least one window is left, see
 * recording__damage(). -ENOENT and similar if there is no such file, -EINVAL if it is not a
 * recording, -EBADMSG if it is one but nothing in it is readable, -EOPNOTSUPP if it was written by
 * a version too new to read correctly, -ENOMEM. Free with recording__close().
 */
int recording__open(const char *path, struct recording **ret, struct err *err);
/* NULL is fine. */
void recording__close(struct recording *rec);
/*
 * Gives back what is kept for windows that share their code with the last one that was read, up to
 * 30 MB: for a file that stays open and is not read for a while.
 */
void recording__forget_code(struct recording *rec);

/* Windows that are at least partly readable, in order of id, which is order of time. */
size_t recording__windows_len(const struct recording *rec);
/* Window `idx`, which must exist; borrowed until recording__close(). */
const struct recording_window *recording__window(const struct recording *rec, size_t idx);

/*
 * The profile of window `idx`, which the caller frees with profile__free(). It is frozen and passes
 * profile__check(). Its frames have the names they were stored with; unnamed ones have the reason,
 * and a resolver may name them later, because addresses, paths and build IDs are stored. If the
 * list of waits or the stacks are lost, thread totals are still correct: the waits then have no
 * stacks, or become rests, the profile has LOSS_DAMAGED, and recording__damage() returns a
 * sentence. -EBADMSG if nothing of the window is usable, -EOPNOTSUPP as for recording__open(),
 * -ENOMEM.
 */
int recording__read(struct recording *rec, size_t idx, struct profile **ret, struct err *err);

/*
 * What is known to be lost so far, in sentences without a full stop; NULL after the last one.
 * Readers show them all: "window 2 is lost: its threads fail their checksum".
 */
const char *recording__damage(const struct recording *rec, size_t idx);

#endif
