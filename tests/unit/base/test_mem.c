/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/mem.h"

static void test_mem_alloc_is_zeroed_and_writable(void **state)
{
	char zero[256] = { 0 };
	char *p = mem_alloc(256);

	(void)state;
	assert_non_null(p);
	assert_memory_equal(p, zero, 256);
	memset(p, 1, 256);
	mem_free(p);
}

static void test_mem_alloc_of_nothing_is_not_a_failure(void **state)
{
	void *p = mem_alloc(0), *q = mem_array(0, 8), *s = mem_resize(NULL, 0, 8);

	(void)state;
	assert_non_null(p);
	assert_non_null(q);
	assert_non_null(s);
	/* and shrinking to nothing does not look like running out of memory */
	s = mem_resize(s, 0, 8);
	assert_non_null(s);
	mem_free(p);
	mem_free(q);
	mem_free(s);
}

static void test_mem_array_refuses_overflow(void **state)
{
	(void)state;
	assert_null(mem_array(SIZE_MAX / 2 + 2, 2));
	assert_null(mem_array(SIZE_MAX, SIZE_MAX));
	assert_null(mem_alloc(SIZE_MAX));
	assert_null(mem_alloc((size_t)PTRDIFF_MAX + 1));
}

static void test_mem_resize_refuses_overflow_and_keeps_the_old(void **state)
{
	char *p = mem_alloc(4);

	(void)state;
	memcpy(p, "abc", 4);
	assert_null(mem_resize(p, SIZE_MAX / 4 + 2, 4));
	assert_string_equal(p, "abc");
	p = mem_resize(p, 4096, 1);
	assert_string_equal(p, "abc");
	mem_free(p);
}

static void test_mem_strdup_and_strndup_end_where_they_should(void **state)
{
	char *a = mem_strdup(""), *b = mem_strndup("abcdef", 3), *c = mem_strndup("ab", 100);
	char unterminated[2] = { 'x', 'y' };
	char *d = mem_strndup(unterminated, 2);

	(void)state;
	assert_string_equal(a, "");
	assert_string_equal(b, "abc");
	assert_string_equal(c, "ab");
	assert_string_equal(d, "xy");
	mem_free(a);
	mem_free(b);
	mem_free(c);
	mem_free(d);
	mem_free(NULL);
}

static void test_mem_fail_nth_fails_only_that_one(void **state)
{
	void *p[4];
	int i;

	(void)state;
	mem_fail_nth(3);
	for (i = 0; i < 4; i++) {
		p[i] = mem_alloc(1);
		assert_int_equal(p[i] == NULL, i == 2);
		assert_int_equal(mem_fail_fired(), i >= 2);
	}
	for (i = 0; i < 4; i++)
		mem_free(p[i]);
}

static void test_mem_fail_nth_counts_every_kind(void **state)
{
	char *p, *s;

	(void)state;
	mem_fail_nth(2);
	p = mem_array(1, 1);
	assert_null(mem_strdup("x"));
	mem_fail_nth(1);
	assert_null(mem_resize(p, 100, 1));
	mem_fail_nth(1);
	mem_fail_nth(0);
	assert_false(mem_fail_fired());
	s = mem_strdup("x");
	assert_non_null(s);
	mem_free(s);
	mem_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mem_alloc_is_zeroed_and_writable),
		cmocka_unit_test(test_mem_alloc_of_nothing_is_not_a_failure),
		cmocka_unit_test(test_mem_array_refuses_overflow),
		cmocka_unit_test(test_mem_resize_refuses_overflow_and_keeps_the_old),
		cmocka_unit_test(test_mem_strdup_and_strndup_end_where_they_should),
		cmocka_unit_test(test_mem_fail_nth_fails_only_that_one),
		cmocka_unit_test(test_mem_fail_nth_counts_every_kind),
	};

	return cmocka_run_group_tests_name("base/mem", tests, NULL, NULL);
}
