/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_HIST_H
#define ANALYSIS_HIST_H

#include "base/types.h"
#include "profile/profile.h"

/*
 * The log2 histograms of waits. Bucket 0 is below 1024 ns, bucket i holds [2^(9+i), 2^(10+i)) ns,
 * the last one has no end.
 */

/* Smallest duration of a bucket. */
u64 hist_floor_ns(u32 bucket);
/* First duration above a bucket; ~0 for the last one. */
u64 hist_ceil_ns(u32 bucket);
/*
 * A duration that at least `permille` of every 1000 waits did not exceed: the end of the bucket
 * that holds the quantile, or `max_ns` where that is less. 0 when the histogram is empty.
 */
u64 hist_quantile_bound_ns(const u64 hist[PROFILE_HIST_LEN], u32 permille, u64 max_ns);

#endif
