/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "async/task_budget.h"

static void test_budget__is_all_of_few_and_a_part_of_many(void **state)
{
	const struct task_budget b = { .pass_ns = 1000000 };

	(void)state;
	assert_int_equal(task_budget__one_in(&b, 0), 1);
	assert_int_equal(task_budget__one_in(&b, 999999), 1);
	assert_int_equal(task_budget__one_in(&b, 1000000), 2);
	assert_int_equal(task_budget__one_in(&b, 120000000), 121);
	assert_int_equal(task_budget__one_in(&b, ~0ULL), UINT32_MAX);
}

static void test_budget__a_debt_is_paid_back(void **state)
{
	struct task_budget b = { .pass_ns = 1000000 };

	(void)state;
	task_budget__spent(&b, 5000000);
	assert_int_equal(b.owed_ns, 4000000);
	assert_int_equal(task_budget__one_in(&b, 10000000), 21); /* of half of the share */
	for (u32 i = 0; i < 8; i++)
		task_budget__spent(&b, 500000);
	assert_int_equal(b.owed_ns, 0);
	assert_int_equal(task_budget__one_in(&b, 10000000), 11);
	task_budget__spent(&b, 100);
	assert_int_equal(b.owed_ns, 0); /* what was not spent is not saved */
}

/* Where a pass always costs too much, some is still read, and the debt stops growing. */
static void test_budget__keeps_a_part(void **state)
{
	struct task_budget b = { .pass_ns = 1000000 };

	(void)state;
	for (u32 i = 0; i < 1000; i++)
		task_budget__spent(&b, 3000000);
	assert_int_equal(b.owed_ns, 64000000);
	assert_int_equal(task_budget__one_in(&b, 10000000), 81);
}

static void test_budget__of_nothing_reads_next_to_nothing(void **state)
{
	const struct task_budget b = { 0 };

	(void)state;
	assert_int_equal(task_budget__one_in(&b, 1000), 1001);
}

/* Of passes that cost four shares, one in four is made; of those that cost half of one, each. */
static void test_budget__leaves_out_what_is_too_dear(void **state)
{
	struct task_budget b = { .pass_ns = 1000000 };
	u32 made = 0;

	(void)state;
	assert_false(task_budget__leaves_out(&b, 999999999));
	for (u32 i = 0; i < 100; i++)
		task_budget__spent(&b, 4000000);
	assert_in_range(b.mean_ns, 3990000, 4000000);
	b.owed_ns = 0;
	for (u64 random = 0; random < 4000000; random += 1000)
		made += !task_budget__leaves_out(&b, random);
	assert_in_range(made, 1000, 1010);
	b.owed_ns = 2000000;
	assert_true(task_budget__leaves_out(&b, 3900000));
	assert_int_equal(b.owed_ns, 1000000); /* it pays a share */
	for (u32 i = 0; i < 1000; i++)
		task_budget__spent(&b, 1000000000000ULL);
	for (made = 0; !task_budget__leaves_out(&b, made * 100000); made++)
		;
	assert_int_equal(made, 10); /* of 16 shares, and one of the debt */
	assert_in_range(b.mean_ns, 15900000, 16000000);
	for (u32 i = 0; i < 1000; i++)
		task_budget__spent(&b, 500000);
	for (u64 random = 0; random < 4000000; random += 1000)
		assert_false(task_budget__leaves_out(&b, random));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_budget__is_all_of_few_and_a_part_of_many),
		cmocka_unit_test(test_budget__a_debt_is_paid_back),
		cmocka_unit_test(test_budget__keeps_a_part),
		cmocka_unit_test(test_budget__of_nothing_reads_next_to_nothing),
		cmocka_unit_test(test_budget__leaves_out_what_is_too_dear),
	};

	return cmocka_run_group_tests_name("task_budget", tests, NULL, NULL);
}
