/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quantiles from log2 buckets. Only a bound can be given, since nothing is known inside a bucket;
 * interpolation would print digits that nobody measured. The bucket boundaries are those of
 * abi/hist.h, which this layer does not see; a unit test compares the two.
 */
#include "analysis/model/hist.h"

#define HIST_SHIFT 10

u64 hist_floor_ns(u32 bucket)
{
	return bucket ? 1ULL << (HIST_SHIFT - 1 + bucket) : 0;
}

u64 hist_ceil_ns(u32 bucket)
{
	return bucket >= PROFILE_HIST_LEN - 1 ? ~0ULL : 1ULL << (HIST_SHIFT + bucket);
}

u64 hist_quantile_bound_ns(const u64 hist[PROFILE_HIST_LEN], u32 permille, u64 max_ns)
{
	u64 total = 0, want, seen = 0, ceil_ns;
	u32 i;

	for (i = 0; i < PROFILE_HIST_LEN; i++)
		total += hist[i];
	if (!total)
		return 0;
	/* ceil(total * permille / 1000) without overflow */
	want = total / 1000 * permille + (total % 1000 * permille + 999) / 1000;
	for (i = 0; i < PROFILE_HIST_LEN; i++) {
		seen += hist[i];
		if (seen >= want && hist[i])
			break;
	}
	ceil_ns = hist_ceil_ns(i < PROFILE_HIST_LEN ? i : PROFILE_HIST_LEN - 1);
	return ceil_ns < max_ns ? ceil_ns : max_ns;
}
