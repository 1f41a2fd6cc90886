/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_MODEL_HIST_H
#define ANALYSIS_MODEL_HIST_H

#include "base/types.h"
#include "profile/profile.h"

/*
 * The log2 histograms of waits. Bucket 0 is below 1024 ns, bucket i is [2^(9+i), 2^(10+i)) ns, the
 * last one is unbounded.
 */

/* Smallest duration of a bucket. */
u64 hist_floor_ns(u32 bucket);
/* First duration above a bucket; ~0 for the last one. */
u64 hist_ceil_ns(u32 bucket);
/*
 * A duration that at least `permille` of every 1000 waits did not exceed: the end of the bucket
 * with the quantile, or `max_ns` if that is less. 0 if the histogram is empty.
 */
u64 hist_quantile_bound_ns(const u64 hist[PROFILE_HIST_LEN], u32 permille, u64 max_ns);

#endif
