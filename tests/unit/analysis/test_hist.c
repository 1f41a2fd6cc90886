/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "abi/hist.h"
#include "analysis/model/hist.h"

static void test_hist_floor_ns__is_that_of_the_kernel_side(void **state)
{
	u32 i;

	(void)state;
	assert_int_equal(PROFILE_HIST_LEN, CS_HIST_LEN);
	for (i = 0; i < PROFILE_HIST_LEN; i++) {
		assert_int_equal(hist_floor_ns(i), cs_hist_floor_ns(i));
		assert_int_equal(cs_hist_bucket(hist_floor_ns(i)), i);
	}
}

static void test_hist_ceil_ns__begins_the_next_bucket(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < PROFILE_HIST_LEN - 1; i++) {
		assert_int_equal(hist_ceil_ns(i), hist_floor_ns(i + 1));
		assert_int_equal(cs_hist_bucket(hist_ceil_ns(i) - 1), i);
	}
	assert_true(hist_ceil_ns(PROFILE_HIST_LEN - 1) == ~0ULL);
}

static void test_hist_quantile__of_nothing_is_zero(void **state)
{
	u64 hist[PROFILE_HIST_LEN] = { 0 };

	(void)state;
	assert_int_equal(hist_quantile_bound_ns(hist, 990, 55), 0);
}

static void test_hist_quantile__finds_the_bucket(void **state)
{
	u64 hist[PROFILE_HIST_LEN] = { [3] = 98, [7] = 1, [9] = 1 };

	(void)state;
	assert_int_equal(hist_quantile_bound_ns(hist, 500, ~0ULL), hist_ceil_ns(3));
	assert_int_equal(hist_quantile_bound_ns(hist, 980, ~0ULL), hist_ceil_ns(3));
	assert_int_equal(hist_quantile_bound_ns(hist, 981, ~0ULL), hist_ceil_ns(7));
	assert_int_equal(hist_quantile_bound_ns(hist, 990, ~0ULL), hist_ceil_ns(7));
	assert_int_equal(hist_quantile_bound_ns(hist, 991, ~0ULL), hist_ceil_ns(9));
	assert_int_equal(hist_quantile_bound_ns(hist, 1000, ~0ULL), hist_ceil_ns(9));
}

static void test_hist_quantile__is_at_most_the_longest(void **state)
{
	u64 hist[PROFILE_HIST_LEN] = { [9] = 3 };

	(void)state;
	assert_int_equal(hist_quantile_bound_ns(hist, 990, 300000), 300000);
}

static void test_hist_quantile__does_not_overflow(void **state)
{
	u64 hist[PROFILE_HIST_LEN] = { [1] = 1ULL << 62, [31] = 1ULL << 62 };

	(void)state;
	assert_int_equal(hist_quantile_bound_ns(hist, 500, ~0ULL), hist_ceil_ns(1));
	assert_true(hist_quantile_bound_ns(hist, 990, ~0ULL) == ~0ULL);
}

/* Against the definition, on random histograms. */
static void test_hist_quantile__bounds_as_many_waits_as_it_says(void **state)
{
	int turn;

	(void)state;
	srandom(1);
	for (turn = 0; turn < 2000; turn++) {
		u64 hist[PROFILE_HIST_LEN] = { 0 }, total = 0, below = 0, bound;
		u32 i, permille = 1 + (u32)random() % 1000;

		for (i = 0; i < PROFILE_HIST_LEN; i++) {
			hist[i] = random() % 3 ? 0 : (u64)random() % 50;
			total += hist[i];
		}
		bound = hist_quantile_bound_ns(hist, permille, ~0ULL);
		for (i = 0; i < PROFILE_HIST_LEN; i++)
			below += hist_ceil_ns(i) <= bound ? hist[i] : 0;
		assert_true(below * 1000 >= total * permille);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hist_floor_ns__is_that_of_the_kernel_side),
		cmocka_unit_test(test_hist_ceil_ns__begins_the_next_bucket),
		cmocka_unit_test(test_hist_quantile__of_nothing_is_zero),
		cmocka_unit_test(test_hist_quantile__finds_the_bucket),
		cmocka_unit_test(test_hist_quantile__is_at_most_the_longest),
		cmocka_unit_test(test_hist_quantile__does_not_overflow),
		cmocka_unit_test(test_hist_quantile__bounds_as_many_waits_as_it_says),
	};

	return cmocka_run_group_tests_name("hist", tests, NULL, NULL);
}
