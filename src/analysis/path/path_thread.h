/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_PATH_PATH_THREAD_H
#define ANALYSIS_PATH_PATH_THREAD_H

#include "analysis/path/critical_path.h"

/*
 * The thread whose path is meant, from its begin to its end in the recording: that with the TID;
 * with 0 the first thread of the command that was recorded, or the only thread. -EINVAL if the
 * recording has no instants or wakers, -ENOENT if there is no such thread; with a message.
 */
int path_thread_find(const struct lanes *l, u32 tid, struct path_range *ret, struct err *err);
/* The part of that inside of two instants. -ENOENT with a message if there is none. */
int path_thread_cut(const struct lanes *l, u64 begin_ns, u64 end_ns, struct path_range *range,
		    struct err *err);
/* Whether a profile says what paths are made of. -EINVAL with a message. */
int path_thread_check(const struct profile *p, struct err *err);
/* Whether it says who ended waits, which is enough for a graph. -EINVAL with a message. */
int path_wakers_check(const struct profile *p, struct err *err);

#endif
