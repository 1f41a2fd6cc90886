/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/cause/rule_words.h"

/* The slow way, and the definition: '*' is any text, '?' one byte. */
static bool fits(const char *glob, const char *name)
{
	if (!*glob)
		return !*name;
	if (*glob == '*')
		return fits(glob + 1, name) || (*name && fits(glob, name + 1));
	return *name && (*glob == '?' || *glob == *name) && fits(glob + 1, name + 1);
}

static void random_text(char *buf, const char *letters, u32 max)
{
	u32 len = 1 + (u32)random() % max, i;

	for (i = 0; i < len; i++)
		buf[i] = letters[(u32)random() % strlen(letters)];
	buf[len] = '\0';
}

static void test_rule_words__match_is_what_globs_say(void **state)
{
	static char lists[48][600]; /* borrowed by the words */
	char globs[48][12], name[24];
	struct rule_words words;
	u32 round, i, hits = 0;

	(void)state;
	srandom(7);
	assert_int_equal(rule_words__init(&words), 0);
	for (i = 0; i < 48; i++) {
		u16 number;

		/* a list of its own for each, even if two are alike: a word that is in no name */
		random_text(globs[i], "ab*?c", 8);
		snprintf(lists[i], sizeof(lists[i]), "%s Z%02u", globs[i], i);
		assert_int_equal(rule_words__add(&words, RULE_SIDE_USER, lists[i], &number, NULL),
				 0);
		assert_int_equal(number, i);
	}
	rule_words__prepare(&words);
	for (round = 0; round < 4000; round++) {
		u64 bits = 0;

		random_text(name, "abc*", 20);
		rule_words__match(&words, RULE_SIDE_USER, name, &bits);
		for (i = 0; i < 48; i++) {
			if ((bits >> i & 1) != fits(globs[i], name))
				fail_msg("'%s' and '%s'", globs[i], name);
			hits += bits >> i & 1;
		}
	}
	assert_true(hits > 4000);
	rule_words__done(&words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rule_words__match_is_what_globs_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
