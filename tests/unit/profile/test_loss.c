/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "profile/loss.h"

static void test_loss_name_is_stable_and_distinct(void **state)
{
	const char *s;
	u32 i, k;

	(void)state;
	for (i = 0; i < LOSS_CNT; i++) {
		for (s = loss_name(i); *s; s++)
			assert_true(islower((unsigned char)*s) || *s == '_');
		for (k = 0; k < i; k++)
			assert_string_not_equal(loss_name(i), loss_name(k));
	}
	/* written into files: appending is fine, moving is not */
	assert_string_equal(loss_name(0), "waits_full");
	assert_string_equal(loss_name(LOSS_STACK_CUT), "stack_cut");
	assert_int_equal(LOSS_STACK_CUT, 3);
	assert_int_equal(LOSS_UNNAMED, 13);
	assert_int_equal(LOSS_STACK_TRUNCATED, 14);
}

static void test_loss_sentence_is_a_fragment(void **state)
{
	const char *s;
	u32 i;

	(void)state;
	for (i = 0; i < LOSS_CNT; i++) {
		s = loss_sentence(i);
		assert_true(strlen(s) > 10);
		assert_true(s[strlen(s) - 1] != '.');
	}
	assert_string_equal(loss_sentence(LOSS_STACK_CUT),
			    "kernel stacks truncated at the depth limit");
}

static void test_loss_sentence_of_one_is_singular(void **state)
{
	(void)state;
	for (u32 i = 0; i < LOSS_CNT; i++)
		assert_string_not_equal(loss_sentence_of_one(i), loss_sentence(i));
	assert_string_equal(loss_sentence_of_one(LOSS_STACK_CUT),
			    "kernel stack truncated at the depth limit");
	assert_string_equal(loss_sentence_of_one(LOSS_TASK_RECORD),
			    "exited thread whose totals were lost: ring buffer full, or exit event "
			    "missed");
	assert_string_equal(loss_sentence_of_one(LOSS_TABLES_FULL),
			    "file without an unwind table: out of table memory");
}

static void test_loss_words_of_an_unknown_kind_are_no_crash(void **state)
{
	(void)state;
	assert_string_equal(loss_name(LOSS_CNT), "unknown");
	assert_string_equal(loss_name((enum profile_loss_kind) - 1), "unknown");
	assert_string_equal(loss_sentence(LOSS_CNT), "unknown loss");
	assert_string_equal(loss_sentence_of_one(LOSS_CNT), "unknown loss");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loss_name_is_stable_and_distinct),
		cmocka_unit_test(test_loss_sentence_is_a_fragment),
		cmocka_unit_test(test_loss_sentence_of_one_is_singular),
		cmocka_unit_test(test_loss_words_of_an_unknown_kind_are_no_crash),
	};

	return cmocka_run_group_tests_name("profile/loss", tests, NULL, NULL);
}
