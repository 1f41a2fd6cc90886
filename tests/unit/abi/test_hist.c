/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "abi/hist.h"
#include "base/types.h"

static void test_cs_hist_bucket_changes_at_powers_of_two(void **state)
{
	u32 b;

	(void)state;
	assert_int_equal(cs_hist_bucket(0), 0);
	assert_int_equal(cs_hist_bucket(1023), 0);
	assert_int_equal(cs_hist_bucket(1024), 1);
	assert_int_equal(cs_hist_bucket(2047), 1);
	assert_int_equal(cs_hist_bucket(2048), 2);
	for (b = 1; b < CS_HIST_LEN; b++) {
		assert_int_equal(cs_hist_bucket(1ULL << (9 + b)), b);
		assert_int_equal(cs_hist_bucket((1ULL << (9 + b)) - 1), b - 1);
	}
}

static void test_cs_hist_bucket_puts_all_long_ones_in_the_last(void **state)
{
	(void)state;
	assert_int_equal(cs_hist_bucket((1ULL << 40) - 1), CS_HIST_LEN - 2);
	assert_int_equal(cs_hist_bucket(1ULL << 40), CS_HIST_LEN - 1);
	assert_int_equal(cs_hist_bucket((1ULL << 41) - 1), CS_HIST_LEN - 1);
	assert_int_equal(cs_hist_bucket(1ULL << 41), CS_HIST_LEN - 1);
	assert_int_equal(cs_hist_bucket(1ULL << 63), CS_HIST_LEN - 1);
	assert_int_equal(cs_hist_bucket(~0ULL), CS_HIST_LEN - 1);
}

static void test_cs_hist_floor_ns_is_where_its_bucket_begins(void **state)
{
	u32 b;

	(void)state;
	assert_int_equal(cs_hist_floor_ns(0), 0);
	assert_int_equal(cs_hist_floor_ns(1), 1024);
	assert_int_equal(cs_hist_floor_ns(31), 1ULL << 40);
	for (b = 0; b < CS_HIST_LEN; b++) {
		assert_int_equal(cs_hist_bucket(cs_hist_floor_ns(b)), b);
		if (b)
			assert_int_equal(cs_hist_bucket(cs_hist_floor_ns(b) - 1), b - 1);
	}
}

static void test_cs_hist_bucket_never_falls(void **state)
{
	u64 ns, step;
	u32 last = 0, b;

	(void)state;
	for (ns = 0, step = 1; ns < 1ULL << 62; ns += step, step += step / 7 + 1) {
		b = cs_hist_bucket(ns);
		assert_in_range(b, last, CS_HIST_LEN - 1);
		assert_true(cs_hist_floor_ns(b) <= ns);
		last = b;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cs_hist_bucket_changes_at_powers_of_two),
		cmocka_unit_test(test_cs_hist_bucket_puts_all_long_ones_in_the_last),
		cmocka_unit_test(test_cs_hist_floor_ns_is_where_its_bucket_begins),
		cmocka_unit_test(test_cs_hist_bucket_never_falls),
	};

	return cmocka_run_group_tests_name("abi/hist", tests, NULL, NULL);
}
