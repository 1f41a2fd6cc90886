/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_TIME_RANGE_H
#define APP_TIME_RANGE_H

#include "base/err.h"
#include "base/text/zone.h"
#include "base/types.h"

enum time_point_kind {
	TIME_POINT_NONE = 0,
	TIME_POINT_SINCE_BEGIN, /* of the recordings */
	TIME_POINT_BEFORE_END,
	TIME_POINT_WALL,
	TIME_POINT_OF_DAY, /* the last such time in the recordings, or on the day of the range */
};

struct time_point {
	enum time_point_kind kind;
	u64 ns; /* of day: since midnight */
	struct zone zone; /* of day */
};

/* A day: midnight in its zone. */
struct time_day {
	bool is_given;
	u64 civil_ns;
	struct zone zone;
};

struct time_range {
	struct time_point from;
	struct time_point to;
	struct time_point at; /* an instant instead of both */
	struct time_day on;
};

/* A range in CLOCK_REALTIME. */
struct time_span {
	u64 from_ns;
	u64 to_ns;
};

/*
 * For OPT_CUSTOM of a struct time_point: "90s" since the beginning, "-90s" before the end, a time
 * of day "14:32:18", or a wall time as in clock_parse_wall(). The last two are local time unless a
 * zone follows. -EINVAL with a message.
 */
int time_point_parse(const char *text, void *value, struct err *err);
/* The same of a struct time_day: "2026-11-02". */
int time_day_parse(const char *text, void *value, struct err *err);

/* Whether the range depends on where the recordings begin and end. */
bool time_range__is_relative(const struct time_range *range);
/*
 * The range in recordings from `first_ns` to `last_ns` (CLOCK_REALTIME). -EINVAL with a message: it
 * is empty.
 */
int time_range__span(const struct time_range *range, u64 first_ns, u64 last_ns,
		     struct time_span *ret, struct err *err);

/* Whether something from `begin_ns` to `end_ns` overlaps the span. */
bool time_span__has(const struct time_span *span, u64 begin_ns, u64 end_ns);
/* Whether it also extends outside the span. It is selected whole anyway. */
bool time_span__cuts(const struct time_span *span, u64 begin_ns, u64 end_ns);

#endif
