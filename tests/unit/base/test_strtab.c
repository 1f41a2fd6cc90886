/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/strtab.h"

static u32 add(struct strtab *st, const char *s)
{
	u32 id = 12345;

	assert_int_equal(strtab__add(st, s, &id), 0);
	return id;
}

static void test_strtab__add_gives_equal_ids_to_equal_strings(void **state)
{
	struct strtab st;
	char other[] = "abc";

	(void)state;
	assert_int_equal(strtab__init(&st), 0);
	assert_int_equal(strtab__len(&st), 1);
	assert_int_equal(add(&st, "abc"), 1);
	assert_int_equal(add(&st, "ab"), 2);
	assert_int_equal(add(&st, other), 1);
	assert_int_equal(add(&st, ""), 0);
	assert_int_equal(strtab__len(&st), 3);
	assert_string_equal(strtab__get(&st, 0), "");
	assert_string_equal(strtab__get(&st, 1), "abc");
	assert_string_equal(strtab__get(&st, 2), "ab");
	strtab__done(&st);
	strtab__done(NULL);
}

static void test_strtab__get_of_unknown_id_is_empty(void **state)
{
	struct strtab st = { 0 };

	(void)state;
	assert_string_equal(strtab__get(&st, 0), "");
	assert_int_equal(strtab__len(&st), 0);
	assert_int_equal(strtab__init(&st), 0);
	assert_string_equal(strtab__get(&st, 1), "");
	assert_string_equal(strtab__get(&st, UINT32_MAX), "");
	strtab__done(&st);
	assert_string_equal(strtab__get(&st, 1), "");
}

static void test_strtab__add_len_ends_at_length_or_nul(void **state)
{
	struct strtab st;
	u32 id;

	(void)state;
	assert_int_equal(strtab__init(&st), 0);
	assert_int_equal(strtab__add_len(&st, "abcdef", 3, &id), 0);
	assert_int_equal(id, add(&st, "abc"));
	assert_int_equal(strtab__add_len(&st, "abc\0def", 7, &id), 0);
	assert_int_equal(id, add(&st, "abc"));
	assert_int_equal(strtab__add_len(&st, "\0x", 2, &id), 0);
	assert_int_equal(id, 0);
	assert_int_equal(strtab__add_len(&st, NULL, 0, &id), 0);
	assert_int_equal(id, 0);
	assert_int_equal(strtab__len(&st), 2);
	strtab__done(&st);
}

static void test_strtab__add_keeps_many(void **state)
{
	struct strtab st;
	char name[32];
	u32 i;

	(void)state;
	assert_int_equal(strtab__init(&st), 0);
	for (i = 1; i <= 30000; i++) {
		snprintf(name, sizeof(name), "symbol_%u", i);
		assert_int_equal(add(&st, name), i);
	}
	for (i = 1; i <= 30000; i++) {
		snprintf(name, sizeof(name), "symbol_%u", i);
		assert_string_equal(strtab__get(&st, i), name);
		assert_int_equal(add(&st, name), i);
	}
	strtab__done(&st);
}

static void test_strtab__add_takes_the_tail_of_its_own_string(void **state)
{
	struct strtab st;
	const char *s;
	char *path;
	u32 id, i;

	(void)state;
	/* long enough that each add moves the table */
	path = mem_alloc(2001);
	memset(path, 'p', 2000);
	assert_int_equal(strtab__init(&st), 0);
	id = add(&st, path);
	for (i = 1; i < 1999; i++) {
		s = strtab__get(&st, id);
		assert_int_equal(strtab__add(&st, s + 1, &id), 0);
		assert_string_equal(strtab__get(&st, id), path + i);
	}
	strtab__done(&st);
	mem_free(path);
}

static void test_strtab__add_that_fails_changes_nothing(void **state)
{
	struct strtab st;
	char name[32];
	u32 id, i, n, failed = 0;

	(void)state;
	assert_int_equal(strtab__init(&st), 0);
	for (i = 1; i < 3000; i++) {
		snprintf(name, sizeof(name), "string_%u", i);
		for (n = 1; n <= 3; n++) {
			size_t bytes = st.bytes.len;

			mem_fail_nth(n);
			if (strtab__add(&st, name, &id) == 0)
				break;
			failed++;
			assert_int_equal(id, 0);
			assert_int_equal(strtab__len(&st), i);
			assert_int_equal(st.bytes.len, bytes);
		}
		mem_fail_nth(0);
		assert_int_equal(add(&st, name), i);
	}
	assert_in_range(failed, 10, 100);
	for (i = 1; i < 3000; i++) {
		snprintf(name, sizeof(name), "string_%u", i);
		assert_string_equal(strtab__get(&st, i), name);
	}
	strtab__done(&st);
}

static void test_strtab__init_reports_a_shortage(void **state)
{
	struct strtab st;
	u32 n;

	(void)state;
	for (n = 1; n <= 2; n++) {
		mem_fail_nth(n);
		assert_int_equal(strtab__init(&st), -ENOMEM);
		strtab__done(&st);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strtab__add_gives_equal_ids_to_equal_strings),
		cmocka_unit_test(test_strtab__get_of_unknown_id_is_empty),
		cmocka_unit_test(test_strtab__add_len_ends_at_length_or_nul),
		cmocka_unit_test(test_strtab__add_keeps_many),
		cmocka_unit_test(test_strtab__add_takes_the_tail_of_its_own_string),
		cmocka_unit_test(test_strtab__add_that_fails_changes_nothing),
		cmocka_unit_test(test_strtab__init_reports_a_shortage),
	};

	return cmocka_run_group_tests_name("base/strtab", tests, NULL, NULL);
}
