/* SPDX-License-Identifier: Apache-2.0 */
/* Local time is the business of the C library, which knows when summer begins. */
#include "base/text/zone.h"

#include <string.h>
#include <time.h>

#include "base/clock.h"

#define SECONDS_OF(ns) ((time_t)((ns) / NSEC_PER_SEC))

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "01:00", "0100" or "01" in seconds; -1: none of these. */
static s32 parse_offset(const char *p)
{
	s32 hours, minutes = 0;

	if (!is_digit(p[0]) || !is_digit(p[1]))
		return -1;
	hours = (p[0] - '0') * 10 + (p[1] - '0');
	p += 2;
	if (*p) {
		p += *p == ':';
		if (!is_digit(p[0]) || !is_digit(p[1]) || p[2])
			return -1;
		minutes = (p[0] - '0') * 10 + (p[1] - '0');
	}
	return hours > 14 || minutes > 59 ? -1 : hours * 3600 + minutes * 60;
}

bool zone_parse(const char *text, struct zone *ret, size_t *ret_len)
{
	size_t len = strlen(text);
	const char *sign;
	s32 seconds;

	*ret = (struct zone){ 0 };
	*ret_len = len;
	if (len && text[len - 1] == 'Z') {
		ret->is_given = true;
		*ret_len = len - 1;
		return true;
	}
	/* a minus is a zone only behind a time of day */
	sign = strchr(text, ':');
	sign = sign ? strpbrk(sign, "+-") : NULL;
	if (!sign)
		return true;
	seconds = parse_offset(sign + 1);
	*ret = (struct zone){ true, *sign == '-' ? -seconds : seconds };
	*ret_len = (size_t)(sign - text);
	return seconds >= 0;
}

u64 zone_instant_ns(const struct zone *z, u64 civil_ns)
{
	time_t seconds = SECONDS_OF(civil_ns);
	struct tm tm;

	if (z->is_given) {
		seconds -= z->east_s;
	} else {
		gmtime_r(&seconds, &tm);
		tm.tm_isdst = -1;
		seconds = mktime(&tm);
	}
	return seconds < 0 ? 0 : (u64)seconds * NSEC_PER_SEC + civil_ns % NSEC_PER_SEC;
}

u64 zone_civil_ns(const struct zone *z, u64 wall_ns)
{
	time_t seconds = SECONDS_OF(wall_ns);
	struct tm tm;

	if (z->is_given) {
		seconds += z->east_s;
	} else {
		localtime_r(&seconds, &tm);
		seconds = timegm(&tm);
	}
	return seconds < 0 ? 0 : (u64)seconds * NSEC_PER_SEC + wall_ns % NSEC_PER_SEC;
}
