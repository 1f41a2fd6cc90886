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

/* Saturates. */
u64 estimate_add_var(u64 var_us2, u64 more_us2);
/* Standard error, the root of the variance. */
u64 estimate_se_ns(u64 var_us2);
/* Whether an estimate relies on few samples. */
bool estimate_is_rough(u64 var_us2, u64 samples);

#endif
