/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEB_SOURCE_FILE_WINDOWS_H
#define WEB_SOURCE_FILE_WINDOWS_H

#include "base/err.h"
#include "profile/profile.h"
#include "web/ask/query.h"

/*
 * The windows of a recording, numbered from 1 in order of time. Each call opens the file for
 * itself, so that viewers can read at the same time.
 */

/*
 * Calls `each` for the windows of the range, one after the other. It takes the profile, or gets
 * NULL for a window that cannot be read, and ends the reading by another value than 0. Errors of
 * recording__open(), -ENOMEM, what `each` returned, or 0.
 */
int file_windows_read(const char *path, const struct query_range *range,
		      int (*each)(void *arg, u64 seq, struct profile *p, struct err *err),
		      void *arg, struct err *err);
/*
 * The windows of the range in one profile, which the caller frees. `last`: only so many, from its
 * end; 0: all. -ENOENT if there is none.
 */
int file_windows_merge(const char *path, const struct query_range *range, u64 last,
		       struct profile **ret, struct err *err);

#endif
