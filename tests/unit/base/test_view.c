/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/view.h"

#define VIEW(bytes) view__of(bytes, sizeof(bytes))

static void test_view__of_nothing_is_empty(void **state)
{
	struct view v = view__of(NULL, 0), w = view__of_str("");

	(void)state;
	assert_int_equal(view__left(&v), 0);
	assert_int_equal(view__left(&w), 0);
	assert_true(view__eq(&v, ""));
	assert_false(v.bad);
	assert_int_equal(view__u8(&v), 0);
	assert_true(v.bad);
}

static void test_view__numbers_are_little_endian(void **state)
{
	static const u8 bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0xff };
	struct view v = VIEW(bytes);

	(void)state;
	assert_int_equal(view__u8(&v), 1);
	assert_int_equal(view__u16(&v), 0x0302);
	assert_int_equal(view__u32(&v), 0x07060504);
	assert_int_equal(view__left(&v), 8);
	assert_true(view__u64(&v) == 0xff0e0d0c0b0a0908ULL);
	assert_int_equal(view__left(&v), 0);
	assert_false(v.bad);
}

static void test_view__numbers_at_the_end_are_zero_and_bad(void **state)
{
	static const u8 bytes[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	struct view v;

	(void)state;
	v = VIEW(bytes);
	assert_true(view__u64(&v) == 0);
	assert_true(v.bad);
	assert_int_equal(view__left(&v), 0);
	/* bad stays, and nothing can be read any more */
	assert_int_equal(view__u8(&v), 0);
	assert_true(v.bad);
	v = view__of(bytes, 3);
	assert_int_equal(view__u32(&v), 0);
	assert_true(v.bad);
	v = view__of(bytes, 1);
	assert_int_equal(view__u16(&v), 0);
	assert_true(v.bad);
}

static u64 uleb(const u8 *bytes, size_t sz, bool *ret_bad, size_t *ret_left)
{
	struct view v = view__of(bytes, sz);
	u64 value = view__uleb(&v);

	*ret_bad = v.bad;
	*ret_left = view__left(&v);
	return value;
}

static void test_view__uleb_reads_what_fits(void **state)
{
	static const u8 small[] = { 0x7f, 0xaa }, two[] = { 0xe5, 0x8e, 0x26 };
	static const u8 even[] = { 0x80, 0x01 };
	static const u8 max[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01 };
	static const u8 padded[] = { 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
				     0x80, 0x80, 0x80, 0x80, 0x80, 0x00 };
	size_t left;
	bool bad;

	(void)state;
	assert_int_equal(uleb(small, sizeof(small), &bad, &left), 0x7f);
	assert_false(bad);
	assert_int_equal(left, 1);
	assert_int_equal(uleb(two, sizeof(two), &bad, &left), 624485);
	assert_int_equal(uleb(even, sizeof(even), &bad, &left), 128);
	assert_int_equal(left, 0);
	assert_true(uleb(max, sizeof(max), &bad, &left) == ~0ULL);
	assert_false(bad);
	assert_int_equal(uleb(padded, sizeof(padded), &bad, &left), 1);
	assert_false(bad);
	assert_int_equal(left, 0);
}

static void test_view__uleb_refuses_what_does_not_fit(void **state)
{
	static const u8 bit64[] = { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02, 9 };
	static const u8 eleven[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
				     0xff, 0xff, 0xff, 0x81, 0x01, 9 };
	static const u8 endless[] = { 0x80, 0x80, 0x80 };
	u8 hundred[100];
	size_t left;
	bool bad;

	(void)state;
	memset(hundred, 0xff, sizeof(hundred));
	assert_true(uleb(bit64, sizeof(bit64), &bad, &left) == 0 && bad && left == 0);
	assert_true(uleb(eleven, sizeof(eleven), &bad, &left) == 0 && bad && left == 0);
	assert_true(uleb(endless, sizeof(endless), &bad, &left) == 0 && bad && left == 0);
	assert_true(uleb(hundred, sizeof(hundred), &bad, &left) == 0 && bad && left == 0);
	assert_true(uleb(hundred, 0, &bad, &left) == 0 && bad);
}

static s64 sleb(const u8 *bytes, size_t sz, bool *ret_bad)
{
	struct view v = view__of(bytes, sz);
	s64 value = view__sleb(&v);

	*ret_bad = v.bad;
	return value;
}

static void test_view__sleb_reads_what_fits(void **state)
{
	static const u8 minus1[] = { 0x7f }, minus64[] = { 0x40 }, plus64[] = { 0xc0, 0x00 };
	static const u8 min[] = { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f };
	static const u8 max[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00 };
	static const u8 padded[] = { 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff,
				     0xff, 0xff, 0xff, 0xff, 0xff, 0x7f };
	bool bad;

	(void)state;
	assert_true(sleb(minus1, sizeof(minus1), &bad) == -1 && !bad);
	assert_true(sleb(minus64, sizeof(minus64), &bad) == -64 && !bad);
	assert_true(sleb(plus64, sizeof(plus64), &bad) == 64 && !bad);
	assert_true(sleb(min, sizeof(min), &bad) == INT64_MIN && !bad);
	assert_true(sleb(max, sizeof(max), &bad) == INT64_MAX && !bad);
	assert_true(sleb(padded, sizeof(padded), &bad) == -2 && !bad);
}

static void test_view__sleb_refuses_what_does_not_fit(void **state)
{
	static const u8 high[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01 };
	static const u8 mixed[] = {
		0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0xff, 0x00
	};
	static const u8 endless[] = { 0xff };
	bool bad;

	(void)state;
	assert_true(sleb(high, sizeof(high), &bad) == 0 && bad);
	assert_true(sleb(mixed, sizeof(mixed), &bad) == 0 && bad);
	assert_true(sleb(endless, sizeof(endless), &bad) == 0 && bad);
	assert_true(sleb(endless, 0, &bad) == 0 && bad);
}

static void test_view__bytes_stops_at_the_end(void **state)
{
	static const u8 bytes[] = { 1, 2, 3 };
	struct view v = VIEW(bytes);

	(void)state;
	assert_ptr_equal(view__bytes(&v, 2), bytes);
	assert_non_null(view__bytes(&v, 0));
	assert_null(view__bytes(&v, 2));
	assert_true(v.bad);
	assert_int_equal(view__left(&v), 0);
	v = VIEW(bytes);
	assert_null(view__bytes(&v, SIZE_MAX));
	assert_true(v.bad);
}

static void test_view__cstr_needs_its_nul(void **state)
{
	static const char bytes[] = { 'a', 'b', 0, 0, 'c' };
	struct view v = VIEW(bytes);

	(void)state;
	assert_string_equal(view__cstr(&v), "ab");
	assert_string_equal(view__cstr(&v), "");
	assert_false(v.bad);
	assert_null(view__cstr(&v));
	assert_true(v.bad);
	assert_null(view__cstr(&v));
}

static void test_view__sub_stays_inside(void **state)
{
	static const u8 bytes[] = { 1, 2, 3, 4, 5 };
	struct view v = VIEW(bytes), sub;

	(void)state;
	view__u8(&v);
	sub = view__sub(&v, 1, 2);
	assert_int_equal(view__u8(&sub), 3);
	assert_int_equal(view__left(&sub), 1);
	sub = view__sub(&v, 4, 0);
	assert_false(sub.bad);
	assert_int_equal(view__left(&sub), 0);
	sub = view__sub(&v, 4, 1);
	assert_true(sub.bad && view__left(&sub) == 0);
	sub = view__sub(&v, 5, 0);
	assert_true(sub.bad && view__left(&sub) == 0);
	sub = view__sub(&v, ~0ULL, 2);
	assert_true(sub.bad && view__left(&sub) == 0);
	sub = view__sub(&v, 1, ~0ULL);
	assert_true(sub.bad && view__left(&sub) == 0);
	sub = view__sub(&v, ~0ULL, ~0ULL);
	assert_true(sub.bad && view__left(&sub) == 0);
	assert_false(v.bad);
}

static void test_view__line_gives_every_line(void **state)
{
	struct view v = view__of_str("one\n\ntwo\r\nlast"), line;

	(void)state;
	assert_true(view__line(&v, &line) && view__eq(&line, "one"));
	assert_true(view__line(&v, &line) && view__eq(&line, ""));
	assert_true(view__line(&v, &line) && view__eq(&line, "two\r"));
	assert_true(view__line(&v, &line) && view__eq(&line, "last"));
	assert_false(view__line(&v, &line));
	assert_false(v.bad);
	v = view__of_str("x\n");
	assert_true(view__line(&v, &line) && view__eq(&line, "x"));
	assert_false(view__line(&v, &line));
}

static void test_view__token_skips_blanks_but_not_newlines(void **state)
{
	struct view v = view__of_str(" \t ab\tc  \nd"), tok;

	(void)state;
	assert_true(view__token(&v, &tok) && view__eq(&tok, "ab"));
	assert_true(view__token(&v, &tok) && view__eq(&tok, "c"));
	assert_false(view__token(&v, &tok));
	assert_true(view__eq(&tok, ""));
	assert_true(view__accept(&v, '\n'));
	assert_true(view__token(&v, &tok) && view__eq(&tok, "d"));
	assert_false(view__token(&v, &tok));
	assert_false(v.bad);
}

static void test_view__accept_takes_only_that_byte(void **state)
{
	struct view v = view__of("a\xff", 2);

	(void)state;
	assert_false(view__accept(&v, 'b'));
	assert_true(view__accept(&v, 'a'));
	assert_true(view__accept(&v, '\xff'));
	assert_false(view__accept(&v, 'a'));
	assert_false(v.bad);
}

static u64 dec(const char *s, bool *ret_bad)
{
	struct view v = view__of_str(s);
	u64 value = view__dec(&v);

	*ret_bad = v.bad;
	return value;
}

static u64 hex(const char *s, bool *ret_bad)
{
	struct view v = view__of_str(s);
	u64 value = view__hex(&v);

	*ret_bad = v.bad;
	return value;
}

static void test_view__dec_knows_its_bounds(void **state)
{
	bool bad;

	(void)state;
	assert_true(dec("0", &bad) == 0 && !bad);
	assert_true(dec("00000000000000000000000000012", &bad) == 12 && !bad);
	assert_true(dec("18446744073709551615", &bad) == ~0ULL && !bad);
	assert_true(dec("18446744073709551616", &bad) == 0 && bad);
	assert_true(dec("99999999999999999999", &bad) == 0 && bad);
	assert_true(dec("184467440737095516150", &bad) == 0 && bad);
	assert_true(dec("", &bad) == 0 && bad);
	assert_true(dec("-1", &bad) == 0 && bad);
	assert_true(dec("+1", &bad) == 0 && bad);
	assert_true(dec(" 1", &bad) == 0 && bad);
	assert_true(dec("12ab", &bad) == 12 && !bad);
}

static void test_view__hex_knows_its_bounds(void **state)
{
	bool bad;

	(void)state;
	assert_true(hex("ffffFFFFffffFFFF", &bad) == ~0ULL && !bad);
	assert_true(hex("10000000000000000", &bad) == 0 && bad);
	assert_true(hex("0000000000000000000aBcDeF", &bad) == 0xabcdef && !bad);
	assert_true(hex("A09afF", &bad) == 0xa09aff && !bad);
	assert_true(hex("g", &bad) == 0 && bad);
	assert_true(hex("0x10", &bad) == 0 && !bad);
	assert_true(hex("", &bad) == 0 && bad);
	assert_true(hex(":", &bad) == 0 && bad);
	assert_true(hex("@", &bad) == 0 && bad);
	assert_true(hex("`", &bad) == 0 && bad);
	assert_true(hex("/", &bad) == 0 && bad);
}

static void test_view__dec_leaves_the_cursor_after_the_digits(void **state)
{
	struct view v = view__of("12-ab ", 5); /* the space is outside */

	(void)state;
	assert_int_equal(view__dec(&v), 12);
	assert_true(view__accept(&v, '-'));
	assert_int_equal(view__hex(&v), 0xab);
	assert_int_equal(view__left(&v), 0);
	assert_false(v.bad);
}

static void test_view__eq_compares_all(void **state)
{
	struct view v = view__of("abc", 2), nul = view__of("a\0", 2);

	(void)state;
	assert_true(view__eq(&v, "ab"));
	assert_false(view__eq(&v, "abc"));
	assert_false(view__eq(&v, "a"));
	assert_false(view__eq(&v, ""));
	assert_false(view__eq(&nul, "a"));
}

static void test_view__copy_says_when_it_cut(void **state)
{
	struct view v = view__of_str("abc");
	char buf[4] = "zzz", untouched = 'u';

	(void)state;
	assert_true(view__copy(&v, buf, 4));
	assert_string_equal(buf, "abc");
	assert_false(view__copy(&v, buf, 3));
	assert_string_equal(buf, "ab");
	assert_false(view__copy(&v, buf, 1));
	assert_string_equal(buf, "");
	assert_false(view__copy(&v, &untouched, 0));
	assert_int_equal(untouched, 'u');
	assert_int_equal(view__left(&v), 3);
}

/* A heap block of the exact size, so that a sanitizer sees a read of one byte behind it. */
static void test_view__reads_nothing_past_the_end(void **state)
{
	struct view v, tok;
	char *p;
	size_t sz;

	(void)state;
	for (sz = 1; sz < 12; sz++) {
		p = mem_alloc(sz);
		memset(p, '1', sz);
		v = view__of(p, sz);
		assert_true(view__token(&v, &tok));
		v = view__of(p, sz);
		view__dec(&v);
		assert_false(v.bad);
		v = view__of(p, sz);
		assert_true(view__line(&v, &tok));
		v = view__of(p, sz);
		assert_null(view__cstr(&v));
		memset(p, 0x80, sz);
		v = view__of(p, sz);
		view__uleb(&v);
		v = view__of(p, sz);
		view__sleb(&v);
		assert_true(v.bad);
		memset(p, ' ', sz);
		v = view__of(p, sz);
		view__blank(&v);
		assert_int_equal(view__left(&v), 0);
		mem_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_view__of_nothing_is_empty),
		cmocka_unit_test(test_view__numbers_are_little_endian),
		cmocka_unit_test(test_view__numbers_at_the_end_are_zero_and_bad),
		cmocka_unit_test(test_view__uleb_reads_what_fits),
		cmocka_unit_test(test_view__uleb_refuses_what_does_not_fit),
		cmocka_unit_test(test_view__sleb_reads_what_fits),
		cmocka_unit_test(test_view__sleb_refuses_what_does_not_fit),
		cmocka_unit_test(test_view__bytes_stops_at_the_end),
		cmocka_unit_test(test_view__cstr_needs_its_nul),
		cmocka_unit_test(test_view__sub_stays_inside),
		cmocka_unit_test(test_view__line_gives_every_line),
		cmocka_unit_test(test_view__token_skips_blanks_but_not_newlines),
		cmocka_unit_test(test_view__accept_takes_only_that_byte),
		cmocka_unit_test(test_view__dec_knows_its_bounds),
		cmocka_unit_test(test_view__hex_knows_its_bounds),
		cmocka_unit_test(test_view__dec_leaves_the_cursor_after_the_digits),
		cmocka_unit_test(test_view__eq_compares_all),
		cmocka_unit_test(test_view__copy_says_when_it_cut),
		cmocka_unit_test(test_view__reads_nothing_past_the_end),
	};

	return cmocka_run_group_tests_name("base/view", tests, NULL, NULL);
}
