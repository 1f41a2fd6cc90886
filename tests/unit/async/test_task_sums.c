/* SPDX-License-Identifier: Apache-2.0 */
/* Time of tasks from passes at known instants. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "async/task_sums.h"

#define MS NSEC_PER_MSEC

static const struct task_key one = { .group = 1, .state = TASK_WAITS };
static const struct task_key two = { .group = 2, .state = TASK_RUNS };

/* The two keys in the order of their first sight. */
static u64 ns_of(const struct task_sums *s, u32 group)
{
	for (u32 i = 1; i < task_sums__len(s); i++) {
		if (task_sums__at(s, i)->key.group == group)
			return task_sums__at(s, i)->ns;
	}
	return 0;
}

static void test_sums__a_pass_stands_for_half_of_both_gaps(void **state)
{
	struct task_sums s;

	(void)state;
	assert_int_equal(task_sums__init(&s), 0);
	task_sums__begin(&s, 100 * MS);
	task_sums__pass(&s, 110 * MS);
	assert_int_equal(task_sums__add(&s, &one, 1), 0);
	task_sums__pass(&s, 130 * MS);
	assert_int_equal(task_sums__add(&s, &two, 1), 0);
	task_sums__pass(&s, 170 * MS);
	assert_int_equal(task_sums__add(&s, &one, 1), 0);
	task_sums__end(&s, 200 * MS);
	assert_int_equal(ns_of(&s, 1), (20 + 50) * MS);
	assert_int_equal(ns_of(&s, 2), 30 * MS);
	task_sums__done(&s);
}

/* Odd gaps do not lose a ns. */
static void test_sums__of_all_passes_are_the_window(void **state)
{
	u64 at = 1000003, begin = at;
	struct task_sums s;

	(void)state;
	assert_int_equal(task_sums__init(&s), 0);
	task_sums__begin(&s, at);
	for (u32 i = 0; i < 1000; i++) {
		at += 17 + i * 7919 % 100003;
		task_sums__pass(&s, at);
		assert_int_equal(task_sums__add(&s, i % 3 ? &one : &two, 1), 0);
	}
	task_sums__end(&s, at + 5);
	assert_int_equal(ns_of(&s, 1) + ns_of(&s, 2), at + 5 - begin);
	task_sums__done(&s);
}

static void test_sums__a_task_stands_for_its_weight(void **state)
{
	struct task_sums s;

	(void)state;
	assert_int_equal(task_sums__init(&s), 0);
	task_sums__begin(&s, 0);
	task_sums__pass(&s, 5 * MS);
	assert_int_equal(task_sums__add(&s, &one, 7), 0);
	task_sums__end(&s, 10 * MS);
	assert_int_equal(ns_of(&s, 1), 70 * MS);
	assert_int_equal(task_sums__at(&s, 1)->seen, 1);
	task_sums__done(&s);
}

static void test_sums__begin_again_with_the_same_keys(void **state)
{
	struct task_sums s;

	(void)state;
	assert_int_equal(task_sums__init(&s), 0);
	task_sums__begin(&s, 0);
	task_sums__pass(&s, MS);
	assert_int_equal(task_sums__add(&s, &one, 1), 0);
	task_sums__begin(&s, 10 * MS);
	assert_int_equal(task_sums__len(&s), 2);
	assert_int_equal(ns_of(&s, 1), 0);
	task_sums__pass(&s, 12 * MS);
	assert_int_equal(task_sums__add(&s, &one, 1), 0);
	task_sums__end(&s, 20 * MS);
	assert_int_equal(ns_of(&s, 1), 10 * MS);
	task_sums__done(&s);
}

/* One that is always there has no error; one that is there half of the time has. */
static void test_sums__vary_as_what_passes_see(void **state)
{
	u64 always, half, at = 0, random = 1;
	struct task_sums s;

	(void)state;
	assert_int_equal(task_sums__init(&s), 0);
	task_sums__begin(&s, 0);
	for (u32 i = 0; i < 1000; i++) {
		at += 10 * MS;
		task_sums__pass(&s, at);
		assert_int_equal(task_sums__add(&s, &one, 1), 0);
		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		if (random >> 63)
			assert_int_equal(task_sums__add(&s, &two, 1), 0);
	}
	task_sums__end(&s, at + 5 * MS);
	always = task_sums__variance_us2(&s, task_sums__at(&s, 1));
	half = task_sums__variance_us2(&s, task_sums__at(&s, 2));
	/* 1000 passes of 10 ms: a standard error of half of their root, 158 ms */
	assert_in_range(half, 80000ULL * 80000, 300000ULL * 300000);
	assert_true(always < half / 100);
	task_sums__done(&s);
}

/* Ten thousand tasks, of which each pass sees one: half of the time it is of this kind. */
static void test_sums__an_error_may_be_too_large(void **state)
{
	struct task_sums s;
	u64 at = 0;

	(void)state;
	assert_int_equal(task_sums__init(&s), 0);
	task_sums__begin(&s, at);
	for (u32 i = 0; i < 4; i++) {
		at += 2000 * MS;
		task_sums__pass(&s, at);
		assert_int_equal(task_sums__add(&s, i % 2 ? &one : &two, 10000), 0);
	}
	task_sums__end(&s, at + 2000 * MS);
	assert_true(task_sums__variance_us2(&s, task_sums__at(&s, 1)) == ~0ULL);
	task_sums__done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums__a_pass_stands_for_half_of_both_gaps),
		cmocka_unit_test(test_sums__of_all_passes_are_the_window),
		cmocka_unit_test(test_sums__a_task_stands_for_its_weight),
		cmocka_unit_test(test_sums__begin_again_with_the_same_keys),
		cmocka_unit_test(test_sums__vary_as_what_passes_see),
		cmocka_unit_test(test_sums__an_error_may_be_too_large),
	};

	return cmocka_run_group_tests_name("task_sums", tests, NULL, NULL);
}
