/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PUSH_DAY_OVER_H
#define PUSH_DAY_OVER_H

#include "store/day.h"

/* The longest window, and what it takes to write it. */
#define PUSH_DAY_GRACE_NS (65 * 60 * 1000000000ULL)

/*
 * Whether no window will be added to a file: its day is over for `delay_ns`, and the store has a
 * file of a later day (`newest`, of those that are not of a time to come), or no window that began
 * in it can still be open.
 */
bool push_day_is_over(const struct store_day *file, const struct store_day *newest, u64 now_wall_ns,
		      u64 delay_ns);

#endif
