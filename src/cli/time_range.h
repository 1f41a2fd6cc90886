/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TIME_RANGE_H
#define CLI_TIME_RANGE_H

#include "base/err.h"
#include "base/types.h"

enum time_point_kind {
	TIME_POINT_NONE = 0,
	TIME_POINT_SINCE_BEGIN, /* of what there is */
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
 * For OPT_CUSTOM of a struct time_point: "90s", "-90s", or a wall time as clock_parse_wall() reads
 * it. -EINVAL with a sentence.
 */
int time_point_parse(const char *text, void *value, struct err *err);

/*
 * Does something that lasted from `begin_ns` to `end_ns` have a part in the range, when all there
 * is lasted from `first_ns` to `last_ns`? All in CLOCK_REALTIME.
 */
bool time_range__has(const struct time_range *range, u64 first_ns, u64 last_ns, u64 begin_ns,
		     u64 end_ns);

/* Does it also lie outside of the range? It is taken whole all the same. */
bool time_range__cuts(const struct time_range *range, u64 first_ns, u64 last_ns, u64 begin_ns,
		      u64 end_ns);

/* -EINVAL with a sentence: no instant is in the range. */
int time_range__check(const struct time_range *range, u64 first_ns, u64 last_ns, struct err *err);

#endif
