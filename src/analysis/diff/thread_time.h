/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_DIFF_THREAD_TIME_H
#define ANALYSIS_DIFF_THREAD_TIME_H

#include "profile/profile.h"

/*
 * Thread time in each interval of a profile, in ns. Records that cover several windows have the sum
 * of their times and no gaps, so threads and intervals are placed on recorded time, which excludes
 * the time between windows. `ret_ns` has room for each interval. -ENOMEM or 0.
 */
int thread_time_of_intervals(const struct profile *p, double *ret_ns);

#endif
