/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/vec.h"

static void test_vec__push_keeps_all_elements(void **state)
{
	struct vec v;
	u32 i;

	(void)state;
	vec__init(&v, sizeof(u32));
	for (i = 0; i < 100000; i++)
		*(u32 *)vec__push(&v) = i * 3;
	assert_int_equal(v.len, 100000);
	for (i = 0; i < 100000; i++)
		assert_int_equal(*(u32 *)vec__at(&v, i), i * 3);
	vec__done(&v);
	assert_int_equal(v.len, 0);
	assert_non_null(vec__push(&v));
	vec__done(&v);
	vec__done(NULL);
}

static void test_vec__push_is_zeroed_after_reset(void **state)
{
	struct vec v;
	u64 *p;
	size_t i;

	(void)state;
	vec__init(&v, sizeof(u64));
	for (i = 0; i < 100; i++)
		*(u64 *)vec__push(&v) = ~0ULL;
	p = v.data;
	vec__reset(&v);
	assert_int_equal(v.len, 0);
	for (i = 0; i < 100; i++)
		assert_int_equal(*(u64 *)vec__push(&v), 0);
	assert_ptr_equal(v.data, p);
	vec__done(&v);
}

static void test_vec__push_n_gives_the_first_of_them(void **state)
{
	struct vec v;
	u8 *p;

	(void)state;
	vec__init(&v, 1);
	assert_non_null(vec__push_n(&v, 0));
	assert_int_equal(v.len, 0);
	p = vec__push_n(&v, 3);
	memcpy(p, "abc", 3);
	p = vec__push_n(&v, 100000);
	assert_int_equal(v.len, 100003);
	assert_ptr_equal(p, vec__at(&v, 3));
	assert_memory_equal(v.data, "abc", 3);
	assert_int_equal(p[0], 0);
	assert_int_equal(p[99999], 0);
	assert_non_null(vec__push_n(&v, 0));
	assert_int_equal(v.len, 100003);
	vec__done(&v);
}

static void test_vec__push_n_refuses_sizes_that_overflow(void **state)
{
	struct vec v;

	(void)state;
	vec__init(&v, 16);
	assert_non_null(vec__push(&v));
	assert_null(vec__push_n(&v, SIZE_MAX));
	assert_null(vec__push_n(&v, SIZE_MAX - 1));
	assert_null(vec__push_n(&v, SIZE_MAX / 2));
	assert_null(vec__push_n(&v, SIZE_MAX / 16));
	assert_int_equal(v.len, 1);
	vec__done(&v);
}

static void test_vec__push_works_for_elements_larger_than_the_first_block(void **state)
{
	struct vec v;
	int i;

	(void)state;
	vec__init(&v, 1000);
	for (i = 0; i < 10; i++)
		memset(vec__push(&v), i, 1000);
	for (i = 0; i < 10; i++)
		assert_int_equal(((u8 *)vec__at(&v, i))[999], i);
	vec__done(&v);
}

static void test_vec__push_that_fails_changes_nothing(void **state)
{
	struct vec v;
	u32 i;

	(void)state;
	vec__init(&v, sizeof(u32));
	mem_fail_nth(1);
	assert_null(vec__push(&v));
	for (i = 0; i == 0 || v.len < v.cap; i++)
		*(u32 *)vec__push(&v) = i;
	mem_fail_nth(1);
	assert_null(vec__push(&v));
	assert_int_equal(v.len, i);
	while (i--)
		assert_int_equal(*(u32 *)vec__at(&v, i), i);
	vec__done(&v);
}

static void test_vec__steal_leaves_it_empty(void **state)
{
	struct vec v;
	size_t len;
	u32 *data;

	(void)state;
	vec__init(&v, sizeof(u32));
	assert_null(vec__steal(&v, &len));
	assert_int_equal(len, 0);
	*(u32 *)vec__push(&v) = 7;
	data = vec__steal(&v, &len);
	assert_int_equal(len, 1);
	assert_int_equal(data[0], 7);
	assert_int_equal(v.len, 0);
	*(u32 *)vec__push(&v) = 8;
	assert_int_equal(data[0], 7);
	mem_free(data);
	vec__done(&v);
}

static void test_vec__growth_is_what_a_push_takes(void **state)
{
	struct vec v;

	(void)state;
	vec__init(&v, sizeof(u64));
	for (size_t i = 0; i < 1000; i++) {
		u64 grown = vec__growth(&v, 1);
		size_t cap = v.cap;

		assert_non_null(vec__push(&v));
		assert_int_equal(grown, v.cap == cap ? 0 : v.cap * sizeof(u64));
	}
	assert_int_equal(vec__growth(&v, v.cap - v.len), 0);
	assert_int_equal(vec__growth(&v, 0), 0);
	assert_int_equal(vec__growth(&v, 2 * v.cap), 4 * v.cap * sizeof(u64));
	vec__done(&v);
}

static void test_vec__reserve_makes_room(void **state)
{
	struct vec v;
	void *data;

	(void)state;
	vec__init(&v, sizeof(u64));
	for (size_t n = 0; n < 3000; n += 700) {
		assert_true(vec__reserve(&v, 700));
		assert_int_equal(v.len, n);
		assert_int_equal(vec__growth(&v, 700), 0);
		data = v.data;
		*(u64 *)vec__push_n(&v, 700) = n;
		assert_ptr_equal(v.data, data);
	}
	assert_int_equal(*(u64 *)vec__at(&v, 1400), 1400);
	assert_false(vec__reserve(&v, SIZE_MAX));
	assert_false(vec__reserve(&v, SIZE_MAX / 2));
	vec__done(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vec__push_keeps_all_elements),
		cmocka_unit_test(test_vec__push_is_zeroed_after_reset),
		cmocka_unit_test(test_vec__push_n_gives_the_first_of_them),
		cmocka_unit_test(test_vec__push_n_refuses_sizes_that_overflow),
		cmocka_unit_test(test_vec__push_works_for_elements_larger_than_the_first_block),
		cmocka_unit_test(test_vec__push_that_fails_changes_nothing),
		cmocka_unit_test(test_vec__steal_leaves_it_empty),
		cmocka_unit_test(test_vec__growth_is_what_a_push_takes),
		cmocka_unit_test(test_vec__reserve_makes_room),
	};

	return cmocka_run_group_tests_name("base/vec", tests, NULL, NULL);
}
