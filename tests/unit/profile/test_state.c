/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "abi/hist.h"
#include "abi/state.h"
#include "abi/wait.h"
#include "profile/profile.h"
#include "profile/state.h"

/* The model repeats what it needs of the BPF side; here, and only here, both are seen at once. */
_Static_assert(STATE_RAW_INTERRUPTIBLE == (int)CS_RAW_INTERRUPTIBLE, "");
_Static_assert(STATE_RAW_UNINTERRUPTIBLE == (int)CS_RAW_UNINTERRUPTIBLE, "");
_Static_assert(STATE_RAW_STOPPED == (int)CS_RAW_STOPPED, "");
_Static_assert(STATE_RAW_TRACED == (int)CS_RAW_TRACED, "");
_Static_assert(STATE_RAW_EXIT_DEAD == (int)CS_RAW_EXIT_DEAD, "");
_Static_assert(STATE_RAW_EXIT_ZOMBIE == (int)CS_RAW_EXIT_ZOMBIE, "");
_Static_assert(STATE_RAW_PARKED == (int)CS_RAW_PARKED, "");
_Static_assert(STATE_RAW_DEAD == (int)CS_RAW_DEAD, "");
_Static_assert(STATE_RAW_WAKEKILL == (int)CS_RAW_WAKEKILL, "");
_Static_assert(STATE_RAW_NOLOAD == (int)CS_RAW_NOLOAD, "");
_Static_assert(STATE_RAW_RTLOCK_WAIT == (int)CS_RAW_RTLOCK_WAIT, "");
_Static_assert(STATE_RAW_FROZEN == (int)CS_RAW_FROZEN, "");
_Static_assert(PROFILE_STATES == (int)CS_STATE_CNT, "");
_Static_assert(PROFILE_HIST_LEN == CS_HIST_LEN, "");

struct good {
	const char *text;
	u32 mask;
	bool runnable;
};

static void assert_reads(const struct good *cases, size_t cnt)
{
	bool runnable, any;
	u32 mask;
	size_t i;

	for (i = 0; i < cnt; i++) {
		mask = 0xdeadbeef;
		runnable = !cases[i].runnable;
		any = true;
		assert_int_equal(state_mask_parse(cases[i].text, &mask, &runnable, &any, NULL), 0);
		assert_int_equal(mask, cases[i].mask);
		assert_int_equal(runnable, cases[i].runnable);
		assert_false(any);
	}
}

static void test_state_mask_parse_reads_letters(void **state)
{
	static const struct good cases[] = {
		{ "R", 0, true },
		{ "S", 0x1, false },
		{ "D", 0x9002, false },
		{ "T", 0x4, false },
		{ "t", 0x8, false },
		{ "X", 0x90, false },
		{ "Z", 0x20, false },
		{ "P", 0x40, false },
		{ "I", 0x400, false },
		{ "K", 0x100, false },
		{ "S,D", 0x9003, false },
		{ "SD", 0x9003, false },
		{ "D,S", 0x9003, false },
		{ "S,R", 0x1, true },
		{ "R,S", 0x1, true },
		{ "S,S,SS", 0x1, false },
		{ "RSDTtXZPIK", 0x95ff, true },
	};

	(void)state;
	assert_reads(cases, ARRAY_LEN(cases));
}

static void test_state_mask_parse_reads_numbers_as_bits(void **state)
{
	static const struct good cases[] = {
		{ "0", 0, true },
		{ "00", 0, true },
		{ "0x0", 0, true },
		{ "1", 1, false },
		{ "2", 2, false },
		{ "010", 10, false },
		{ "0x2", 2, false },
		{ "0x2001", 0x2001, false },
		{ "0xABcd", 0xabcd, false },
		{ "4294967295", 0xffffffff, false },
		{ "0xffffffff", 0xffffffff, false },
		{ "0x000000000000000000000002", 2, false },
	};

	(void)state;
	assert_reads(cases, ARRAY_LEN(cases));
}

static void test_state_mask_parse_reads_any(void **state)
{
	bool runnable = true, any = false;
	u32 mask = 7;

	(void)state;
	assert_int_equal(state_mask_parse("any", &mask, &runnable, &any, NULL), 0);
	assert_true(any);
	assert_false(runnable);
	assert_int_equal(mask, 0);
}

static void test_state_mask_parse_refuses_the_rest(void **state)
{
	static const char *const bad[] = {
		"",    ",",   "S,",  ",S",    "S,,D", "S D",	    " S",
		"S ",  "s",   "d",   "Q",     "Sx",   "-1",	    "+1",
		"0x",  "0X2", "2S",  "0x2,S", "S2",   "4294967296", "0x100000000",
		"0xg", "1.0", "all", "anyS",  "ANY",  "2,1",	    "18446744073709551616",
	};
	bool runnable = true, any = true;
	struct err err = { 0 };
	u32 mask = 7;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(bad); i++) {
		assert_int_equal(state_mask_parse(bad[i], &mask, &runnable, &any, &err), -EINVAL);
		assert_non_null(strstr(err.msg, bad[i]));
		assert_non_null(strstr(err.msg, "is not a task state"));
	}
	assert_int_equal(mask, 7);
	assert_true(runnable && any);
}

/* What the kernel prints as a letter must be listed by that letter. */
static void test_state_mask_parse_lists_every_raw_state_by_its_letter(void **state)
{
	char letter[2] = "";
	bool runnable, any;
	u32 raw, mask;

	(void)state;
	for (raw = 0; raw < 0x10000; raw++) {
		/* a wakeup or birth in progress is no state, freezable says nothing alone */
		if (raw & (CS_RAW_WAKING | CS_RAW_NEW | 0x4000))
			continue;
		if (raw == CS_RAW_FREEZABLE ||
		    !(raw & ~(u32)(CS_RAW_WAKEKILL | CS_RAW_NOLOAD | CS_RAW_FREEZABLE)))
			continue;
		letter[0] = CS_STATE_LETTERS[cs_state_of(raw)];
		assert_int_equal(state_mask_parse(letter, &mask, &runnable, &any, NULL), 0);
		if (cs_state_of(raw) == CS_STATE_R)
			continue;
		assert_true(raw & mask);
	}
}

static void test_state_letter_agrees_with_the_bpf_side(void **state)
{
	u32 i;

	(void)state;
	assert_string_equal(PROFILE_STATE_LETTERS, CS_STATE_LETTERS);
	for (i = 0; i < PROFILE_STATES; i++)
		assert_int_equal(state_letter(i), CS_STATE_LETTERS[i]);
	assert_int_equal(state_letter(PROFILE_STATES), '?');
	assert_int_equal(state_letter(UINT32_MAX), '?');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_state_mask_parse_reads_letters),
		cmocka_unit_test(test_state_mask_parse_reads_numbers_as_bits),
		cmocka_unit_test(test_state_mask_parse_reads_any),
		cmocka_unit_test(test_state_mask_parse_refuses_the_rest),
		cmocka_unit_test(test_state_mask_parse_lists_every_raw_state_by_its_letter),
		cmocka_unit_test(test_state_letter_agrees_with_the_bpf_side),
	};

	return cmocka_run_group_tests_name("profile/state", tests, NULL, NULL);
}
