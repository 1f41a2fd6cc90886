/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "recording/block/column.h"
#include "recording/block/crc32c.h"

/* A reader of tag 2 with three columns. */
static const u8 known[] = { 0, 0, 3 };

static struct view view_of(const struct vec *v)
{
	return view__of(v->data, v->len);
}

static int next(struct section_in *in, struct view *block)
{
	return section_in__next(in, block, known, ARRAY_LEN(known));
}

/* Two rows of `cols` columns: 1, 2 and so on, and ten more in the second. */
static void put_section(struct vec *block, u32 tag, u32 cols, u64 needed, u32 flags)
{
	struct section_out out;
	u32 row, col;

	section_out__init(&out, tag, cols, flags);
	for (col = 0; col < cols; col++)
		out.needed[col] = needed >> col & 1;
	for (row = 0; row < 2; row++) {
		for (col = 0; col < cols; col++)
			section_out__uleb(&out, col, 1 + col + 10ULL * row);
		out.rows++;
	}
	assert_int_equal(section_out__append(&out, block), 0);
	section_out__done(&out);
}

static void test_section_in__next_gives_rows_by_columns(void **state)
{
	struct vec block;
	struct section_in in;
	struct view v;
	u32 row, col;

	(void)state;
	vec__init(&block, 1);
	put_section(&block, 2, 3, 0, SECTION_NEEDED);
	v = view_of(&block);
	assert_int_equal(next(&in, &v), 1);
	assert_int_equal(in.tag, 2);
	assert_int_equal(in.rows, 2);
	for (row = 0; row < 2; row++)
		for (col = 0; col < 3; col++)
			assert_int_equal(section_in__uleb(&in, col), 1 + col + 10 * row);
	assert_int_equal(section_in__finish(&in), 0);
	assert_int_equal(next(&in, &v), 0);
	vec__done(&block);
}

static void test_section_in__next_skips_unknown_sections(void **state)
{
	struct vec block;
	struct section_in in;
	struct view v;

	(void)state;
	vec__init(&block, 1);
	put_section(&block, 9, 2, 3, 0);
	put_section(&block, 1, 2, 0, 0);
	put_section(&block, 2, 5, 0, SECTION_NEEDED);
	v = view_of(&block);
	assert_int_equal(next(&in, &v), 1);
	assert_int_equal(in.tag, 2);
	assert_int_equal(section_in__uleb(&in, 2), 3);
	assert_int_equal(section_in__uleb(&in, 2), 13);
	assert_int_equal(next(&in, &v), 0);
	vec__done(&block);
}

static void test_section_in__next_refuses_unknown_required_sections(void **state)
{
	struct vec block;
	struct section_in in;
	struct view v;

	(void)state;
	vec__init(&block, 1);
	put_section(&block, 9, 2, 0, SECTION_NEEDED);
	v = view_of(&block);
	assert_int_equal(next(&in, &v), -EOPNOTSUPP);
	vec__reset(&block);
	put_section(&block, 2, 5, 1 << 4, 0);
	v = view_of(&block);
	assert_int_equal(next(&in, &v), -EOPNOTSUPP);
	vec__done(&block);
}

static void test_section_in__uleb_of_a_column_that_is_missing_is_zero(void **state)
{
	struct vec block;
	struct section_in in;
	struct view v;

	(void)state;
	vec__init(&block, 1);
	put_section(&block, 2, 1, 0, 0);
	v = view_of(&block);
	assert_int_equal(next(&in, &v), 1);
	assert_int_equal(section_in__uleb(&in, 1), 0);
	assert_int_equal(section_in__zigzag(&in, 2), 0);
	assert_int_equal(section_in__uleb(&in, 0), 1);
	/* a row is left */
	assert_int_equal(section_in__finish(&in), -EBADMSG);
	assert_int_equal(section_in__uleb(&in, 0), 11);
	assert_int_equal(section_in__finish(&in), 0);
	/* and one more is too many */
	section_in__uleb(&in, 0);
	assert_int_equal(section_in__finish(&in), -EBADMSG);
	vec__done(&block);
}

static void test_section_out__append_leaves_out_zeros(void **state)
{
	struct section_out out;
	struct vec small, large;
	u32 i;

	(void)state;
	vec__init(&small, 1);
	vec__init(&large, 1);
	section_out__init(&out, 2, 3, 0);
	for (i = 0; i < 100; i++) {
		section_out__uleb(&out, 0, 0);
		section_out__uleb(&out, 1, 0);
		section_out__bytes(&out, 2, "", 0);
		out.rows++;
	}
	assert_int_equal(section_out__append(&out, &small), 0);
	section_out__uleb(&out, 1, 1);
	assert_int_equal(section_out__append(&out, &large), 0);
	/* column 0 stays, as rows are held against it */
	assert_in_range(small.len, 100, 110);
	assert_in_range(large.len, 200, 215);
	section_out__done(&out);
	vec__done(&small);
	vec__done(&large);
}

static void test_section_in__next_believes_no_number_of_rows(void **state)
{
	/* tag, flags, rows, columns, size * 2, column */
	static const u8 rows[] = { 2, 0, 3, 1, 2 << 1, 7, 7 };
	static const u8 columns[] = { 2, 0, 1, 0xff, 0xff, 0xff, 0xff, 0x0f, 2, 7 };
	static const u8 size[] = { 2, 0, 1, 1, 0xfe, 0xff, 0xff, 0xff, 0xff, 0x1f, 7 };
	struct section_in in;
	struct view v = view__of(rows, sizeof(rows));

	(void)state;
	assert_int_equal(next(&in, &v), -EBADMSG);
	v = view__of(columns, sizeof(columns));
	assert_int_equal(next(&in, &v), -EBADMSG);
	v = view__of(size, sizeof(size));
	assert_int_equal(next(&in, &v), -EBADMSG);
}

static void test_section_out__zigzag_holds_any_number(void **state)
{
	static const s64 numbers[] = { 0, -1, 1, -64, 64, INT32_MIN, INT64_MAX, INT64_MIN };
	struct section_out out;
	struct section_in in;
	struct vec block;
	struct view v;
	size_t i;

	(void)state;
	vec__init(&block, 1);
	section_out__init(&out, 2, 1, 0);
	for (i = 0; i < ARRAY_LEN(numbers); i++)
		section_out__zigzag(&out, 0, numbers[i]);
	out.rows = ARRAY_LEN(numbers);
	assert_int_equal(section_out__append(&out, &block), 0);
	section_out__done(&out);
	v = view_of(&block);
	assert_int_equal(next(&in, &v), 1);
	for (i = 0; i < ARRAY_LEN(numbers); i++)
		assert_int_equal(section_in__zigzag(&in, 0), numbers[i]);
	assert_int_equal(section_in__finish(&in), 0);
	vec__done(&block);
}

struct row {
	u32 small;
	u64 large;
};

static void test_section_in__fields_refuses_what_does_not_fit(void **state)
{
	static const struct section_field wide[] = { SECTION_FIELD(0, struct row, large, false) };
	static const struct section_field narrow[] = { SECTION_FIELD(0, struct row, small, false) };
	const struct row before = { 0 };
	struct row row = { .large = 1ULL << 32 };
	struct section_out out;
	struct section_in in;
	struct vec block;
	struct view v;

	(void)state;
	vec__init(&block, 1);
	section_out__init(&out, 2, 1, 0);
	section_out__fields(&out, wide, 1, &row, &before);
	out.rows = 1;
	assert_int_equal(section_out__append(&out, &block), 0);
	section_out__done(&out);
	v = view_of(&block);
	assert_int_equal(next(&in, &v), 1);
	assert_int_equal(section_in__fields(&in, narrow, 1, &row, &before), -EBADMSG);
	vec__done(&block);
}

static void test_section_out__append_reports_every_allocation_that_fails(void **state)
{
	struct section_out out;
	struct vec block;
	u64 nth;
	int r = -ENOMEM;

	(void)state;
	for (nth = 1; r; nth++) {
		assert_true(nth < 20);
		vec__init(&block, 1);
		mem_fail_nth(nth);
		section_out__init(&out, 2, 2, 0);
		section_out__uleb(&out, 0, 5);
		section_out__bytes(&out, 1, "text", 4);
		r = section_out__append(&out, &block);
		assert_int_equal(r, mem_fail_fired() ? -ENOMEM : 0);
		mem_fail_nth(0);
		section_out__done(&out);
		vec__done(&block);
	}
	assert_true(nth > 3);
}

static void test_crc32c_is_that_of_iscsi(void **state)
{
	u8 zeros[32] = { 0 };

	(void)state;
	assert_int_equal(crc32c(0, "123456789", 9), 0xe3069283);
	assert_int_equal(crc32c(crc32c(0, "1234", 4), "56789", 5), 0xe3069283);
	/* RFC 3720, B.4 */
	assert_int_equal(crc32c(0, zeros, sizeof(zeros)), 0x8a9136aa);
	assert_int_equal(crc32c(0, "", 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_section_in__next_gives_rows_by_columns),
		cmocka_unit_test(test_section_in__next_skips_unknown_sections),
		cmocka_unit_test(test_section_in__next_refuses_unknown_required_sections),
		cmocka_unit_test(test_section_in__uleb_of_a_column_that_is_missing_is_zero),
		cmocka_unit_test(test_section_out__append_leaves_out_zeros),
		cmocka_unit_test(test_section_in__next_believes_no_number_of_rows),
		cmocka_unit_test(test_section_out__zigzag_holds_any_number),
		cmocka_unit_test(test_section_in__fields_refuses_what_does_not_fit),
		cmocka_unit_test(test_section_out__append_reports_every_allocation_that_fails),
		cmocka_unit_test(test_crc32c_is_that_of_iscsi),
	};

	return cmocka_run_group_tests_name("recording/column", tests, NULL, NULL);
}
