/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <string.h>
#include <sys/time.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/clock.h"

static void test_clock_mono_ns_goes_forward(void **state)
{
	u64 a = clock_mono_ns(), b = clock_mono_ns();

	(void)state;
	assert_true(a > 0 && b >= a);
}

static void test_clock_wall_ns_is_of_this_century(void **state)
{
	(void)state;
	assert_true(clock_wall_ns() > 1577836800ULL * NSEC_PER_SEC); /* 2020 */
	assert_true(clock_wall_ns() < 4102444800ULL * NSEC_PER_SEC); /* 2100 */
}

static void test_clock_cpu_ns_stands_still_in_sleep(void **state)
{
	u64 cpu = clock_cpu_ns(), mono = clock_mono_ns();

	(void)state;
	assert_true(clock_sleep_until_mono_ns(mono + 50 * NSEC_PER_MSEC));
	assert_true(clock_mono_ns() - mono >= 50 * NSEC_PER_MSEC);
	assert_true(clock_cpu_ns() - cpu < 40 * NSEC_PER_MSEC);
	cpu = clock_cpu_ns();
	while (clock_cpu_ns() - cpu < 5 * NSEC_PER_MSEC)
		;
}

static void test_clock_sleep_until_mono_ns_of_the_past_returns_at_once(void **state)
{
	u64 mono = clock_mono_ns();

	(void)state;
	assert_true(clock_sleep_until_mono_ns(0));
	assert_true(clock_sleep_until_mono_ns(mono));
	assert_true(clock_mono_ns() - mono < NSEC_PER_SEC);
}

static void on_alarm(int sig)
{
	(void)sig;
}

static void test_clock_sleep_until_mono_ns_ends_with_a_signal(void **state)
{
	struct itimerval soon = { .it_value = { .tv_usec = 20000 } };
	struct sigaction sa = { .sa_handler = on_alarm };
	u64 mono = clock_mono_ns();

	(void)state;
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	assert_false(clock_sleep_until_mono_ns(mono + 20 * NSEC_PER_SEC));
	assert_true(clock_mono_ns() - mono < 10 * NSEC_PER_SEC);
}

static void test_clock_format_wall_is_utc(void **state)
{
	char buf[32];

	(void)state;
	clock_format_wall(0, buf, sizeof(buf));
	assert_string_equal(buf, "1970-01-01T00:00:00.000Z");
	clock_format_wall(1795255380123999999ULL, buf, sizeof(buf));
	assert_string_equal(buf, "2026-11-21T10:03:00.123Z");
	/* the day that is only every fourth year, to its last millisecond */
	clock_format_wall(1709251199999000000ULL, buf, sizeof(buf));
	assert_string_equal(buf, "2024-02-29T23:59:59.999Z");
	clock_format_wall(~0ULL, buf, sizeof(buf));
	assert_string_equal(buf, "2554-07-21T23:34:33.709Z");
	clock_format_wall(0, buf, 5);
	assert_string_equal(buf, "1970");
}

static void test_clock_parse_wall_reads_the_printed_form(void **state)
{
	static const u64 times[] = { 0, 951782400, 951868799, 4102444799, 1795253000, 1709164800 };
	char text[32];
	u64 ns;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		clock_format_wall(times[i] * NSEC_PER_SEC + 7 * NSEC_PER_MSEC, text, sizeof(text));
		assert_int_equal(clock_parse_wall(text, &ns, NULL), 0);
		assert_int_equal(ns, times[i] * NSEC_PER_SEC + 7 * NSEC_PER_MSEC);
	}
	assert_int_equal(clock_parse_wall("1970-01-02 00:01", &ns, NULL), 0);
	assert_int_equal(ns, 86460 * NSEC_PER_SEC);
	assert_int_equal(clock_parse_wall("1970-01-01T00:00:01.0000000019Z", &ns, NULL), 0);
	assert_int_equal(ns, NSEC_PER_SEC + 1);
}

static void test_clock_parse_wall_refuses_invalid_times(void **state)
{
	static const char *const bad[] = {
		"",
		"now",
		"2026-11-21",
		"2026-13-01T00:00",
		"2026-02-29T00:00",
		"2026-11-31T00:00",
		"2026-11-21T24:00",
		"2026-11-21T10:60",
		"2026-11-21T10",
		"2026-11-21T10:00:00.",
		"2026-11-21T10:00:00+01",
		"1969-12-31T23:59",
		"2026-11-21x10:00",
	};
	struct err err;
	u64 ns = 5;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_true(clock_parse_wall(bad[i], &ns, &err) < 0);
	assert_int_equal(ns, 5);
	assert_string_equal(err.msg, "'2026-11-21x10:00' is not a time; try 2026-11-21T10:03:00");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clock_mono_ns_goes_forward),
		cmocka_unit_test(test_clock_wall_ns_is_of_this_century),
		cmocka_unit_test(test_clock_cpu_ns_stands_still_in_sleep),
		cmocka_unit_test(test_clock_sleep_until_mono_ns_of_the_past_returns_at_once),
		cmocka_unit_test(test_clock_sleep_until_mono_ns_ends_with_a_signal),
		cmocka_unit_test(test_clock_format_wall_is_utc),
		cmocka_unit_test(test_clock_parse_wall_reads_the_printed_form),
		cmocka_unit_test(test_clock_parse_wall_refuses_invalid_times),
	};

	return cmocka_run_group_tests_name("base/clock", tests, NULL, NULL);
}
