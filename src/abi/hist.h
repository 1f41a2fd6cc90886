/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only OR BSD-2-Clause */
#ifndef ABI_HIST_H
#define ABI_HIST_H

#include <linux/types.h>

/*
 * Log2 histogram of durations in ns. Bucket 0 is below 1024 ns, bucket i holds
 * [2^(9+i), 2^(10+i)) ns, the last one everything from 2^40 ns (18 min) on.
 */
#define CS_HIST_LEN 32
#define CS_HIST_SHIFT 10

static inline __u32 cs_hist_bucket(__u64 ns)
{
	__u64 v = ns >> CS_HIST_SHIFT;
	__u32 b = 0;

	if (v >> 31)
		return CS_HIST_LEN - 1;
	/* floor(log2(v)) + 1 by halving; v is below 2^31 here */
	if (v >> 16) {
		b += 16;
		v >>= 16;
	}
	if (v >> 8) {
		b += 8;
		v >>= 8;
	}
	if (v >> 4) {
		b += 4;
		v >>= 4;
	}
	if (v >> 2) {
		b += 2;
		v >>= 2;
	}
	if (v >> 1) {
		b += 1;
		v >>= 1;
	}
	return b + (__u32)v;
}

/* Smallest duration of a bucket, in ns. */
static inline __u64 cs_hist_floor_ns(__u32 bucket)
{
	return bucket ? 1ULL << (CS_HIST_SHIFT - 1 + bucket) : 0;
}

#endif
