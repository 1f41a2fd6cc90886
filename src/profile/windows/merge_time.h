/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_WINDOWS_MERGE_TIME_H
#define PROFILE_WINDOWS_MERGE_TIME_H

#include "profile/profile.h"

/*
 * How the windows of several profiles lie in time. Windows of one boot are placed by the monotonic
 * clock, which nobody sets, and boots to each other by the wall clock.
 */
struct merge_window {
	u32 part; /* index of the profile */
	u32 machine; /* windows of one boot have the same, from 0 */
	u64 begin_ns; /* CLOCK_REALTIME, as it was at the first window of the boot */
	u64 end_ns;
};

struct merge_times {
	struct merge_window *windows; /* by begin, then part */
	u32 machines;
	u64 covered_ns; /* by at least one window */
	u64 gap_ns; /* see profile_header */
	u64 overlap_ns;
};

/* -ENOMEM or 0. Release with merge_times__done() in either case. */
int merge_times__init(struct merge_times *t, const struct profile *const *parts, size_t len);
void merge_times__done(struct merge_times *t);

#endif
