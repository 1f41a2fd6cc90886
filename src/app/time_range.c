/* SPDX-License-Identifier: Apache-2.0 */
/* Users know when it was slow by the clock, or how long after the start. Both are a range. */
#include "app/time_range.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/text/units.h"

int time_point_parse(const char *text, void *value, struct err *err)
{
	struct time_point *at = value;
	bool before_end = text[0] == '-';

	if (!clock_parse_wall(text, &at->ns, NULL)) {
		at->kind = TIME_POINT_WALL;
		return 0;
	}
	if (units_parse_ns(text + before_end, NSEC_PER_SEC, &at->ns, NULL))
		return err__set(err, -EINVAL,
				"'%.64s' is not a time; try 90s, -90s (before the end) or "
				"2026-11-21T10:03:00 (UTC)",
				text);
	at->kind = before_end ? TIME_POINT_BEFORE_END : TIME_POINT_SINCE_BEGIN;
	return 0;
}

static u64 instant(const struct time_point *at, u64 first_ns, u64 last_ns, u64 none_ns)
{
	switch (at->kind) {
	case TIME_POINT_SINCE_BEGIN:
		return first_ns + at->ns < first_ns ? ~0ULL : first_ns + at->ns;
	case TIME_POINT_BEFORE_END:
		return last_ns > at->ns ? last_ns - at->ns : 0;
	case TIME_POINT_WALL:
		return at->ns;
	case TIME_POINT_NONE:
		break;
	}
	return none_ns;
}

static u64 from_ns(const struct time_range *range, u64 first_ns, u64 last_ns)
{
	return instant(&range->from, first_ns, last_ns, 0);
}

static u64 to_ns(const struct time_range *range, u64 first_ns, u64 last_ns)
{
	return instant(&range->to, first_ns, last_ns, ~0ULL);
}

bool time_range__has(const struct time_range *range, u64 first_ns, u64 last_ns, u64 begin_ns,
		     u64 end_ns)
{
	u64 from = from_ns(range, first_ns, last_ns);

	/* a window of zero length is at its start */
	return begin_ns < to_ns(range, first_ns, last_ns) &&
	       (end_ns > from || (begin_ns == end_ns && begin_ns >= from));
}

bool time_range__cuts(const struct time_range *range, u64 first_ns, u64 last_ns, u64 begin_ns,
		      u64 end_ns)
{
	return begin_ns < from_ns(range, first_ns, last_ns) ||
	       end_ns > to_ns(range, first_ns, last_ns);
}

int time_range__check(const struct time_range *range, u64 first_ns, u64 last_ns, struct err *err)
{
	if (from_ns(range, first_ns, last_ns) < to_ns(range, first_ns, last_ns))
		return 0;
	return err__set(err, -EINVAL, "the time range ends before it begins");
}
