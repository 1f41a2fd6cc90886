/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/lit.h"
#include "render/words/loss_text.h"

static void test_loss_text__has_events_sentence_and_time(void **state)
{
	struct profile *p = lit("loss waits_full 1204 3200ms\nloss stack_cut 1\n");
	char buf[256];

	(void)state;
	assert_true(loss_text(p, LOSS_WAITS_FULL, buf, sizeof(buf)));
	assert_string_equal(buf, "1,204 waits not listed: wait table full (3.20 s)");
	assert_true(loss_text(p, LOSS_STACK_CUT, buf, sizeof(buf)));
	assert_string_equal(buf, "1 kernel stack truncated at the depth limit");
	assert_false(loss_text(p, LOSS_RECURSION, buf, sizeof(buf)));
	assert_string_equal(buf, "");
	assert_int_equal(loss_kinds(p), 2);
	profile__free(p);
}

static void test_loss_text__counts_one_as_one(void **state)
{
	struct profile *p = lit("loss unnamed 1 2s\nloss waits_full 11 2s\nloss recursion 1\n"
				"loss targets_full 1\n");
	char buf[256];

	(void)state;
	assert_true(loss_text(p, LOSS_UNNAMED, buf, sizeof(buf)));
	assert_string_equal(buf, "1 wait with an unresolved frame (2.00 s)");
	assert_true(loss_text(p, LOSS_WAITS_FULL, buf, sizeof(buf)));
	assert_string_equal(buf, "11 waits not listed: wait table full (2.00 s)");
	assert_true(loss_text(p, LOSS_RECURSION, buf, sizeof(buf)));
	assert_string_equal(buf, "1 event dropped by the kernel because our program was running");
	assert_true(loss_text(p, LOSS_TARGETS_FULL, buf, sizeof(buf)));
	assert_string_equal(buf, "1 child not followed, nor its descendants: process table "
				 "full");
	profile__free(p);
}

static void test_loss_text__tells_time_without_events(void **state)
{
	struct profile *p = lit("loss clock_back 0 5us\n");
	char buf[256];

	(void)state;
	assert_true(loss_text(p, LOSS_CLOCK_BACK, buf, sizeof(buf)));
	assert_string_equal(buf, "0 intervals of negative length, counted as zero (5.00 us)");
	assert_int_equal(loss_kinds(p), 1);
	profile__free(p);
}

static void test_loss_kinds__of_nothing_is_zero(void **state)
{
	struct profile *p = lit("");

	(void)state;
	assert_int_equal(loss_kinds(p), 0);
	profile__free(p);
}

static void test_loss_text__fits_its_buffer_for_every_kind(void **state)
{
	char buf[256];
	int i;

	(void)state;
	for (i = 0; i < LOSS_CNT; i++) {
		struct profile p = { 0 };

		p.losses[i] = (struct profile_loss){ ~0ULL, ~0ULL };
		assert_true(loss_text(&p, (enum profile_loss_kind)i, buf, sizeof(buf)));
		assert_true(strlen(buf) < 150);
		assert_int_equal(buf[strlen(buf) - 1], ')');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loss_text__has_events_sentence_and_time),
		cmocka_unit_test(test_loss_text__counts_one_as_one),
		cmocka_unit_test(test_loss_text__tells_time_without_events),
		cmocka_unit_test(test_loss_kinds__of_nothing_is_zero),
		cmocka_unit_test(test_loss_text__fits_its_buffer_for_every_kind),
	};

	return cmocka_run_group_tests_name("loss_text", tests, NULL, NULL);
}
