/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "app/spell.h"

static void test_spell_distance_counts_single_slips(void **state)
{
	(void)state;
	assert_int_equal(spell_distance("record", "record"), 0);
	assert_int_equal(spell_distance("recrod", "record"), 1);
	assert_int_equal(spell_distance("recor", "record"), 1);
	assert_int_equal(spell_distance("rrecord", "record"), 1);
	assert_int_equal(spell_distance("rekord", "record"), 1);
	assert_int_equal(spell_distance("", "abc"), 3);
	assert_int_equal(spell_distance("abc", ""), 3);
	assert_int_equal(spell_distance("kitten", "sitting"), 3);
}

static void test_spell_distance_is_the_same_both_ways(void **state)
{
	static const char *const words[] = { "", "a", "ab", "ba", "abc", "record", "doctor" };
	size_t i, j;

	(void)state;
	for (i = 0; i < ARRAY_LEN(words); i++) {
		for (j = 0; j < ARRAY_LEN(words); j++)
			assert_int_equal(spell_distance(words[i], words[j]),
					 spell_distance(words[j], words[i]));
	}
}

static void test_spell_distance_of_long_words_is_far(void **state)
{
	char longest[64];

	(void)state;
	memset(longest, 'a', sizeof(longest));
	longest[63] = '\0';
	assert_int_equal(spell_distance(longest, longest), 32);
	longest[31] = '\0';
	assert_int_equal(spell_distance(longest, longest), 0);
}

static void test_spell__offer_keeps_the_nearest(void **state)
{
	struct spell s;

	(void)state;
	spell__init(&s, "recrod");
	spell__offer(&s, "report");
	spell__offer(&s, "record");
	spell__offer(&s, "doctor");
	assert_string_equal(s.best, "record");
}

static void test_spell__offer_refuses_far_guesses(void **state)
{
	struct spell s;

	(void)state;
	spell__init(&s, "xyzzy");
	spell__offer(&s, "record");
	spell__offer(&s, "all");
	assert_null(s.best);
	spell__init(&s, "ab"); /* half of its letters would have to change */
	spell__offer(&s, "ac");
	assert_null(s.best);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spell_distance_counts_single_slips),
		cmocka_unit_test(test_spell_distance_is_the_same_both_ways),
		cmocka_unit_test(test_spell_distance_of_long_words_is_far),
		cmocka_unit_test(test_spell__offer_keeps_the_nearest),
		cmocka_unit_test(test_spell__offer_refuses_far_guesses),
	};

	return cmocka_run_group_tests_name("spell", tests, NULL, NULL);
}
