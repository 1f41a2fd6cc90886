/* SPDX-License-Identifier: Apache-2.0 */
#include "push/day_over.h"

bool push_day_is_over(const struct store_day *file, const struct store_day *newest, u64 now_wall_ns,
		      u64 delay_ns)
{
	u64 end_ns = store_day_begin_ns(file->day + 1);

	if (newest->day <= file->day && delay_ns < PUSH_DAY_GRACE_NS)
		delay_ns = PUSH_DAY_GRACE_NS;
	return now_wall_ns >= end_ns + delay_ns;
}
