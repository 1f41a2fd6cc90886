/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_RECORDINGS_H
#define APP_RECORDINGS_H

#include "app/time_range.h"
#include "base/err.h"
#include "base/notices.h"
#include "base/vec.h"
#include "profile/profile.h"

/* What loading recordings found. */
struct recordings_found {
	bool splits; /* set by the caller: it shows the part of a window that is in the range */
	bool damaged;
	struct time_span span; /* the range */
};

/*
 * All windows of all files (const char *) that overlap the range, in one profile, which passes
 * profile__check() and which the caller frees. A directory stands for the files of a store
 * (store/store.h). Damaged and skipped parts, and windows that the range would split, unless the
 * caller splits them, are reported in `notices`, even before an error; damage is in `found`.
 * -ENOENT if there is no such window, -EINVAL for an empty range, or an error of recording__open()
 * or profile_merge(); a file that cannot be read at all is an error, one of a store is damage.
 */
int recordings_load(const struct vec *files, const struct time_range *range,
		    struct notices *notices, struct profile **ret, struct recordings_found *found,
		    struct err *err);

#endif
