/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "abi/state.h"
#include "base/types.h"

struct known {
	u32 raw;
	char letter;
};

/* Raw values as kernels 5.15 to 6.18 store them, and what ps and perf print for them. */
static const struct known known[] = {
	{ 0x0000, 'R' }, /* TASK_RUNNING */
	{ 0x0001, 'S' }, /* TASK_INTERRUPTIBLE */
	{ 0x2001, 'S' }, /* TASK_INTERRUPTIBLE | TASK_FREEZABLE, 6.1 */
	{ 0x0002, 'D' }, /* TASK_UNINTERRUPTIBLE */
	{ 0x2002, 'D' }, { 0x0102, 'D' }, /* TASK_KILLABLE */
	{ 0x2102, 'D' }, { 0x1000, 'D' }, /* TASK_RTLOCK_WAIT */
	{ 0x8000, 'D' }, /* TASK_FROZEN, 6.1 */
	{ 0x0402, 'I' }, /* TASK_IDLE */
	{ 0x2402, 'I' }, { 0x0004, 'T' }, /* __TASK_STOPPED */
	{ 0x0104, 'T' }, /* TASK_STOPPED */
	{ 0x0008, 't' }, /* __TASK_TRACED */
	{ 0x0108, 't' }, /* TASK_TRACED up to 5.19 */
	{ 0x0010, 'X' }, /* EXIT_DEAD */
	{ 0x0080, 'X' }, /* TASK_DEAD */
	{ 0x0020, 'Z' }, /* EXIT_ZOMBIE */
	{ 0x00a0, 'Z' }, /* TASK_DEAD while it is a zombie */
	{ 0x0040, 'P' }, /* TASK_PARKED */
	{ 0x0200, 'R' }, /* TASK_WAKING */
	{ 0x0800, 'R' }, /* TASK_NEW */
};

static void test_cs_state_of_names_what_kernels_store(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(known); i++)
		assert_int_equal(CS_STATE_LETTERS[cs_state_of(known[i].raw)], known[i].letter);
}

static void test_cs_state_of_is_in_range_for_any_bits(void **state)
{
	bool seen[CS_STATE_CNT] = { 0 };
	u32 raw, i;

	(void)state;
	for (raw = 0; raw < 0x20000; raw++) {
		assert_in_range(cs_state_of(raw), 0, CS_STATE_CNT - 1);
		seen[cs_state_of(raw)] = true;
		/* bits that only modify do not change the state, alone or with others */
		assert_int_equal(cs_state_of(raw), cs_state_of(raw ^ CS_RAW_FREEZABLE));
		assert_int_equal(cs_state_of(raw), cs_state_of(raw ^ CS_RAW_WAKEKILL));
	}
	assert_int_equal(cs_state_of(0xffffffff), CS_STATE_I);
	for (i = 0; i < CS_STATE_CNT; i++)
		assert_true(seen[i]);
}

static void test_cs_state_letters_are_one_for_each(void **state)
{
	(void)state;
	assert_int_equal(strlen(CS_STATE_LETTERS), CS_STATE_CNT);
	assert_int_equal(CS_STATE_LETTERS[CS_STATE_t], 't');
	assert_int_equal(CS_STATE_LETTERS[CS_STATE_T], 'T');
	assert_int_equal(CS_STATE_LETTERS[CS_STATE_I], 'I');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cs_state_of_names_what_kernels_store),
		cmocka_unit_test(test_cs_state_of_is_in_range_for_any_bits),
		cmocka_unit_test(test_cs_state_letters_are_one_for_each),
	};

	return cmocka_run_group_tests_name("abi/state", tests, NULL, NULL);
}
