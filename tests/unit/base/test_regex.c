/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text/regex.h"
#include "base/types.h"

static int compile(const char *text, struct err *err)
{
	regex_t regex;
	int r = regex_compile(&regex, text, REG_NOSUB, err);

	if (!r)
		regfree(&regex);
	return r;
}

static void test_regex__takes_what_people_write(void **state)
{
	static const char *const good[] = {
		"",
		"a",
		"^std::vector<.*>::(push|emplace)_back$",
		"operator\\[\\]",
		"[]+*?{9999}(]+",
		"[[:alpha:]_+]+[^]]*",
		"a{2,5}b{3,}c{1,200}",
		"(((a+)+)+)+",
		"(a|b){100}",
		"(^|[^a-z])foo($|[^a-z])",
		"(\\bfoo\\b|\\bbar\\b)+",
		"(a?b?c?d?e?f?g?h?i?j?k?l?m?n?o?p?)*x*y*z*",
		"(foo|bar|baz|)(foo|bar|baz|)+(foo|bar|baz|)*(::(foo|bar|baz)?)?",
	};
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		if (compile(good[i], &err))
			fail_msg("%s: %s", good[i], err.msg);
	}
}

/* Each would take hundreds of MB, seconds, or the stack. */
static void test_regex__refuses_what_explodes(void **state)
{
	static const char *const bad[] = {
		"a++++++++++++++++++++",
		"(a{1,250}){1,250}",
		"((((a{1,50}){1,50}){1,50}))",
		"a{200}{200}",
		"[a+]{,200}{200}",
		"(((((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+",
		"a{99999999999999999999}",
		"((a|b|)?(a|b|)?(a|b|)?(a|b|)?(a|b|)?(a|b|)?(a|b|)?(a|b|)?(a|b|)?(a|b|)?(a|b|)?"
		"(a|b|)?(a|b|)?)*",
		"((a|b|)?){13}",
		"((\\b|\\b){8})*",
		"((^|$){8})*",
		"((((^\\b)?|)+\\b|))*",
		"(^*|$*)*",
		"((^|\\b)?(^|\\b)?(^|\\b)?(^|\\b)?(^|\\b)?(^|\\b)?)*",
	};
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		if (compile(bad[i], &err) != -EINVAL)
			fail_msg("%s was taken", bad[i]);
		assert_non_null(strstr(err.msg, "is too large for a regular expression"));
	}
}

static void test_regex__refuses_groups_without_end(void **state)
{
	char text[4001];
	struct err err;

	(void)state;
	memset(text, '(', 2000);
	memset(text + 2000, ')', 2000);
	text[4000] = '\0';
	assert_int_equal(compile(text, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "is too large"));
}

static void test_regex__says_what_is_wrong(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(compile("a(b", &err), -EINVAL);
	assert_string_equal(err.msg, "'a(b' is not a regular expression: Unmatched ( or \\(");
	assert_int_equal(compile("[a", &err), -EINVAL);
	assert_int_equal(compile("a\\", &err), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_regex__takes_what_people_write),
		cmocka_unit_test(test_regex__refuses_what_explodes),
		cmocka_unit_test(test_regex__refuses_groups_without_end),
		cmocka_unit_test(test_regex__says_what_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
