/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/name/pattern.h"

static bool fits(const char *text, bool regex, const char *name)
{
	struct pattern pt;
	bool found;

	assert_int_equal(pattern__init(&pt, text, regex, NULL), 0);
	found = pattern__matches(&pt, name);
	pattern__done(&pt);
	return found;
}

static void test_pattern__as_a_glob_fits_the_whole_name(void **state)
{
	(void)state;
	assert_true(fits("main", false, "main"));
	assert_false(fits("main", false, "main2"));
	assert_false(fits("main", false, "do_main"));
	assert_true(fits("m?in", false, "main"));
	assert_false(fits("m?in", false, "min"));
	assert_true(fits("", false, ""));
	assert_false(fits("", false, "a"));
}

static void test_pattern__stars_go_back(void **state)
{
	(void)state;
	assert_true(fits("*", false, ""));
	assert_true(fits("do_*", false, "do_"));
	assert_true(fits("*_read", false, "vfs_read_read"));
	assert_true(fits("a*b*c", false, "abxbyc"));
	assert_false(fits("a*b*c", false, "abxby"));
	assert_true(fits("**a**", false, "ba"));
	assert_false(fits("a*", false, "ba"));
}

static void test_pattern__other_marks_are_themselves(void **state)
{
	(void)state;
	assert_true(fits("operator[]", false, "operator[]"));
	assert_true(fits("[unknown]", false, "[unknown]"));
	assert_false(fits("[unknown]", false, "u"));
	assert_true(fits("a\\*", false, "a\\b"));
	assert_true(fits("f(int*)", false, "f(int*)"));
}

static void test_pattern__as_an_expression_is_found_anywhere(void **state)
{
	(void)state;
	assert_true(fits("read", true, "vfs_read_iter"));
	assert_true(fits("^vfs_(read|write)$", true, "vfs_write"));
	assert_false(fits("^vfs_(read|write)$", true, "vfs_writev"));
}

static void test_pattern__refuses_a_bad_expression(void **state)
{
	struct pattern pt;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(pattern__init(&pt, "a(b", true, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "'a(b' is not a regular expression: "));
	/* the same is a name */
	assert_true(fits("a(b", false, "a(b"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pattern__as_a_glob_fits_the_whole_name),
		cmocka_unit_test(test_pattern__stars_go_back),
		cmocka_unit_test(test_pattern__other_marks_are_themselves),
		cmocka_unit_test(test_pattern__as_an_expression_is_found_anywhere),
		cmocka_unit_test(test_pattern__refuses_a_bad_expression),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
