/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_HOT_SHARE_H
#define PROFILE_HOT_SHARE_H

#include "profile/profile.h"

/* For one task, while its time is divided. Initialise to zero. */
struct hot_tally {
	u64 samples;
	u64 passed; /* of these, the samples of hots that have their time */
};

/*
 * Switches give the exact time of a thread on a CPU; samples give the part of each stack. Sets
 * on_ns and var_us2 of each hot so that those of a task with samples add up to its on_ns to the ns.
 * Element 0 of `hots` and `tasks` is unused; `by_task` has one element per task.
 *
 * The variance is that of a share of n samples, as if drawn at random, plus one that hit and one
 * that did not: a single sample does not prove that there is nothing else. The shares of one thread
 * are not independent, so the sum of their variances exceeds the variance of their sum.
 */
void hot_share(struct profile_hot *hots, u32 hots_len, const struct profile_task *tasks,
	       struct hot_tally *by_task);

#endif
