/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "unwind/rules.h"

static struct cs_unwind_rule dictionary[CS_RULES_MAX];

static void init(struct rules *rules)
{
	memset(dictionary, 0, sizeof(dictionary));
	assert_int_equal(rules__init(rules, dictionary), 0);
}

static struct cs_unwind_rule sp_plus(s32 off)
{
	return (struct cs_unwind_rule){
		.cfa = CS_CFA_SP,
		.cfa_off = off,
		.ra = CS_SAVED_CFA,
		.ra_off = -8,
	};
}

static void test_rules__init_makes_the_two_that_are_fixed(void **state)
{
	const struct cs_unwind_rule none = { 0 }, unsupported = { .cfa = CS_CFA_UNSUPPORTED };
	struct rules rules;

	(void)state;
	init(&rules);
	assert_int_equal(dictionary[RULES_UNSUPPORTED].cfa, CS_CFA_UNSUPPORTED);
	assert_int_equal(rules__number(&rules, &none), RULES_NONE);
	assert_int_equal(rules__number(&rules, &unsupported), RULES_UNSUPPORTED);
	assert_int_equal(rules.len, 2);
	rules__done(&rules);
}

static void test_rules__number_is_the_same_for_equal_rules(void **state)
{
	struct rules rules;
	u16 first[200];
	s32 i;

	(void)state;
	init(&rules);
	for (i = 0; i < 200; i++) {
		struct cs_unwind_rule rule = sp_plus(i * 8);

		first[i] = rules__number(&rules, &rule);
		assert_memory_equal(&dictionary[first[i]], &rule, sizeof(rule));
	}
	assert_int_equal(rules.len, 202);
	for (i = 0; i < 200; i++) {
		struct cs_unwind_rule rule = sp_plus(i * 8);

		assert_int_equal(rules__number(&rules, &rule), first[i]);
	}
	assert_int_equal(rules.len, 202);
	rules__done(&rules);
}

static void test_rules__number_differs_by_every_field(void **state)
{
	struct cs_unwind_rule rule = sp_plus(16);
	u8 *byte = (u8 *)&rule;
	struct rules rules;
	u16 number, other;
	size_t i;

	(void)state;
	init(&rules);
	number = rules__number(&rules, &rule);
	for (i = 0; i < sizeof(rule); i++) {
		byte[i] ^= 0x40;
		other = rules__number(&rules, &rule);
		assert_int_not_equal(other, number);
		byte[i] ^= 0x40;
	}
	assert_int_equal(rules.len, 3 + sizeof(rule));
	rules__done(&rules);
}

static void test_rules__number_when_full_is_unsupported_and_counted(void **state)
{
	struct cs_unwind_rule rule;
	struct rules rules;
	s32 i;

	(void)state;
	init(&rules);
	for (i = 0; i < CS_RULES_MAX - 2; i++) {
		rule = sp_plus(i);
		assert_int_equal(rules__number(&rules, &rule), i + 2);
	}
	assert_true(rules.refused == 0);
	rule = sp_plus(-1);
	assert_int_equal(rules__number(&rules, &rule), RULES_UNSUPPORTED);
	assert_int_equal(rules__number(&rules, &rule), RULES_UNSUPPORTED);
	assert_true(rules.refused == 2);
	/* those that are there are still found */
	rule = sp_plus(CS_RULES_MAX - 3);
	assert_int_equal(rules__number(&rules, &rule), CS_RULES_MAX - 1);
	rules__done(&rules);
}

static void test_rules__init_returns_no_memory(void **state)
{
	struct rules rules;

	(void)state;
	mem_fail_nth(1);
	assert_int_equal(rules__init(&rules, dictionary), -ENOMEM);
	mem_fail_nth(0);
	rules__done(&rules);
	rules__done(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules__init_makes_the_two_that_are_fixed),
		cmocka_unit_test(test_rules__number_is_the_same_for_equal_rules),
		cmocka_unit_test(test_rules__number_differs_by_every_field),
		cmocka_unit_test(test_rules__number_when_full_is_unsupported_and_counted),
		cmocka_unit_test(test_rules__init_returns_no_memory),
	};

	return cmocka_run_group_tests_name("rules", tests, NULL, NULL);
}
