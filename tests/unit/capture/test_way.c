/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "capture/cost/way.h"

#define MS NSEC_PER_MSEC
#define SEC NSEC_PER_SEC

/* 1 % of four CPUs is 40 ms a second. */
static u32 hz_of(u64 switches_ms, u32 threads)
{
	const struct way_cost c = { 40 * MS, switches_ms * MS, threads, 0 };

	return way_visits_hz(&c);
}

static void test_way_visits_hz__keeps_hooks_within_the_budget(void **state)
{
	(void)state;
	assert_int_equal(hz_of(0, 10), 0);
	assert_int_equal(hz_of(40, 10), 0);
	assert_int_equal(hz_of(41, 10), 19);
	assert_int_equal(hz_of(41, 0), 19);
}

static void test_way_visits_hz__is_what_the_budget_allows(void **state)
{
	(void)state;
	/* 9 us for a visit at most: 300 threads take 2.7 ms a round */
	assert_int_equal(hz_of(1000, 200), 19);
	assert_int_equal(hz_of(1000, 300), 14);
	assert_int_equal(hz_of(1000, 5000), 5);
}

/* 0.35 us for each. */
static void test_way_visits_hz__counts_threads_that_are_not_recorded(void **state)
{
	struct way_cost c = { 40 * MS, 41 * MS, 1, 1000 };

	(void)state;
	assert_int_equal(way_visits_hz(&c), 19);
	c.walked = 10000;
	assert_int_equal(way_visits_hz(&c), 11);
	c.walked = 40000;
	assert_int_equal(way_visits_hz(&c), 0);
}

static void test_way_visits_hz__keeps_hooks_that_cost_less_than_visits(void **state)
{
	(void)state;
	/* 2,000 threads, 5 times a second: 90 ms */
	assert_int_equal(hz_of(90, 2000), 0);
	assert_int_equal(hz_of(91, 2000), 5);
	assert_int_equal(hz_of(1000, 1000000), 0);
}

/* Whether hooks may come back, of that many seconds with such a cost. */
static bool after(struct way_calm *calm, u64 begin_sec, u64 secs, u64 switches_ms)
{
	const struct way_cost c = { 40 * MS, switches_ms * MS, 10, 10 };
	bool may = false;

	for (u64 i = 0; i <= secs; i++)
		may = way_calm__may_hook(calm, &c, (begin_sec + i) * SEC);
	return may;
}

static void test_way_calm__waits_until_half_of_the_budget_would_do(void **state)
{
	struct way_calm calm;

	(void)state;
	way_calm__init(&calm);
	way_calm__begin(&calm);
	assert_false(after(&calm, 100, 60, 20));
	assert_false(after(&calm, 200, 9, 19));
	assert_true(after(&calm, 210, 0, 19));
	assert_false(after(&calm, 211, 0, 20));
	assert_false(after(&calm, 212, 9, 0));
}

static void test_way_calm__is_more_patient_after_each_return(void **state)
{
	struct way_calm calm;

	(void)state;
	way_calm__init(&calm);
	way_calm__begin(&calm);
	assert_true(after(&calm, 100, 10, 0));
	way_calm__begin(&calm);
	assert_false(after(&calm, 200, 19, 0));
	assert_true(after(&calm, 220, 0, 0));
	for (int i = 0; i < 20; i++)
		way_calm__begin(&calm);
	assert_false(after(&calm, 300, 159, 0));
	assert_true(after(&calm, 460, 0, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_way_visits_hz__keeps_hooks_within_the_budget),
		cmocka_unit_test(test_way_visits_hz__is_what_the_budget_allows),
		cmocka_unit_test(test_way_visits_hz__counts_threads_that_are_not_recorded),
		cmocka_unit_test(test_way_visits_hz__keeps_hooks_that_cost_less_than_visits),
		cmocka_unit_test(test_way_calm__waits_until_half_of_the_budget_would_do),
		cmocka_unit_test(test_way_calm__is_more_patient_after_each_return),
	};

	return cmocka_run_group_tests_name("way", tests, NULL, NULL);
}
