/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/arena.h"
#include "base/mem.h"

static void test_arena__alloc_is_aligned_zeroed_and_distinct(void **state)
{
	static const size_t sizes[] = { 0, 1, 15, 16, 17, 1000, 8192, 8193, 65536, 200000, 3, 0 };
	struct arena a;
	u8 *p[ARRAY_LEN(sizes)];
	size_t i, k;

	(void)state;
	arena__init(&a);
	for (i = 0; i < ARRAY_LEN(sizes); i++) {
		p[i] = arena__alloc(&a, sizes[i]);
		assert_non_null(p[i]);
		assert_int_equal((uintptr_t)p[i] % 16, 0);
		for (k = 0; k < sizes[i]; k++)
			assert_int_equal(p[i][k], 0);
		memset(p[i], (int)i + 1, sizes[i]);
	}
	for (i = 0; i < ARRAY_LEN(sizes); i++) {
		for (k = 0; k < sizes[i]; k++)
			assert_int_equal(p[i][k], i + 1);
		for (k = 0; k < i; k++)
			assert_ptr_not_equal(p[i], p[k]);
	}
	arena__done(&a);
}

static void test_arena__alloc_fills_many_blocks(void **state)
{
	struct arena a;
	u32 *last = NULL, *p;
	u32 i;

	(void)state;
	arena__init(&a);
	for (i = 0; i < 50000; i++) {
		p = arena__alloc(&a, 40);
		assert_non_null(p);
		assert_int_equal(p[9], 0);
		p[0] = i;
		p[9] = ~i;
		if (last)
			assert_int_equal(last[0], i - 1);
		last = p;
	}
	arena__done(&a);
	arena__done(&a);
	arena__done(NULL);
}

static void test_arena__alloc_large_keeps_the_block_in_use(void **state)
{
	struct arena a;
	char *before, *after;

	(void)state;
	arena__init(&a);
	before = arena__alloc(&a, 16);
	assert_non_null(arena__alloc(&a, 60000));
	assert_non_null(arena__alloc(&a, 1000000));
	after = arena__alloc(&a, 16);
	/* 60000 fitted behind, the million did not and must not have closed the block */
	assert_ptr_equal(after, before + 16 + 60000);
	arena__done(&a);
	/* a large one first, and then one that needs a block */
	memset(arena__alloc(&a, 100000), 1, 100000);
	assert_int_equal(*(char *)arena__alloc(&a, 16), 0);
	arena__done(&a);
}

static void test_arena__array_refuses_overflow(void **state)
{
	struct arena a;

	(void)state;
	arena__init(&a);
	assert_null(arena__array(&a, SIZE_MAX / 2, 3));
	assert_null(arena__alloc(&a, SIZE_MAX));
	assert_null(arena__alloc(&a, SIZE_MAX - 16));
	assert_null(arena__alloc(&a, SIZE_MAX - 64));
	assert_non_null(arena__array(&a, 0, 8));
	arena__done(&a);
}

static void test_arena__alloc_survives_a_shortage(void **state)
{
	struct arena a;

	(void)state;
	arena__init(&a);
	mem_fail_nth(1);
	assert_null(arena__alloc(&a, 8));
	assert_non_null(arena__alloc(&a, 8));
	mem_fail_nth(1);
	assert_null(arena__alloc(&a, 100000));
	assert_non_null(arena__alloc(&a, 100000));
	mem_fail_nth(1);
	assert_non_null(arena__alloc(&a, 8));
	mem_fail_nth(0);
	arena__done(&a);
}

static void test_arena__strdup_copies(void **state)
{
	struct arena a;
	char text[] = "hello", *copy;

	(void)state;
	arena__init(&a);
	copy = arena__strdup(&a, text);
	text[0] = 'j';
	assert_string_equal(copy, "hello");
	assert_string_equal(arena__strdup(&a, ""), "");
	/* as long as the alignment: the NUL needs a step of its own */
	copy = arena__strdup(&a, "0123456789abcdef");
	memset(arena__alloc(&a, 16), 'x', 16);
	assert_string_equal(copy, "0123456789abcdef");
	arena__done(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arena__alloc_is_aligned_zeroed_and_distinct),
		cmocka_unit_test(test_arena__alloc_fills_many_blocks),
		cmocka_unit_test(test_arena__alloc_large_keeps_the_block_in_use),
		cmocka_unit_test(test_arena__array_refuses_overflow),
		cmocka_unit_test(test_arena__alloc_survives_a_shortage),
		cmocka_unit_test(test_arena__strdup_copies),
	};

	return cmocka_run_group_tests_name("base/arena", tests, NULL, NULL);
}
