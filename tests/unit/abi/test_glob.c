/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "abi/glob.h"
#include "base/types.h"

/* Both padded with zeros to their arrays, as user space and the kernel fill them. */
static int match(const char *pattern, const char *comm)
{
	char p[CS_COMM_LEN] = { 0 }, c[CS_COMM_LEN] = { 0 };

	memcpy(p, pattern, strnlen(pattern, CS_COMM_LEN - 1));
	memcpy(c, comm, strnlen(comm, CS_COMM_LEN - 1));
	return cs_glob_match(p, c);
}

/* The definition, with no bound on its turns. */
static int match_by_definition(const char *p, const char *c)
{
	if (!*p)
		return !*c;
	if (*p == '*')
		return match_by_definition(p + 1, c) || (*c && match_by_definition(p, c + 1));
	return *c && (*p == '?' || *p == *c) && match_by_definition(p + 1, c + 1);
}

static void test_cs_glob_match_without_wildcards_is_equality(void **state)
{
	(void)state;
	assert_true(match("postgres", "postgres"));
	assert_false(match("postgres", "postgre"));
	assert_false(match("postgre", "postgres"));
	assert_false(match("Postgres", "postgres"));
	assert_true(match("", ""));
	assert_false(match("", "a"));
	assert_false(match("a", ""));
	assert_true(match("exactly15bytes!", "exactly15bytes!"));
	assert_false(match("exactly15bytes!", "exactly15bytes?"));
	assert_true(match("exactly15bytes?", "exactly15bytes!"));
	assert_true(match("[a-c]\\*", "[a-c]\\x"));
}

static void test_cs_glob_match_star_is_any_run(void **state)
{
	(void)state;
	assert_true(match("*", ""));
	assert_true(match("*", "exactly15bytes!"));
	assert_true(match("***************", "exactly15bytes!"));
	assert_true(match("post*", "post"));
	assert_true(match("*gres", "postgres"));
	assert_true(match("p*g*s", "postgres"));
	assert_true(match("*a*b", "aabab"));
	assert_false(match("*a*b", "aababc"));
	assert_false(match("post*x", "postgres"));
	assert_true(match("kworker/*", "kworker/0:1H-kb"));
}

static void test_cs_glob_match_question_mark_is_one_byte(void **state)
{
	(void)state;
	assert_true(match("?", "a"));
	assert_false(match("?", ""));
	assert_false(match("?", "ab"));
	assert_true(match("???????????????", "exactly15bytes!"));
	assert_false(match("???????????????", "only14bytes..."));
	assert_true(match("*?", "a"));
	assert_false(match("*?", ""));
	assert_true(match("?*?", "ab"));
}

static void fill(char *s, u32 n, u32 len, const char *alphabet, u32 letters)
{
	u32 i;

	for (i = 0; i < len; i++, n /= letters)
		s[i] = alphabet[n % letters];
	s[len] = '\0';
}

static u32 power(u32 base, u32 n)
{
	return n ? base * power(base, n - 1) : 1;
}

static void test_cs_glob_match_agrees_with_the_definition(void **state)
{
	char p[CS_COMM_LEN], c[CS_COMM_LEN];
	u32 p_len, c_len, i, k, matches = 0, cases = 0;

	(void)state;
	for (p_len = 0; p_len <= 5; p_len++) {
		for (i = 0; i < power(4, p_len); i++) {
			fill(p, i, p_len, "ab*?", 4);
			for (c_len = 0; c_len <= 5; c_len++) {
				for (k = 0; k < power(2, c_len); k++) {
					fill(c, k, c_len, "ab", 2);
					assert_int_equal(match(p, c), match_by_definition(p, c));
					matches += match(p, c) != 0;
					cases++;
				}
			}
		}
	}
	assert_in_range(matches, cases / 20, cases / 2);
}

/* Full length and worst cases: the bound on turns must not end a match that is under way. */
static void test_cs_glob_match_has_turns_enough(void **state)
{
	char p[CS_COMM_LEN], c[CS_COMM_LEN];
	u32 i, len, matches = 0;

	(void)state;
	assert_true(match("*aaaaaaab", "aaaaaaaaaaaaaab"));
	assert_false(match("*aaaaaaab", "aaaaaaaaaaaaaaa"));
	assert_true(match("*a*a*a*a*a*a*ab", "aaaaaaaaaaaaaab"));
	assert_false(match("*a*a*a*a*a*a*ab", "aaaaaaaaaaaaaaa"));
	srand(1);
	for (i = 0; i < 200000; i++) {
		len = (u32)rand() % 15 + 1;
		fill(p, (u32)rand(), len, "aaab*?", 6);
		fill(c, (u32)rand(), 15, "aaab", 4);
		assert_int_equal(match(p, c), match_by_definition(p, c));
		matches += match(p, c) != 0;
	}
	assert_true(matches > 1000);
}

/* No NUL where one is promised: a wrong answer is fine, a read behind the arrays is not. */
static void test_cs_glob_match_stays_inside_unterminated_arrays(void **state)
{
	char *p = malloc(CS_COMM_LEN), *c = malloc(CS_COMM_LEN);

	(void)state;
	assert_non_null(p);
	assert_non_null(c);
	memset(p, 'a', CS_COMM_LEN);
	memset(c, 'a', CS_COMM_LEN);
	cs_glob_match(p, c);
	memset(p, '*', CS_COMM_LEN);
	cs_glob_match(p, c);
	p[1] = 'b';
	cs_glob_match(p, c);
	free(p);
	free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cs_glob_match_without_wildcards_is_equality),
		cmocka_unit_test(test_cs_glob_match_star_is_any_run),
		cmocka_unit_test(test_cs_glob_match_question_mark_is_one_byte),
		cmocka_unit_test(test_cs_glob_match_agrees_with_the_definition),
		cmocka_unit_test(test_cs_glob_match_has_turns_enough),
		cmocka_unit_test(test_cs_glob_match_stays_inside_unterminated_arrays),
	};

	return cmocka_run_group_tests_name("abi/glob", tests, NULL, NULL);
}
