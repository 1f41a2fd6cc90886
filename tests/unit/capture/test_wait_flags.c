/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "abi/wait.h"
#include "capture/wait_flags.h"
#include "profile/profile.h"

/* By name, and once more by hand: the table under test is not what it is compared with. */
static const struct {
	const char *name;
	u32 from;
	u32 to;
} expected[] = {
	{ "IOWAIT", CS_WAIT_IOWAIT, WAIT_IOWAIT },
	{ "KILLABLE", CS_WAIT_KILLABLE, WAIT_KILLABLE },
	{ "PREEMPTED", CS_WAIT_PREEMPTED, WAIT_PREEMPTED },
	{ "NEW", CS_WAIT_NEW, WAIT_NEW },
	{ "PRE", CS_WAIT_PRE, WAIT_PRE },
	{ "OPEN", CS_WAIT_OPEN, WAIT_OPEN },
	{ "NO_RESUME", CS_WAIT_NO_RESUME, WAIT_NO_RESUME },
	{ "ON_CPU", CS_WAIT_ON_CPU, 0 },
	{ "THROTTLED", CS_WAIT_THROTTLED, WAIT_THROTTLED },
	{ "STACK_LOST", CS_WAIT_STACK_LOST, 0 },
	{ "OWNER_UNKNOWN", CS_WAIT_OWNER_UNKNOWN, 0 },
	{ "RUNNABLE", CS_WAIT_RUNNABLE, WAIT_RUNNABLE },
};

static void test_wait_flags_knows_each_flag_by_name(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(expected); i++)
		if (wait_flags(expected[i].from) != expected[i].to)
			fail_msg("%s becomes %#x", expected[i].name, wait_flags(expected[i].from));
}

/* A flag that is new and was forgotten above. */
static void test_wait_flags_expected_ones_are_all(void **state)
{
	u32 all = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(expected); i++)
		all |= expected[i].from;
	assert_int_equal(all, CS_WAIT_FLAGS_ALL);
}

/* No bit of a key becomes what only a profile knows, whatever the kernel side writes. */
static void test_wait_flags_never_makes_a_row_lost_or_on_cpu(void **state)
{
	(void)state;
	for (u32 bits = 0; bits < 1U << CS_WAIT_FLAGS_BITS; bits++)
		assert_int_equal(wait_flags(bits) & (WAIT_LOST | WAIT_ON_CPU | WAIT_NOT_SAMPLED),
				 0);
}

static void test_wait_flags_are_translated_together(void **state)
{
	(void)state;
	assert_int_equal(wait_flags(CS_WAIT_THROTTLED | CS_WAIT_PRE | CS_WAIT_OPEN),
			 WAIT_THROTTLED | WAIT_PRE | WAIT_OPEN);
	assert_int_equal(wait_flags(0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wait_flags_knows_each_flag_by_name),
		cmocka_unit_test(test_wait_flags_expected_ones_are_all),
		cmocka_unit_test(test_wait_flags_never_makes_a_row_lost_or_on_cpu),
		cmocka_unit_test(test_wait_flags_are_translated_together),
	};

	return cmocka_run_group_tests_name("wait_flags", tests, NULL, NULL);
}
