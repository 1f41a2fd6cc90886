/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Users know when it was slow by the clock, or how long after the start or before the end. A time
 * of day without a date is the last one that was recorded: "at 14:32" is today, or yesterday in
 * the morning.
 */
#include "app/time_range.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text/units.h"

#define DAY_NS (86400 * NSEC_PER_SEC)

/* "14:32:18" or "2026-11-21T14:32:18", either with a zone. */
static bool parse_clock(const char *text, struct time_point *at)
{
	char civil[80];
	size_t len;

	if (strlen(text) > 48 || !zone_parse(text, &at->zone, &len))
		return false;
	snprintf(civil, sizeof(civil), "%.*s", (int)len, text);
	if (!clock_parse_wall(civil, &at->ns, NULL)) {
		at->kind = TIME_POINT_WALL;
		at->ns = zone_instant_ns(&at->zone, at->ns);
		return true;
	}
	snprintf(civil, sizeof(civil), "1970-01-01 %.*s", (int)len, text);
	at->kind = TIME_POINT_OF_DAY;
	return !clock_parse_wall(civil, &at->ns, NULL);
}

int time_point_parse(const char *text, void *value, struct err *err)
{
	struct time_point *at = value;
	bool before_end = text[0] == '-';

	*at = (struct time_point){ 0 };
	if (parse_clock(text, at))
		return 0;
	if (units_parse_ns(text + before_end, NSEC_PER_SEC, &at->ns, NULL))
		return err__set(err, -EINVAL,
				"'%.64s' is not a time; try 90s, -90s (before the end), 14:32:18 "
				"or 2026-11-21T10:03:00 (local time; Z or +01:00 for another zone)",
				text);
	at->kind = before_end ? TIME_POINT_BEFORE_END : TIME_POINT_SINCE_BEGIN;
	return 0;
}

int time_day_parse(const char *text, void *value, struct err *err)
{
	struct time_day *on = value;
	char civil[80];
	size_t len = strlen(text);

	*on = (struct time_day){ .is_given = true };
	/* a zone stands behind the ten letters of the day */
	snprintf(civil, sizeof(civil), "%.10s 00:00%.48s", text, len > 10 ? text + 10 : "");
	if (len < 10 || !zone_parse(civil, &on->zone, &len))
		return err__set(err, -EINVAL, "'%.64s' is not a day; try 2026-11-02", text);
	civil[len] = '\0';
	if (clock_parse_wall(civil, &on->civil_ns, NULL))
		return err__set(err, -EINVAL, "'%.64s' is not a day; try 2026-11-02", text);
	return 0;
}

static bool depends(const struct time_range *range, const struct time_point *at)
{
	if (at->kind == TIME_POINT_OF_DAY)
		return !range->on.is_given;
	return at->kind != TIME_POINT_NONE && at->kind != TIME_POINT_WALL;
}

bool time_range__is_relative(const struct time_range *range)
{
	return depends(range, &range->from) || depends(range, &range->to) ||
	       depends(range, &range->at);
}

/* The last such time that is not after the end. */
static u64 last_of_day(const struct time_point *at, u64 last_ns)
{
	u64 day_ns = zone_civil_ns(&at->zone, last_ns) / DAY_NS * DAY_NS;
	u64 ns = zone_instant_ns(&at->zone, day_ns + at->ns);

	return ns > last_ns && day_ns ? zone_instant_ns(&at->zone, day_ns - DAY_NS + at->ns) : ns;
}

struct resolving {
	const struct time_range *range;
	u64 first_ns;
	u64 last_ns;
};

static u64 instant(const struct resolving *rs, const struct time_point *at, u64 none_ns)
{
	switch (at->kind) {
	case TIME_POINT_SINCE_BEGIN:
		return rs->first_ns + at->ns < rs->first_ns ? ~0ULL : rs->first_ns + at->ns;
	case TIME_POINT_BEFORE_END:
		return rs->last_ns > at->ns ? rs->last_ns - at->ns : 0;
	case TIME_POINT_WALL:
		return at->ns;
	case TIME_POINT_OF_DAY:
		if (rs->range->on.is_given)
			return zone_instant_ns(&at->zone, rs->range->on.civil_ns + at->ns);
		return last_of_day(at, rs->last_ns);
	case TIME_POINT_NONE:
		break;
	}
	return none_ns;
}

int time_range__span(const struct time_range *range, u64 first_ns, u64 last_ns,
		     struct time_span *ret, struct err *err)
{
	const struct resolving rs = { range, first_ns, last_ns };
	const struct time_day *on = &range->on;
	u64 day_begin_ns = on->is_given ? zone_instant_ns(&on->zone, on->civil_ns) : 0;
	u64 day_end_ns = on->is_given ? zone_instant_ns(&on->zone, on->civil_ns + DAY_NS) : ~0ULL;

	if (range->at.kind) {
		ret->from_ns = instant(&rs, &range->at, 0);
		ret->to_ns = ret->from_ns + 1;
		return 0;
	}
	ret->from_ns = instant(&rs, &range->from, day_begin_ns);
	ret->to_ns = instant(&rs, &range->to, day_end_ns);
	/* from 23:00 until 01:00 */
	if (range->to.kind == TIME_POINT_OF_DAY && ret->to_ns <= ret->from_ns)
		ret->to_ns += DAY_NS;
	if (ret->from_ns < ret->to_ns)
		return 0;
	return err__set(err, -EINVAL, "the time range ends before it begins");
}

bool time_span__has(const struct time_span *span, u64 begin_ns, u64 end_ns)
{
	/* a window of zero length is at its start */
	return begin_ns < span->to_ns &&
	       (end_ns > span->from_ns || (begin_ns == end_ns && begin_ns >= span->from_ns));
}

bool time_span__cuts(const struct time_span *span, u64 begin_ns, u64 end_ns)
{
	return begin_ns < span->from_ns || end_ns > span->to_ns;
}
