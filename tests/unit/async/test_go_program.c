/* SPDX-License-Identifier: Apache-2.0 */
/* The version of Go that a file names. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "async/go/go_program.h"

#define HEAD "\xff Go buildinf:\x08"
#define ZEROES "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define INFO(flags, rest) view__of(HEAD flags ZEROES rest, sizeof(HEAD flags ZEROES rest) - 1)

static void test_buildinfo__has_the_version(void **state)
{
	struct go_program g = { 0 };
	struct view text;

	(void)state;
	assert_true(go_buildinfo_version(INFO("\x02", "\x08go1.19.8\x05other"), &text));
	assert_true(go_program__take_version(&g, text));
	assert_string_equal(g.version, "go1.19.8");
	assert_int_equal(g.minor, 19);
	assert_int_equal(go_program__check_version(&g, NULL), 0);
}

static void test_buildinfo__that_is_not_whole_has_none(void **state)
{
	struct view text;

	(void)state;
	assert_false(go_buildinfo_version(INFO("\x02", "\x09go1.19.8"), &text));
	assert_false(go_buildinfo_version(INFO("\x02", ""), &text));
	/* before Go 1.18 the strings were elsewhere */
	assert_false(go_buildinfo_version(INFO("\x00", "\x08go1.17.8"), &text));
	assert_false(go_buildinfo_version(view__of("\xff Go build", 10), &text));
}

static void test_version__that_is_not_known_is_refused(void **state)
{
	struct go_program g = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(go_program__check_version(&g, &err), -ENOTSUP);
	assert_true(go_program__take_version(&g, view__of_str("go1.27rc1")));
	assert_int_equal(go_program__check_version(&g, &err), -ENOTSUP);
	assert_non_null(strstr(err.msg, "goroutines of go1.27rc1 cannot be read"));
	assert_true(go_program__take_version(&g, view__of_str("go1.17.13")));
	assert_int_equal(go_program__check_version(&g, &err), -ENOTSUP);
	assert_false(go_program__take_version(&g, view__of_str("devel +abc")));
	assert_false(
		go_program__take_version(&g,
					 view__of_str("go1.19-and-much-more-than-can-fit-there")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buildinfo__has_the_version),
		cmocka_unit_test(test_buildinfo__that_is_not_whole_has_none),
		cmocka_unit_test(test_version__that_is_not_known_is_refused),
	};

	return cmocka_run_group_tests_name("go_program", tests, NULL, NULL);
}
