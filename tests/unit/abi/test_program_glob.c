/* SPDX-License-Identifier: Apache-2.0 */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "abi/program_glob.h"
#include "base/types.h"

static bool match(const char *pattern, const char *text)
{
	struct cs_program_glob g = { 0 };

	assert_int_equal(cs_program_glob_compile(&g, pattern), 0);
	return cs_program_glob_match(&g, text);
}

static void test_program_glob__of_a_path_is_its_last_name(void **state)
{
	(void)state;
	assert_true(match("postgres", "postgres"));
	assert_true(match("postgres", "/usr/lib/postgresql/15/bin/postgres"));
	assert_true(match("p*s", "./postgres"));
	assert_false(match("postgres", "/opt/postgres/bin/psql"));
	assert_false(match("postgres", "/opt/postgres/"));
	assert_false(match("*/psql", "/opt/postgres/bin/psql"));
}

static void test_program_glob__knows_stars_and_question_marks(void **state)
{
	(void)state;
	assert_true(match("*", ""));
	assert_true(match("**a**", "a"));
	assert_true(match("python3*", "python3.11"));
	assert_true(match("python?.*", "python3.11"));
	assert_false(match("python?", "python"));
	assert_false(match("", "a"));
	assert_true(match("", ""));
	assert_true(match("[a]", "[a]"));
	assert_false(match("[a]", "a"));
}

static u32 next_random(u32 *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 16;
}

static void fill(char *to, u32 len, const char *letters, u32 *seed)
{
	for (u32 i = 0; i < len; i++)
		to[i] = letters[next_random(seed) % strlen(letters)];
	to[len] = '\0';
}

/* Without slashes it is what fnmatch() does. */
static void test_program_glob__agrees_with_fnmatch(void **state)
{
	char pattern[16], text[24];
	u32 seed = 1, matches = 0;

	(void)state;
	for (u32 i = 0; i < 100000; i++) {
		bool is;

		fill(pattern, next_random(&seed) % 12, "ab*?", &seed);
		fill(text, next_random(&seed) % 20, "ab", &seed);
		is = match(pattern, text);
		if (is != !fnmatch(pattern, text, FNM_NOESCAPE))
			fail_msg("'%s' and '%s'", pattern, text);
		matches += is;
	}
	assert_in_range(matches, 5000, 95000);
}

static void test_program_glob__has_a_longest_pattern(void **state)
{
	char pattern[CS_PROGRAM_GLOB_MAX + 2];
	struct cs_program_glob g = { 0 };

	(void)state;
	memset(pattern, 'x', sizeof(pattern));
	pattern[CS_PROGRAM_GLOB_MAX + 1] = '\0';
	assert_int_equal(cs_program_glob_compile(&g, pattern), -1);
	pattern[CS_PROGRAM_GLOB_MAX] = '\0';
	assert_true(match(pattern, pattern));
	pattern[CS_PROGRAM_GLOB_MAX - 1] = '*';
	assert_true(match(pattern, pattern));
	assert_false(match(pattern, "xxx"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_program_glob__of_a_path_is_its_last_name),
		cmocka_unit_test(test_program_glob__knows_stars_and_question_marks),
		cmocka_unit_test(test_program_glob__agrees_with_fnmatch),
		cmocka_unit_test(test_program_glob__has_a_longest_pattern),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
