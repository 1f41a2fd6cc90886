/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_THREAD_TIME_H
#define ANALYSIS_THREAD_TIME_H

#include "profile/profile.h"

/*
 * How much time of threads each interval of a profile has, in ns. Records of several windows have
 * the sum of their times, and no gaps: so threads and intervals are laid on recorded time, of which
 * what lies between windows is no part. `ret_ns` has room for each interval. -ENOMEM or 0.
 */
int thread_time_of_intervals(const struct profile *p, double *ret_ns);

#endif
