/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/cost/period_log.h"

static void test_period_log__mean_is_weighted_by_time(void **state)
{
	struct period_log log;

	(void)state;
	period_log__begin(&log, 1000, 0);
	period_log__change(&log, 1500, 40);
	period_log__change(&log, 1900, 10);
	/* 500 of 0, 400 of 40, 100 of 10 */
	assert_int_equal(period_log__mean_ns(&log, 2000), 17);
	assert_int_equal(log.min_ns, 0);
	assert_int_equal(log.max_ns, 40);
	assert_int_equal(log.sum_ns, 50);
	assert_int_equal(log.changes, 2);
}

static void test_period_log__an_equal_period_is_no_change(void **state)
{
	struct period_log log;

	(void)state;
	period_log__begin(&log, 7, 300);
	period_log__change(&log, 8, 300);
	assert_int_equal(log.changes, 0);
	assert_int_equal(log.sum_ns, 300);
	assert_int_equal(period_log__mean_ns(&log, 1000), 300);
	assert_int_equal(period_log__mean_ns(&log, 7), 300);
}

static void test_period_log__exact_has_no_period(void **state)
{
	struct period_log log;

	(void)state;
	period_log__begin(&log, 7, 0);
	assert_int_equal(period_log__mean_ns(&log, 1000), 0);
	assert_int_equal(log.max_ns, 0);
	assert_int_equal(log.sum_ns, 0);
}

/* A profile that was sampled for an instant must not look as if it never was. */
static void test_period_log__mean_is_not_rounded_to_nothing(void **state)
{
	struct period_log log;

	(void)state;
	period_log__begin(&log, 0, 0);
	period_log__change(&log, 999999, 3);
	assert_int_equal(period_log__mean_ns(&log, 1000000), 1);
	/* the change came when the end was written already */
	assert_int_equal(period_log__mean_ns(&log, 999000), 1);
}

static void test_period_log__holds_long_traces(void **state)
{
	const u64 day = 86400ULL * NSEC_PER_SEC;
	struct period_log log;

	(void)state;
	period_log__begin(&log, 0, 4000000000ULL);
	period_log__change(&log, 1000 * day, 2000000000ULL);
	assert_int_equal(period_log__mean_ns(&log, 2000 * day), 3000000000ULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_period_log__mean_is_weighted_by_time),
		cmocka_unit_test(test_period_log__an_equal_period_is_no_change),
		cmocka_unit_test(test_period_log__exact_has_no_period),
		cmocka_unit_test(test_period_log__mean_is_not_rounded_to_nothing),
		cmocka_unit_test(test_period_log__holds_long_traces),
	};

	return cmocka_run_group_tests_name("capture/period_log", tests, NULL, NULL);
}
