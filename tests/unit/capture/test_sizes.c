/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "capture/program/sizes.h"

#define MIB (1ULL << 20)

static const struct table_shape sums = { .kind = TABLE_HASH, .key_sz = 24, .value_sz = 176 };

static struct sizes_wish wish_of(u64 limit)
{
	return (struct sizes_wish){
		.limit = limit,
		.fixed = 5 * MIB,
		.waits = sums,
		.stacks = { { .kind = TABLE_HASH, .key_sz = 8, .value_sz = 192 },
			    { .kind = TABLE_HASH, .key_sz = 8, .value_sz = 448 },
			    { .kind = TABLE_HASH, .key_sz = 8, .value_sz = 1024 } },
	};
}

static u64 per_entry(const struct table_shape *s)
{
	return table_shape__bytes(s, 4096) - table_shape__bytes(s, 4095);
}

static void test_table_shape__bytes_are_those_of_the_allocator(void **state)
{
	struct table_shape s = { .kind = TABLE_HASH, .key_sz = 8, .value_sz = 192 };

	(void)state;
	assert_int_equal(per_entry(&s), 256);
	s.value_sz = 200; /* a byte more than fits takes the next size */
	assert_int_equal(per_entry(&s), 512);
	s.value_sz = 1024;
	assert_int_equal(per_entry(&s), 2048);
	s.value_sz = 24;
	assert_int_equal(per_entry(&s), 96);
	s.value_sz = 128;
	assert_int_equal(per_entry(&s), 192);
}

static void test_table_shape__bytes_taken_at_once_are_not_rounded(void **state)
{
	struct table_shape s = { .kind = TABLE_HASH_FULL, .key_sz = 8, .value_sz = 1024 };

	(void)state;
	assert_int_equal(per_entry(&s), 1080);
	s.kind = TABLE_LRU;
	assert_int_equal(per_entry(&s), 1080);
}

static void test_table_shape__bytes_grow_with_cpus(void **state)
{
	struct table_shape s = { .kind = TABLE_PER_CPU, .key_sz = 4, .value_sz = 100, .cpus = 64 };

	(void)state;
	assert_int_equal(per_entry(&s), 104 * 64 + 8);
	s.kind = TABLE_ARRAY;
	assert_int_equal(per_entry(&s), 104);
}

static void test_table_shape__bytes_of_a_ring_are_its_pages(void **state)
{
	struct table_shape s = { .kind = TABLE_RING };
	u64 bytes = table_shape__bytes(&s, 4 * MIB);

	(void)state;
	/* As 6.18 has it: 4,223,304. */
	assert_in_range(bytes, 4223304, 4223304 + 4096);
}

static void test_table_shape__bytes_of_storage_are_those_of_two_allocations(void **state)
{
	struct table_shape s = { .kind = TABLE_STORAGE, .key_sz = 4, .value_sz = 352 };

	(void)state;
	assert_int_equal(per_entry(&s), 512 + 192);
	s.value_sz = 440; /* a byte more than fits takes the next size */
	assert_int_equal(per_entry(&s), 1024 + 192);
}

static void test_table_shape__entries_is_the_most_that_fits(void **state)
{
	static const u64 budgets[] = { 5000, 70000, MIB, 3 * MIB + 77, 900 * MIB };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(budgets); i++) {
		u64 n = table_shape__entries(&sums, budgets[i]);

		assert_true(n);
		assert_true(table_shape__bytes(&sums, n) <= budgets[i]);
		assert_true(table_shape__bytes(&sums, n + 1) > budgets[i]);
	}
	assert_int_equal(table_shape__entries(&sums, 100), 0);
}

static void test_table_shape__used_bytes_rounds_the_entries_up(void **state)
{
	struct table_shape s = { .kind = TABLE_HASH, .key_sz = 8, .value_sz = 1024 };
	u64 empty = 32768 * 16;

	(void)state;
	assert_int_equal(table_shape__used_bytes(&s, 32768, empty), empty);
	assert_int_equal(table_shape__used_bytes(&s, 32768, empty + 10 * 1088), empty + 10 * 2048);
	s.kind = TABLE_ARRAY;
	assert_int_equal(table_shape__used_bytes(&s, 32768, 12345), 12345);
}

static u64 all_bytes(const struct sizes_wish *w, const struct sizes *s)
{
	u64 sum = w->fixed + table_shape__bytes(&w->waits, s->waits);

	for (u32 i = 0; i < SIZES_STACKS; i++)
		sum += table_shape__bytes(&w->stacks[i], s->stacks[i]);
	return sum;
}

static void test_sizes__divide_stays_below_the_limit_and_uses_it(void **state)
{
	static const u64 limits[] = { 7 * MIB, 16 * MIB, 48 * MIB, 1000 * MIB };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
		struct sizes_wish w = wish_of(limits[i]);
		struct sizes s;

		assert_int_equal(sizes__divide(&s, &w, NULL), 0);
		assert_int_equal(s.bytes, all_bytes(&w, &s));
		assert_true(s.bytes <= limits[i]);
		/* Buckets come in powers of two, so some is left. */
		assert_true(s.bytes > limits[i] - limits[i] / 5);
		assert_true(s.stacks[0] > s.stacks[2] && s.stacks[1] > s.stacks[2]);
	}
}

static void test_sizes__divide_default_holds_ten_thousand_stacks(void **state)
{
	struct sizes_wish w = wish_of(SIZES_SOME_BYTES);
	struct sizes s;

	(void)state;
	assert_int_equal(sizes__divide(&s, &w, NULL), 0);
	assert_true(s.stacks[0] + s.stacks[1] + s.stacks[2] > 12000);
	assert_true(s.waits > 12000);
}

/* Of up to 55 frames each; with what other tables take of 32 MiB by default. */
static void test_sizes__divide_default_holds_sixty_thousand_stacks(void **state)
{
	struct sizes_wish w = wish_of(SIZES_SOME_BYTES * SIZES_GROWTH);
	struct sizes s;

	(void)state;
	w.fixed = 27 * MIB;
	assert_int_equal(sizes__divide(&s, &w, NULL), 0);
	assert_true(s.stacks[1] >= 60000);
	assert_true(s.waits >= 60000);
	assert_true(s.bytes <= w.limit);
}

static void test_sizes__divide_says_what_it_takes(void **state)
{
	struct sizes_wish w = wish_of(5 * MIB + 1000);
	struct sizes s;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(sizes__divide(&s, &w, &err), -ENOSPC);
	assert_non_null(strstr(err.msg, "too little"));
	w.limit = 0;
	assert_int_equal(sizes__divide(&s, &w, &err), -ENOSPC);
}

static void test_sizes__divide_keeps_what_was_set_by_hand(void **state)
{
	struct sizes_wish w = wish_of(16 * MIB);
	struct sizes s;

	(void)state;
	w.max_waits = 10;
	w.max_stacks = 32;
	assert_int_equal(sizes__divide(&s, &w, NULL), 0);
	assert_int_equal(s.waits, 10);
	assert_int_equal(s.stacks[0], 10);
	assert_int_equal(s.stacks[1], 10);
	assert_int_equal(s.stacks[2], 12);
	w.max_waits = 1 << 20; /* 256 MiB */
	assert_int_equal(sizes__divide(&s, &w, NULL), -ENOSPC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table_shape__bytes_are_those_of_the_allocator),
		cmocka_unit_test(test_table_shape__bytes_taken_at_once_are_not_rounded),
		cmocka_unit_test(test_table_shape__bytes_grow_with_cpus),
		cmocka_unit_test(test_table_shape__bytes_of_a_ring_are_its_pages),
		cmocka_unit_test(test_table_shape__bytes_of_storage_are_those_of_two_allocations),
		cmocka_unit_test(test_table_shape__entries_is_the_most_that_fits),
		cmocka_unit_test(test_table_shape__used_bytes_rounds_the_entries_up),
		cmocka_unit_test(test_sizes__divide_stays_below_the_limit_and_uses_it),
		cmocka_unit_test(test_sizes__divide_default_holds_ten_thousand_stacks),
		cmocka_unit_test(test_sizes__divide_default_holds_sixty_thousand_stacks),
		cmocka_unit_test(test_sizes__divide_says_what_it_takes),
		cmocka_unit_test(test_sizes__divide_keeps_what_was_set_by_hand),
	};

	return cmocka_run_group_tests_name("capture/sizes", tests, NULL, NULL);
}
