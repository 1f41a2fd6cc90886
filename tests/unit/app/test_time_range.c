/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "app/time_range.h"
#include "base/clock.h"

#define HOUR (3600 * NSEC_PER_SEC)
#define DAY (24 * HOUR)
/* 2026-11-25T00:00Z; 2026-10-25 is when summer time ends in Berlin. */
#define NOV_25 (20782 * DAY)

static struct time_point point(const char *text)
{
	struct time_point at;
	struct err err = { 0 };

	if (time_point_parse(text, &at, &err))
		fail_msg("%s", err.msg);
	return at;
}

static struct time_day day(const char *text)
{
	struct time_day on = { 0 };

	if (text && time_day_parse(text, &on, NULL))
		fail_msg("%s", text);
	return on;
}

/* NULL: not given; the recordings are from NOV_25 + 1 h to + 10 h. */
static struct time_span span(const char *from, const char *to, const char *on)
{
	struct time_range range = { .on = day(on) };
	struct time_span ret = { 0 };
	struct err err = { 0 };

	if (from)
		range.from = point(from);
	if (to)
		range.to = point(to);
	if (time_range__span(&range, NOV_25 + HOUR, NOV_25 + 10 * HOUR, &ret, &err))
		fail_msg("%s", err.msg);
	return ret;
}

static void assert_span(struct time_span seen, u64 from_ns, u64 to_ns)
{
	assert_int_equal(seen.from_ns, from_ns);
	assert_int_equal(seen.to_ns, to_ns);
}

static void set_zone(const char *name)
{
	setenv("TZ", name, 1);
	tzset();
}

static void test_time_range__span_knows_every_kind_of_point(void **state)
{
	(void)state;
	set_zone("UTC");
	assert_span(span(NULL, NULL, NULL), 0, ~0ULL);
	assert_span(span("90s", "-2h", NULL), NOV_25 + HOUR + 90 * NSEC_PER_SEC, NOV_25 + 8 * HOUR);
	assert_span(span("03:00", "04:30", NULL), NOV_25 + 3 * HOUR, NOV_25 + 4 * HOUR + HOUR / 2);
	/* what is after the end was the day before; a range goes over midnight */
	assert_span(span("11:00", NULL, NULL), NOV_25 - 13 * HOUR, ~0ULL);
	assert_span(span("23:00", "01:00", NULL), NOV_25 - HOUR, NOV_25 + HOUR);
	assert_span(span("2026-11-24T10:00", "2026-11-24 12:00Z", NULL), NOV_25 - 14 * HOUR,
		    NOV_25 - 12 * HOUR);
	assert_span(span(NULL, NULL, "2026-11-24"), NOV_25 - DAY, NOV_25);
	assert_span(span("22:00", NULL, "2026-11-20"), NOV_25 - 5 * DAY + 22 * HOUR,
		    NOV_25 - 4 * DAY);
}

static void test_time_range__span_is_in_the_zone(void **state)
{
	(void)state;
	set_zone("Europe/Berlin");
	assert_span(span("04:00", "05:00Z", NULL), NOV_25 + 3 * HOUR, NOV_25 + 5 * HOUR);
	assert_span(span("04:00+05:30", "-1h", NULL), NOV_25 - HOUR - HOUR / 2, NOV_25 + 9 * HOUR);
	assert_span(span(NULL, NULL, "2026-11-24"), NOV_25 - 25 * HOUR, NOV_25 - HOUR);
	/* a day of 25 hours */
	assert_span(span(NULL, NULL, "2026-10-25"), NOV_25 - 31 * DAY - 2 * HOUR,
		    NOV_25 - 30 * DAY - HOUR);
	assert_span(span(NULL, NULL, "2026-11-24Z"), NOV_25 - DAY, NOV_25);
	set_zone("UTC");
}

static void test_time_range__span_refuses_an_empty_range(void **state)
{
	struct time_range range = { .from = point("5h"), .to = point("2h") };
	struct time_span ret;

	(void)state;
	assert_int_equal(time_range__span(&range, NOV_25, NOV_25 + DAY, &ret, NULL), -EINVAL);
}

static void test_time_point_parse_refuses_what_is_no_time(void **state)
{
	static const char *const bad[] = { "",
					   "14:60",
					   "24:00",
					   "14",
					   "x14:32",
					   "14:32x",
					   "14:32+15:00",
					   "14:32+1",
					   "-14:32",
					   "2026-11-25",
					   "2026-11-25T14:32+01:0" };
	struct time_point at;
	struct time_day on;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		/* a bare number is seconds */
		if (strcmp(bad[i], "14") && time_point_parse(bad[i], &at, NULL) != -EINVAL)
			fail_msg("'%s'", bad[i]);
		if (strcmp(bad[i], "2026-11-25") && time_day_parse(bad[i], &on, NULL) != -EINVAL)
			fail_msg("day '%s'", bad[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time_range__span_knows_every_kind_of_point),
		cmocka_unit_test(test_time_range__span_is_in_the_zone),
		cmocka_unit_test(test_time_range__span_refuses_an_empty_range),
		cmocka_unit_test(test_time_point_parse_refuses_what_is_no_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
