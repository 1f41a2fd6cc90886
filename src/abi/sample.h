/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only OR BSD-2-Clause */
#ifndef ABI_SAMPLE_H
#define ABI_SAMPLE_H

#include <linux/types.h>

/*
 * The arithmetic of sampling in proportion to time; see struct cs_wait_sum for what it estimates.
 * wait_weight() in bpf/lib/wait.bpf.h chooses: through a pointer, the verifier would have to visit
 * a quarter more of that program. `random` is 32 uniformly random bits each time. All times are in
 * ns. A period is at most CS_PERIOD_MAX_NS, so that products of two shorter times fit into 64 bits.
 */

/* A random point in a period, so that a thread's pattern cannot match the period. */
static inline __attribute__((always_inline)) __u64 cs_sample_point(__u64 period_ns, __u32 random)
{
	return (__u64)random * (period_ns >> 10) >> 22;
}

/* What a wait adds to a sum. */
struct cs_share {
	__u64 blocked_ns;
	__u64 runq_ns;
	__u64 count;
	__u64 var_us2;
};

/* For a wait that stands for itself. */
static inline __attribute__((always_inline)) void cs_share_exact(struct cs_share *share,
								 __u64 blocked_ns, __u64 ns)
{
	share->blocked_ns = blocked_ns;
	share->runq_ns = ns - blocked_ns;
	share->count = 1;
	share->var_us2 = 0;
}

/*
 * For a wait that stands for weight_ns, more than its own `ns`, which is not 0. The variance is
 * unbiased even if that is two periods, because their points are independent. Summed over waits of
 * one period, which are not independent, it is overstated (profile/estimate.h). The number of waits
 * is rounded up or down at random, so that it is unbiased and stays an integer.
 */
static inline __attribute__((always_inline)) void
cs_share_estimate(struct cs_share *share, __u64 blocked_ns, __u64 ns, __u64 weight_ns, __u32 random)
{
	__u64 whole = weight_ns / ns, rest = weight_ns % ns, us = weight_ns / 1000;

	share->blocked_ns = blocked_ns * whole + blocked_ns * rest / ns;
	share->runq_ns = weight_ns - share->blocked_ns;
	share->count = whole + ((__u64)random * ns >> 32 < rest);
	share->var_us2 = us * us - us * (ns / 1000);
}

#endif
