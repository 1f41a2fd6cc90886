/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_WINDOWS_TASK_SUM_H
#define PROFILE_WINDOWS_TASK_SUM_H

#include "profile/profile.h"

/*
 * Adds the times and counts of a thread, and its flags, to `sum`, which keeps its names and
 * identity. False when a sum leaves its type.
 */
bool task_sum__add(struct profile_task *sum, const struct profile_task *t);

#endif
