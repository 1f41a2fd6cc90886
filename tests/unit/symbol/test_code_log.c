/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "symbol/code_log.h"

static int add(struct code_log *log, u64 start, u64 sz, const char *name)
{
	return code_log__add(log, start, sz, name, strlen(name), NULL);
}

static void check(const struct code_log *log, u64 addr, const char *want)
{
	u32 id;

	assert_int_equal(code_log__find(log, addr, &id), want != NULL);
	if (want)
		assert_string_equal(code_log__name(log, id), want);
}

static void test_code_log__find_takes_the_later_of_two(void **state)
{
	struct code_log log;

	(void)state;
	assert_int_equal(code_log__init(&log), 0);
	assert_int_equal(add(&log, 0x1000, 0x100, "old"), 0);
	assert_int_equal(add(&log, 0x1080, 0x10, "inside"), 0);
	assert_int_equal(add(&log, 0x0ff0, 0x20, "over_its_start"), 0);
	check(&log, 0x1000, NULL);
	assert_int_equal(code_log__settle(&log), 0);
	check(&log, 0x0fef, NULL);
	check(&log, 0x0ff0, "over_its_start");
	check(&log, 0x100f, "over_its_start");
	check(&log, 0x1010, "old");
	check(&log, 0x107f, "old");
	check(&log, 0x1080, "inside");
	check(&log, 0x1090, "old");
	check(&log, 0x10ff, "old");
	check(&log, 0x1100, NULL);
	code_log__done(&log);
}

static void test_code_log__settle_again_knows_what_came_since(void **state)
{
	struct code_log log;
	u32 id;

	(void)state;
	assert_int_equal(code_log__init(&log), 0);
	assert_int_equal(code_log__settle(&log), 0);
	assert_int_equal(code_log__add(&log, 0x1000, 16, "a\0b", 3, &id), 0);
	assert_string_equal(code_log__name(&log, id), "a");
	assert_true(code_log__entry(&log, id)->start == 0x1000);
	assert_int_equal(code_log__settle(&log), 0);
	assert_int_equal(add(&log, 0x1000, 16, "again"), 0);
	assert_int_equal(code_log__settle(&log), 0);
	check(&log, 0x100f, "again");
	code_log__done(&log);
}

static void test_code_log__add_refuses_invalid_ranges(void **state)
{
	struct code_log log;

	(void)state;
	assert_int_equal(code_log__init(&log), 0);
	assert_int_equal(add(&log, 0x1000, 0, "empty"), -EINVAL);
	assert_int_equal(add(&log, 0x1000, UINT64_MAX, "wraps"), -EINVAL);
	assert_int_equal(add(&log, UINT64_MAX, 1, "wraps"), -EINVAL);
	assert_int_equal(add(&log, 0x1000, 1, ""), -EINVAL);
	assert_int_equal(code_log__add(&log, 0x1000, 1, "\0x", 2, NULL), -EINVAL);
	assert_int_equal(log.entries.len, 0);
	assert_int_equal(log.dropped, 0);
	code_log__done(&log);
	code_log__done(NULL);
}

static void test_code_log__add_says_that_it_is_full(void **state)
{
	struct code_log log;
	u64 i;

	(void)state;
	assert_int_equal(code_log__init(&log), 0);
	for (i = 0; i < CODE_LOG_ENTRIES_MAX; i++)
		assert_int_equal(add(&log, 0x1000 + i, 1, "same"), 0);
	assert_int_equal(add(&log, 0x1000, 1, "more"), -ENOSPC);
	code_log__done(&log);
}

static void test_code_log__compact_drops_covered_ranges(void **state)
{
	struct code_log log;
	u64 i;

	(void)state;
	assert_int_equal(code_log__init(&log), 0);
	assert_int_equal(add(&log, 0x100, 16, "stays"), 0);
	for (i = 0; i < CODE_LOG_COMPACT_AFTER; i++)
		assert_int_equal(add(&log, 0x1000 + i % 100, 1, i < 100 ? "old" : "new"), 0);
	assert_int_equal(code_log__compact(&log), 0);
	assert_int_equal(log.entries.len, 101);
	assert_int_equal(code_log__settle(&log), 0);
	check(&log, 0x10f, "stays");
	check(&log, 0x1063, "new");
	/* too few came since to be worth it */
	assert_int_equal(add(&log, 0x100, 16, "again"), 0);
	assert_int_equal(code_log__compact(&log), 0);
	assert_int_equal(log.entries.len, 102);
	code_log__done(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_code_log__find_takes_the_later_of_two),
		cmocka_unit_test(test_code_log__settle_again_knows_what_came_since),
		cmocka_unit_test(test_code_log__add_refuses_invalid_ranges),
		cmocka_unit_test(test_code_log__add_says_that_it_is_full),
		cmocka_unit_test(test_code_log__compact_drops_covered_ranges),
	};

	return cmocka_run_group_tests_name("code_log", tests, NULL, NULL);
}
