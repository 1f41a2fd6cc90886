/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/map64.h"
#include "base/mem.h"

static void test_map64__get_of_empty_finds_nothing(void **state)
{
	struct map64 m;
	u64 value = 77;

	(void)state;
	map64__init(&m);
	assert_false(map64__get(&m, 0, &value));
	assert_int_equal(value, 77);
	map64__done(&m);
	map64__done(NULL);
}

static void test_map64__set_takes_any_key_and_replaces(void **state)
{
	static const u64 keys[] = { 0, 1, ~0ULL, 1ULL << 63, 0xffffffffULL };
	struct map64 m;
	u64 value;
	size_t i;

	(void)state;
	map64__init(&m);
	for (i = 0; i < ARRAY_LEN(keys); i++)
		assert_int_equal(map64__set(&m, keys[i], i), 0);
	assert_int_equal(m.len, ARRAY_LEN(keys));
	assert_int_equal(map64__set(&m, 0, 99), 0);
	assert_int_equal(m.len, ARRAY_LEN(keys));
	assert_true(map64__get(&m, 0, &value));
	assert_int_equal(value, 99);
	for (i = 1; i < ARRAY_LEN(keys); i++) {
		assert_true(map64__get(&m, keys[i], &value));
		assert_int_equal(value, i);
	}
	assert_false(map64__get(&m, 2, &value));
	map64__done(&m);
}

static void test_map64__set_keeps_many(void **state)
{
	/* addresses differ in high bits only, a poor hash would put them all in one slot */
	static const u32 shifts[] = { 0, 12, 44 };
	struct map64 m;
	u64 i, value;
	size_t s;

	(void)state;
	for (s = 0; s < ARRAY_LEN(shifts); s++) {
		map64__init(&m);
		for (i = 0; i < 20000; i++)
			assert_int_equal(map64__set(&m, i << shifts[s], ~i), 0);
		assert_int_equal(m.len, 20000);
		for (i = 0; i < 20000; i++) {
			assert_true(map64__get(&m, i << shifts[s], &value));
			assert_int_equal(value, ~i);
		}
		assert_false(map64__get(&m, i << shifts[s], &value));
		map64__done(&m);
		assert_false(map64__get(&m, 0, &value));
	}
	map64__done(&m);
}

static void test_map64__set_that_fails_changes_nothing(void **state)
{
	struct map64 m;
	u64 i, value;
	u32 failed = 0;

	(void)state;
	map64__init(&m);
	for (i = 0; i < 1000; i++) {
		mem_fail_nth(1);
		if (map64__set(&m, i, i) == -ENOMEM) {
			failed++;
			assert_false(map64__get(&m, i, &value));
			assert_int_equal(m.len, i);
		}
		mem_fail_nth(0);
		assert_int_equal(map64__set(&m, i, i), 0);
	}
	assert_in_range(failed, 4, 10);
	for (i = 0; i < 1000; i++)
		assert_true(map64__get(&m, i, &value) && value == i);
	map64__done(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_map64__get_of_empty_finds_nothing),
		cmocka_unit_test(test_map64__set_takes_any_key_and_replaces),
		cmocka_unit_test(test_map64__set_keeps_many),
		cmocka_unit_test(test_map64__set_that_fails_changes_nothing),
	};

	return cmocka_run_group_tests_name("base/map64", tests, NULL, NULL);
}
