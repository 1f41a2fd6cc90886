/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only OR BSD-2-Clause */
#ifndef ABI_HIST_H
#define ABI_HIST_H

#include <linux/types.h>

/*
 * Log2 histogram of durations in ns. Bucket 0 is below 1024 ns, bucket i is [2^(9+i), 2^(10+i)) ns,
 * the last one everything from 2^40 ns (18 min) on.
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

/*
 * The finer histogram, for threads. Bucket 0 is below the unit; above it, each power of two is
 * divided into four equal steps: 1, 1.25, 1.5 and 1.75 times 2^n. The last bucket is unbounded. The
 * unit is a multiple of 4 ns.
 */
#define CS_FINE_LEN 121

static inline __u32 cs_fine_bucket(__u64 ns, __u64 unit_ns)
{
	__u64 v = ns / (unit_ns / 4), x = v >> 2;
	__u32 n = 0;

	if (v >> 32)
		return CS_FINE_LEN - 1;
	if (!x)
		return 0;
	/* floor(log2(x)) by halving; x is below 2^30 here */
	if (x >> 16) {
		n += 16;
		x >>= 16;
	}
	if (x >> 8) {
		n += 8;
		x >>= 8;
	}
	if (x >> 4) {
		n += 4;
		x >>= 4;
	}
	if (x >> 2) {
		n += 2;
		x >>= 2;
	}
	n += (__u32)(x >> 1);
	return 1 + 4 * n + (__u32)(v >> n & 3);
}

#endif
