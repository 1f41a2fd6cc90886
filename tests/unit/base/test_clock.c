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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clock_mono_ns_goes_forward),
		cmocka_unit_test(test_clock_wall_ns_is_of_this_century),
		cmocka_unit_test(test_clock_cpu_ns_stands_still_in_sleep),
		cmocka_unit_test(test_clock_sleep_until_mono_ns_of_the_past_returns_at_once),
		cmocka_unit_test(test_clock_sleep_until_mono_ns_ends_with_a_signal),
		cmocka_unit_test(test_clock_format_wall_is_utc),
	};

	return cmocka_run_group_tests_name("base/clock", tests, NULL, NULL);
}
