/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_ESTIMATE_H
#define PROFILE_ESTIMATE_H

#include "base/types.h"

/*
 * How far an estimated time may be off. Variances of waits add up, also those of one thread: that
 * overstates the error of sums over nearly all of a thread, whose samples are not independent but
 * spread evenly over its waited time. It never understates it by much.
 */

/* Below this many samples the standard error itself is a rough guess. */
#define ESTIMATE_FEW 10

/* Stays at the largest number. */
u64 estimate_add_var(u64 var_us2, u64 more_us2);
/* Standard error, the root of the variance. */
u64 estimate_se_ns(u64 var_us2);
/* An estimate that rests on few samples? */
bool estimate_is_rough(u64 var_us2, u64 samples);

#endif
