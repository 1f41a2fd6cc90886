/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_TIME_RANGE_H
#define APP_TIME_RANGE_H

#include "base/err.h"
#include "base/types.h"

enum time_point_kind {
	TIME_POINT_NONE = 0,
	TIME_POINT_SINCE_BEGIN, /* of the recordings */
	TIME_POINT_BEFORE_END,
	TIME_POINT_WALL,
};

struct time_point {
	enum time_point_kind kind;
	u64 ns;
};

struct time_range {
	struct time_point from;
	struct time_point to;
};

/*
 * For OPT_CUSTOM of a struct time_point: "90s", "-90s", or a wall time as in clock_parse_wall().
 * -EINVAL with a message.
 */
int time_point_parse(const char *text, void *value, struct err *err);

/*
 * Whether something from `begin_ns` to `end_ns` overlaps the range, in recordings from `first_ns`
 * to `last_ns`. All in CLOCK_REALTIME.
 */
bool time_range__has(const struct time_range *range, u64 first_ns, u64 last_ns, u64 begin_ns,
		     u64 end_ns);

/* Whether it also extends outside the range. It is selected whole anyway. */
bool time_range__cuts(const struct time_range *range, u64 first_ns, u64 last_ns, u64 begin_ns,
		      u64 end_ns);

/* -EINVAL with a message: the range is empty. */
int time_range__check(const struct time_range *range, u64 first_ns, u64 last_ns, struct err *err);

#endif
