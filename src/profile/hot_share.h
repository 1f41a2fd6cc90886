/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_HOT_SHARE_H
#define PROFILE_HOT_SHARE_H

#include "profile/profile.h"

/* Of one task, while its time is shared out. All zero at first. */
struct hot_tally {
	u64 samples;
	u64 passed; /* of them, those of the hots that have their time */
};

/*
 * How long a thread was on a CPU is known from its switches; samples say what part of that each
 * stack had. Sets on_ns and var_us2 of each hot so that those of a task with samples add up to its
 * on_ns to the ns. Element 0 of `hots` and `tasks` is none; `by_task` has one for each task.
 *
 * The variance is that of a share out of n samples, as if they were drawn at random, with one more
 * that hit and one that did not: a single sample does not prove that there is nothing else. Shares
 * of a thread go up and down together, so the sum of variances is more than that of the sum.
 */
void hot_share(struct profile_hot *hots, u32 hots_len, const struct profile_task *tasks,
	       struct hot_tally *by_task);

#endif
