/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/types.h"
#include "base/text/suffix.h"

static void check(const char *name, const char *want)
{
	char buf[256];

	assert_string_equal(suffix_strip(name, buf, sizeof(buf)), want);
	/* also where the name already lies there */
	snprintf(buf, sizeof(buf), "%s", name);
	assert_string_equal(suffix_strip(buf, buf, sizeof(buf)), want);
}

static void test_suffix_strip_takes_marks_of_copies(void **state)
{
	(void)state;
	check("f.constprop.0", "f");
	check("f.isra.12", "f");
	check("f.part.0", "f");
	check("f.cold", "f");
	check("f.cold.3", "f");
	check("f.llvm.1234567890123456789", "f");
	check("f.lto_priv.0", "f");
	check("do_work.part.0.constprop.1.cold", "do_work");
	check("_Z3foov.isra.0", "_Z3foov");
	check("foo(int) [clone .constprop.0]", "foo(int)");
	check("foo [clone .part.0] [clone .cold]", "foo");
}

static void test_suffix_strip_takes_hashes_of_rust(void **state)
{
	(void)state;
	check("core::fmt::Formatter::pad::h0123456789abcdef", "core::fmt::Formatter::pad");
	check("app::main::h0123456789abcdef.llvm.77", "app::main");
	check("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "_ZN4core3fmt9Formatter3padE");
	check("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE.llvm.1",
	      "_ZN4core3fmt9Formatter3padE");
}

static void test_suffix_strip_leaves_names_alone(void **state)
{
	static const char *const names[] = {
		"",
		"f",
		"f.0",
		"f.1.2",
		".cold",
		"f.",
		"f.coldest",
		"f.part.x",
		"main.(*Server).cold.func1",
		"a::h0123456789abcde",
		"a::h0123456789ABCDEF",
		"a::x0123456789abcdef",
		"::h0123456789abcdef",
		"_ZN17h0123456789abcdefE",
		"foo [clone",
		"foo]",
		"]",
		"operator[]",
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(names); i++)
		check(names[i], names[i]);
}

static void test_suffix_strip_wants_room(void **state)
{
	char buf[4];

	(void)state;
	assert_string_equal(suffix_strip("abcdef.cold", buf, sizeof(buf)), "abcdef.cold");
	assert_string_equal(suffix_strip("ab.cold", buf, sizeof(buf)), "ab");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_suffix_strip_takes_marks_of_copies),
		cmocka_unit_test(test_suffix_strip_takes_hashes_of_rust),
		cmocka_unit_test(test_suffix_strip_leaves_names_alone),
		cmocka_unit_test(test_suffix_strip_wants_room),
	};

	return cmocka_run_group_tests_name("suffix", tests, NULL, NULL);
}
