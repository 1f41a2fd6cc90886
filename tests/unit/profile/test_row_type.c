/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "profile/row_type.h"

static const struct row_type *const types[] = { &wait_row_type, &hot_row_type, &wake_row_type };

/* A member that no column describes would be lost on its way. */
static void test_row_type__columns_cover_their_struct(void **state)
{
	size_t t;
	u32 i, at;

	(void)state;
	for (t = 0; t < ARRAY_LEN(types); t++) {
		u8 *bytes = mem_array(types[t]->sz, 1);

		assert_non_null(bytes);
		for (i = 0; i < types[t]->columns_len; i++)
			for (at = 0; at < types[t]->columns[i].sz; at++)
				bytes[types[t]->columns[i].off + at]++;
		for (at = 0; at < types[t]->sz; at++)
			if (bytes[at] != 1)
				fail_msg("byte %u of a %s is in %u columns", at, types[t]->noun,
					 bytes[at]);
		mem_free(bytes);
	}
}

static void test_row_type__keys_are_a_prefix(void **state)
{
	size_t t;
	u32 i;

	(void)state;
	for (t = 0; t < ARRAY_LEN(types); t++) {
		for (i = 0; i < types[t]->columns_len; i++) {
			const struct row_column *c = &types[t]->columns[i];

			if (c->kind == ROW_ZERO)
				continue;
			assert_int_equal(row_column__is_key(c), c->off < types[t]->key_sz);
			assert_true(c->kind == ROW_HIST ||
				    c->sz == (row_column__is_key(c) ? 4 : 8));
		}
	}
}

/* Two columns under one number would be one in a recording. */
static void test_row_type__columns_are_stored_once(void **state)
{
	size_t t;
	u32 i;

	(void)state;
	for (t = 0; t < ARRAY_LEN(types); t++) {
		u64 seen = 0;

		for (i = 0; i < types[t]->columns_len; i++) {
			const struct row_column *c = &types[t]->columns[i];

			assert_ptr_equal(row_type__find(types[t], c->name), c);
			if (c->stored == ROW_STORED_APART)
				continue;
			assert_in_range(c->stored, 0, 63);
			if (seen >> c->stored & 1)
				fail_msg("column %s of a %s has the number of another", c->name,
					 types[t]->noun);
			seen |= 1ULL << c->stored;
		}
	}
	assert_null(row_type__find(&wait_row_type, "nothing"));
}

/* Of each column that refers to something, the first value that refers to nothing. */
static void test_row_type__missing_knows_every_column(void **state)
{
	static const struct row_limits limits = {
		.tasks = 3, .stacks = 4, .objects = 5, .wakers = 6
	};
	static const u64 beyond[] = {
		[ROW_TASK] = 3,
		[ROW_STACK] = 4,
		[ROW_OBJECT] = 5,
		[ROW_CALL] = -2U,
		[ROW_STATE] = PROFILE_STATES,
		[ROW_FLAGS] = 1U << 31,
		[ROW_WAKER] = 6,
		[ROW_DOING] = DOING_CNT,
		[ROW_ZERO] = 1,
	};
	union {
		struct profile_wait wait;
		struct profile_hot hot;
		struct profile_wake wake;
	} row;
	size_t t;
	u32 i;

	(void)state;
	for (t = 0; t < ARRAY_LEN(types); t++) {
		for (i = 0; i < types[t]->columns_len; i++) {
			const struct row_column *c = &types[t]->columns[i];

			memset(&row, 0, sizeof(row));
			row_column__set(row_type__find(types[t], "task"), &row, 1);
			if (types[t] == &wake_row_type)
				row.wake.waker = 1;
			assert_null(row_type__missing(types[t], &row, &limits));
			if (c->kind == ROW_HIST)
				continue;
			row_column__set(c, &row, beyond[c->kind]);
			if (beyond[c->kind] && !row_type__missing(types[t], &row, &limits))
				fail_msg("a %s may have any %s", types[t]->noun, c->name);
		}
	}
	memset(&row, 0, sizeof(row));
	assert_string_equal(row_type__missing(&hot_row_type, &row, &limits), "a thread");
	assert_string_equal(row_type__missing(&wake_row_type, &row, &limits), "a waker");
}

static void test_row_type__add_adds_each_value(void **state)
{
	struct profile_wait sum = { .task = 1,
				    .blocked_ns = 10,
				    .runq_ns = 20,
				    .count = 1,
				    .max_ns = 30,
				    .samples = 1,
				    .var_us2 = ~0ULL };
	struct profile_wait row = { .task = 1,
				    .blocked_ns = 1,
				    .runq_ns = 2,
				    .count = 3,
				    .max_ns = 4,
				    .samples = 5,
				    .var_us2 = 6 };

	(void)state;
	sum.hist[PROFILE_HIST_LEN - 1] = 7;
	row.hist[PROFILE_HIST_LEN - 1] = 8;
	assert_true(row_type__add(&wait_row_type, &sum, &row));
	assert_int_equal(sum.task, 1);
	assert_int_equal(sum.blocked_ns, 11);
	assert_int_equal(sum.runq_ns, 22);
	assert_int_equal(sum.count, 4);
	assert_int_equal(sum.max_ns, 30);
	assert_int_equal(sum.samples, 6);
	assert_true(sum.var_us2 == ~0ULL);
	assert_int_equal(sum.hist[PROFILE_HIST_LEN - 1], 15);
	row.max_ns = 31;
	assert_true(row_type__add(&wait_row_type, &sum, &row));
	assert_int_equal(sum.max_ns, 31);
	row.hist[PROFILE_HIST_LEN - 1] = UINT32_MAX;
	assert_false(row_type__add(&wait_row_type, &sum, &row));
	row.hist[PROFILE_HIST_LEN - 1] = 0;
	row.count = ~0ULL;
	assert_false(row_type__add(&wait_row_type, &sum, &row));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_row_type__columns_cover_their_struct),
		cmocka_unit_test(test_row_type__keys_are_a_prefix),
		cmocka_unit_test(test_row_type__columns_are_stored_once),
		cmocka_unit_test(test_row_type__missing_knows_every_column),
		cmocka_unit_test(test_row_type__add_adds_each_value),
	};

	return cmocka_run_group_tests_name("profile/row_type", tests, NULL, NULL);
}
