/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/intern.h"
#include "base/mem.h"

struct record {
	u32 a;
	u32 b; /* end of the key */
	u64 note;
};

#define KEY_SZ offsetof(struct record, note)

static u32 add(struct intern *in, u32 a, u32 b, u64 note)
{
	struct record r = { a, b, note };
	u32 id = 12345;

	assert_int_equal(intern__add(in, &r, &id), 0);
	return id;
}

static void test_intern__add_counts_ids_from_one(void **state)
{
	struct intern in;

	(void)state;
	assert_int_equal(intern__init(&in, sizeof(struct record), KEY_SZ), 0);
	assert_int_equal(intern__len(&in), 1);
	assert_int_equal(add(&in, 1, 2, 3), 1);
	assert_int_equal(add(&in, 2, 1, 3), 2);
	assert_int_equal(add(&in, 1, 2, 3), 1);
	assert_int_equal(intern__len(&in), 3);
	intern__done(&in);
	intern__done(NULL);
}

static bool is_even(void *arg, void *item)
{
	const struct record *r = item;

	(*(u32 *)arg)++;
	return !(r->a & 1);
}

static void test_intern__retain_keeps_only_requested_entries(void **state)
{
	struct intern in;
	u32 asked = 0, i;

	(void)state;
	assert_int_equal(intern__init(&in, sizeof(struct record), KEY_SZ), 0);
	intern__retain(&in, is_even, &asked);
	assert_int_equal(asked, 0);
	for (i = 1; i <= 1000; i++)
		add(&in, i, 7, i);
	intern__retain(&in, is_even, &asked);
	assert_int_equal(asked, 1000);
	assert_int_equal(intern__len(&in), 501);
	for (i = 1; i <= 1000; i++) {
		struct record r = { i, 7, 0 };
		u32 id = intern__find(&in, &r);

		assert_int_equal(id, i & 1 ? 0 : i / 2);
		assert_int_equal(((struct record *)intern__at(&in, id))->note, id ? i : 0);
	}
	assert_int_equal(add(&in, 1, 7, 1), 501);
	intern__done(&in);
}

static void test_intern__add_compares_the_key_only(void **state)
{
	struct intern in;
	struct record *r;

	(void)state;
	assert_int_equal(intern__init(&in, sizeof(struct record), KEY_SZ), 0);
	assert_int_equal(add(&in, 1, 2, 3), 1);
	assert_int_equal(add(&in, 1, 2, 4), 1);
	r = intern__at(&in, 1);
	assert_int_equal(r->note, 3);
	r->note = 9;
	assert_int_equal(add(&in, 1, 2, 3), 1);
	assert_int_equal(r->note, 9);
	intern__done(&in);
}

static void test_intern__add_of_zeros_is_not_none(void **state)
{
	struct record zero = { 0 };
	struct intern in;

	(void)state;
	assert_int_equal(intern__init(&in, sizeof(struct record), KEY_SZ), 0);
	assert_int_equal(intern__find(&in, &zero), 0);
	assert_int_equal(add(&in, 0, 0, 0), 1);
	assert_int_equal(add(&in, 0, 0, 0), 1);
	assert_int_equal(intern__find(&in, &zero), 1);
	assert_memory_equal(intern__at(&in, 0), &zero, sizeof(zero));
	intern__done(&in);
}

static void test_intern__find_knows_all_of_many(void **state)
{
	struct record key = { 0 };
	struct intern in;
	u32 i;

	(void)state;
	assert_int_equal(intern__init(&in, sizeof(struct record), KEY_SZ), 0);
	for (i = 0; i < 50000; i++)
		assert_int_equal(add(&in, i % 7, i << 8, i), i + 1);
	for (i = 0; i < 50000; i++) {
		key.a = i % 7;
		key.b = i << 8;
		assert_int_equal(intern__find(&in, &key), i + 1);
		assert_int_equal(((struct record *)intern__at(&in, i + 1))->note, i);
	}
	key.a = 8;
	assert_int_equal(intern__find(&in, &key), 0);
	intern__done(&in);
}

static void test_intern__add_that_fails_changes_nothing(void **state)
{
	struct record r = { 0 };
	struct intern in;
	u32 id, i, failed = 0;

	(void)state;
	assert_int_equal(intern__init(&in, sizeof(struct record), KEY_SZ), 0);
	for (i = 1; i < 5000; i++) {
		r.a = i;
		mem_fail_nth(1);
		if (intern__add(&in, &r, &id)) {
			failed++;
			assert_int_equal(id, 0);
			assert_int_equal(intern__len(&in), i);
			assert_int_equal(intern__find(&in, &r), 0);
		}
		mem_fail_nth(0);
		assert_int_equal(intern__add(&in, &r, &id), 0);
		assert_int_equal(id, i);
	}
	/* both arrays have grown several times */
	assert_in_range(failed, 10, 100);
	for (i = 1; i < 5000; i++) {
		r.a = i;
		assert_int_equal(intern__find(&in, &r), i);
	}
	intern__done(&in);
}

static void test_intern__init_reports_a_shortage(void **state)
{
	struct intern in;

	(void)state;
	mem_fail_nth(1);
	assert_int_equal(intern__init(&in, 8, 8), -ENOMEM);
	intern__done(&in);
}

static void test_intern__add_tells_keys_of_odd_sizes_apart(void **state)
{
	static const size_t sizes[] = { 1, 3, 7, 8, 9, 15, 16, 24, 31 };
	u8 item[31], *copy;
	struct intern in;
	size_t i, k;
	u32 id;

	(void)state;
	for (i = 0; i < ARRAY_LEN(sizes); i++) {
		assert_int_equal(intern__init(&in, sizes[i], sizes[i]), 0);
		for (k = 0; k < sizes[i]; k++) {
			memset(item, 0, sizeof(item));
			item[k] = 1;
			assert_int_equal(intern__add(&in, item, &id), 0);
			assert_int_equal(id, k + 1);
			copy = intern__at(&in, id);
			assert_memory_equal(copy, item, sizes[i]);
		}
		intern__done(&in);
	}
}

static void test_intern__growth_is_what_an_add_takes(void **state)
{
	struct intern in;
	u32 id;

	(void)state;
	assert_int_equal(intern__init(&in, sizeof(u64), sizeof(u64)), 0);
	for (u64 i = 1; i < 1000; i++) {
		u64 grown = intern__growth(&in, 1), taken = 0;
		size_t cap = in.items.cap;
		u32 slots = in.slots_len;

		assert_int_equal(intern__add(&in, &i, &id), 0);
		taken += in.items.cap == cap ? 0 : in.items.cap * sizeof(u64);
		taken += in.slots_len == slots ? 0 : in.slots_len * sizeof(*in.slots);
		assert_int_equal(grown, taken);
	}
	assert_true(intern__growth(&in, 10000) > 10000 * (sizeof(u64) + sizeof(*in.slots)));
	intern__done(&in);
}

static void test_intern__reserve_makes_room(void **state)
{
	struct intern in;
	const void *slots;
	size_t cap;
	u32 id;

	(void)state;
	assert_int_equal(intern__init(&in, sizeof(u64), sizeof(u64)), 0);
	for (u64 begin = 1; begin < 2000; begin += 500) {
		assert_int_equal(intern__reserve(&in, 500), 0);
		assert_int_equal(intern__growth(&in, 500), 0);
		slots = in.slots;
		cap = in.items.cap;
		for (u64 i = begin; i < begin + 500; i++) {
			assert_int_equal(intern__add(&in, &i, &id), 0);
			assert_int_equal(id, i);
		}
		assert_ptr_equal(in.slots, slots);
		assert_int_equal(in.items.cap, cap);
	}
	for (u64 i = 1; i < 2001; i++)
		assert_int_equal(intern__find(&in, &i), i);
	intern__done(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_intern__add_counts_ids_from_one),
		cmocka_unit_test(test_intern__retain_keeps_only_requested_entries),
		cmocka_unit_test(test_intern__add_compares_the_key_only),
		cmocka_unit_test(test_intern__add_of_zeros_is_not_none),
		cmocka_unit_test(test_intern__find_knows_all_of_many),
		cmocka_unit_test(test_intern__add_that_fails_changes_nothing),
		cmocka_unit_test(test_intern__init_reports_a_shortage),
		cmocka_unit_test(test_intern__add_tells_keys_of_odd_sizes_apart),
		cmocka_unit_test(test_intern__growth_is_what_an_add_takes),
		cmocka_unit_test(test_intern__reserve_makes_room),
	};

	return cmocka_run_group_tests_name("base/intern", tests, NULL, NULL);
}
