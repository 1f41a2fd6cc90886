/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_ESTIMATE_H
#define PROFILE_ESTIMATE_H

#include "base/types.h"

/*
 * The error of estimated times. Variances of waits are added, also within one thread. This
 * overstates the error of sums over nearly all of a thread, whose samples are not independent but
 * spread evenly over its waited time. It never understates it by much.
 */

/* Below this many samples the standard error itself is a rough guess. */
#define ESTIMATE_FEW 10

/* A variance that is larger than a number can be: the error is not known. */
#define ESTIMATE_VAR_MAX (~0ULL)

/* Saturates. */
u64 estimate_add_var(u64 var_us2, u64 more_us2);
/* Standard error, the root of the variance; ~0 of ESTIMATE_VAR_MAX. */
u64 estimate_se_ns(u64 var_us2);
/* Whether an estimate relies on few samples. */
bool estimate_is_rough(u64 var_us2, u64 samples);
/*
 * The variance of a row of visits: `ns` of a thread's time, in which `waits` waits were seen by one
 * visit each `period_ns`. var_us2 counts how often visits found the thread to enter or leave the
 * row. Where it is rarely elsewhere, few visits find that, or none, and var_us2 is then too small;
 * the result is larger. docs/adr/0063.
 */
u64 estimate_visited_var(u64 var_us2, u64 ns, u64 waits, u64 period_ns);

#endif
