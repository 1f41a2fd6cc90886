/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "profile/code.h"

static void test_stack_end_name__is_stable_and_distinct(void **state)
{
	u32 i, k;

	(void)state;
	for (i = 0; i < STACK_END_CNT; i++) {
		const char *s = stack_end_name((enum stack_end)i);

		assert_true(*s);
		for (; *s; s++)
			assert_true(islower((u8)*s) || isdigit((u8)*s) || *s == '_');
		for (k = 0; k < i; k++)
			assert_string_not_equal(stack_end_name((enum stack_end)i),
						stack_end_name((enum stack_end)k));
	}
	/* written into files: appending is fine, moving is not */
	assert_string_equal(stack_end_name(STACK_END_NO_CFI), "no_cfi");
	assert_int_equal(STACK_END_NO_CFI, 5);
	assert_string_equal(stack_end_name(STACK_END_NO_REGS), "no_registers");
	assert_int_equal(STACK_END_NO_REGS, 11);
}

static void assert_described(enum stack_end end, const char *path, const char *expected)
{
	char buf[64];

	stack_end_describe(end, path, buf, sizeof(buf));
	assert_string_equal(buf, expected);
}

static void test_stack_end_describe__names_the_file_where_it_helps(void **state)
{
	(void)state;
	assert_described(STACK_END_NO_CFI, "/opt/lib/libfoo.so", "no CFI in libfoo.so");
	assert_described(STACK_END_NO_CFI, "libfoo.so", "no CFI in libfoo.so");
	assert_described(STACK_END_NO_CFI, "", "no CFI");
	assert_described(STACK_END_NO_CFI, "/ends/with/", "no CFI");
	assert_described(STACK_END_NO_TABLE, "/bin/a", "no unwind table yet in a");
	assert_described(STACK_END_DEPTH, "/bin/a", "deeper than the limit");
	assert_described(STACK_END_NO_MAPPING, "/bin/a", "return address in no mapping");
}

static void test_stack_end_describe__has_words_for_each(void **state)
{
	char words[STACK_END_CNT][64];
	u32 i, k;

	(void)state;
	for (i = 0; i < STACK_END_CNT; i++) {
		stack_end_describe((enum stack_end)i, "", words[i], sizeof(words[i]));
		assert_true(strlen(words[i]) > 4);
		for (k = 0; k < i; k++)
			assert_string_not_equal(words[i], words[k]);
	}
	assert_described(STACK_END_CNT, "", "unknown reason");
	assert_string_equal(stack_end_name(STACK_END_CNT), "unknown");
}

static void test_stack_end_describe__cuts_what_does_not_fit(void **state)
{
	char buf[12];

	(void)state;
	stack_end_describe(STACK_END_NO_CFI, "/opt/lib/libfoo.so", buf, sizeof(buf));
	assert_string_equal(buf, "no CFI in l");
}

static void test_stack_end_is_loss__not_when_there_is_no_stack(void **state)
{
	u32 i, losses = 0;

	(void)state;
	for (i = 0; i < STACK_END_CNT; i++)
		losses += stack_end_is_loss((enum stack_end)i);
	assert_int_equal(losses, STACK_END_CNT - 3);
	assert_false(stack_end_is_loss(STACK_END_ROOT));
	assert_false(stack_end_is_loss(STACK_END_EXEC));
	assert_false(stack_end_is_loss(STACK_END_NO_CODE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stack_end_name__is_stable_and_distinct),
		cmocka_unit_test(test_stack_end_describe__has_words_for_each),
		cmocka_unit_test(test_stack_end_describe__names_the_file_where_it_helps),
		cmocka_unit_test(test_stack_end_describe__cuts_what_does_not_fit),
		cmocka_unit_test(test_stack_end_is_loss__not_when_there_is_no_stack),
	};

	return cmocka_run_group_tests_name("profile/code", tests, NULL, NULL);
}
